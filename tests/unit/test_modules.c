/* SPDX-License-Identifier: MIT */
/* Folders without a module that could be loaded. That modules load is tested by tests/boot. */

#include <sys/utsname.h>

#include "sys/file.h"
#include "tree_fixture.h"

static void make_file(const char *folder, const char *name)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "no module", 9), 9);
    (void)close(fd);
}

TEST(test_modules_load_looks_at_modules_only)
{
    static const char *const names[] = {"README", "a.ko.txt", ".ko", "b.kox"};
    char folder[] = "/tmp/jitbench-modules.XXXXXX", path[128];
    struct error error;

    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < COUNT(names); i++)
        make_file(folder, names[i]);
    assert_int_equal(modules_load(folder, &error), 0);
    assert_string_equal(error.text, "");
    make_file(folder, "b.ko");
    make_file(folder, "c.ko");
    /* The module may not be loaded, or is not a module. */
    assert_int_equal(modules_load(folder, &error), 2);
    assert_ptr_equal(strstr(error.text, "b.ko: "), error.text);
    assert_int_equal(modules_load("/nowhere/at/all", &error), -ENOENT);
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)snprintf(path, sizeof(path), "%s/b.ko", folder);
    (void)unlink(path);
    (void)snprintf(path, sizeof(path), "%s/c.ko", folder);
    (void)unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

static void expect_names(const char *names, int failed, const char *why)
{
    struct error error = {.text = "unset"};

    assert_int_equal(modules_load(names, &error), failed);
    if (!strstr(error.text, why))
        fail_msg("%s: '%s'", names, error.text);
}

/* The first that cannot be loaded is what all others need; '-' and '_' are the same in names. */
TREE_TEST(test_modules_by_name_with_what_they_need)
{
    char path[256];
    struct utsname kernel;

    assert_int_equal(uname(&kernel), 0);
    expect_names("nvme,ext4", 2, "nvme: not in /lib/modules/");
    (void)snprintf(path, sizeof(path), "/lib/modules/%.64s/modules.dep", kernel.release);
    tree_put(path, "kernel/a/nvme.ko: kernel/a/nvme-core.ko kernel/b/mid.ko kernel/c/lowest.ko\n"
                   "kernel/a/nvme-core.ko: kernel/c/lowest.ko\nkernel/c/lowest.ko:\nkernel/d/e1000e.ko.xz:\n"
                   "extra.ko:\n");
    expect_names("nvme", 1, "kernel/c/lowest.ko: missing");
    (void)snprintf(path, sizeof(path), "/lib/modules/%.64s/kernel/c/lowest.ko", kernel.release);
    tree_put(path, "no module");
    expect_names("nvme_core,e1000e", 2, "kernel/c/lowest.ko: "); /* may not be loaded, or is not a module */
    expect_names("e1000e,nvme", 2, "kernel/d/e1000e.ko.xz: missing");
    expect_names("e1000", 1, "e1000: not in ");
    expect_names("core,lowest", 2, "core: not in ");
    expect_names("low", 1, "low: not in ");
}
