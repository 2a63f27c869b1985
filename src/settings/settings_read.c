/* SPDX-License-Identifier: MIT */
#include "settings/settings_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows/text.h"
#include "sys/base.h"
#include "sys/cpu.h"
#include "sys/process.h"

/* A file of /proc may contain text of a user or a boot loader. */
static void format_printable(char *text, size_t size, const char *format, va_list args)
{
    vsnprintf(text, size, format, args);
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

void setting_judge(struct setting_reading *r, enum setting_verdict verdict, const char *format, ...)
{
    va_list args;
    r->state->verdict = verdict;
    r->state->why[0] = '\0';
    va_start(args, format);
    format_printable(r->state->now, sizeof r->state->now, format, args);
    va_end(args);
}

void setting_explain(struct setting_reading *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    format_printable(r->state->why, sizeof r->state->why, format, args);
    va_end(args);
}

void setting_not_read(struct setting_reading *r, const char *path, int error)
{
    const struct machine *machine = r->machine;
    setting_judge(r, SETTING_UNKNOWN, "%s", "");
    switch (-error) {
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
        if (!machine->have_sys && !strncmp(path, "/sys/", 5))
            setting_explain(r, "/sys is not mounted");
        else if (!machine->have_proc && !strncmp(path, "/proc/", 6))
            setting_explain(r, "/proc is not mounted");
        else
            r->state->verdict = SETTING_NA;
        break;
    case EACCES:
    case EPERM:
        setting_explain(r, "only root may read %.120s", path);
        break;
    case ENODATA:
        setting_explain(r, "%.120s is empty", path);
        break;
    case EILSEQ:
        setting_explain(r, "%.100s has unknown content", path);
        break;
    default:
        setting_explain(r, "%.100s: %.50s", path, strerror(-error));
    }
}

int setting_read_choice(const char *path, char *buf, size_t size)
{
    char line[256];
    int error = procfs_read_line(path, line, sizeof line);
    const char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    buf[0] = '\0';
    return error ? error : close && procfs_copy(open + 1, (size_t)(close - open - 1), buf, size) ? 0 : -EILSEQ;
}

int setting_read_number(const char *path, int64_t *out)
{
    char text[32];
    uint64_t value;
    int error = procfs_read_line(path, text, sizeof text);
    if (error)
        return error;
    bool negative = text[0] == '-';
    const char *rest = procfs_number(text + negative, &value);
    if (!rest || *rest || value > INT64_MAX)
        return -EILSEQ;
    *out = negative ? -(int64_t)value : (int64_t)value;
    return 0;
}

int setting_read_cpus(const char *path, struct cpuset *out)
{
    struct error why;
    FREED_BY(memory_free) char *text = procfs_read_all(path);
    cpuset_clear(out);
    if (!text)
        return -errno;
    const bool none = !text[strspn(text, " \t\r\n")] || !strncmp(text, "(null)", 6);
    return none || cpuset_parse(text, out, &why) == 0 ? 0 : -EILSEQ;
}

/* Path and value are one allocation, which begins with the path. */
int setting_writes_add(struct setting_writes *writes, const char *path, const char *value)
{
    size_t path_size = strlen(path) + 1, value_size = strlen(value) + 1;
    bool room = grow_array(&writes->write, &writes->capacity, writes->n, sizeof *writes->write);
    char *text = room ? malloc(path_size + value_size) : NULL;
    if (!text)
        return -1;
    memcpy(text, path, path_size);
    memcpy(text + path_size, value, value_size);
    writes->write[writes->n++] = (struct setting_write){.path = text, .value = text + path_size};
    return 0;
}

void setting_writes_free(struct setting_writes *writes)
{
    for (size_t i = 0; i < writes->n; i++)
        free(writes->write[i].path);
    free(writes->write);
    *writes = (struct setting_writes){0};
}

void setting_write(struct setting_reading *r, const char *path, const char *value)
{
    if (!r->writes)
        return;
    if (setting_writes_add(r->writes, path, value))
        r->failed = true;
    else
        r->writes->write[r->writes->n - 1].of = r->setting;
}

void setting_look_number(struct setting_reading *r, const char *path, int64_t good, const char *unit)
{
    char text[24];
    int64_t value;
    if (setting_failed(r, path, setting_read_number(path, &value)))
        return;
    setting_judge(r, NOISY_IF(value != good), "%" PRId64 "%s", value, unit);
    TEXT_PRINT(text, "%" PRId64, good);
    if (value != good)
        setting_write(r, path, text);
}

void setting_append(char *list, size_t size, const char *word)
{
    static const char more[] = ", ...";
    size_t length = strlen(list), kept = length + sizeof more;
    char printable[64];
    if (length >= sizeof more - 1 && !strcmp(list + length - (sizeof more - 1), more))
        return;
    procfs_copy(word, strlen(word), printable, sizeof printable);
    /* Keeps room for "...". */
    if (kept + strlen(printable) + 2 <= size)
        snprintf(list + length, size - length, "%s%s", length ? ", " : "", printable);
    else if (kept <= size)
        snprintf(list + length, size - length, "%s", more);
}

bool setting_kernel_is(const struct machine *machine, unsigned major, unsigned minor)
{
    unsigned has_major, has_minor;
    return sscanf(machine->kernel, "%u.%u", &has_major, &has_minor) != 2 || has_major > major ||
           (has_major == major && has_minor >= minor);
}

/* --- CPUs. --- */

char *settings_format_cpus(const struct cpuset *set, char *buf, size_t size)
{
    if (cpuset_format_cut(set, buf, size) && !buf[0])
        snprintf(buf, size, "none");
    return buf;
}

/* Keeps the CPUs in limit, unless none would be left. */
static void narrow(struct cpuset *set, const struct cpuset *limit)
{
    if (!setting_disjoint(set, limit))
        cpuset_intersect(set, limit);
}

void settings_bench_cpus(const struct machine *machine, struct cpuset *out)
{
    struct cpuset group, mask, isolated, rest;
    bool have_mask = !procfs_root[0] && task_get_affinity(&mask) == 0;
    *out = machine->online;
    if (cpuset_is_empty(out) && have_mask)
        *out = mask;
    if (cpuset_is_empty(out))
        cpuset_add(out, 0);
    if (cgroup_cpus(&group))
        narrow(out, &group);
    if (setting_read_cpus(CPU_FOLDER "/isolated", &isolated))
        cpuset_clear(&isolated);
    cgroup_isolated_cpus(&group);
    cpuset_union(&isolated, &group);
    /* An affinity mask of all but the isolated CPUs is the kernel's default, no choice of the user. */
    setting_without(out, &isolated, &rest);
    if (have_mask && !cpuset_equal(&rest, &mask))
        narrow(out, &mask);
    narrow(out, &isolated);
    unsigned boot = cpuset_next(cpuset_is_empty(&machine->online) ? out : &machine->online, 0);
    if (cpuset_count(out) > 1)
        cpuset_remove(out, boot);
}
