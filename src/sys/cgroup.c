/* SPDX-License-Identifier: MIT */
/* Finds the process's control groups through /proc/self/cgroup and /proc/self/mountinfo, or at the usual places. */
#include "sys/cgroup.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sys/procfs.h"

/* Version 1 writes 'no limit' as the largest multiple of the page size below 2^63. */
#define NO_LIMIT (UINT64_C(1) << 62)

struct hierarchy {
    const char *fs_type, *controller; /* controller: its name in version 1; "" in version 2, whose single hierarchy has
                                       * all controllers */
    const char *usual_place;
};

static const struct hierarchy unified = {"cgroup2", "", "/sys/fs/cgroup"};
static const struct hierarchy memory_v1 = {"cgroup", "memory", "/sys/fs/cgroup/memory"};
static const struct hierarchy cpuset_v1 = {"cgroup", "cpuset", "/sys/fs/cgroup/cpuset"};

struct version {
    const struct hierarchy *hierarchy;
    const char *limit, *usage;
    const char *reclaimable; /* key in memory.stat of the file cache that can be reclaimed, including the groups
                              * below */
};

static const struct version versions[] = {
    {&unified, "memory.max", "memory.current", "inactive_file"},
    {&memory_v1, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
};

struct span {
    const char *at;
    size_t length;
};

static bool span_is(struct span s, const char *text)
{
    return s.length == strlen(text) && memcmp(s.at, text, s.length) == 0;
}

/* Takes the next field of a line, up to a separator, and skips the separator. */
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

/* Reads the path of the process's group in one hierarchy from lines "5:cpu,memory:/path" and "0::/path" of
 * /proc/self/cgroup. When that file cannot be read, the path is "", the topmost group that can be seen. Returns false
 * when the file does not name the hierarchy, which is then not in use. */
static bool read_group(const char *root, const struct hierarchy *v, char path[PATH_MAX])
{
    FREED_BY(memory_free) char *text = procfs_read_all(root, "/proc/self/cgroup");
    bool found = !text;
    path[0] = '\0';
    for (const char *line = text; line && !found; line = procfs_next_line(line)) {
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
    /* The topmost group is "/" in the file; here paths are appended to a mount point. */
    if (strcmp(path, "/") == 0)
        path[0] = '\0';
    return found;
}

static bool is_octal(const char *p)
{
    return p[0] >= '0' && p[0] <= '3' && p[1] >= '0' && p[1] <= '7' && p[2] >= '0' && p[2] <= '7';
}

/* Copies a path; the kernel writes spaces in paths as \040. */
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
    char top[PATH_MAX];   /* group at the root of the mount, "" for the topmost */
    char point[PATH_MAX]; /* mount point */
};

static bool parse_mount(const char *line, const struct hierarchy *v, struct mount *out)
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

/* Returns the part of group below top, or NULL when group is not below it. */
static const char *below(const char *group, const char *top)
{
    size_t length = strlen(top);
    if (strncmp(group, top, length) != 0 || (group[length] != '/' && group[length] != '\0'))
        return NULL;
    return group + length;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool join(char out[PATH_MAX], const char *folder, const char *name)
{
    int n = snprintf(out, PATH_MAX, "%s/%s", folder, name);
    return n >= 0 && n < PATH_MAX;
}

static bool read_number(const char *root, const char *folder, const char *file, uint64_t *out)
{
    char path[PATH_MAX];
    return join(path, folder, file) && procfs_read_u64(root, path, out);
}

/* Returns the value of a line "key value" of memory.stat; 0 when there is none. */
static uint64_t read_stat(const char *root, const char *folder, const char *key)
{
    char path[PATH_MAX];
    uint64_t value = 0;
    FREED_BY(memory_free) char *text = join(path, folder, "memory.stat") ? procfs_read_all(root, path) : NULL;
    for (const char *line = text; line; line = procfs_next_line(line)) {
        const char *p = line;
        if (span_is(take(&p, ' '), key) && procfs_number(p, &value))
            break;
    }
    return value;
}

/* A function that reads a limit of one group, in bytes, and returns UINT64_MAX when the group has none. */
typedef uint64_t (*group_reader)(const char *root, const char *folder, const struct version *v);

static uint64_t limit_in(const char *root, const char *folder, const struct version *v)
{
    uint64_t limit;
    return read_number(root, folder, v->limit, &limit) && limit > 0 && limit < NO_LIMIT ? limit : UINT64_MAX;
}

static uint64_t available_in(const char *root, const char *folder, const struct version *v)
{
    uint64_t used, limit = limit_in(root, folder, v);
    if (limit == UINT64_MAX || !read_number(root, folder, v->usage, &used))
        return limit;
    used -= smaller(used, read_stat(root, folder, v->reclaimable));
    return limit - smaller(limit, used);
}

/* Finds the mount point of the hierarchy: of several mounts, the one that shows most groups above the process's own. */
static void find_mount(const char *root, const struct hierarchy *v, const char *group, struct mount *out)
{
    struct mount seen;
    bool found = false;
    FREED_BY(memory_free) char *text = procfs_read_all(root, "/proc/self/mountinfo");
    snprintf(out->point, sizeof out->point, "%s", v->usual_place);
    out->top[0] = '\0';
    for (const char *line = text; line; line = procfs_next_line(line)) {
        if (!parse_mount(line, v, &seen) || !below(group, seen.top))
            continue;
        if (!found || strlen(seen.top) < strlen(out->top))
            *out = seen;
        found = true;
    }
}

/* A group's directory, and the length of the path of the topmost group that can be seen. */
struct position {
    char folder[PATH_MAX];
    size_t shortest;
};

static bool find_position(const char *root, const struct hierarchy *v, struct position *out)
{
    char path[PATH_MAX];
    struct mount mount = {0};
    if (!read_group(root, v, path))
        return false;
    find_mount(root, v, path, &mount);
    const char *group = below(path, mount.top);
    /* A group outside this control group namespace cannot be seen; its mount point can. */
    if (!group || strstr(group, "/.."))
        group = "";
    out->shortest = strlen(mount.point);
    int n = snprintf(out->folder, sizeof out->folder, "%s%s", mount.point, group);
    return n >= 0 && (size_t)n < sizeof out->folder;
}

/* Moves to the group above; returns false at the topmost. */
static bool go_up(struct position *at)
{
    char *slash = strrchr(at->folder, '/');
    if (!slash || (size_t)(slash - at->folder) < at->shortest)
        return false;
    *slash = '\0';
    return true;
}

static uint64_t least_of_all(const char *root, group_reader read)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        struct position at;
        if (!find_position(root, versions[i].hierarchy, &at))
            continue;
        do
            least = smaller(least, read(root, at.folder, &versions[i]));
        while (go_up(&at));
    }
    return least;
}

uint64_t cgroup_memory_limit(const char *root)
{
    uint64_t limit = least_of_all(root, limit_in);
    return limit == UINT64_MAX ? 0 : limit;
}

uint64_t cgroup_memory_available(const char *root)
{
    return least_of_all(root, available_in);
}

static bool read_cpus(const char *root, const char *folder, const char *file, struct cpuset *out)
{
    char path[PATH_MAX], why[1];
    FREED_BY(memory_free) char *text = join(path, folder, file) ? procfs_read_all(root, path) : NULL;
    return text && cpuset_parse(text, out, why, sizeof why) == 0;
}

bool cgroup_cpus(const char *root, struct cpuset *out)
{
    /* A group's effective set lies within those of the groups above, so the nearest group that has one is enough. */
    static const struct {
        const struct hierarchy *hierarchy;
        const char *file;
    } sources[] = {
        {&unified, "cpuset.cpus.effective"},
        {&cpuset_v1, "cpuset.effective_cpus"},
        {&cpuset_v1, "cpuset.cpus"},
    };
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        struct position at;
        if (!find_position(root, sources[i].hierarchy, &at))
            continue;
        do {
            if (read_cpus(root, at.folder, sources[i].file, out))
                return true;
        } while (go_up(&at));
    }
    return false;
}

void cgroup_isolated_cpus(const char *root, struct cpuset *out)
{
    char path[PATH_MAX], text[32];
    struct position at;
    struct cpuset set;
    cpuset_clear(out);
    if (!find_position(root, &unified, &at))
        return;
    do {
        bool isolated = join(path, at.folder, "cpuset.cpus.partition") &&
                        procfs_read_line(root, path, text, sizeof text) && strcmp(text, "isolated") == 0;
        if ((isolated && read_cpus(root, at.folder, "cpuset.cpus.effective", &set)) ||
            read_cpus(root, at.folder, "cpuset.cpus.isolated", &set))
            cpuset_union(out, &set);
    } while (go_up(&at));
}
