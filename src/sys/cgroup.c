/* SPDX-License-Identifier: MIT */
/* Finds the process's control groups through /proc/self/cgroup and /proc/self/mountinfo, or at the usual places. */
#include "sys/cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sys/mountinfo.h"
#include "sys/procfs.h"

/* Limits from here on mean 'no limit': version 1 writes it as the largest multiple of the page size below 2^63. */
#define NO_LIMIT (UINT64_C(1) << 62)

struct hierarchy {
    const char *fs_type, *controller; /* controller: name of the controller that the hierarchy has in version 1; "" for
                                       * the single hierarchy of version 2, which has all */
    const char *usual_place;
};

static const struct hierarchy unified = {"cgroup2", "", "/sys/fs/cgroup"};
static const struct hierarchy memory_v1 = {"cgroup", "memory", "/sys/fs/cgroup/memory"};
static const struct hierarchy cpuset_v1 = {"cgroup", "cpuset", "/sys/fs/cgroup/cpuset"};

struct version {
    const struct hierarchy *hierarchy;
    const char *limit, *usage;
    const char *reclaimable; /* key in memory.stat for the file cache that the kernel can reclaim, including that of the
                              * groups below */
};

static const struct version versions[] = {
    {&unified, "memory.max", "memory.current", "inactive_file"},
    {&memory_v1, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
};

/* Reads the path of the process's group in one hierarchy from lines "5:cpu,memory:/path" and "0::/path" of
 * /proc/self/cgroup. When that file cannot be read, the path is "", the topmost group that can be seen. Returns false
 * when the file does not name the hierarchy, which is then not in use, or the path is too long. */
static bool read_group(const char *root, const struct hierarchy *v, char path[PATH_MAX])
{
    FREED_BY(memory_free) char *text = procfs_read_all(root, "/proc/self/cgroup");
    char *rest = text;
    path[0] = '\0';
    for (char *group; (group = strsep(&rest, "\n"));) {
        const char *number = strsep(&group, ":"), *controllers = strsep(&group, ":");
        if (!group ||
            (v->controller[0] ? !mountinfo_has(controllers, v->controller) : strcmp(number, "0") || controllers[0]))
            continue;
        /* The topmost group is "/" in the file; here paths are appended to a mount point. */
        snprintf(path, PATH_MAX, "%s", strcmp(group, "/") ? group : "");
        return strlen(group) < PATH_MAX;
    }
    return !text;
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

static bool read_number(const char *root, const char *folder, const char *file, uint64_t *out)
{
    return procfs_read_u64(root, PROCFS_PATH("%s/%s", folder, file), out);
}

/* Returns the value of a line "key value" of memory.stat; 0 when there is none. */
static uint64_t read_stat(const char *root, const char *folder, const char *key)
{
    uint64_t value = 0;
    FREED_BY(memory_free) char *text = procfs_read_all(root, PROCFS_PATH("%s/memory.stat", folder));
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (strcmp(strsep(&line, " "), key) == 0 && line && procfs_number(line, &value))
            break;
    }
    return value;
}

/* A function that reads the bytes that one group limits or has left, and returns UINT64_MAX when it has no limit. */
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

/* Directory of a group, and the length of the directory's path for the topmost group that can be seen. */
struct position {
    char folder[PATH_MAX];
    size_t shortest;
};

/* Finds the directory of the process's group in a hierarchy. If the hierarchy is mounted several times, the mount that
 * shows most groups above it is used. Returns false when there is none. */
static bool find_position(const char *root, const struct hierarchy *v, struct position *out)
{
    char path[PATH_MAX];
    if (!read_group(root, v, path))
        return false;
    FREED_BY(memory_free) char *text = procfs_read_all(root, "/proc/self/mountinfo");
    char *rest = text;
    const char *point = NULL, *top = ""; /* mount point, and the group that is its root ("": the topmost) */
    for (struct mountinfo mount; mountinfo_next(&rest, &mount);) {
        const char *shown = strcmp(mount.root, "/") ? mount.root : "";
        if (strcmp(mount.type, v->fs_type) == 0 &&
            (!v->controller[0] || mountinfo_has(mount.super_options, v->controller)) && below(path, shown) &&
            (!point || strlen(shown) < strlen(top))) {
            top = shown;
            point = mount.point;
        }
    }
    if (!point)
        point = v->usual_place;
    const char *group = below(path, top);
    /* A group outside this control group namespace cannot be seen, but the mount point can. */
    if (!group || strstr(group, "/.."))
        group = "";
    out->shortest = strlen(point);
    int n = snprintf(out->folder, sizeof out->folder, "%s%s", point, group);
    return n >= 0 && (size_t)n < sizeof out->folder;
}

/* Moves to the parent group; returns false at the topmost. */
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
    return procfs_read_cpus(root, PROCFS_PATH("%s/%s", folder, file), out);
}

bool cgroup_cpus(const char *root, struct cpuset *out)
{
    /* A group's effective set of CPUs is within those of the groups above it, so the first one found on the way up is
     * enough. */
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
    char text[32];
    struct position at;
    struct cpuset set;
    cpuset_clear(out);
    if (!find_position(root, &unified, &at))
        return;
    do {
        procfs_read_line(root, PROCFS_PATH("%s/cpuset.cpus.partition", at.folder), text, sizeof text);
        if ((strcmp(text, "isolated") == 0 && read_cpus(root, at.folder, "cpuset.cpus.effective", &set)) ||
            read_cpus(root, at.folder, "cpuset.cpus.isolated", &set))
            cpuset_union(out, &set);
    } while (go_up(&at));
}
