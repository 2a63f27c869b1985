/* SPDX-License-Identifier: MIT */
/* A snapshot file given to `untune`: the lines between its first and its last one, or the whole file behind a '!'. What
 * it says is written only below /proc and /sys, and the file goes only when all is as it was. */

#include "fuzz.h"
#include "settings/settings.h"

#define FILE_NAME "/run/jitbench.snapshot"
#define FIRST     "# jitbench snapshot of boot b\n"
#define LAST      "# end\n"

/* In place of the kernel. */
static int write_allowed(const char *path, const char *value)
{
    (void)value;
    FUZZ_CHECK(snapshot_path_allowed(path));
    return 0;
}

static void ignore_report(void *context, const struct snapshot_report *report)
{
    (void)context;
    (void)report;
}

/* All files written must be below /proc and /sys. */
static void check_entries(const char *text, size_t length)
{
    snapshot_write = write_allowed;
    struct snapshot *snapshot;
    struct error error;

    world_reset();
    world_put("/proc/sys/kernel/random/boot_id", "b\n", 2);
    world_put("/run/x", text, length);
    world_enter();
    const int code = snapshot_open("/run/x", &snapshot, &error);
    FUZZ_CHECK(!code || error.text[0]); /* that it is one line, where it is printed: untune below */
    if (!code)
        (void)snapshot_restore(snapshot, ignore_report, NULL, &error);
    snapshot_close(snapshot);
    world_leave();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool as_it_is = size && data[0] == '!';
    const size_t head = as_it_is ? 0 : sizeof(FIRST) - 1, tail = as_it_is ? 0 : sizeof(LAST) - 1;
    const size_t length = head + size - as_it_is + tail;
    size_t left;
    char *text = malloc(length + 1);

    if (!text)
        abort();
    memcpy(text, FIRST, head);
    memcpy(text + head, data + as_it_is, size - as_it_is);
    memcpy(text + length - tail, LAST, tail);
    text[length] = '\0';
    check_entries(text, length);
    world_reset();
    world_put("/proc/sys/kernel/random/boot_id", "b\n", 2);
    world_put("/proc/sys/kernel/a", "other\n", 6);
    world_put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n", 12);
    world_put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n", 23);
    world_put("/etc/passwd", "root\n", 5);
    world_put(FILE_NAME, text, length);
    int status = run_way((way){"untune"});
    FUZZ_CHECK((status == 0) == (world_get(FILE_NAME, &left) == NULL));
    const char *untouched = world_get("/etc/passwd", &left);
    FUZZ_CHECK(untouched && left == 5 && !memcmp(untouched, "root\n", 5));
    free(text);
    return 0;
}
