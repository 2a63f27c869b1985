/* SPDX-License-Identifier: MIT */
/* Folders without a module that could be loaded. That modules load is tested by tests/boot. */

#include "../test.h"
#include "sys/file.h"

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
