/* SPDX-License-Identifier: MIT */
/* Reads mount options, type of device and I/O scheduler of a directory's file system. */
#include "sys/storage.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sys/procfs.h"
#include "sys/setting_items.h"

#define MOUNT_MOST   120
#define OPTIONS_SIZE 512

/* Fields of a line of mountinfo: ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [OPTIONAL...] - TYPE SOURCE OPTIONS. */
struct mount_line {
    char device[24], options[OPTIONS_SIZE], source[256], super_options[OPTIONS_SIZE];
};

static bool read_line(const char *line, unsigned long mount_id, struct mount_line *out)
{
    char *end;

    *out = (struct mount_line){.device = ""};
    if (strtoul(line, &end, 10) != mount_id || end == line ||
        sscanf(end, " %*s %23s %*s %*s %511s", out->device, out->options) != 2)
        return false;
    const char *dash = strstr(line, " - ");
    if (dash)
        (void)sscanf(dash, " - %*s %255s %511s", out->source, out->super_options);
    return true;
}

static bool find_line(const char *root, unsigned long mount_id, struct mount_line *out)
{
    FREED_BY(memory_free) char *text = procfs_read_all(root, "/proc/self/mountinfo");
    char *rest = text;
    bool found = false;

    for (char *line; !found && (line = strsep(&rest, "\n"));)
        found = read_line(line, mount_id, out);
    return found;
}

/* Appends the options that are not in the list yet and contain no path. */
static void append_options(char *list, size_t size, const char *options)
{
    for (size_t length; *options; options += length + (options[length] == ',')) {
        char word[128], quoted[132], all[OPTIONS_SIZE + 2];
        length = strcspn(options, ",");
        if (!length || length >= sizeof word || memchr(options, '/', length))
            continue;
        snprintf(word, sizeof word, "%.*s", (int)length, options);
        snprintf(quoted, sizeof quoted, ",%s,", word);
        snprintf(all, sizeof all, ",%s,", list);
        const size_t at = strlen(list);
        if (!strstr(all, quoted) && at + length + 1 < size)
            snprintf(list + at, size - at, "%s%s", at ? "," : "", word);
    }
}

/* Writes the path in /sys of a mount's block device. Some file systems (btrfs) have a device number of their own: for
 * them it is the device that is the mount's source. */
static void find_device(const char *root, const struct mount_line *mount, char *path, size_t size)
{
    struct stat status;

    snprintf(path, size, "/sys/dev/block/%s", mount->device);
    if (!procfs_exists(root, path) && mount->source[0] == '/' && root[0] == '\0' && stat(mount->source, &status) == 0 &&
        S_ISBLK(status.st_mode))
        snprintf(path, size, "/sys/dev/block/%u:%u", major(status.st_rdev), minor(status.st_rdev));
}

/* Reads a file of the device's queue; a partition uses the queue of its disk. */
static bool read_queue(const char *root, const char *device, const char *name, char *buf, size_t size)
{
    static const char *const folders[] = {"queue", "../queue"};
    char path[128];

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(path, sizeof path, "%.64s/%s/%s", device, folders[i], name);
        if (procfs_read_line(root, path, buf, size))
            return true;
    }
    return false;
}

/* Returns whether a device is virtual, by its path in /sys: devices of hypervisors, and those of the kernel (loop,
 * device mapper, RAID). */
static bool is_virtual(const char *root, const char *device)
{
    static const char *const places[] = {"/virtual/", "/virtio", "/vbd-", "/VMBUS:", "/vmbus"};
    char path[512], target[512];

    snprintf(path, sizeof path, "%s%s", root, device);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return false;
    target[length] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (strstr(target, places[i]))
            return true;
    return false;
}

static void add_device(const char *root, const struct mount_line *mount, char *buf, size_t size)
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
    char options[OPTIONS_SIZE] = "";
    struct mount_line mount;

    buf[0] = '\0';
    if (!find_line(root, mount_id, &mount))
        return;
    append_options(options, sizeof options, mount.options);
    append_options(options, sizeof options, mount.super_options);
    setting_items_add(buf, size, "mount", options, MOUNT_MOST);
    add_device(root, &mount, buf, size);
}

void storage_describe(const char *folder, char *buf, size_t size)
{
    char path[48], number[32];

    buf[0] = '\0';
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    FREED_BY(memory_free) char *text = procfs_read_all("", path);
    if (text && procfs_value(text, "mnt_id", number, sizeof number))
        storage_describe_mount("", strtoul(number, NULL, 10), buf, size);
    close(fd);
}
