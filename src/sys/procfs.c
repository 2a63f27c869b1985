/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <poll.h>
#include <stdarg.h>

#include "sys/file.h"
#include "sys/process.h"

#define FILE_PART  ((size_t)1 << 13)
#define FILE_LIMIT ((size_t)64 << 20)

const char *procfs_root = "";

const char *procfs_path(char path[PROCFS_PATH_SIZE], const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(path, PROCFS_PATH_SIZE, format, args);
    va_end(args);
    return path;
}

bool procfs_exists(const char *path)
{
    return access(PROCFS_PATH("%s%s", procfs_root, path), F_OK) == 0;
}

int procfs_open(const char *path)
{
    /* A FIFO would hang the program without O_NONBLOCK. */
    return sys_result(open(PROCFS_PATH("%s%s", procfs_root, path), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

ssize_t procfs_read_fd(int fd, void *buf, size_t size)
{
    size_t length = 0;
    while (length < size) {
        ssize_t n = read(fd, (char *)buf + length, size - length);
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

ssize_t procfs_read(const char *path, char *buf, size_t size)
{
    if (size == 0)
        return -EINVAL;
    FREED_BY(fd_close) int fd = procfs_open(path);
    ssize_t length = fd < 0 ? fd : procfs_read_fd(fd, buf, size - 1);
    buf[length > 0 ? length : 0] = '\0';
    return length;
}

/* Returns false, with errno: EINTR when a signal asked the program to end. */
static bool wait_readable(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    while (!signals_pending()) {
        const int n = ppoll(&wait, 1, NULL, signals_wait_mask());
        if (n > 0 || (n < 0 && errno != EINTR))
            return n > 0;
        if (signals_stop_wanted())
            signals_stop();
    }
    errno = EINTR;
    return false;
}

/* As procfs_read_rest(). stream: waits for data of a pipe or terminal, and ends at a NUL byte (EILSEQ). */
static char *read_rest(int fd, bool stream, size_t *length)
{
    size_t size = 0;
    char *text = NULL;
    ssize_t n = 1;

    for (*length = 0; n > 0; *length += n > 0 ? (size_t)n : 0) {
        const bool fits = *length <= FILE_LIMIT;
        errno = fits ? ENOMEM : EFBIG;
        n = -1;
        if (!fits || !grow_array(&text, &size, *length + FILE_PART, 1))
            break;
        do
            n = !stream || wait_readable(fd) ? read(fd, text + *length, size - 1 - *length) : -1;
        while (n < 0 && (stream ? errno == EAGAIN || (errno == EINTR && !signals_pending()) : errno == EINTR));
        if (stream && n > 0 && memchr(text + *length, 0, (size_t)n)) {
            errno = EILSEQ;
            n = -1;
        }
    }
    if (n == 0) {
        text[*length] = '\0';
        return text;
    }
    const int error = errno;
    free(text);
    errno = error;
    return NULL;
}

char *procfs_read_rest(int fd, size_t *length)
{
    return read_rest(fd, false, length);
}

char *text_file_rest(int fd, bool streams, const char **why)
{
    struct stat status;
    size_t length;

    *why = fstat(fd, &status) ? strerror(errno) : S_ISDIR(status.st_mode) ? strerror(EISDIR) : NULL;
    if (!*why && !S_ISREG(status.st_mode) && !(streams && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode))))
        *why = "it is not a regular file";
    if (*why)
        return NULL;
    char *text = read_rest(fd, !S_ISREG(status.st_mode), &length);
    if (text && !memchr(text, 0, length))
        return text;
    *why = text || errno == EILSEQ ? "it is no text"
           : errno == EFBIG        ? "it is larger than 64 MiB"
           : errno == ENOMEM       ? "out of memory"
           : errno == EINTR        ? "ended by a signal"
                                   : strerror(errno);
    free(text);
    return NULL;
}

char *text_file_read(const char *path, bool streams, const char **why)
{
    FREED_BY(fd_close) int fd = procfs_open(path);

    if (fd >= 0)
        return text_file_rest(fd, streams, why);
    *why = strerror(-fd);
    return NULL;
}

char *procfs_read_all(const char *path)
{
    size_t length;
    FREED_BY(fd_close) int fd = procfs_open(path);
    if (fd >= 0)
        return procfs_read_rest(fd, &length);
    errno = -fd;
    return NULL;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Pointers and names are one allocation. */
char **procfs_names(const char *path)
{
    struct dirent **entries;
    size_t size = sizeof(char *);
    int n = scandir(PROCFS_PATH("%s%s", procfs_root, path), &entries, is_visible, versionsort);
    if (n < 0)
        return NULL;
    for (int i = 0; i < n; i++)
        size += sizeof(char *) + strlen(entries[i]->d_name) + 1;
    char **list = malloc(size), *text = (char *)(list + n + 1);
    for (int i = 0; i < n; i++) {
        if (list) {
            list[i] = text;
            text = stpcpy(text, entries[i]->d_name) + 1;
        }
        free(entries[i]);
    }
    free(entries);
    if (list)
        list[n] = NULL;
    return list;
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

bool procfs_choice(const char *text, char *buf, size_t size)
{
    const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

    buf[0] = '\0';
    return close && procfs_copy(open + 1, (size_t)(close - open - 1), buf, size);
}

int procfs_read_line(const char *path, char *buf, size_t size)
{
    char text[512];
    const ssize_t length = procfs_read(path, text, sizeof text);
    const bool any = procfs_copy(text, strcspn(text, "\n"), buf, size);
    return length < 0 ? (int)length : any ? 0 : -ENODATA;
}

bool procfs_read_u64(const char *path, uint64_t *out)
{
    char text[64];
    procfs_read(path, text, sizeof text);
    const char *rest = procfs_number(text, out);
    return rest && rest[strspn(rest, " \t\r\n")] == '\0';
}

bool procfs_read_cpus(const char *path, struct cpuset *out)
{
    struct error why;
    FREED char *text = procfs_read_all(path);
    return text && cpuset_parse(text, out, &why) == 0;
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

const char *procfs_find(const char *text, const char *key, char separator)
{
    const size_t length = strlen(key);
    for (; text; text = procfs_next_line(text)) {
        const char *at = text + length;
        if (strncmp(text, key, length))
            continue;
        at += separator == ':' ? strspn(at, " \t") : 0;
        if (*at == separator)
            return at + 1;
    }
    return NULL;
}

bool procfs_value(const char *text, const char *key, char *buf, size_t size)
{
    const char *value = procfs_find(text, key, ':');
    return value && procfs_copy(value, strcspn(value, "\n"), buf, size);
}

bool procfs_number_after(const char *text, const char *key, uint64_t *out)
{
    const char *number = procfs_find(text, key, ' ');
    return number && procfs_number(number, out);
}

int64_t procfs_count(const char *text, const char *key)
{
    char value[32];
    uint64_t count;
    if (!procfs_value(text, key, value, sizeof value) || !procfs_number(value, &count) || count > INT64_MAX)
        return -1;
    return (int64_t)count;
}

/* Returns the next field, up to a blank, and moves *at behind it; "": none. */
static char *take(char **at)
{
    static char nothing[1];
    char *field = strsep(at, " ");

    return field ? field : nothing;
}

/* A path, in which the kernel escapes characters: "\040" is a space. */
static const char *take_path(char **at)
{
    char *path = take(at), *to = path;
    unsigned byte = 0;

    for (const char *from = path; *from; from++) {
        const bool escape = *from == '\\' && strspn(from + 1, "01234567") >= 3 && sscanf(from + 1, "%3o", &byte) == 1;
        *to++ = escape ? (char)byte : *from;
        from += escape ? 3 : 0;
    }
    *to = '\0';
    return path;
}

/* ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [OPTIONAL...] - TYPE SOURCE OPTIONS */
bool mountinfo_next(char **rest, struct mountinfo *out)
{
    for (char *line; (line = strsep(rest, "\n"));) {
        char *type = strstr(line, " - ");
        int at = 0;
        if (sscanf(line, "%lu %*u %u:%u %n", &out->id, &out->major, &out->minor, &at) < 3 || !at)
            continue;
        line += at;
        if (type) {
            *type = '\0';
            type += strlen(" - ");
        }
        out->root = take_path(&line);
        out->point = take_path(&line);
        out->options = take(&line);
        out->type = take(&type);
        out->source = take(&type);
        out->super_options = take(&type);
        return true;
    }
    return false;
}

bool mountinfo_has(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (!strncmp(list, word, length) && (!list[length] || list[length] == ','))
            return true;
    return false;
}
