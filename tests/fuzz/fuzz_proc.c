/* SPDX-License-Identifier: MIT */
/* One file of /proc or /sys: its path in the first line, its content behind it. The files that it needs around it are
 * there and plain. */

#include "fuzz.h"

static void put(const char *path, const char *text)
{
    world_put(path, text, strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;

    if (!end || end == data || data[0] != '/' || memchr(data, 0, (size_t)(end - data)))
        return -1;
    char *path = fuzz_string(data, (size_t)(end - data));
    world_reset();
    put("/sys/devices/system/cpu/online", "0-1\n");
    put("/proc/stat", "cpu 1 2 3 4 5 6 7 8\ncpu0 1 2 3 4 5 6 7 8\ncpu1 1 2 3 4 5 6 7 8\nintr 5\nctxt 7\nprocesses 9\n");
    put("/proc/self/mountinfo", "1 0 0:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:2 / /sys/fs/cgroup rw - cgroup2 none rw\n");
    put("/proc/self/cgroup", "0::/a/b\n");
    put("/proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 500 kB\n");
    world_put(path, end + 1, size - (size_t)(end + 1 - data));
    readers_run(!strchr(path, '*'));
    free(path);
    return 0;
}
