/* SPDX-License-Identifier: MIT */
/* Finds the process's control groups through /proc/self/cgroup and /proc/self/mountinfo, or at the usual places. */
#include "sys/machine.h"

#include "sys/file.h"
#include "sys/process.h"

/* From here on 'no limit': version 1 writes the largest multiple of the page size below 2^63. */
#define NO_LIMIT (UINT64_C(1) << 62)

/* Hierarchies are named by their controller in version 1; the single one of version 2: */
#define UNIFIED ""

static const struct version {
    const char *hierarchy, *limit, *usage;
    const char *reclaimable; /* key in memory.stat of the reclaimable file cache, groups below included */
} versions[] = {
    {UNIFIED, "memory.max", "memory.current", "inactive_file"},
    {"memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
};

/* From lines "5:cpu,memory:/path" and "0::/path" of /proc/TASK/cgroup; "", the topmost group, when it cannot be read.
 * Returns false when it does not name the hierarchy. */
static bool read_group(const char *task, const char *hierarchy, char path[PATH_MAX])
{
    FREED char *text = procfs_read_all(PROCFS_PATH("/proc/%s/cgroup", task));
    char *rest = text;
    path[0] = '\0';
    for (char *group; (group = strsep(&rest, "\n"));) {
        const char *number = strsep(&group, ":"), *controllers = strsep(&group, ":");
        if (!group || (hierarchy[0] ? !mountinfo_has(controllers, hierarchy) : strcmp(number, "0") || controllers[0]))
            continue;
        snprintf(path, PATH_MAX, "%s", strcmp(group, "/") ? group : "");
        return strlen(group) < PATH_MAX;
    }
    return !text;
}

/* Returns the part of group below top, or NULL when group is not below it. */
static const char *below(const char *group, const char *top)
{
    size_t length = strlen(top);
    if (strncmp(group, top, length) || (group[length] != '/' && group[length] != '\0'))
        return NULL;
    return group + length;
}

static bool read_number(const char *folder, const char *file, uint64_t *out)
{
    return procfs_read_u64(PROCFS_PATH("%s/%s", folder, file), out);
}

/* Directory of a group ("": none is left), and the path's length for the topmost group that can be seen. */
struct position {
    char folder[PATH_MAX];
    size_t shortest;
};

/* Finds the directory of the process's group. Of several mounts the one is used that shows most groups above it. */
static struct position find_position(const char *hierarchy)
{
    struct position out = {.folder = ""};
    char path[PATH_MAX];
    const char *usual_place = PROCFS_PATH("/sys/fs/cgroup%s%s", hierarchy[0] ? "/" : "", hierarchy);
    if (!read_group("self", hierarchy, path))
        return out;
    FREED char *text = procfs_read_all("/proc/self/mountinfo");
    char *rest = text;
    const char *point = NULL, *top = ""; /* group that is the mount's root ("": the topmost) */
    for (struct mountinfo mount; mountinfo_next(&rest, &mount);) {
        const char *shown = strcmp(mount.root, "/") ? mount.root : "";
        if (!strcmp(mount.type, hierarchy[0] ? "cgroup" : "cgroup2") &&
            (!hierarchy[0] || mountinfo_has(mount.super_options, hierarchy)) && below(path, shown) &&
            (!point || strlen(shown) < strlen(top))) {
            top = shown;
            point = mount.point;
        }
    }
    if (!point)
        point = usual_place;
    const char *group = below(path, top);
    /* A group outside this control group namespace cannot be seen, but the mount point can. */
    if (!group || strstr(group, "/.."))
        group = "";
    out.shortest = strlen(point);
    if ((size_t)TEXT_PRINT(out.folder, "%s%s", point, group) >= sizeof out.folder)
        out.folder[0] = '\0';
    return out;
}

static void go_up(struct position *at)
{
    char *slash = strrchr(at->folder, '/');
    *(slash && (size_t)(slash - at->folder) >= at->shortest ? slash : at->folder) = '\0';
}

/* The process's group, then those above it. */
#define for_each_group(at_, hierarchy_) \
    for (struct position at_ = find_position(hierarchy_); at_.folder[0]; go_up(&at_))

/* Returns the fewest bytes that a group limits, or has left; UINT64_MAX: no limit. */
static uint64_t least_of_all(bool left)
{
    uint64_t least = UINT64_MAX, limit, used, cached;
    for (size_t i = 0; i < COUNT(versions); i++) {
        const struct version *v = &versions[i];
        for_each_group(at, v->hierarchy)
        {
            if (!read_number(at.folder, v->limit, &limit) || limit == 0 || limit >= NO_LIMIT)
                continue;
            if (left && read_number(at.folder, v->usage, &used)) {
                FREED char *text = procfs_read_all(PROCFS_PATH("%s/memory.stat", at.folder));
                if (procfs_number_after(text, v->reclaimable, &cached))
                    used -= smaller(used, cached);
                limit -= smaller(limit, used);
            }
            least = smaller(least, limit);
        }
    }
    return least;
}

uint64_t cgroup_memory_limit(void)
{
    uint64_t limit = least_of_all(false);
    return limit == UINT64_MAX ? 0 : limit;
}

uint64_t cgroup_memory_available(void)
{
    return least_of_all(true);
}

static bool read_cpus(const char *folder, const char *file, struct cpuset *out)
{
    return procfs_read_cpus(PROCFS_PATH("%s/%s", folder, file), out);
}

bool cgroup_cpus(struct cpuset *out)
{
    /* A group's effective set is within those of the groups above: the first one found on the way up is enough. */
    static const struct {
        const char *hierarchy, *file;
    } sources[] = {
        {UNIFIED, "cpuset.cpus.effective"},
        {"cpuset", "cpuset.effective_cpus"},
        {"cpuset", "cpuset.cpus"},
    };
    for (size_t i = 0; i < COUNT(sources); i++)
        for_each_group(at, sources[i].hierarchy) if (read_cpus(at.folder, sources[i].file, out)) return true;
    return false;
}

void cgroup_isolated_cpus(struct cpuset *out)
{
    char text[32];
    struct cpuset set;
    cpuset_clear(out);
    for_each_group(at, UNIFIED)
    {
        procfs_read_line(PROCFS_PATH("%s/cpuset.cpus.partition", at.folder), text, sizeof text);
        if ((!strcmp(text, "isolated") && read_cpus(at.folder, "cpuset.cpus.effective", &set)) ||
            read_cpus(at.folder, "cpuset.cpus.isolated", &set))
            cpuset_union(out, &set);
    }
}

bool cgroup_of(const char *task, char *out, size_t size)
{
    char path[PATH_MAX];
    if (!procfs_exists(PROCFS_PATH("/proc/%s/cgroup", task)) ||
        (!read_group(task, "cpu", path) && !read_group(task, UNIFIED, path)))
        return false;
    snprintf(out, size, "%s", path[0] ? path : "/");
    return true;
}

static const char *const with_quota[] = {UNIFIED, "cpu"};

/* Returns the quota of a group and those below it in CPUs; 0: none. */
static double read_quota(const char *folder)
{
    char line[64];
    uint64_t quota, period = 0;
    if (!procfs_read_line(PROCFS_PATH("%s/cpu.max", folder), line, sizeof line)) { /* "20000 100000" in us */
        const char *rest = procfs_number(line, &quota);                            /* NULL for "max" */
        if (!rest || !procfs_number(rest, &period))
            return 0;
    } else if (!read_number(folder, "cpu.cfs_quota_us", &quota) || /* -1: no quota */
               !read_number(folder, "cpu.cfs_period_us", &period))
        return 0;
    return period ? (double)quota / (double)period : 0;
}

void cgroup_quota_open(struct cgroup_quota *out)
{
    *out = (struct cgroup_quota){0};
    for (size_t i = 0; i < COUNT(with_quota); i++)
        for_each_group(at, with_quota[i])
        {
            const double cpus = read_quota(at.folder);
            if (!(cpus > 0))
                continue;
            out->cpus = out->cpus > 0 && out->cpus < cpus ? out->cpus : cpus;
            const int fd = out->n < CGROUP_QUOTAS ? procfs_open(PROCFS_PATH("%s/cpu.stat", at.folder)) : -1;
            if (fd >= 0)
                out->fd[out->n++] = fd;
        }
}

bool cgroup_throttled(const struct cgroup_quota *quota, struct cgroup_throttled *out)
{
    char text[4096];
    *out = (struct cgroup_throttled){0};
    for (unsigned i = 0; i < quota->n; i++) {
        uint64_t periods, ns;
        const ssize_t n = pread(quota->fd[i], text, sizeof text - 1, 0);
        text[n > 0 ? n : 0] = '\0';
        if (!procfs_number_after(text, "nr_throttled", &periods))
            return false;
        if (procfs_number_after(text, "throttled_usec", &ns))
            ns *= 1000;
        else if (!procfs_number_after(text, "throttled_time", &ns))
            return false;
        out->periods += (int64_t)periods;
        out->ns += (int64_t)ns;
    }
    return quota->n > 0;
}

void cgroup_quota_close(struct cgroup_quota *quota)
{
    while (quota->n)
        fd_close(&quota->fd[--quota->n]);
}

/* --- A group with CPU time of its own. --- */

static const struct {
    const char *weight, *quota, *period; /* period: written behind the quota; version 1 has it unless it is set */
    double unit;                         /* of a hundredth of the usual weight */
} cpu_files[] = {{"cpu.weight", "cpu.max", " 100000", 1}, {"cpu.shares", "cpu.cfs_quota_us", "", 10.24}};
#define PERIOD_US 100000

int cgroup_cpu_parent(char *folder, size_t size, struct error *why)
{
    for (size_t i = 0; i < COUNT(with_quota); i++)
        for_each_group(at, with_quota[i])
        {
            FREED char *below = procfs_read_all(PROCFS_PATH("%s/cgroup.subtree_control", at.folder));
            const bool can = below ? strstr(below, "cpu ") || strstr(below, "cpu\n")
                                   : procfs_exists(PROCFS_PATH("%s/cpu.shares", at.folder));
            snprintf(folder, size, "%s", at.folder);
            if (can && !access(folder, W_OK))
                return 0;
        }
    return error_set(why, "no control group of CPU time can be made for the load (needs root)");
}

int cgroup_write(const char *folder, const char *file, double number, const char *more)
{
    FREED_BY(fd_close) int fd = sys_result(open(PROCFS_PATH("%s/%s", folder, file), O_WRONLY | O_CLOEXEC));
    char text[64];
    const int n = snprintf(text, sizeof text, "%.0f%s", number, more);
    return fd < 0 ? fd : new_file_write(fd, text, (size_t)n);
}

int cgroup_cpu_begin(const char *folder, const struct cgroup_cpu *wanted, struct cgroup_cpu *got)
{
    const size_t v = !procfs_exists(PROCFS_PATH("%s/cpu.weight", folder));
    int error = 0;
    if (wanted->weight)
        error = cgroup_write(folder, cpu_files[v].weight, (double)wanted->weight * cpu_files[v].unit, "");
    if (wanted->limit > 0 && !error)
        error = cgroup_write(folder, cpu_files[v].quota, wanted->limit * PERIOD_US, cpu_files[v].period);
    if (read_number(folder, cpu_files[v].weight, &got->weight))
        got->weight = (uint64_t)((double)got->weight / cpu_files[v].unit + 0.5);
    got->limit = read_quota(folder);
    return error;
}
