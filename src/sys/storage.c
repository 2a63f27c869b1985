/* SPDX-License-Identifier: MIT */
#include "sys/machine.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sys/base.h"
#include "sys/file.h"
#include "sys/process.h"

#define MOUNT_MOST   120
#define OPTION_MOST  128
#define OPTIONS_SIZE 512

/* Appends options that are not in the list and contain no path. */
static void append_options(char list[OPTIONS_SIZE], const char *options)
{
    char copy[OPTIONS_SIZE], *rest = copy;

    snprintf(copy, sizeof copy, "%s", options);
    for (const char *word; (word = strsep(&rest, ","));) {
        const size_t at = strlen(list), length = strlen(word);
        if (length && length < OPTION_MOST && !strchr(word, '/') && !mountinfo_has(list, word) &&
            at + length + 1 < OPTIONS_SIZE)
            snprintf(list + at, OPTIONS_SIZE - at, "%s%s", at ? "," : "", word);
    }
}

/* Writes the path in /sys of a mount's block device. Some file systems (btrfs) have a number that is none: then the
 * mount's source. */
static void find_device(const char *root, const struct mountinfo *mount, char *path, size_t size)
{
    struct stat status;

    snprintf(path, size, "/sys/dev/block/%u:%u", mount->major, mount->minor);
    if (!procfs_exists(root, path) && mount->source[0] == '/' && root[0] == '\0' && stat(mount->source, &status) == 0 &&
        S_ISBLK(status.st_mode))
        snprintf(path, size, "/sys/dev/block/%u:%u", major(status.st_rdev), minor(status.st_rdev));
}

/* Reads a file of the device's queue directory; a partition uses its disk's. */
static bool read_queue(const char *root, const char *device, const char *name, char *buf, size_t size)
{
    static const char *const folders[] = {"queue", "../queue"};

    for (size_t i = 0; i < COUNT(folders); i++)
        if (procfs_read_line(root, PROCFS_PATH("%s/%s/%s", device, folders[i], name), buf, size))
            return true;
    return false;
}

/* By its path in /sys: a device of a hypervisor, or emulated by the kernel (loop, device mapper, RAID). */
static bool is_virtual(const char *root, const char *device)
{
    static const char *const places[] = {"/virtual/", "/virtio", "/vbd-", "/VMBUS:", "/vmbus"};
    char path[512], target[512];

    snprintf(path, sizeof path, "%s%s", root, device);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return false;
    target[length] = '\0';
    for (size_t i = 0; i < COUNT(places); i++)
        if (strstr(target, places[i]))
            return true;
    return false;
}

static void add_device(const char *root, const struct mountinfo *mount, char *buf, size_t size)
{
    char device[64], line[256], kind[32];

    find_device(root, mount, device, sizeof device);
    if (read_queue(root, device, "rotational", line, sizeof line)) {
        snprintf(kind, sizeof kind, "%s%s", is_virtual(root, device) ? "virtual," : "",
                 strcmp(line, "1") ? "solid" : "rotational");
        setting_items_add(buf, size, "disk", kind, SETTING_VALUE - 1);
    }
    if (!read_queue(root, device, "scheduler", line, sizeof line))
        return;
    const char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    const bool chosen = close && procfs_copy(open + 1, (size_t)(close - open - 1), kind, sizeof kind);
    setting_items_add(buf, size, "scheduler", chosen ? kind : line, SETTING_VALUE - 1);
}

void storage_describe_mount(const char *root, unsigned long mount_id, char *buf, size_t size)
{
    FREED_BY(memory_free) char *text = procfs_read_all(root, "/proc/self/mountinfo");
    char options[OPTIONS_SIZE] = "", *rest = text;
    struct mountinfo mount;
    bool found = false;

    buf[0] = '\0';
    while (!found && mountinfo_next(&rest, &mount))
        found = mount.id == mount_id && mount.options[0];
    if (!found)
        return;
    append_options(options, mount.options);
    append_options(options, mount.super_options);
    setting_items_add(buf, size, "mount", options, MOUNT_MOST);
    add_device(root, &mount, buf, size);
}

void storage_describe(const char *folder, char *buf, size_t size)
{
    FREED_BY(fd_close) int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

    buf[0] = '\0';
    if (fd < 0)
        return;
    FREED_BY(memory_free) char *text = procfs_read_all("", PROCFS_PATH("/proc/self/fdinfo/%d", fd));
    const int64_t mount_id = text ? procfs_count(text, "mnt_id") : -1;
    if (mount_id >= 0)
        storage_describe_mount("", (unsigned long)mount_id, buf, size);
}
