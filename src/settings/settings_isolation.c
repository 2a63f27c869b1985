/* SPDX-License-Identifier: MIT */
/* Isolation of the bench CPUs: from other tasks, the tick, RCU callbacks, kernel threads, interrupts, workqueues. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "settings/settings_look.h"
#include "sys/cgroup.h"
#include "sys/procfs.h"

#define CPU_FOLDER "/sys/devices/system/cpu"
#define NOHZ_FULL  CPU_FOLDER "/nohz_full"
#define CMDLINE    "/proc/cmdline"

static bool is_empty(const struct cpuset *set)
{
    return cpuset_next(set, 0) == CPUSET_NONE;
}

static bool disjoint(const struct cpuset *a, const struct cpuset *b)
{
    struct cpuset both = *a;
    cpuset_intersect(&both, b);
    return is_empty(&both);
}

/* Judges a setting of CPUs as ok when its set contains all bench CPUs (those to measure on). Shows the set. */
static void judge_covered(const struct settings_view *view, const struct cpuset *set, struct setting_state *out)
{
    struct cpuset left;
    char list[96];
    setting_without(view->bench, set, &left);
    settings_format_cpus(set, list, sizeof list);
    setting_say(out, is_empty(&left) ? SETTING_OK : SETTING_NOISY, "%s", list);
    settings_format_cpus(&left, list, sizeof list);
    if (!is_empty(&left) && !is_empty(set))
        setting_why(out, "not CPU%s %s", cpuset_count(&left) == 1 ? "" : "s", list);
}

/* --- Isolated CPUs: isolcpus=, nohz_full=. --- */

void setting_look_isolated(const struct settings_view *view, struct setting_state *out)
{
    struct cpuset isolated, partitions;
    int error = setting_read_cpus(view->root, CPU_FOLDER "/isolated", &isolated);
    cgroup_isolated_cpus(view->root, &partitions);
    if (error && is_empty(&partitions)) {
        setting_not_read(view, CPU_FOLDER "/isolated", error, out);
        return;
    }
    cpuset_union(&isolated, &partitions);
    judge_covered(view, &isolated, out);
}

void setting_look_nohz_full(const struct settings_view *view, struct setting_state *out)
{
    struct cpuset set;
    unsigned boot = cpuset_next(setting_cpus(view), 0);
    if (setting_failed(view, NOHZ_FULL, setting_read_cpus(view->root, NOHZ_FULL, &set), out))
        return;
    judge_covered(view, &set, out);
    if (cpuset_has(&set, boot)) {
        out->verdict = SETTING_NOISY;
        setting_why(out, "the boot CPU, %u, must keep its tick", boot);
    } else if (cpuset_has(view->bench, boot)) {
        setting_why(out, "the boot CPU, %u, keeps its tick: measure on others", boot);
    }
}

void setting_look_nohz_pstate(const struct settings_view *view, struct setting_state *out)
{
    static const char status[] = CPU_FOLDER "/intel_pstate/status";
    struct cpuset set;
    char text[16];
    if (setting_failed(view, NOHZ_FULL, setting_read_cpus(view->root, NOHZ_FULL, &set), out))
        return;
    if (setting_failed(view, status, setting_read_line(view->root, status, text, sizeof text), out))
        return;
    bool both = !is_empty(&set) && strcmp(text, "active") == 0;
    setting_say(out, both ? SETTING_NOISY : SETTING_OK, "nohz_full %s, intel_pstate %s",
                is_empty(&set) ? "none" : "set", text);
}

/* --- The kernel's command line. --- */

/* Finds the last "key=value" in a text of words; returns its value and length, or NULL when there is none. */
static const char *find_value(const char *text, const char *key, size_t *length)
{
    const char *found = NULL;
    size_t key_length = strlen(key);
    while (*(text += strspn(text, " \t\r\n"))) {
        size_t word = strcspn(text, " \t\r\n");
        if (word > key_length && text[key_length] == '=' && strncmp(text, key, key_length) == 0) {
            found = text + key_length + 1;
            *length = word - key_length - 1;
        }
        text += word;
    }
    return found;
}

static unsigned last_cpu(const struct cpuset *set)
{
    unsigned last = 0;
    for (unsigned cpu = cpuset_next(set, 0); cpu != CPUSET_NONE; cpu = cpuset_next(set, cpu + 1))
        last = cpu;
    return last;
}

/* Adds one element of a CPU list. The kernel also accepts "all", N for the last CPU, and CPUs named twice. */
static bool add_piece(const struct settings_view *view, const char *piece, size_t length, struct cpuset *set)
{
    char text[64], why[1];
    size_t n = 0, at = 0;
    struct cpuset part;
    if (length == 3 && strncmp(piece, "all", 3) == 0) {
        cpuset_union(set, setting_cpus(view));
        return true;
    }
    for (; at < length && n + 8 < sizeof text; at++) {
        if (piece[at] == 'N')
            n += (size_t)snprintf(text + n, sizeof text - n, "%u", last_cpu(setting_cpus(view)));
        else
            text[n++] = piece[at];
    }
    text[n] = '\0';
    if (at < length || cpuset_parse(text, &part, why, sizeof why))
        return false;
    cpuset_union(set, &part);
    return true;
}

/* Reads the CPUs that a kernel parameter names. Returns 0, -ENODATA when it is not given, or -errno. */
static int read_parameter(const struct settings_view *view, const char *key, struct cpuset *set)
{
    size_t length = 0;
    char line[2];
    cpuset_clear(set);
    int error = setting_read_line(view->root, CMDLINE, line, sizeof line);
    FREED_BY(memory_free) char *text = error ? NULL : procfs_read_all(view->root, CMDLINE);
    if (!text)
        return error ? error : -EILSEQ;
    const char *value = find_value(text, key, &length);
    error = value ? 0 : -ENODATA;
    for (const char *end = value ? value + length : NULL; value && value < end && !error;) {
        const char *comma = memchr(value, ',', (size_t)(end - value));
        const char *stop = comma ? comma : end;
        if (!add_piece(view, value, (size_t)(stop - value), set))
            error = -EILSEQ;
        value = stop + 1;
    }
    return error;
}

/* Returns whether nohz_full= covers the bench CPUs: it keeps RCU callbacks and kernel threads off them as well. */
static bool nohz_covers(const struct settings_view *view)
{
    struct cpuset set;
    return (setting_read_cpus(view->root, NOHZ_FULL, &set) == 0 && cpuset_subset(view->bench, &set)) ||
           (read_parameter(view, "nohz_full", &set) == 0 && cpuset_subset(view->bench, &set));
}

void setting_look_rcu_nocbs(const struct settings_view *view, struct setting_state *out)
{
    struct cpuset set;
    int error = read_parameter(view, "rcu_nocbs", &set);
    if (error && error != -ENODATA)
        setting_not_read(view, CMDLINE, error, out);
    else if (nohz_covers(view))
        setting_say(out, SETTING_OK, "by nohz_full");
    else if (error)
        setting_say(out, SETTING_NOISY, "not given");
    else
        judge_covered(view, &set, out);
}

#define TIMER_MIGRATION "/proc/sys/kernel/timer_migration"

/* Judges timer migration. It moves timers of idle CPUs to busy ones, such as the bench CPUs: off is good. But with
 * nohz_full= it moves the bench CPUs' own timers to the others: on is good. */
void setting_look_timer_migration(const struct settings_view *view, struct setting_state *out)
{
    setting_look_number(view, TIMER_MIGRATION, nohz_covers(view), "", out);
}

int setting_writes_timer_migration(const struct settings_view *view, struct setting_writes *out)
{
    return setting_write_number(view, TIMER_MIGRATION, nohz_covers(view), out);
}

/* Judges a setting as ok when the kernel parameter key names CPUs other than the bench CPUs, or when `otherwise` (NULL:
 * nothing) keeps them free. */
static void judge_elsewhere(const struct settings_view *view, const char *key, const char *otherwise,
                            struct setting_state *out)
{
    struct cpuset set;
    char list[96];
    int error = read_parameter(view, key, &set);
    settings_format_cpus(&set, list, sizeof list);
    if (error && error != -ENODATA)
        setting_not_read(view, CMDLINE, error, out);
    else if (!error && disjoint(&set, view->bench))
        setting_say(out, SETTING_OK, "%s", list);
    else if (otherwise)
        setting_say(out, SETTING_OK, "by %s", otherwise);
    else
        setting_say(out, SETTING_NOISY, "%s", error ? "not given" : list);
}

void setting_look_kthread_cpus(const struct settings_view *view, struct setting_state *out)
{
    struct cpuset set;
    int error = setting_read_cpus(view->root, NOHZ_FULL, &set);
    judge_elsewhere(view, "kthread_cpus", nohz_covers(view) ? "nohz_full" : NULL, out);
    /* Few kernels know kthread_cpus=: without it nohz_full= decides, which this kernel may not support either. */
    if (out->verdict == SETTING_NOISY && error == -ENOENT && view->machine->have_sys &&
        read_parameter(view, "kthread_cpus", &set) == -ENODATA)
        setting_not_read(view, NOHZ_FULL, error, out);
}

/* --- Writable masks: interrupts, unbound work. --- */

#define IRQ_FOLDER       "/proc/irq"
#define DEFAULT_AFFINITY IRQ_FOLDER "/default_smp_affinity"
#define WORK_FOLDER      "/sys/devices/virtual/workqueue"

struct mask_file {
    char path[320];
    struct cpuset cpus;
    size_t digits;       /* number of hexadecimal digits of the mask; 0: the file is a list */
    char mask_path[320]; /* file to which a mask is written: path, or the file beside it that holds the mask when
                          * path is a list, since a list may be too long to be written */
};

/* Reads a file that holds a mask. Returns 0 or -errno. */
static int read_mask(const char *root, struct mask_file *file)
{
    char start[2];
    int error = setting_read_line(root, file->path, start, sizeof start);
    FREED_BY(memory_free) char *text = error ? NULL : procfs_read_all(root, file->path);
    int digits = text ? cpuset_parse_mask(text, &file->cpus) : -1;
    memcpy(file->mask_path, file->path, sizeof file->mask_path);
    file->digits = digits > 0 ? (size_t)digits : 0;
    return error ? error : digits > 0 ? 0 : -EILSEQ;
}

static bool touches_bench(const struct settings_view *view, const struct mask_file *file)
{
    return !disjoint(&file->cpus, view->bench);
}

/* Adds a write that removes the bench CPUs from the file. Writes all other online CPUs if none would be left. */
static int write_housekeeping(const struct settings_view *view, const struct mask_file *file,
                              struct setting_writes *out)
{
    char text[CPUSET_MAX / 4 + CPUSET_MAX / 32 + 1];
    struct cpuset rest, kept;
    setting_without(setting_cpus(view), view->bench, &rest);
    if (is_empty(&rest) || !touches_bench(view, file))
        return 0;
    kept = rest;
    cpuset_intersect(&kept, &file->cpus);
    if (is_empty(&kept))
        kept = rest;
    if (file->digits || cpuset_format(&kept, text, sizeof text) >= sizeof text) {
        cpuset_format_mask(&kept, file->digits, text, sizeof text);
        return setting_writes_add(out, file->mask_path, text);
    }
    return setting_writes_add(out, file->path, text);
}

/* Reads an interrupt's CPUs, as a list where the kernel has that file, since a list is short on large machines.
 * Returns 0 or -errno. */
static int read_irq(const char *root, const char *name, struct mask_file *file)
{
    if (name[strspn(name, "0123456789")])
        return -ENOENT;
    file->digits = 0;
    snprintf(file->path, sizeof file->path, IRQ_FOLDER "/%.200s/smp_affinity_list", name);
    snprintf(file->mask_path, sizeof file->mask_path, IRQ_FOLDER "/%.200s/smp_affinity", name);
    int error = setting_read_cpus(root, file->path, &file->cpus);
    if (error != -ENOENT)
        return error ? error : is_empty(&file->cpus) ? -EILSEQ : 0;
    snprintf(file->path, sizeof file->path, IRQ_FOLDER "/%.200s/smp_affinity", name);
    return read_mask(root, file);
}

/* Reads the mask of all workqueues (name "") or of one. */
static int read_work(const char *root, const char *name, struct mask_file *file)
{
    snprintf(file->path, sizeof file->path, WORK_FOLDER "%s%.200s/cpumask", name[0] ? "/" : "", name);
    return read_mask(root, file);
}

typedef int (*mask_reader)(const char *root, const char *name, struct mask_file *file);

/* Summary of the affinity masks in a directory. */
struct masks {
    unsigned files, on_bench;
    char names[48]; /* names of files that allow the bench CPUs */
    int error;      /* error of a file that exists */
};

static void count_masks(const struct settings_view *view, char *const *names, mask_reader read, struct masks *out)
{
    struct mask_file file;
    for (; *names; names++) {
        int error = read(view->root, *names, &file);
        if (error == -ENOENT || error == -ENOTDIR)
            continue;
        if (error) {
            out->error = error;
            continue;
        }
        out->files++;
        if (!touches_bench(view, &file))
            continue;
        out->on_bench++;
        setting_append(out->names, sizeof out->names, *names);
    }
}

static int write_masks(const struct settings_view *view, char *const *names, mask_reader read,
                       struct setting_writes *out)
{
    struct mask_file file;
    for (; *names; names++) {
        if (read(view->root, *names, &file) == 0 && write_housekeeping(view, &file, out))
            return -1;
    }
    return 0;
}

static void judge_masks(const struct settings_view *view, const char *path, const struct masks *masks, const char *what,
                        struct setting_state *out)
{
    if (masks->on_bench == 0 && (masks->error || masks->files == 0)) {
        setting_not_read(view, path, masks->error ? masks->error : -ENOENT, out);
        return;
    }
    setting_say(out, masks->on_bench ? SETTING_NOISY : SETTING_OK, "%u of %u %s may use bench CPUs", masks->on_bench,
                masks->files, what);
    if (masks->on_bench)
        setting_why(out, "%s", masks->names);
}

void setting_look_irqs(const struct settings_view *view, struct setting_state *out)
{
    struct masks masks = {0};
    struct mask_file standard = {.path = DEFAULT_AFFINITY};
    FREED_BY(memory_free) char **names = procfs_names(view->root, IRQ_FOLDER);
    if (setting_failed(view, IRQ_FOLDER "/", names ? 0 : -errno, out))
        return;
    if (read_mask(view->root, &standard) == 0) {
        masks.files++;
        if (touches_bench(view, &standard)) {
            masks.on_bench++;
            setting_append(masks.names, sizeof masks.names, "new ones");
        }
    }
    count_masks(view, names, read_irq, &masks);
    judge_masks(view, IRQ_FOLDER, &masks, "interrupts", out);
}

int setting_writes_irqs(const struct settings_view *view, struct setting_writes *out)
{
    struct mask_file standard = {.path = DEFAULT_AFFINITY};
    FREED_BY(memory_free) char **names = procfs_names(view->root, IRQ_FOLDER);
    if (!names)
        return 0;
    if (read_mask(view->root, &standard) == 0 && write_housekeeping(view, &standard, out))
        return -1;
    return write_masks(view, names, read_irq, out);
}

void setting_look_irqaffinity(const struct settings_view *view, struct setting_state *out)
{
    struct mask_file standard = {.path = DEFAULT_AFFINITY};
    bool kept_off = read_mask(view->root, &standard) == 0 && !touches_bench(view, &standard);
    judge_elsewhere(view, "irqaffinity", kept_off ? "default_smp_affinity" : NULL, out);
}

/* Name of the directory's own mask, for read_work(). It is handled first: the masks of the workqueues are limited to
 * it. */
static char *const top[] = {(char *)"", NULL};

void setting_look_workqueues(const struct settings_view *view, struct setting_state *out)
{
    struct masks masks = {0};
    FREED_BY(memory_free) char **names = procfs_names(view->root, WORK_FOLDER);
    if (setting_failed(view, WORK_FOLDER "/", names ? 0 : -errno, out))
        return;
    count_masks(view, top, read_work, &masks);
    masks.names[0] = '\0';
    if (masks.on_bench)
        setting_append(masks.names, sizeof masks.names, "all");
    count_masks(view, names, read_work, &masks);
    judge_masks(view, WORK_FOLDER "/cpumask", &masks, "masks", out);
}

int setting_writes_workqueues(const struct settings_view *view, struct setting_writes *out)
{
    FREED_BY(memory_free) char **names = procfs_names(view->root, WORK_FOLDER);
    if (!names)
        return 0;
    return write_masks(view, top, read_work, out) ? -1 : write_masks(view, names, read_work, out);
}
