/* SPDX-License-Identifier: MIT */
#include "settings/settings_look.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sys/process.h"

/* A file of /proc may contain text of a user or a boot loader. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

void setting_say(struct setting_state *out, enum setting_verdict verdict, const char *format, ...)
{
    va_list args;
    out->verdict = verdict;
    out->why[0] = '\0';
    va_start(args, format);
    vsnprintf(out->now, sizeof out->now, format, args);
    va_end(args);
    make_printable(out->now);
}

void setting_why(struct setting_state *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out->why, sizeof out->why, format, args);
    va_end(args);
    make_printable(out->why);
}

void setting_say_rise(const struct settings_view *view, double before, double after, int decimals, const char *unit,
                      struct setting_state *out)
{
    static const char *const ends[] = {
        [SETTING_OK] = ", not rising", [SETTING_NOISY] = ", rising", [SETTING_UNKNOWN] = ""};
    const enum setting_verdict steady = view->moment || after <= 0 ? SETTING_OK : SETTING_UNKNOWN;
    const enum setting_verdict verdict = after > before ? SETTING_NOISY : steady;
    setting_say(out, verdict, "%.*f %s since boot%s", decimals, after, unit, ends[verdict]);
}

/* Returns the mount that the path needs and this machine lacks, or NULL. */
static const char *missing_mount(const struct settings_view *view, const char *path)
{
    if (!view->machine->have_sys && strncmp(path, "/sys/", 5) == 0)
        return "/sys";
    return !view->machine->have_proc && strncmp(path, "/proc/", 6) == 0 ? "/proc" : NULL;
}

void setting_not_read(const struct settings_view *view, const char *path, int error, struct setting_state *out)
{
    const char *mount = missing_mount(view, path);
    setting_say(out, SETTING_UNKNOWN, "%s", "");
    switch (-error) {
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
        if (mount)
            setting_why(out, "%s is not mounted", mount);
        else
            out->verdict = SETTING_NA;
        break;
    case EACCES:
    case EPERM:
        setting_why(out, "only root may read %.120s", path);
        break;
    case ENODATA:
        setting_why(out, "%.120s is empty", path);
        break;
    case EILSEQ:
        setting_why(out, "%.100s has unknown content", path);
        break;
    default:
        setting_why(out, "%.100s: %.50s", path, strerror(-error));
    }
}

bool setting_failed(const struct settings_view *view, const char *path, int error, struct setting_state *out)
{
    if (error)
        setting_not_read(view, path, error, out);
    return error != 0;
}

int setting_read_line(const char *root, const char *path, char *buf, size_t size)
{
    char text[512];
    ssize_t length = procfs_read(root, path, text, sizeof text);
    buf[0] = '\0';
    if (length < 0)
        return (int)length;
    return procfs_copy(text, strcspn(text, "\n"), buf, size) ? 0 : -ENODATA;
}

int setting_read_choice(const char *root, const char *path, char *buf, size_t size)
{
    char line[256];
    int error = setting_read_line(root, path, line, sizeof line);
    const char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    buf[0] = '\0';
    return error ? error : close && procfs_copy(open + 1, (size_t)(close - open - 1), buf, size) ? 0 : -EILSEQ;
}

int setting_read_number(const char *root, const char *path, int64_t *out)
{
    char text[32];
    uint64_t value;
    int error = setting_read_line(root, path, text, sizeof text);
    if (error)
        return error;
    bool negative = text[0] == '-';
    const char *rest = procfs_number(text + negative, &value);
    if (!rest || *rest || value > INT64_MAX)
        return -EILSEQ;
    *out = negative ? -(int64_t)value : (int64_t)value;
    return 0;
}

void setting_look_number(const struct settings_view *view, const char *path, int64_t good, const char *unit,
                         struct setting_state *out)
{
    int64_t value;
    if (!setting_failed(view, path, setting_read_number(view->root, path, &value), out))
        setting_say(out, value == good ? SETTING_OK : SETTING_NOISY, "%" PRId64 "%s", value, unit);
}

int setting_write_number(const struct settings_view *view, const char *path, int64_t good, struct setting_writes *out)
{
    char text[24];
    int64_t value;
    if (setting_read_number(view->root, path, &value) || value == good)
        return 0;
    snprintf(text, sizeof text, "%" PRId64, good);
    return setting_writes_add(out, path, text);
}

int setting_read_cpus(const char *root, const char *path, struct cpuset *out)
{
    char why[1];
    FREED_BY(memory_free) char *text = procfs_read_all(root, path);
    cpuset_clear(out);
    if (!text)
        return -errno;
    const bool none = !text[strspn(text, " \t\r\n")] || strncmp(text, "(null)", 6) == 0;
    return none || cpuset_parse(text, out, why, sizeof why) == 0 ? 0 : -EILSEQ;
}

void setting_append(char *list, size_t size, const char *word)
{
    static const char more[] = ", ...";
    size_t length = strlen(list), kept = length + sizeof more;
    char printable[64];
    if (length >= sizeof more - 1 && strcmp(list + length - (sizeof more - 1), more) == 0)
        return;
    procfs_copy(word, strlen(word), printable, sizeof printable);
    /* Keeps room for "...". */
    if (kept + strlen(printable) + 2 <= size)
        snprintf(list + length, size - length, "%s%s", length ? ", " : "", printable);
    else if (kept <= size)
        snprintf(list + length, size - length, "%s", more);
}

void settings_format_cpus(const struct cpuset *set, char *buf, size_t size)
{
    if (cpuset_format_cut(set, buf, size) && !buf[0])
        snprintf(buf, size, "none");
}

bool setting_kernel_is(const struct machine *machine, unsigned major, unsigned minor)
{
    unsigned has_major, has_minor;
    return sscanf(machine->kernel, "%u.%u", &has_major, &has_minor) != 2 || has_major > major ||
           (has_major == major && has_minor >= minor);
}

const struct cpuset *setting_cpus(const struct settings_view *view)
{
    return cpuset_is_empty(&view->machine->online) ? view->bench : &view->machine->online;
}

bool setting_disjoint(const struct cpuset *a, const struct cpuset *b)
{
    struct cpuset both = *a;
    cpuset_intersect(&both, b);
    return cpuset_is_empty(&both);
}

void setting_without(const struct cpuset *a, const struct cpuset *b, struct cpuset *out)
{
    for (size_t i = 0; i < CPUSET_WORDS; i++)
        out->word[i] = a->word[i] & ~b->word[i];
}
