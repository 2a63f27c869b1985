/* SPDX-License-Identifier: MIT */
/* Isolation of the bench CPUs from other tasks, the tick, RCU callbacks, kernel threads, interrupts, workqueues. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "settings/settings_look.h"
#include "sys/machine.h"
#include "sys/process.h"

#define NOHZ_FULL CPU_FOLDER "/nohz_full"
#define CMDLINE   "/proc/cmdline"

/* Ok when the set, which is shown, contains all bench CPUs. */
static void judge_covered(const struct settings_view *view, const struct cpuset *set, struct setting_state *out)
{
    struct cpuset left;
    char list[96];
    setting_without(view->bench, set, &left);
    settings_format_cpus(set, list, sizeof list);
    setting_say(out, cpuset_is_empty(&left) ? SETTING_OK : SETTING_NOISY, "%s", list);
    settings_format_cpus(&left, list, sizeof list);
    if (!cpuset_is_empty(&left) && !cpuset_is_empty(set))
        setting_why(out, "not CPU%s %s", cpuset_count(&left) == 1 ? "" : "s", list);
}

void setting_look_isolated(const struct settings_view *view, struct setting_state *out)
{
    struct cpuset isolated, partitions;
    int error = setting_read_cpus(view->root, CPU_FOLDER "/isolated", &isolated);
    cgroup_isolated_cpus(view->root, &partitions);
    if (setting_failed(view, CPU_FOLDER "/isolated", cpuset_is_empty(&partitions) ? error : 0, out))
        return;
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
    if (setting_failed(view, NOHZ_FULL, setting_read_cpus(view->root, NOHZ_FULL, &set), out) ||
        setting_failed(view, status, setting_read_line(view->root, status, text, sizeof text), out))
        return;
    bool both = !cpuset_is_empty(&set) && strcmp(text, "active") == 0;
    setting_say(out, both ? SETTING_NOISY : SETTING_OK, "nohz_full %s, intel_pstate %s",
                cpuset_is_empty(&set) ? "none" : "set", text);
}

/* Returns the last "key=value" in a text, which it splits; NULL: none. */
static char *find_value(char *text, const char *key)
{
    const size_t length = strlen(key);
    char *found = NULL;
    for (char *word; (word = strsep(&text, " \t\r\n"));)
        if (strncmp(word, key, length) == 0 && word[length] == '=')
            found = word + length + 1;
    return found;
}

static unsigned last_cpu(const struct cpuset *set)
{
    unsigned last = 0;
    for (unsigned cpu = cpuset_next(set, 0); cpu != CPUSET_NONE; cpu = cpuset_next(set, cpu + 1))
        last = cpu;
    return last;
}

/* The kernel also accepts "all", N for the last CPU, and CPUs named twice. */
static bool add_piece(const struct settings_view *view, const char *piece, struct cpuset *set)
{
    char text[64], why[1];
    size_t n = 0;
    struct cpuset part = *setting_cpus(view);
    const bool all = strcmp(piece, "all") == 0;
    for (; *piece && n + 8 < sizeof text; piece++) {
        if (*piece == 'N')
            n += (size_t)snprintf(text + n, sizeof text - n, "%u", last_cpu(setting_cpus(view)));
        else
            text[n++] = *piece;
    }
    text[n] = '\0';
    if (!all && (*piece || cpuset_parse(text, &part, why, sizeof why)))
        return false;
    cpuset_union(set, &part);
    return true;
}

/* Returns 0, -ENODATA when the parameter is not given, or -errno. */
static int read_parameter(const struct settings_view *view, const char *key, struct cpuset *set)
{
    FREED_BY(memory_free) char *text = procfs_read_all(view->root, CMDLINE);
    int error = text ? 0 : -errno;
    char *value = text ? find_value(text, key) : NULL;
    cpuset_clear(set);
    if (!value)
        return error ? error : -ENODATA;
    for (char *piece; !error && (piece = strsep(&value, ","));)
        if (*piece && !add_piece(view, piece, set))
            error = -EILSEQ;
    return error;
}

/* With all bench CPUs in it, nohz_full= keeps RCU callbacks and kernel threads off them as well. */
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

/* Migration moves timers of idle CPUs to busy ones, such as the bench CPUs: off is good. But with nohz_full= it
 * moves the bench CPUs' own timers to the others: on is good. */
void setting_look_timer_migration(const struct settings_view *view, struct setting_state *out)
{
    setting_look_number(view, TIMER_MIGRATION, nohz_covers(view), "", out);
}

int setting_writes_timer_migration(const struct settings_view *view, struct setting_writes *out)
{
    return setting_write_number(view, TIMER_MIGRATION, nohz_covers(view), out);
}

/* Ok when the parameter key names only other CPUs than the bench CPUs, or `otherwise` (NULL: none), with the same
 * effect, is in force. */
static void judge_elsewhere(const struct settings_view *view, const char *key, const char *otherwise,
                            struct setting_state *out)
{
    struct cpuset set;
    char list[96];
    int error = read_parameter(view, key, &set);
    settings_format_cpus(&set, list, sizeof list);
    if (error && error != -ENODATA)
        setting_not_read(view, CMDLINE, error, out);
    else if (!error && setting_disjoint(&set, view->bench))
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
    /* Few kernels have kthread_cpus=. Without it, nohz_full= decides where kernel threads run, which this kernel may
     * lack too. */
    if (out->verdict == SETTING_NOISY && error == -ENOENT && view->machine->have_sys &&
        read_parameter(view, "kthread_cpus", &set) == -ENODATA)
        setting_not_read(view, NOHZ_FULL, error, out);
}

#define IRQ_FOLDER       "/proc/irq"
#define DEFAULT_AFFINITY IRQ_FOLDER "/default_smp_affinity"
#define WORK_FOLDER      "/sys/devices/virtual/workqueue"

#define LIST "_list" /* the file of a list beside that of the mask */

struct mask_file {
    char path[320];
    struct cpuset cpus;
    size_t digits; /* hexadecimal digits of the mask; 0: a list */
};

/* Returns 0 or -errno. */
static int read_mask(const char *root, struct mask_file *file)
{
    FREED_BY(memory_free) char *text = procfs_read_all(root, file->path);
    if (!text)
        return -errno;
    int digits = cpuset_parse_mask(text, &file->cpus);
    file->digits = digits > 0 ? (size_t)digits : 0;
    return digits > 0 ? 0 : text[0] ? -EILSEQ : -ENODATA;
}

/* Removes the bench CPUs from the file's set; if none would be left, writes all other online CPUs. */
static int write_housekeeping(const struct settings_view *view, struct mask_file *file, struct setting_writes *out)
{
    char text[CPUSET_MAX / 4 + CPUSET_MAX / 32 + 1];
    struct cpuset rest, kept;
    setting_without(setting_cpus(view), view->bench, &rest);
    if (cpuset_is_empty(&rest) || setting_disjoint(&file->cpus, view->bench))
        return 0;
    kept = rest;
    cpuset_intersect(&kept, &file->cpus);
    if (cpuset_is_empty(&kept))
        kept = rest;
    if (file->digits || cpuset_format(&kept, text, sizeof text) >= sizeof text) {
        if (!file->digits) /* too long as a list: write the mask */
            file->path[strlen(file->path) - strlen(LIST)] = '\0';
        cpuset_format_mask(&kept, file->digits, text, sizeof text);
    }
    return setting_writes_add(out, file->path, text);
}

/* From smp_affinity_list where there is one, since a list is short on large machines, else the mask. Returns 0 or
 * -errno. */
static int read_irq(const char *root, const char *name, struct mask_file *file)
{
    if (name[strspn(name, "0123456789")])
        return -ENOENT;
    file->digits = 0;
    snprintf(file->path, sizeof file->path, IRQ_FOLDER "/%.200s/smp_affinity" LIST, name);
    int error = setting_read_cpus(root, file->path, &file->cpus);
    if (error != -ENOENT)
        return error ? error : cpuset_is_empty(&file->cpus) ? -EILSEQ : 0;
    file->path[strlen(file->path) - strlen(LIST)] = '\0';
    return read_mask(root, file);
}

static int read_work(const char *root, const char *name, struct mask_file *file)
{
    snprintf(file->path, sizeof file->path, WORK_FOLDER "/%.200s/cpumask", name);
    return read_mask(root, file);
}

/* A directory of masks: of interrupts or workqueues. `first` (the default of new interrupts, or the limit of all
 * workqueues) comes first: the kernel limits the other workqueues to it. */
struct masks {
    const char *folder, *first, *first_name, *what;
    int (*read)(const char *root, const char *name, struct mask_file *file);
};
static const struct masks irqs = {IRQ_FOLDER, DEFAULT_AFFINITY, "new ones", "interrupts", read_irq};
static const struct masks works = {WORK_FOLDER, WORK_FOLDER "/cpumask", "all", "masks", read_work};

/* 0 is the one in `first`, i > 0 that of names[i - 1]. */
static int read_one(const struct masks *of, const char *root, char *const *names, size_t i, struct mask_file *file)
{
    snprintf(file->path, sizeof file->path, "%s", of->first);
    return i ? of->read(root, names[i - 1], file) : read_mask(root, file);
}

static void look_at_masks(const struct settings_view *view, const struct masks *of, struct setting_state *out)
{
    struct mask_file file = {.digits = 0};
    unsigned files = 0, on_bench = 0;
    char list[48] = "";
    int first_error = 0;
    FREED_BY(memory_free) char **names = procfs_names(view->root, of->folder);
    if (setting_failed(view, of->folder, names ? 0 : -errno, out) || !names)
        return;
    for (size_t i = 0; i == 0 || names[i - 1]; i++) {
        int error = read_one(of, view->root, names, i, &file);
        files += !error;
        if (error && error != -ENOENT && error != -ENOTDIR)
            first_error = first_error ? first_error : error;
        if (error || setting_disjoint(&file.cpus, view->bench))
            continue;
        on_bench++;
        setting_append(list, sizeof list, i ? names[i - 1] : of->first_name);
    }
    if (on_bench == 0 && (first_error || files == 0)) {
        setting_not_read(view, of->folder, first_error ? first_error : -ENOENT, out);
        return;
    }
    setting_say(out, on_bench ? SETTING_NOISY : SETTING_OK, "%u of %u %s may use bench CPUs", on_bench, files,
                of->what);
    setting_why(out, "%s", list);
}

static int write_masks(const struct settings_view *view, const struct masks *of, struct setting_writes *out)
{
    struct mask_file file = {.digits = 0};
    FREED_BY(memory_free) char **names = procfs_names(view->root, of->folder);
    for (size_t i = 0; names && (i == 0 || names[i - 1]); i++)
        if (read_one(of, view->root, names, i, &file) == 0 && write_housekeeping(view, &file, out))
            return -1;
    return 0;
}

void setting_look_irqs(const struct settings_view *view, struct setting_state *out)
{
    look_at_masks(view, &irqs, out);
}

int setting_writes_irqs(const struct settings_view *view, struct setting_writes *out)
{
    return write_masks(view, &irqs, out);
}

void setting_look_irqaffinity(const struct settings_view *view, struct setting_state *out)
{
    struct mask_file standard = {.path = DEFAULT_AFFINITY};
    bool kept_off = read_mask(view->root, &standard) == 0 && setting_disjoint(&standard.cpus, view->bench);
    judge_elsewhere(view, "irqaffinity", kept_off ? "default_smp_affinity" : NULL, out);
}

void setting_look_workqueues(const struct settings_view *view, struct setting_state *out)
{
    look_at_masks(view, &works, out);
}

int setting_writes_workqueues(const struct settings_view *view, struct setting_writes *out)
{
    return write_masks(view, &works, out);
}
