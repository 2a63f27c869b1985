/* SPDX-License-Identifier: MIT */
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "sys/file.h"
#include "sys/machine.h"
#include "sys/process.h"

#define MOUNT_MOST   120
#define OPTION_MOST  128
#define OPTIONS_SIZE 512

/* Appends options that are not in the list and contain no path. */
static void append_options(char list[OPTIONS_SIZE], const char *options)
{
    char copy[OPTIONS_SIZE], *rest = copy;

    TEXT_PRINT(copy, "%s", options);
    for (const char *word; (word = strsep(&rest, ","));) {
        const size_t at = strlen(list), length = strlen(word);
        if (length && length < OPTION_MOST && !strchr(word, '/') && !mountinfo_has(list, word) &&
            at + length + 1 < OPTIONS_SIZE)
            snprintf(list + at, OPTIONS_SIZE - at, "%s%s", at ? "," : "", word);
    }
}

/* Reads a file of the device's queue directory; a partition uses its disk's. */
static bool read_queue(const char *device, const char *name, char *buf, size_t size)
{
    static const char *const folders[] = {"queue", "../queue"};

    for (size_t i = 0; i < COUNT(folders); i++)
        if (!procfs_read_line(PROCFS_PATH("%s/%s/%s", device, folders[i], name), buf, size))
            return true;
    return false;
}

/* By its path in /sys: a device of a hypervisor, or emulated by the kernel (loop, device mapper, RAID). */
static bool is_virtual(const char *device)
{
    static const char *const places[] = {"/virtual/", "/virtio", "/vbd-", "/VMBUS:", "/vmbus"};
    char path[512], target[512];

    TEXT_PRINT(path, "%s%s", procfs_root, device);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return false;
    target[length] = '\0';
    for (size_t i = 0; i < COUNT(places); i++)
        if (strstr(target, places[i]))
            return true;
    return false;
}

static void add_device(const struct mountinfo *mount, char *buf, size_t size)
{
    char device[64], line[256], kind[32];
    struct stat status;

    /* Some file systems (btrfs) have a number that is no block device's: then the mount's source. */
    TEXT_PRINT(device, "/sys/dev/block/%u:%u", mount->major, mount->minor);
    if (!procfs_exists(device) && mount->source[0] == '/' && !procfs_root[0] && stat(mount->source, &status) == 0 &&
        S_ISBLK(status.st_mode))
        TEXT_PRINT(device, "/sys/dev/block/%u:%u", major(status.st_rdev), minor(status.st_rdev));
    if (read_queue(device, "rotational", line, sizeof line)) {
        TEXT_PRINT(kind, "%s%s", is_virtual(device) ? "virtual," : "", strcmp(line, "1") ? "solid" : "rotational");
        setting_items_add(buf, size, "disk", kind, SETTING_VALUE - 1);
    }
    if (!read_queue(device, "scheduler", line, sizeof line))
        return;
    const bool chosen = procfs_choice(line, kind, sizeof kind);
    setting_items_add(buf, size, "scheduler", chosen ? kind : line, SETTING_VALUE - 1);
}

/* Finds the mount that a file or directory is in, by its number, which Linux tells since 3.15, or its device. The
 * fields point into *text, which the caller frees. */
static bool find_mount(const char *path, char **text, struct mountinfo *mount)
{
    struct stat status;
    FREED_BY(fd_close) int fd = open(path, O_PATH | O_CLOEXEC);

    if (fd < 0 || stat(path, &status))
        return false;
    FREED char *info = procfs_read_all(PROCFS_PATH("/proc/self/fdinfo/%d", fd));
    const int64_t id = info ? procfs_count(info, "mnt_id") : -1;
    char *rest = *text = procfs_read_all("/proc/self/mountinfo");
    while (mountinfo_next(&rest, mount))
        if (mount->options[0] &&
            (id < 0 ? makedev(mount->major, mount->minor) == status.st_dev : mount->id == (unsigned long)id))
            return true;
    return false;
}

void storage_describe(const char *folder, char *buf, size_t size)
{
    FREED char *text = NULL;
    char options[OPTIONS_SIZE] = "";
    struct mountinfo mount;

    buf[0] = '\0';
    if (!find_mount(folder, &text, &mount))
        return;
    append_options(options, mount.options);
    append_options(options, mount.super_options);
    setting_items_add(buf, size, "mount", options, MOUNT_MOST);
    add_device(&mount, buf, size);
}

void machine_fs_name(const char *path, char *buf, size_t size)
{
    FREED char *text = NULL;
    struct mountinfo mount;
    struct statfs fs;

    buf[0] = '\0';
    if (statfs(path, &fs))
        return;
    const unsigned magic = (unsigned)fs.f_type;
    /* The mount table calls an initramfs "rootfs", and lacks a chroot's. */
    const char *in_memory = magic == 0x01021994u ? "tmpfs" : magic == 0x858458f6u ? "ramfs" : NULL;
    /* Without the protocol's version and the subtype ("fuse.sshfs"), as results have always named them. */
    if (in_memory)
        snprintf(buf, size, "%s", in_memory);
    else if (!find_mount(path, &text, &mount))
        snprintf(buf, size, "0x%x", magic);
    else
        snprintf(buf, size, "%s",
                 starts_with(mount.type, "fuse")  ? "fuse"
                 : starts_with(mount.type, "nfs") ? "nfs"
                                                  : mount.type);
}

#define CHECKSUM_LENGTH 9 /* '~' and 8 hexadecimal digits */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static char plain(char c, char blank)
{
    if (c == ',' || c == ';')
        return '+';
    if (c == '"')
        return '\'';
    if (is_blank(c))
        return blank;
    return (unsigned char)c < ' ' ? '_' : (unsigned char)c > '~' ? '?' : c;
}

/* Writes at most `most` bytes (below SETTING_VALUE). A value in the columns' form stays as it is. The checksum is
 * FNV-1a. */
static void write_value(const char *name, const char *value, size_t length, size_t most, char *out)
{
    const char blank = strcmp(name, "cmdline") ? '_' : '|';
    uint32_t sum = 2166136261u;
    size_t n = 0;

    for (size_t i = 0; i < length; i++, n++) {
        const char c = plain(value[i], blank);
        sum = (sum ^ (unsigned char)c) * 16777619u;
        if (n < most)
            out[n] = c;
        if (c == '+' || c == ':')
            while (i + 1 < length && is_blank(value[i + 1]))
                i++;
    }
    out[n < most ? n : most] = '\0';
    if (n > most)
        snprintf(out + most - CHECKSUM_LENGTH, CHECKSUM_LENGTH + 1, "~%08x", (unsigned)sum);
}

void setting_items_add(char *buf, size_t size, const char *name, const char *value, size_t most)
{
    const size_t at = strlen(buf);
    char text[SETTING_VALUE], key[SETTING_NAME];

    write_value("", name, strlen(name), sizeof(key) - 1, key);
    for (char *c = key; (c = strchr(c, '='));)
        *c = '_';
    write_value(name, value, strlen(value), most, text);
    const size_t need = (at > 0) + strlen(key) + 1 + strlen(text);
    if (text[0] && at + need < size)
        snprintf(buf + at, size - at, "%s%s=%s", at ? ";" : "", key, text);
}

void setting_items_begin(struct setting_items *items, const char *text, bool of_run)
{
    *items = (struct setting_items){.at = text, .of_run = of_run};
}

/* Older versions: "thp=enabled madvise, defrag never". The second half is read as an item of its own. */
static const char old_thp[] = "thp=enabled ", old_defrag[] = "defrag ";

static bool begins_with(const char *text, size_t length, const char *with)
{
    return length > strlen(with) && !memcmp(text, with, strlen(with));
}

static bool take_item(struct setting_items *items, const char *item, size_t length)
{
    const char *equals = memchr(item, '=', length);
    const char *name = item, *value = equals ? equals + 1 : item + length;
    size_t name_length = equals ? (size_t)(equals - item) : 0;

    if (begins_with(item, length, old_thp))
        value = item + strlen(old_thp);
    if (!equals && begins_with(item, length, old_defrag)) {
        name = "thp_defrag";
        name_length = strlen(name);
        value = item + strlen(old_defrag);
    }
    if (!name_length || name_length >= SETTING_NAME || value == item + length)
        return false;
    TEXT_PRINT(items->name, "%s%.*s", items->of_run ? "" : "scratch_", (int)name_length, name);
    write_value(items->name, value, (size_t)(item + length - value), SETTING_VALUE - 1, items->value);
    return strcmp(items->value, SETTING_UNKNOWN_VALUE);
}

bool setting_items_next(struct setting_items *items)
{
    while (*items->at) {
        const char *item = items->at;
        size_t length = strcspn(item, ";");
        if (begins_with(item, length, old_thp) && memchr(item, ',', length))
            length = strcspn(item, ",");
        items->at = item + length + (item[length] != '\0');
        if (item[length] == ',')
            items->at += strspn(items->at, " ");
        items->any = true;
        if (!take_item(items, item, length))
            continue;
        items->has_cmdline = items->has_cmdline || !strcmp(items->name, "cmdline");
        return true;
    }
    if (!items->of_run || !items->any || items->has_cmdline)
        return false;
    items->has_cmdline = true;
    TEXT_PRINT(items->name, "cmdline");
    TEXT_PRINT(items->value, "(nothing that matters)");
    return true;
}
