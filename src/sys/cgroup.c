/* SPDX-License-Identifier: MIT */
/* Finds the process's memory control group by /proc/self/cgroup and /proc/self/mountinfo, or at the usual places. */
#include "sys/cgroup.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/tree.h"

/* Version 1 writes 'no limit' as the largest number of whole pages, just under 2^63. */
#define NO_LIMIT (UINT64_C(1) << 62)

struct version {
    const char *fs_type, *controller; /* controller: "" when the one hierarchy has them all */
    const char *usual_place, *file;
};

static const struct version versions[] = {
    {.fs_type = "cgroup2", .controller = "", .usual_place = "/sys/fs/cgroup", .file = "memory.max"},
    {.fs_type = "cgroup",
     .controller = "memory",
     .usual_place = "/sys/fs/cgroup/memory",
     .file = "memory.limit_in_bytes"},
};

struct span {
    const char *at;
    size_t length;
};

static bool span_is(struct span s, const char *text)
{
    return s.length == strlen(text) && memcmp(s.at, text, s.length) == 0;
}

/* Takes the next piece of a line, up to a separator, and steps over that. */
static struct span take(const char **line, char separator)
{
    const char stops[] = {separator, '\n', '\0'};
    struct span s = {.at = *line, .length = strcspn(*line, stops)};
    *line = s.at + s.length + (s.at[s.length] == separator && separator != '\0');
    return s;
}

static bool list_has(struct span list, const char *word)
{
    const char *end = list.at + list.length;
    for (const char *p = list.at; p < end;) {
        const char *comma = memchr(p, ',', (size_t)(end - p));
        const char *stop = comma ? comma : end;
        if (span_is((struct span){.at = p, .length = (size_t)(stop - p)}, word))
            return true;
        p = stop + 1;
    }
    return false;
}

/* The path of the process's group from lines "5:cpu,memory:/path" and "0::/path". When there is no such file the
 * group is taken for the top one that can be seen; when the file does not name the hierarchy, it is not in use. */
static bool read_group(const char *root, const struct version *v, char path[PATH_MAX])
{
    char *text = tree_read_all(root, "/proc/self/cgroup");
    bool found = !text;
    path[0] = '\0';
    for (const char *line = text; line && !found; line = tree_next_line(line)) {
        const char *p = line;
        struct span number = take(&p, ':');
        struct span controllers = take(&p, ':');
        struct span group = take(&p, '\n');
        if (v->controller[0] ? !list_has(controllers, v->controller) : !span_is(number, "0") || controllers.length)
            continue;
        if (group.length >= PATH_MAX)
            break;
        memcpy(path, group.at, group.length);
        path[group.length] = '\0';
        found = true;
    }
    free(text);
    /* The top is "/" in the file; here paths are put after a mount point. */
    if (strcmp(path, "/") == 0)
        path[0] = '\0';
    return found;
}

static bool is_octal(const char *p)
{
    return p[0] >= '0' && p[0] <= '3' && p[1] >= '0' && p[1] <= '7' && p[2] >= '0' && p[2] <= '7';
}

/* The kernel writes blanks in paths as \040. */
static bool unescape(struct span s, char out[PATH_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < s.length && n < PATH_MAX - 1; i++) {
        if (s.at[i] == '\\' && s.length - i > 3 && is_octal(s.at + i + 1)) {
            out[n++] = (char)((s.at[i + 1] - '0') * 64 + (s.at[i + 2] - '0') * 8 + (s.at[i + 3] - '0'));
            i += 3;
        } else {
            out[n++] = s.at[i];
        }
    }
    out[n] = '\0';
    return n < PATH_MAX - 1;
}

struct mount {
    char top[PATH_MAX];   /* the group that is mounted, "" for the topmost */
    char point[PATH_MAX]; /* where */
};

static bool parse_mount(const char *line, const struct version *v, struct mount *out)
{
    const char *p = line;
    for (int i = 0; i < 3; i++)
        take(&p, ' ');
    struct span top = take(&p, ' ');
    struct span point = take(&p, ' ');
    struct span word;
    do
        word = take(&p, ' ');
    while (word.length > 0 && !span_is(word, "-"));
    struct span type = take(&p, ' ');
    take(&p, ' ');
    struct span options = take(&p, '\n');
    if (!span_is(type, v->fs_type) || (v->controller[0] && !list_has(options, v->controller)))
        return false;
    if (span_is(top, "/"))
        top.length = 0;
    return unescape(top, out->top) && unescape(point, out->point);
}

/* The part of group below top, or NULL when it is not below. */
static const char *below(const char *group, const char *top)
{
    size_t length = strlen(top);
    if (strncmp(group, top, length) != 0 || (group[length] != '/' && group[length] != '\0'))
        return NULL;
    return group + length;
}

static uint64_t smaller_limit(uint64_t a, uint64_t b)
{
    if (a == 0 || b == 0)
        return a ? a : b;
    return a < b ? a : b;
}

static uint64_t limit_in(const char *root, const char *folder, const char *file)
{
    char path[PATH_MAX];
    uint64_t limit;
    int n = snprintf(path, sizeof path, "%s/%s", folder, file);
    if (n < 0 || (size_t)n >= sizeof path || !tree_read_u64(root, path, &limit))
        return 0;
    return limit < NO_LIMIT ? limit : 0;
}

/* From the group up to the mount point. */
static uint64_t limit_up_from(const char *root, const char *point, const char *group, const char *file)
{
    char folder[PATH_MAX];
    size_t shortest = strlen(point);
    uint64_t limit = 0;
    /* A group outside of this control group namespace cannot be seen from here; its mount point can. */
    if (!group || strstr(group, "/.."))
        group = "";
    int n = snprintf(folder, sizeof folder, "%s%s", point, group);
    if (n < 0 || (size_t)n >= sizeof folder)
        return 0;
    for (;;) {
        limit = smaller_limit(limit, limit_in(root, folder, file));
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < shortest)
            return limit;
        *slash = '\0';
    }
}

/* Where the hierarchy is mounted: of several mounts the one that shows most of the groups above this one. */
static void find_mount(const char *root, const struct version *v, const char *group, struct mount *out)
{
    struct mount seen;
    bool found = false;
    char *text = tree_read_all(root, "/proc/self/mountinfo");
    snprintf(out->point, sizeof out->point, "%s", v->usual_place);
    out->top[0] = '\0';
    for (const char *line = text; line; line = tree_next_line(line)) {
        if (!parse_mount(line, v, &seen) || !below(group, seen.top))
            continue;
        if (!found || strlen(seen.top) < strlen(out->top))
            *out = seen;
        found = true;
    }
    free(text);
}

uint64_t cgroup_memory_limit(const char *root)
{
    uint64_t limit = 0;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        const struct version *v = &versions[i];
        char group[PATH_MAX];
        struct mount mount;
        if (!read_group(root, v, group))
            continue;
        mount.point[0] = mount.top[0] = '\0';
        find_mount(root, v, group, &mount);
        limit = smaller_limit(limit, limit_up_from(root, mount.point, below(group, mount.top), v->file));
    }
    return limit;
}
