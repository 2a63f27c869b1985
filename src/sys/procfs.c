/* SPDX-License-Identifier: MIT */
/* Reads small files below a root directory and parses them. */
#include "sys/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/memory.h"

#define FILE_FIRST ((size_t)1 << 14)
#define FILE_LIMIT ((size_t)64 << 20)

static int full_path(const char *root, const char *path, char full[PATH_MAX])
{
    int n = snprintf(full, PATH_MAX, "%s%s", root, path);
    return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

bool procfs_exists(const char *root, const char *path)
{
    char full[PATH_MAX];
    return full_path(root, path, full) == 0 && access(full, F_OK) == 0;
}

int procfs_open(const char *root, const char *path)
{
    char full[PATH_MAX];
    int error = full_path(root, path, full);
    if (error)
        return error;
    /* Without O_NONBLOCK a FIFO would hang the program. */
    int fd = open(full, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

static ssize_t read_full(int fd, char *buf, size_t size)
{
    size_t length = 0;
    while (length < size) {
        ssize_t n = read(fd, buf + length, size - length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        length += (size_t)n;
    }
    return (ssize_t)length;
}

ssize_t procfs_read(const char *root, const char *path, char *buf, size_t size)
{
    if (size == 0)
        return -EINVAL;
    buf[0] = '\0';
    int fd = procfs_open(root, path);
    if (fd < 0)
        return fd;
    ssize_t length = read_full(fd, buf, size - 1);
    close(fd);
    buf[length > 0 ? length : 0] = '\0';
    return length;
}

char *procfs_read_rest(int fd, size_t *length)
{
    int error = EFBIG;
    size_t size = 0;
    char *text = NULL;

    for (*length = 0; size < FILE_LIMIT;) {
        ssize_t n = grow_array(&text, &size, size ? size : FILE_FIRST - 1, 1)
                        ? read_full(fd, text + *length, size - 1 - *length)
                        : -ENOMEM;
        if (n < 0) {
            error = (int)-n;
            break;
        }
        *length += (size_t)n;
        if (*length < size - 1) {
            text[*length] = '\0';
            return text;
        }
    }
    free(text);
    errno = error;
    return NULL;
}

char *procfs_read_all(const char *root, const char *path)
{
    size_t length;
    int fd = procfs_open(root, path);
    if (fd < 0) {
        errno = -fd;
        return NULL;
    }
    char *text = procfs_read_rest(fd, &length);
    int error = errno;
    close(fd);
    errno = error;
    return text;
}

/* Names, one after the other in text, and the offset of each. */
struct names {
    char *text;
    size_t *at;
    size_t length, size, n, capacity;
};

static bool add_name(struct names *names, const char *name)
{
    size_t length = strlen(name) + 1;
    if (!grow_array(&names->text, &names->size, names->length + length, 1) ||
        !grow_array(&names->at, &names->capacity, names->n, sizeof *names->at))
        return false;
    memcpy(names->text + names->length, name, length);
    names->at[names->n++] = names->length;
    names->length += length;
    return true;
}

static bool read_names(DIR *folder, struct names *names)
{
    const struct dirent *entry;
    for (errno = 0; (entry = readdir(folder)) != NULL; errno = 0) {
        if (entry->d_name[0] != '.' && !add_name(names, entry->d_name))
            return false;
    }
    return errno == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the sorted names: pointers and their text in one allocation. */
static char **sorted(const struct names *names)
{
    size_t pointers = (names->n + 1) * sizeof(char *);
    char **list = malloc(pointers + names->length);
    if (!list)
        return NULL;
    char *text = (char *)list + pointers;
    if (names->length)
        memcpy(text, names->text, names->length);
    for (size_t i = 0; i < names->n; i++)
        list[i] = text + names->at[i];
    list[names->n] = NULL;
    qsort(list, names->n, sizeof *list, compare_names);
    return list;
}

char **procfs_names(const char *root, const char *path)
{
    char full[PATH_MAX];
    struct names names = {0};
    int error = full_path(root, path, full);
    if (error) {
        errno = -error;
        return NULL;
    }
    DIR *folder = opendir(full);
    if (!folder)
        return NULL;
    char **list = read_names(folder, &names) ? sorted(&names) : NULL;
    error = errno;
    closedir(folder);
    free(names.text);
    free(names.at);
    errno = error;
    return list;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool procfs_copy(const char *text, size_t length, char *buf, size_t size)
{
    if (size == 0)
        return false;
    while (length > 0 && is_space(text[0]))
        text++, length--;
    if (length > size - 1)
        length = size - 1;
    while (length > 0 && is_space(text[length - 1]))
        length--;
    for (size_t i = 0; i < length; i++)
        buf[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    buf[length] = '\0';
    return length > 0;
}

bool procfs_read_line(const char *root, const char *path, char *buf, size_t size)
{
    char text[512];
    procfs_read(root, path, text, sizeof text);
    return procfs_copy(text, strcspn(text, "\n"), buf, size);
}

bool procfs_read_u64(const char *root, const char *path, uint64_t *out)
{
    char text[64];
    procfs_read(root, path, text, sizeof text);
    const char *rest = procfs_number(text, out);
    return rest && rest[strspn(rest, " \t\r\n")] == '\0';
}

const char *procfs_number(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    text += strspn(text, " \t");
    if (*text < '0' || *text > '9')
        return NULL;
    for (; *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : value * 10 + digit;
    }
    if (*text != '\0' && !is_space(*text))
        return NULL;
    *out = value;
    return text;
}

const char *procfs_next_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end && end[1] ? end + 1 : NULL;
}

const char *procfs_line_value(const char *text, const char *key)
{
    size_t length = strlen(key);
    if (strncmp(text, key, length) != 0)
        return NULL;
    text += length;
    text += strspn(text, " \t");
    return *text == ':' ? text + 1 : NULL;
}

bool procfs_value(const char *text, const char *key, char *buf, size_t size)
{
    for (; text; text = procfs_next_line(text)) {
        const char *value = procfs_line_value(text, key);
        if (value)
            return procfs_copy(value, strcspn(value, "\n"), buf, size);
    }
    return false;
}
