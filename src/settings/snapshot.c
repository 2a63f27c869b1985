/* SPDX-License-Identifier: MIT */
#include "settings/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows/text.h"
#include "settings/settings_read.h"
#include "sys/base.h"
#include "sys/process.h"

/* Files of /proc/sys and /sys hold at most a page. */
#define CONTENT_MAX 4096
/* Files that change each other have their old values after two; more only cost time when the kernel refuses. */
#define PASSES 3

struct restored {
    char before[64]; /* before the restore, cut */
    bool written;
    int error; /* of the last write */
};

struct snapshot {
    struct snapshot_place place;
    const struct setting_writes *writes;
    struct setting_writes saved; /* in the order of reading */
    /* For each write: the index in saved, or -errno when the file cannot be read. */
    long *saved_of;
    /* For each file in saved; restoring must not need memory. */
    struct restored *restored;
    int fd; /* -1: nothing to save */
};

/* Writing a file whose path ends in `written` also changes `changed`, in the same directory or a pattern of paths. All
 * are saved before it, and so restored after it. */
static const struct {
    const char *written, *changed;
} side_effects[] = {
    /* With some drivers, leaving 'performance' does not restore the old preference. */
    {"/cpufreq/scaling_governor", "energy_performance_preference"},
    {"/cpufreq/scaling_governor", CPU_FOLDER "/intel_pstate/no_turbo"},
    {"/intel_pstate/no_turbo", "min_perf_pct"},
    {"/cpufreq/boost", CPU_FOLDER "/cpu[0-9]*/cpufreq/scaling_max_freq"},
    {"/cpufreq/boost", CPU_FOLDER "/cpu[0-9]*/cpufreq/boost"},
    /* Switching it on again starts both lockup detectors. */
    {"/kernel/watchdog", "soft_watchdog"},
    {"/kernel/watchdog", "nmi_watchdog"},
    /* The kernel keeps more memory free with huge pages, and computes this anew without them. */
    {"/transparent_hugepage/enabled", "/proc/sys/vm/min_free_kbytes"},
    /* Interrupts leave a CPU that goes offline, and do not return. */
    {"/smt/control", "/proc/irq/[0-9]*/smp_affinity"},
    {"/smt/control", CPU_FOLDER "/cpu[0-9]*/cpufreq/scaling_governor"},
};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* Cuts the content to the value: no final newline, or the word in brackets. */
static char *value_of(char *content)
{
    char *open = strchr(content, '['), *close = open ? strchr(open, ']') : NULL;

    if (close && (open == content || open[-1] == ' ') && (close[1] == ' ' || close[1] == '\n' || !close[1])) {
        *close = 0;
        return open + 1;
    }
    size_t length = strlen(content);
    while (length > 0 && content[length - 1] == '\n')
        content[--length] = 0;
    return content;
}

/* Returns the length or -errno: no text, or too long to be read whole, is no setting. */
static ssize_t read_content(const char *root, const char *path, char content[CONTENT_MAX + 2])
{
    ssize_t length = procfs_read(root, path, content, CONTENT_MAX + 2);

    if (length > CONTENT_MAX)
        length = -EFBIG;
    else if (length >= 0 && strlen(content) != (size_t)length)
        length = -EILSEQ;
    if (length < 0)
        content[0] = 0;
    return length;
}

static int write_file(const char *root, const char *path, const char *value)
{
    char line[CONTENT_MAX + 2];
    int length = snprintf(line, sizeof(line), "%s\n", value);

    if ((size_t)length >= sizeof(line))
        return -ENAMETOOLONG;
    FREED_BY(fd_close)
    int fd = open(PROCFS_PATH("%s%s", root, path), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t done = write(fd, line, (size_t)length); /* the kernel takes each write as a whole value */
    return done == length ? 0 : done < 0 ? -errno : -EIO;
}

const char *snapshot_default_file(void)
{
    static const char *const files[] = {"/run/jitbench.snapshot", "/dev/shm/jitbench.snapshot"};
    static const char *const folders[] = {"/run", "/dev/shm"};
    struct stat status;

    /* Anybody may put a file jitbench.snapshot into /dev/shm. */
    for (size_t i = 0; i < COUNT(files); i++)
        if (lstat(files[i], &status) == 0 && (status.st_uid == geteuid() || i == 0))
            return files[i];
    for (size_t i = 0; i < COUNT(files); i++)
        if (access(folders[i], W_OK) == 0)
            return files[i];
    return files[0];
}

static struct snapshot *new_snapshot(const struct snapshot_place *place, size_t n_writes)
{
    struct snapshot *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->place = *place;
    s->place.write = place->write ? place->write : write_file;
    s->fd = -1;
    s->saved_of = calloc(n_writes + 1, sizeof(*s->saved_of));
    if (s->saved_of)
        return s;
    snapshot_close(s);
    return NULL;
}

void snapshot_close(struct snapshot *snapshot)
{
    if (!snapshot)
        return;
    fd_close(&snapshot->fd);
    setting_writes_free(&snapshot->saved);
    free(snapshot->saved_of);
    free(snapshot->restored);
    free(snapshot);
}

/* Returns 0, -ENOMEM, or another -errno when the file cannot be saved. */
static int remember(struct snapshot *s, const char *path)
{
    char content[CONTENT_MAX + 2];

    if (!snapshot_path_allowed(path))
        return -EINVAL;
    ssize_t length = read_content(s->place.root, path, content);
    if (length < 0)
        return (int)length;
    const char *value = value_of(content);
    const int code = snapshot_check_value(value);
    return code ? code : setting_writes_add(&s->saved, path, value) ? -ENOMEM : 0;
}

static int remember_matches(struct snapshot *s, const char *pattern)
{
    size_t root_length = strlen(s->place.root);
    glob_t found;
    int code = glob(PROCFS_PATH("%s%s", s->place.root, pattern), GLOB_NOSORT, NULL, &found);

    if (code)
        return code == GLOB_NOSPACE ? -ENOMEM : 0; /* or no file matches: none on this machine */
    for (size_t i = 0; i < found.gl_pathc && code != -ENOMEM; i++)
        code = remember(s, found.gl_pathv[i] + root_length);
    globfree(&found);
    return code;
}

static int remember_neighbour(struct snapshot *s, const char *path, const char *name)
{
    return remember(s, PROCFS_PATH("%.*s/%s", (int)(strrchr(path, '/') - path), path, name));
}

/* Ignores files that cannot be read: they do not exist, or cannot have been set. */
static int remember_side_effects(struct snapshot *s, const char *path, bool seen[COUNT(side_effects)])
{
    int code = 0;

    for (size_t i = 0; i < COUNT(side_effects) && code != -ENOMEM; i++) {
        if (!ends_with(path, side_effects[i].written))
            continue;
        if (side_effects[i].changed[0] != '/')
            code = remember_neighbour(s, path, side_effects[i].changed);
        else if (!seen[i])
            code = remember_matches(s, side_effects[i].changed);
        seen[i] = true;
    }
    return code == -ENOMEM ? code : 0;
}

static int remember_all(struct snapshot *s)
{
    bool seen[COUNT(side_effects)] = {false};

    for (size_t i = 0; i < s->writes->n; i++) {
        const char *path = s->writes->write[i].path;
        int code = remember_side_effects(s, path, seen);
        if (code == 0)
            code = remember(s, path);
        if (code == -ENOMEM)
            return code;
        s->saved_of[i] = code ? code : (long)s->saved.n - 1;
    }
    return 0;
}

static bool get_room(struct snapshot *s)
{
    s->restored = calloc(s->saved.n + 1, sizeof(*s->restored));
    return s->restored != NULL;
}

int snapshot_look(const struct snapshot_place *place, const struct setting_writes *writes, struct snapshot **out)
{
    struct snapshot *s = *out = new_snapshot(place, writes->n);

    if (s)
        s->writes = writes;
    if (s && !remember_all(s) && get_room(s))
        return 0;
    snapshot_close(s);
    *out = NULL;
    return -ENOMEM;
}

int snapshot_save(struct snapshot *snapshot, char *error, size_t error_size)
{
    struct stat status;

    if (!snapshot->saved.n && lstat(snapshot->place.file, &status))
        return 0;
    snapshot->fd =
        snapshot_file_create(snapshot->place.root, snapshot->place.file, &snapshot->saved, error, error_size);
    return snapshot->fd < 0 ? snapshot->fd : 0;
}

int snapshot_open(const struct snapshot_place *place, struct snapshot **out, char *error, size_t error_size)
{
    struct snapshot *s = *out = new_snapshot(place, 0);

    if (!s)
        return fail_because(-ENOMEM, error, error_size, "out of memory");
    int code = s->fd = snapshot_file_open(place->root, place->file, &s->saved, error, error_size);
    if (code >= 0 && get_room(s))
        return 0;
    if (code >= 0)
        code = fail_because(-ENOMEM, error, error_size, "out of memory");
    snapshot_close(s);
    *out = NULL;
    return code;
}

static void apply_one(const struct snapshot *s, struct snapshot_report *report, char content[CONTENT_MAX + 2])
{
    report->error = s->place.write(s->place.root, report->path, report->wanted);
    ssize_t length = read_content(s->place.root, report->path, content);
    report->now = value_of(content);
    if (report->error == 0 && length < 0)
        report->error = (int)length;
    if (report->error)
        report->result = SNAPSHOT_REFUSED;
    else if (!strcmp(report->now, report->wanted))
        report->result = SNAPSHOT_DONE;
}

static struct snapshot_report report_of(const struct snapshot *s, size_t i)
{
    const struct setting_write *write = &s->writes->write[i];
    struct snapshot_report report = {
        .index = i, .path = write->path, .wanted = write->value, .was = "", .now = "", .result = SNAPSHOT_REFUSED};

    if (s->saved_of[i] < 0) {
        report.error = (int)s->saved_of[i];
        return report;
    }
    report.was = report.now = s->saved.write[s->saved_of[i]].value;
    report.result = strcmp(report.was, report.wanted) != 0 ? SNAPSHOT_OTHER : SNAPSHOT_ALREADY;
    return report;
}

void snapshot_apply(const struct snapshot *snapshot, snapshot_put *put, void *context)
{
    char content[CONTENT_MAX + 2];

    for (size_t i = 0; i < snapshot->writes->n; i++) {
        struct snapshot_report report = report_of(snapshot, i);
        if (report.result == SNAPSHOT_OTHER && snapshot->fd >= 0)
            apply_one(snapshot, &report, content);
        put(context, &report);
    }
}

/* Returns whether the file has its old value again. Of a list of choices only the chosen word counts. */
static bool is_restored(const struct snapshot *s, size_t i, char content[CONTENT_MAX + 2], ssize_t *length,
                        const char **now)
{
    *length = read_content(s->place.root, s->saved.write[i].path, content);
    *now = value_of(content);
    return *length >= 0 && strcmp(*now, s->saved.write[i].value) == 0;
}

/* Returns how many were written. */
static size_t restore_pass(const struct snapshot *s)
{
    char content[CONTENT_MAX + 2];
    size_t written = 0;

    for (size_t i = s->saved.n; i-- > 0;) {
        const char *now;
        ssize_t length;
        if (is_restored(s, i, content, &length, &now))
            continue;
        s->restored[i].error = s->place.write(s->place.root, s->saved.write[i].path, s->saved.write[i].value);
        s->restored[i].written = true;
        written++;
    }
    return written;
}

/* Returns how many do not have their old values. */
static size_t report_restored(const struct snapshot *s, snapshot_put *put, void *context)
{
    char content[CONTENT_MAX + 2];
    size_t left = 0;

    for (size_t i = s->saved.n; i-- > 0;) {
        struct snapshot_report report = {.index = i,
                                         .path = s->saved.write[i].path,
                                         .was = s->restored[i].before,
                                         .wanted = s->saved.write[i].value};
        ssize_t length;
        const bool good = is_restored(s, i, content, &length, &report.now);
        if (!good)
            report.error = length < 0 ? (int)length : s->restored[i].error;
        if (good)
            report.result = s->restored[i].written ? SNAPSHOT_DONE : SNAPSHOT_ALREADY;
        else
            report.result = report.error ? SNAPSHOT_REFUSED : SNAPSHOT_OTHER;
        left += !good;
        put(context, &report);
    }
    return left;
}

int snapshot_restore(struct snapshot *snapshot, snapshot_put *put, void *context, char *error, size_t error_size)
{
    const char *file = snapshot->place.file;
    char content[CONTENT_MAX + 2];

    for (size_t i = 0; i < snapshot->saved.n; i++) {
        read_content(snapshot->place.root, snapshot->saved.write[i].path, content);
        text_copy(snapshot->restored[i].before, sizeof(snapshot->restored[i].before), value_of(content));
    }
    for (int pass = 0; pass < PASSES && restore_pass(snapshot) > 0; pass++) {
    }
    const size_t left = report_restored(snapshot, put, context);
    if (left)
        return fail_because(-1, error, error_size,
                            "%zu of %zu files could not be restored; '%s' is kept, and 'jitbench untune' tries again",
                            left, snapshot->saved.n, file);
    const int code = snapshot->fd >= 0 ? snapshot_file_remove(snapshot->fd, file) : 0;
    if (code)
        return fail_because(-1, error, error_size,
                            "all is restored, but '%s' cannot be removed: %s; 'jitbench untune' tries again", file,
                            strerror(-code));
    return 0;
}
