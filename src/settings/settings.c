/* SPDX-License-Identifier: MIT */
/* The list of settings, and how those of the CPUs and those that tune writes are read and judged. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/settings_read.h"
#include "sys/machine.h"
#include "sys/process.h"

/* A file that is one number. */
static void look_file(struct setting_reading *r)
{
    const struct setting *s = r->setting;
    const char *unit = s->unit ? s->unit : "";
    int64_t value;
    if (s->good_from && setting_read_number(s->path, &value) == 0 && value >= s->good_from)
        setting_judge(r, SETTING_OK, "%" PRId64 "%s", value, unit);
    else
        setting_look_number(r, s->path, s->want, unit);
}

/* --- A file of each CPU: frequencies, preferences. --- */

#define VALUE_SIZE 48

/* Returns whether an earlier CPU has the same cpufreq files. */
static bool shares_policy(const struct setting_reading *r, unsigned cpu)
{
    char text[16];
    uint64_t first;
    procfs_read(CPU_PATH(cpu, "cpufreq/affected_cpus"), text, sizeof text);
    return procfs_number(text, &first) && first < cpu && cpuset_has(setting_cpus(r->view), (unsigned)first);
}

/* Reads a CPU's value: as shown, and the good one to write. The good lower limit of the frequency is the upper one, so
 * that only the lower one has to be written and restored. Returns 0 or -errno. */
static int read_cpu(const struct setting_reading *r, unsigned cpu, char text[VALUE_SIZE], char want[24], bool *good)
{
    const char *path = CPU_PATH(cpu, r->setting->path);
    int64_t min_khz, max_khz;
    int error;
    if (r->setting->want_text) {
        error = procfs_read_line(path, text, VALUE_SIZE);
        snprintf(want, 24, "%s", r->setting->want_text);
        *good = !strcmp(text, want);
        const bool odd = strchr(text, '?') || (want[0] == '0' && text[strspn(text, "-0123456789")]);
        return error == 0 && odd ? -EILSEQ : error;
    }
    error = setting_read_number(path, &min_khz);
    error = error ? error : setting_read_number(CPU_PATH(cpu, "cpufreq/scaling_max_freq"), &max_khz);
    if (error)
        return error;
    *good = min_khz == max_khz;
    snprintf(want, 24, "%" PRId64, max_khz);
    if (*good)
        snprintf(text, VALUE_SIZE, "%" PRId64 " MHz", max_khz / 1000);
    else
        snprintf(text, VALUE_SIZE, "%" PRId64 " to %" PRId64 " MHz", min_khz / 1000, max_khz / 1000);
    return 0;
}

static void look_cpus(struct setting_reading *r)
{
    struct {
        char text[VALUE_SIZE];
        unsigned cpus;
    } value[4] = {{.cpus = 0}};
    unsigned n = 0, others = 0, failed = 0;
    char text[VALUE_SIZE], want[24];
    bool all_good = true, good;
    int first_error = 0; /* of a file that exists and cannot be read */
    for_each_cpu(cpu, setting_cpus(r->view)) {
        unsigned i = 0;
        int error = read_cpu(r, cpu, text, want, &good);
        if (error && error != -ENOENT && error != -ENOTDIR && !first_error) {
            first_error = error;
            failed = cpu;
        }
        if (error)
            continue;
        while (i < n && strcmp(value[i].text, text))
            i++;
        if (i < COUNT(value)) {
            snprintf(value[i].text, VALUE_SIZE, "%s", text);
            value[i].cpus++;
            n += i == n;
        } else {
            others++;
        }
        all_good &= good;
        if (!good && !shares_policy(r, cpu))
            setting_write(r, CPU_PATH(cpu, r->setting->path), want);
    }
    if (first_error || n == 0) {
        setting_not_read(r, first_error ? CPU_PATH(failed, r->setting->path) : CPU_FOLDER "/",
                         first_error ? first_error : -ENOENT);
        return;
    }
    setting_judge(r, NOISY_IF(!all_good), "%s", "");
    for (unsigned i = 0; i < n; i++)
        setting_append(r->state->now, sizeof r->state->now,
                       TEXT_LINE("%s (%u CPU%s)", value[i].text, value[i].cpus, PLURAL(value[i].cpus)));
    if (others)
        setting_append(r->state->now, sizeof r->state->now, TEXT_LINE("others (%u CPUs)", others));
}

static void look_turbo(struct setting_reading *r)
{
    static const struct {
        const char *path;
        int64_t off;
    } files[] = {{CPU_FOLDER "/intel_pstate/no_turbo", 1}, {CPU_FOLDER "/cpufreq/boost", 0}};
    int64_t value;
    size_t i = 0;
    int error = setting_read_number(files[0].path, &value);
    if (error == -ENOENT)
        error = setting_read_number(files[++i].path, &value);
    if (!error && (value < 0 || value > 1))
        error = -EILSEQ;
    if (setting_failed(r, files[i].path, error))
        return;
    setting_look_number(r, files[i].path, files[i].off, "");
    setting_judge(r, r->state->verdict, value == files[i].off ? "off" : "on");
}

/* With more than two threads a core, the file may hold the number in use. */
static void look_smt(struct setting_reading *r)
{
    static const char path[] = CPU_FOLDER "/smt/control";
    char control[32];
    if (setting_failed(r, path, procfs_read_line(path, control, sizeof control)))
        return;
    if (!strcmp(control, "on") || (control[0] >= '1' && control[0] <= '9')) {
        setting_judge(r, SETTING_NOISY, "%s", control);
        setting_write(r, path, "off");
    } else if (!strcmp(control, "off") || !strcmp(control, "forceoff")) {
        setting_judge(r, SETTING_OK, "%s", control);
    } else if (!strcmp(control, "notsupported") || !strcmp(control, "notimplemented")) {
        setting_judge(r, SETTING_NA, "%s", control);
    } else {
        setting_not_read(r, path, -EILSEQ);
    }
}

#define NO_DEMAND_US 2000000000 /* PM QoS limit when nobody requested one */

/* Finds the longest exit latency of a CPU's enabled idle states. Returns false: none. */
static bool read_deepest(unsigned cpu, uint64_t *exit_us, char *name, size_t size)
{
    static const char file[] = CPU_FOLDER "/cpu%u/cpuidle/state%u/%s";
    uint64_t us, off;
    bool any = false;
    *exit_us = 0;
    for (unsigned state = 0; state < 32; state++) {
        if (!procfs_read_u64(PROCFS_PATH(file, cpu, state, "latency"), &us))
            break;
        if ((procfs_read_u64(PROCFS_PATH(file, cpu, state, "disable"), &off) && off) || (any && us < *exit_us))
            continue;
        any = true;
        *exit_us = us;
        procfs_read_line(PROCFS_PATH(file, cpu, state, "name"), name, size);
    }
    return any;
}

static void look_c_states(struct setting_reading *r)
{
    static const char path[] = "/dev/cpu_dma_latency"; /* the PM QoS limit in force, in us */
    char name[32] = "", bytes[2 * sizeof(int32_t)];
    uint64_t exit_us;
    int32_t us = NO_DEMAND_US;
    bool states = read_deepest(cpuset_next(r->bench, 0), &exit_us, name, sizeof name);
    const ssize_t n = procfs_read(path, bytes, sizeof bytes);
    if (n == (ssize_t)sizeof us)
        memcpy(&us, bytes, sizeof us);
    const int error = n < 0 ? (int)n : n != (ssize_t)sizeof us || us < 0 ? -EILSEQ : 0;
    const char *held = !error && us < NO_DEMAND_US ? TEXT_LINE("held at %" PRId32 " us", us) : "not held";
    if (error == 0 && us == 0)
        setting_judge(r, SETTING_OK, "%s", held);
    else if (states)
        setting_judge(r, NOISY_IF(exit_us > 0), "%s, up to %s (%" PRIu64 " us)", error ? "hold not known" : held,
                      name[0] ? name : "a state without name", exit_us);
    else if (error)
        setting_not_read(r, path, error);
    else
        setting_judge(r, SETTING_NOISY, "%s, idle states not known", held);
}

/* --- Hardware that the bench CPUs share with others. --- */
#define NODES "/sys/devices/system/node"

static void look_numa(struct setting_reading *r)
{
    struct cpuset nodes, used = {{0}}, cpus;
    if (setting_failed(r, NODES "/online", setting_read_cpus(NODES "/online", &nodes)))
        return;
    for_each_cpu(node, &nodes) {
        if (setting_read_cpus(PROCFS_PATH(NODES "/node%u/cpulist", node), &cpus) == 0 &&
            !setting_disjoint(&cpus, r->bench))
            cpuset_add(&used, node);
    }
    unsigned n = cpuset_count(&used);
    if (n == 0)
        setting_not_read(r, NODES "/node0/cpulist", -EILSEQ);
    else
        setting_judge(r, NOISY_IF(n > 1), "node%s %s of %u", PLURAL(n), SETTINGS_CPUS(&used), cpuset_count(&nodes));
}

static void look_caches(struct setting_reading *r)
{
    struct cpuset seen = {{0}}, shared, outside, strangers = {{0}}, usual;
    unsigned level, worst = 0, known = 0;
    for_each_cpu(cpu, r->bench) {
        if (cpuset_has(&seen, cpu) || (level = machine_last_cache(cpu, &shared)) == 0)
            continue;
        known = level;
        cpuset_union(&seen, &shared);
        cpuset_intersect(&shared, setting_cpus(r->view));
        setting_without(&shared, r->bench, &outside);
        if (cpuset_is_empty(&outside))
            continue;
        worst = level;
        cpuset_union(&strangers, &outside);
    }
    if (known == 0)
        setting_not_read(r, CPU_FOLDER "/", -ENOENT);
    else if (worst == 0)
        setting_judge(r, SETTING_OK, "L%u not shared with others", known);
    else
        setting_judge(r, SETTING_NOISY, "L%u shared with CPU%s %s", worst, PLURAL(cpuset_count(&strangers)),
                      SETTINGS_CPUS(&strangers));
    /* Some CPU must be left to other work: if the bench CPUs share their last-level cache only with CPUs that are left
     * to it by default, no better choice exists. */
    settings_bench_cpus(r->machine, &usual);
    if (worst != 0 && setting_disjoint(&usual, &strangers)) {
        r->state->verdict = SETTING_OK;
        setting_explain(r, "for all else");
    }
}

static void look_siblings(struct setting_reading *r)
{
    unsigned known = 0, sharing = 0, first = 0;
    struct cpuset core, siblings = {{0}};
    for_each_cpu(cpu, r->bench) {
        if (!machine_core_cpus(cpu, &core))
            continue;
        known++;
        cpuset_intersect(&core, setting_cpus(r->view));
        cpuset_remove(&core, cpu);
        if (cpuset_is_empty(&core) || sharing++ > 0)
            continue;
        first = cpu;
        siblings = core;
    }
    if (known == 0)
        setting_not_read(r, CPU_FOLDER "/", -ENOENT);
    else if (sharing == 0)
        setting_judge(r, SETTING_OK, "none online");
    else
        setting_judge(r, SETTING_NOISY, "%u of %u bench CPUs have one (CPU %u: %s)", sharing, cpuset_count(r->bench),
                      first, SETTINGS_CPUS(&siblings));
}

/* --- Isolation of the bench CPUs from other tasks, the tick, RCU callbacks, kernel threads, interrupts, workqueues.
 * --- */

#define NOHZ_FULL CPU_FOLDER "/nohz_full"
#define CMDLINE   "/proc/cmdline"

/* Ok when the set, which is shown, contains all bench CPUs. */
static void judge_covered(struct setting_reading *r, const struct cpuset *set)
{
    struct cpuset left;
    setting_without(r->bench, set, &left);
    setting_judge(r, NOISY_IF(!cpuset_is_empty(&left)), "%s", SETTINGS_CPUS(set));
    if (!cpuset_is_empty(&left) && !cpuset_is_empty(set))
        setting_explain(r, "not CPU%s %s", PLURAL(cpuset_count(&left)), SETTINGS_CPUS(&left));
}

static void look_isolated(struct setting_reading *r)
{
    struct cpuset isolated, partitions;
    int error = setting_read_cpus(CPU_FOLDER "/isolated", &isolated);
    cgroup_isolated_cpus(&partitions);
    if (setting_failed(r, CPU_FOLDER "/isolated", cpuset_is_empty(&partitions) ? error : 0))
        return;
    cpuset_union(&isolated, &partitions);
    judge_covered(r, &isolated);
}

static void look_nohz_full(struct setting_reading *r)
{
    struct cpuset set;
    unsigned boot = cpuset_next(setting_cpus(r->view), 0);
    if (setting_failed(r, NOHZ_FULL, setting_read_cpus(NOHZ_FULL, &set)))
        return;
    judge_covered(r, &set);
    if (cpuset_has(&set, boot)) {
        r->state->verdict = SETTING_NOISY;
        setting_explain(r, "the boot CPU, %u, must keep its tick", boot);
    } else if (cpuset_has(r->bench, boot)) {
        setting_explain(r, "the boot CPU, %u, keeps its tick: measure on others", boot);
    }
}

static void look_nohz_pstate(struct setting_reading *r)
{
    static const char status[] = CPU_FOLDER "/intel_pstate/status";
    struct cpuset set;
    char text[16];
    if (setting_failed(r, NOHZ_FULL, setting_read_cpus(NOHZ_FULL, &set)) ||
        setting_failed(r, status, procfs_read_line(status, text, sizeof text)))
        return;
    bool both = !cpuset_is_empty(&set) && !strcmp(text, "active");
    setting_judge(r, NOISY_IF(both), "nohz_full %s, intel_pstate %s", cpuset_is_empty(&set) ? "none" : "set", text);
}

/* The kernel also accepts "all", N for the last CPU, and CPUs named twice. */
static bool add_piece(struct setting_reading *r, const char *piece, struct cpuset *set)
{
    char text[64];
    struct error why;
    size_t n = 0;
    struct cpuset part = *setting_cpus(r->view);
    const bool all = !strcmp(piece, "all");
    unsigned last = 0;
    for_each_cpu(cpu, &part)
        last = cpu;
    for (; *piece && n + 8 < sizeof text; piece++) {
        if (*piece == 'N')
            n += (size_t)snprintf(text + n, sizeof text - n, "%u", last);
        else
            text[n++] = *piece;
    }
    text[n] = '\0';
    if (!all && (*piece || cpuset_parse(text, &part, &why)))
        return false;
    cpuset_union(set, &part);
    return true;
}

/* Returns 0, -ENODATA when the parameter is not given, or -errno. */
static int read_parameter(struct setting_reading *r, const char *key, struct cpuset *set)
{
    const size_t length = strlen(key);
    FREED_BY(memory_free) char *text = procfs_read_all(CMDLINE);
    int error = text ? 0 : -errno;
    char *rest = text, *value = NULL; /* the last one counts */
    for (char *word; (word = strsep(&rest, " \t\r\n"));)
        if (!strncmp(word, key, length) && word[length] == '=')
            value = word + length + 1;
    cpuset_clear(set);
    if (!value)
        return error ? error : -ENODATA;
    for (char *piece; !error && (piece = strsep(&value, ","));)
        if (*piece && !add_piece(r, piece, set))
            error = -EILSEQ;
    return error;
}

/* With all bench CPUs in it, nohz_full= keeps RCU callbacks and kernel threads off them as well. */
static bool nohz_covers(struct setting_reading *r)
{
    struct cpuset set;
    return (setting_read_cpus(NOHZ_FULL, &set) == 0 && cpuset_subset(r->bench, &set)) ||
           (read_parameter(r, "nohz_full", &set) == 0 && cpuset_subset(r->bench, &set));
}

static void look_rcu_nocbs(struct setting_reading *r)
{
    struct cpuset set;
    int error = read_parameter(r, "rcu_nocbs", &set);
    if (error && error != -ENODATA)
        setting_not_read(r, CMDLINE, error);
    else if (nohz_covers(r))
        setting_judge(r, SETTING_OK, "by nohz_full");
    else if (error)
        setting_judge(r, SETTING_NOISY, "not given");
    else
        judge_covered(r, &set);
}

/* Migration moves timers of idle CPUs to busy ones, such as the bench CPUs: off is good. But with nohz_full= it
 * moves the bench CPUs' own timers to the others: on is good. */
static void look_timer_migration(struct setting_reading *r)
{
    setting_look_number(r, r->setting->path, nohz_covers(r), "");
}

/* Ok when the parameter key names only other CPUs than the bench CPUs, or `otherwise` (NULL: none), with the same
 * effect, is in force. */
static void judge_elsewhere(struct setting_reading *r, const char *key, const char *otherwise)
{
    struct cpuset set;
    int error = read_parameter(r, key, &set);
    if (error && error != -ENODATA)
        setting_not_read(r, CMDLINE, error);
    else if (!error && setting_disjoint(&set, r->bench))
        setting_judge(r, SETTING_OK, "%s", SETTINGS_CPUS(&set));
    else if (otherwise)
        setting_judge(r, SETTING_OK, "by %s", otherwise);
    else
        setting_judge(r, SETTING_NOISY, "%s", error ? "not given" : SETTINGS_CPUS(&set));
}

static void look_kthread_cpus(struct setting_reading *r)
{
    struct cpuset set;
    int error = setting_read_cpus(NOHZ_FULL, &set);
    judge_elsewhere(r, "kthread_cpus", nohz_covers(r) ? "nohz_full" : NULL);
    /* Few kernels have kthread_cpus=. Without it, nohz_full= decides where kernel threads run, which this kernel may
     * lack too. */
    if (r->state->verdict == SETTING_NOISY && error == -ENOENT && r->machine->have_sys &&
        read_parameter(r, "kthread_cpus", &set) == -ENODATA)
        setting_not_read(r, NOHZ_FULL, error);
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
static int read_mask(struct mask_file *file)
{
    FREED_BY(memory_free) char *text = procfs_read_all(file->path);
    if (!text)
        return -errno;
    int digits = cpuset_parse_mask(text, &file->cpus);
    file->digits = digits > 0 ? (size_t)digits : 0;
    return digits > 0 ? 0 : text[0] ? -EILSEQ : -ENODATA;
}

/* Removes the bench CPUs from the file's set; if none would be left, writes all other online CPUs. */
static void write_housekeeping(struct setting_reading *r, struct mask_file *file)
{
    char text[CPUSET_MAX / 4 + CPUSET_MAX / 32 + 1];
    struct cpuset rest, kept;
    setting_without(setting_cpus(r->view), r->bench, &rest);
    if (cpuset_is_empty(&rest) || setting_disjoint(&file->cpus, r->bench))
        return;
    kept = rest;
    cpuset_intersect(&kept, &file->cpus);
    if (cpuset_is_empty(&kept))
        kept = rest;
    if (file->digits || cpuset_format(&kept, text, sizeof text) >= sizeof text) {
        if (!file->digits) /* too long as a list: write the mask */
            file->path[strlen(file->path) - strlen(LIST)] = '\0';
        cpuset_format_mask(&kept, file->digits, text, sizeof text);
    }
    setting_write(r, file->path, text);
}

/* A directory of masks: of interrupts or workqueues. `first` (the default of new interrupts, or the limit of all
 * workqueues) comes first: the kernel limits the other workqueues to it. */
struct masks {
    const char *folder, *first, *first_name, *what;
};
static const struct masks irqs = {IRQ_FOLDER, DEFAULT_AFFINITY, "new ones", "interrupts"};
static const struct masks works = {WORK_FOLDER, WORK_FOLDER "/cpumask", "all", "masks"};

/* name NULL: the one in `first`. Of interrupts from smp_affinity_list where there is one, since a list is short on
 * large machines, else the mask. Returns 0 or -errno. */
static int read_one(const struct masks *of, const char *name, struct mask_file *file)
{
    file->digits = 0;
    if (!name || of == &works) {
        TEXT_PRINT(file->path, name ? WORK_FOLDER "/%.200s/cpumask" : "%s", name ? name : of->first);
        return read_mask(file);
    }
    if (name[strspn(name, "0123456789")])
        return -ENOENT;
    TEXT_PRINT(file->path, IRQ_FOLDER "/%.200s/smp_affinity" LIST, name);
    int error = setting_read_cpus(file->path, &file->cpus);
    if (error != -ENOENT)
        return error ? error : cpuset_is_empty(&file->cpus) ? -EILSEQ : 0;
    file->path[strlen(file->path) - strlen(LIST)] = '\0';
    return read_mask(file);
}

static void look_masks(struct setting_reading *r)
{
    const struct masks *of = strcmp(r->setting->name, "irqs") ? &works : &irqs;
    struct mask_file file = {.digits = 0};
    unsigned files = 0, on_bench = 0;
    char list[48] = "";
    int first_error = 0;
    FREED_BY(memory_free) char **names = procfs_names(of->folder);
    if (setting_failed(r, of->folder, names ? 0 : -errno) || !names)
        return;
    for (size_t i = 0; i == 0 || names[i - 1]; i++) {
        int error = read_one(of, i ? names[i - 1] : NULL, &file);
        files += !error;
        if (error && error != -ENOENT && error != -ENOTDIR)
            first_error = first_error ? first_error : error;
        if (error || setting_disjoint(&file.cpus, r->bench))
            continue;
        on_bench++;
        setting_append(list, sizeof list, i ? names[i - 1] : of->first_name);
        write_housekeeping(r, &file);
    }
    if (on_bench == 0 && (first_error || files == 0)) {
        setting_not_read(r, of->folder, first_error ? first_error : -ENOENT);
        return;
    }
    setting_judge(r, NOISY_IF(on_bench), "%u of %u %s may use bench CPUs", on_bench, files, of->what);
    setting_explain(r, "%s", list);
}

static void look_irqaffinity(struct setting_reading *r)
{
    struct mask_file standard = {.path = DEFAULT_AFFINITY};
    bool kept_off = read_mask(&standard) == 0 && setting_disjoint(&standard.cpus, r->bench);
    judge_elsewhere(r, "irqaffinity", kept_off ? "default_smp_affinity" : NULL);
}

/* --- Memory, watchdogs, limits of real-time tasks. --- */

static void look_swappiness(struct setting_reading *r)
{
    const bool no_swap = r->machine->swap_total_bytes == 0;
    int64_t value;
    if (setting_read_number(r->setting->path, &value) || !(no_swap || value < r->setting->want)) {
        look_file(r);
        return;
    }
    setting_judge(r, SETTING_OK, "%" PRId64, value);
    if (no_swap && value != r->setting->want)
        setting_explain(r, "no swap");
}

static void look_rt_throttling(struct setting_reading *r)
{
    int64_t runtime_us, period_us;
    setting_look_number(r, r->setting->path, -1, " us");
    if (r->state->verdict != SETTING_NOISY)
        return;
    if (setting_read_number(r->setting->path, &runtime_us) == 0 &&
        setting_read_number("/proc/sys/kernel/sched_rt_period_us", &period_us) == 0)
        setting_judge(r, SETTING_OK, "%" PRId64 " of %" PRId64 " us", runtime_us, period_us);
    r->state->verdict = SETTING_OK;
    setting_explain(r, "matters only with --fifo");
}

/* kernel/watchdog, which switches both and nmi_watchdog on as well, is written last, and so restored first. */
static void look_watchdogs(struct setting_reading *r)
{
    struct setting_state hard = {.verdict = SETTING_NA}, both = hard, *out = r->state;
    r->state = &hard;
    setting_look_number(r, "/proc/sys/kernel/nmi_watchdog", 0, "");
    r->state = &both;
    setting_look_number(r, "/proc/sys/kernel/watchdog", 0, "");
    r->state = out;
    const bool by_hard = both.verdict == SETTING_NA || both.verdict == SETTING_OK;
    *out = by_hard && hard.verdict != SETTING_NA ? hard : both;
    if (hard.verdict == SETTING_NOISY && both.verdict == SETTING_NOISY)
        setting_judge(r, SETTING_NOISY, "watchdog %.40s, nmi_watchdog %.40s", both.now, hard.now);
}

/* "madvise" is written if the run asks for huge pages, otherwise "never". A file that says "never" already is left
 * alone. */
static void look_thp(struct setting_reading *r)
{
    static const char *const files[] = {"enabled", "defrag"};
    const char *want = r->view->huge_advised ? "madvise" : "never", *path;
    char word[32], now[96] = "", failed[96];
    bool good = true;
    int error = 0;
    for (size_t i = 0; i < COUNT(files); i++) {
        path = PROCFS_PATH("/sys/kernel/mm/transparent_hugepage/%s", files[i]);
        int one = setting_read_choice(path, word, sizeof word);
        if (one && !error) {
            error = one;
            TEXT_PRINT(failed, "%s", path);
        }
        setting_append(now, sizeof now, TEXT_LINE("%s %s", files[i], word));
        if (one || !strcmp(word, "never"))
            continue;
        good = false;
        if (strcmp(word, want))
            setting_write(r, path, want);
    }
    if (error)
        setting_not_read(r, failed, error);
    else
        setting_judge(r, NOISY_IF(!good), "%s", now);
}

/* --- The list. --- */

const char *const setting_verdict_names[] = {"ok", "noisy", "n/a", "unknown"};

#define SETTING(name_, look_, title_, good_, cost_, set_) \
    .name = name_, .look = look_, .title = title_, .good = good_, .cost = cost_, .set = set_
/* tune writes it by default */
#define TUNED(name, look, title, good, cost) \
    SETTING(name, look, title, good, cost, "jitbench tune " name), .how = SETTING_WRITE
/* not judged */
#define REPORTED(name, look, title, cost, set) SETTING(name, look, title, "known", cost, set), .recorded = true

const struct setting settings_list[] = {
    /* Before the governor, and so restored after it: under 'performance' the kernel refuses other preferences. */
    {TUNED("epp", look_cpus, "energy_performance_preference of the CPUs", "performance", "the frequency rises late"),
     .path = "cpufreq/energy_performance_preference", .want_text = "performance"},
    {TUNED("epb", look_cpus, "energy_perf_bias of the CPUs", "0", "the frequency rises late"),
     .path = "power/energy_perf_bias", .want_text = "0"},
    {TUNED("governor", look_cpus, "CPU frequency governor", "performance", "the frequency follows the load"),
     .path = "cpufreq/scaling_governor", .want_text = "performance", .recorded = true},
    {TUNED("frequency", look_cpus, "CPU frequency limits", "min = max", "the clock changes"),
     .path = "cpufreq/scaling_min_freq"},
    {SETTING("turbo", look_turbo, "turbo frequencies", "off", "the frequency follows heat and load",
             "jitbench tune turbo, or the firmware"),
     .how = SETTING_WRITE, .recorded = true},
    {SETTING("smt", look_smt, "simultaneous multithreading", "off", "the sibling takes half of the core",
             "jitbench tune smt (only when named)"),
     .how = SETTING_WRITE_NAMED, .recorded = true},
    {SETTING("c_states", look_c_states, "idle states, and who forbids them (/dev/cpu_dma_latency)", "0 us",
             "wake-ups take longer", "--hold-latency while measuring")},
    {REPORTED("aslr", setting_look_aslr, "address space layout randomisation", "addresses differ between samples",
              "--layout while measuring")},
    {SETTING("isolated", look_isolated, "isolated CPUs", "the bench CPUs", "other tasks run there",
             "boot with isolcpus=, or a cpuset partition"),
     .recorded = true},
    {SETTING("nohz_full", look_nohz_full, "CPUs without a tick while one task runs", "the bench CPUs",
             "a tick 100 to 1000 times a second", "boot with nohz_full="),
     .recorded = true},
    {SETTING("nohz_pstate", look_nohz_pstate, "nohz_full together with intel_pstate", "not both",
             "up to twice as slow: no tick asks for a frequency", "boot with intel_pstate=passive")},
    {SETTING("rcu_nocbs", look_rcu_nocbs, "CPUs whose RCU callbacks run elsewhere", "the bench CPUs",
             "the kernel's callbacks run there", "boot with rcu_nocbs=")},
    {SETTING("kthread_cpus", look_kthread_cpus, "CPUs for the kernel's threads", "not the bench CPUs",
             "the kernel's threads run there", "boot with nohz_full= or kthread_cpus=")},
    {SETTING("irqaffinity", look_irqaffinity, "CPUs for interrupts, from boot on", "not the bench CPUs",
             "devices interrupt", "boot with irqaffinity=")},
    {SETTING("irqs", look_masks, "CPUs for each interrupt and for new ones", "not the bench CPUs", "devices interrupt",
             "jitbench tune irqs; some are managed by the kernel and stay"),
     .how = SETTING_WRITE},
    {TUNED("timer_migration", look_timer_migration, "whether timers of idle CPUs move to busy ones",
           "0; 1 with nohz_full", "timers of other CPUs expire there"),
     .path = "/proc/sys/kernel/timer_migration"},
    {SETTING("irqbalance", setting_look_programs, "the daemon that moves interrupts", "absent", "moves interrupts back",
             "stop irqbalance")},
    {SETTING("daemons", setting_look_programs, "programs that wake up by themselves", "absent", "run at any time",
             "stop them")},
    {TUNED("thp", look_thp, "transparent huge pages", "never", "pages are cleared, moved and split")},
    {TUNED("ksm", look_file, "the scanner that merges equal pages", "0",
           "a thread reads all memory, and merged pages fault"),
     .path = "/sys/kernel/mm/ksm/run", .good_from = 2 /* stopped, and merged pages are copied again */},
    {TUNED("autogroup", look_file, "a scheduling group for each session", "0",
           "tasks share CPUs by session, not one by one"),
     .path = "/proc/sys/kernel/sched_autogroup_enabled"},
    {TUNED("numa_balancing", look_file, "moving of pages to the node that uses them", "0",
           "pages are unmapped to see who uses them"),
     .path = "/proc/sys/kernel/numa_balancing"},
    {TUNED("zone_reclaim", look_file, "freeing of memory rather than taking it from another node", "0",
           "memory is reclaimed while other nodes have some"),
     .path = "/proc/sys/vm/zone_reclaim_mode"},
    {TUNED("watchdogs", look_watchdogs, "lockup detectors", "0", "a timer and a thread on each CPU"), .recorded = true},
    {SETTING("rt_throttling", look_rt_throttling, "real-time throttling", "-1 (for --fifo)",
             "tasks under --fifo stand still", "jitbench tune rt_throttling (only when named)"),
     .how = SETTING_WRITE_NAMED, .path = "/proc/sys/kernel/sched_rt_runtime_us"},
    {TUNED("perf_rate", look_file, "limit of perf's sampling", "1 a second", "a profiler may interrupt"),
     .path = "/proc/sys/kernel/perf_event_max_sample_rate", .want = 1, .unit = " a second"},
    {TUNED("workqueues", look_masks, "CPUs for unbound work of the kernel", "not the bench CPUs",
           "the kernel's work runs there")},
    {TUNED("stat_interval", look_file, "how often memory statistics are summed up", "20 s or more",
           "a timer on each CPU"),
     .path = "/proc/sys/vm/stat_interval", .want = 20, .good_from = 20, .unit = " s"},
    {SETTING("clocksource", setting_look_clocksource, "the kernel's clock", "tsc or similar",
             "reading the clock is slow", "boot with clocksource=tsc"),
     .recorded = true},
    {SETTING("swap", setting_look_swap, "swap in use", "0", "page faults read a disk", "free memory, then swapoff -a")},
    {TUNED("swappiness", look_swappiness, "how early memory is swapped out", "10 or less",
           "memory in use is swapped out"),
     .path = "/proc/sys/vm/swappiness", .want = 10},
    {SETTING("load", setting_look_load, "load average of the last minute", "0.5, or 5 % of CPUs", "other tasks run",
             "wait, or stop them")},
    {SETTING("pressure", setting_look_pressure, "time that tasks wait for memory", "below 1 %", "memory is reclaimed",
             "free memory")},
    {SETTING("hypervisor", setting_look_hypervisor, "a hypervisor below", "none",
             "the host takes CPU time, and exits are slow", "measure on bare metal"),
     .recorded = true},
    {SETTING("steal", setting_look_steal, "time that the hypervisor took", "not rising", "other guests had these CPUs",
             "ask for CPUs of your own")},
    {SETTING("power", setting_look_power, "mains power", "online", "the frequency is lowered", "plug it in")},
    {SETTING("throttling", setting_look_throttling, "thermal throttling", "not rising", "the frequency is lowered",
             "cool it, or lower its limits")},
    {SETTING("numa", look_numa, "memory nodes of the bench CPUs", "one", "some memory is far", "--cpus of one node")},
    {SETTING("caches", look_caches, "CPUs that share the last-level cache of the bench CPUs",
             "bench CPUs, or those for all else", "other CPUs evict cached data",
             "--cpus with all that share a cache")},
    {SETTING("siblings", look_siblings, "SMT siblings of the bench CPUs", "none online",
             "the sibling takes half of the core", "jitbench tune smt")},
    {SETTING("config", setting_look_config, "how the kernel was built", "no debugging",
             "the kernel checks itself at each step", "another kernel")},
    {SETTING("cpu_quota", setting_look_cpu_quota, "CPU time that the control groups allow", "none",
             "the group stands still until the period ends", "raise cpu.max (v1: cpu.cfs_quota_us) of the group"),
     .recorded = true},
    {REPORTED("scheduler", setting_look_scheduler, "who runs next, by which rule", "waits and slices differ",
              "another kernel, or sched_ext")},
    {REPORTED("preempt", setting_look_preempt, "where the kernel itself gives way", "wake-ups take longer",
              "boot with preempt=")},
    {REPORTED("hz", setting_look_hz, "ticks a second, and when there is none", "timers and slices are multiples of it",
              "another kernel")},
    {REPORTED("base_slice", setting_look_base_slice, "least time that a task keeps its CPU",
              "fewer switches, longer waits", "debugfs")},
    {REPORTED("os", setting_look_os, "distribution", "libraries and defaults differ", "another system")},
    {REPORTED("page_size", setting_look_page_size, "size of a page", "faults differ in number", "another kernel")},
    {REPORTED("hugetlb", setting_look_hugetlb, "huge pages set aside", "memory is kept from all else",
              "write nr_hugepages")},
    {REPORTED("fault_around", setting_look_fault_around, "how much a fault on a file maps", "faults differ in number",
              "debugfs")},
    {REPORTED("prefetchers", setting_look_prefetchers, "prefetchers of the CPU (x86, as root)",
              "memory is slower or faster", "the firmware")},
    {REPORTED("dimms", setting_look_dimms, "memory modules (SMBIOS, as root)", "memory is slower or faster",
              "the firmware")},
};
const size_t settings_count = COUNT(settings_list);

const struct setting *setting_find(const char *name)
{
    for (size_t i = 0; i < settings_count; i++)
        if (!strcmp(settings_list[i].name, name))
            return &settings_list[i];
    return NULL;
}

/* Returns false when out of memory. */
static bool look(const struct setting *setting, const struct settings_view *view, struct setting_state *state,
                 struct setting_writes *writes)
{
    struct setting_reading r = {.view = view,
                                .machine = view->machine,
                                .bench = view->bench,
                                .setting = setting,
                                .state = state,
                                .writes = writes};
    setting->look(&r);
    return !r.failed;
}

void setting_look(const struct setting *setting, const struct settings_view *view, struct setting_state *out)
{
    look(setting, view, out, NULL);
}

int setting_plan(const struct setting *setting, const struct settings_view *view, struct setting_writes *out)
{
    struct setting_state state;
    return !setting->how || look(setting, view, &state, out) ? 0 : -1;
}

void settings_summary(const struct settings_view *view, unsigned counts[4])
{
    struct setting_state state = {.verdict = SETTING_UNKNOWN};
    memset(counts, 0, 4 * sizeof *counts);
    for (size_t i = 0; i < settings_count; i++) {
        setting_look(&settings_list[i], view, &state);
        counts[state.verdict]++;
    }
}
