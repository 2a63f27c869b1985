/* SPDX-License-Identifier: MIT */
/* A snapshot file given to `untune`. The checksum is put right first unless the first byte is '!', since no fuzzer
 * guesses one: what a file says is written only below /proc and /sys, and the file goes only when all is as it was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "settings/snapshot_file.h"
#include "tables.h"

#define FILE_NAME "/run/jitbench.snapshot"
#define BEGIN     "checksum "

static uint64_t checksum(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    while (length--)
        hash = (hash ^ (unsigned char)*text++) * UINT64_C(1099511628211);
    return hash;
}

/* The snapshot without its checksum line, and with the right one. */
static char *put_right(const uint8_t *data, size_t size, size_t *length)
{
    const uint8_t *last = NULL;
    char *text = malloc(size + sizeof(BEGIN) + 18);

    if (!text)
        abort();
    for (size_t i = 0; i + sizeof(BEGIN) - 1 <= size; i++)
        if ((!i || data[i - 1] == '\n') && !memcmp(data + i, BEGIN, sizeof(BEGIN) - 1))
            last = data + i;
    *length = last ? (size_t)(last - data) : size;
    memcpy(text, data, *length);
    *length += (size_t)sprintf(text + *length, BEGIN "%016llx\n", (unsigned long long)checksum(text, *length));
    return text;
}

/* All files written must be below /proc and /sys. */
static void check_entries(const char *text, size_t length)
{
    struct snapshot_entries entries;
    char error[1200];

    world_reset();
    world_put("/proc/sys/kernel/random/boot_id", "b\n", 2);
    world_put("/proc/sys/kernel/hostname", "h\n", 2);
    world_put("/run/x", text, length);
    world_enter();
    int fd = snapshot_file_open("", "/run/x", &entries, error, sizeof(error));
    FUZZ_CHECK(fd >= 0 || error[0]); /* that it is one line, where it is printed: untune below */
    if (fd >= 0) {
        for (size_t i = 0; i < entries.n; i++)
            FUZZ_CHECK(snapshot_path_allowed(entries.entry[i].path));
        snapshot_entries_free(&entries);
        FUZZ_CHECK(snapshot_file_remove(fd, "/run/x") == 0);
        (void)close(fd);
    }
    world_leave();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool as_it_is = size && data[0] == '!';
    size_t length, left;
    char *text = as_it_is ? fuzz_string(data + 1, size - 1) : put_right(data, size, &length);

    if (as_it_is)
        length = size - 1;
    check_entries(text, length);
    world_reset();
    world_put("/proc/sys/kernel/random/boot_id", "b\n", 2);
    world_put("/proc/sys/kernel/hostname", "h\n", 2);
    world_put("/proc/sys/kernel/a", "other\n", 6);
    world_put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n", 12);
    world_put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n", 23);
    world_put("/etc/passwd", "root\n", 5);
    world_put(FILE_NAME, text, length);
    int status = tables_run((const char *[]){"untune", NULL});
    FUZZ_CHECK((status == 0) == (world_get(FILE_NAME, &left) == NULL));
    const char *untouched = world_get("/etc/passwd", &left);
    FUZZ_CHECK(untouched && left == 5 && !memcmp(untouched, "root\n", 5));
    free(text);
    return 0;
}
