/* SPDX-License-Identifier: MIT */
/* The list of settings, and how they are read and judged. */
#include <math.h>
#include <time.h>

#include "settings/settings_read.h"
#include "sys/file.h"
#include "sys/process.h"

/* A setting that is being read: its looker judges it, and adds the files to write if they are wanted. */
struct reading {
    const struct settings_view *view;
    const struct machine *machine; /* this and the next one are the view's */
    const struct cpuset *bench;
    const struct setting *setting;
    struct setting_state *state;
    struct setting_writes *writes; /* NULL: not wanted */
    bool failed;                   /* out of memory */
};

#define NOISY_IF(condition) ((condition) ? SETTING_NOISY : SETTING_OK)

/* The online CPUs, or the bench CPUs when those are not known. */
static const struct cpuset *online_cpus(const struct reading *r)
{
    return cpuset_is_empty(&r->machine->online) ? r->bench : &r->machine->online;
}

/* A file of /proc may contain text of a user or a boot loader. */
__attribute__((format(printf, 2, 3))) static void put_printable(char *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, SETTING_STATE_SIZE, format, args);
    va_end(args);
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

/* Sets verdict and current value, and clears `why`. Lookers call this or not_read(). */
#define judge(r_, verdict_, ...) \
    ((r_)->state->verdict = (verdict_), (r_)->state->why[0] = '\0', put_printable((r_)->state->now, __VA_ARGS__))
#define explain(r_, ...) put_printable((r_)->state->why, __VA_ARGS__)
/* The verdict "unknown", with the reason. */
#define unknown(r_, ...) (judge(r_, SETTING_UNKNOWN, "%s", ""), explain(r_, __VA_ARGS__))

/* After -errno from a file: n/a when it does not exist, otherwise unknown with the reason. Returns false for 0. */
static bool not_read(struct reading *r, const char *path, int error)
{
    const bool is_missing =
        error == -ENOENT || error == -ENOTDIR || error == -ENODEV || error == -ENXIO || error == -EOPNOTSUPP;
    if (!error)
        return false;
    if (is_missing && !r->machine->have_sys && starts_with(path, "/sys/"))
        unknown(r, "/sys is not mounted");
    else if (is_missing && !r->machine->have_proc && starts_with(path, "/proc/"))
        unknown(r, "/proc is not mounted");
    else if (is_missing)
        judge(r, SETTING_NA, "%s", "");
    else if (error == -EACCES || error == -EPERM)
        unknown(r, "only root may read %.120s", path);
    else if (error == -ENODATA)
        unknown(r, "%.120s is empty", path);
    else if (error == -EILSEQ)
        unknown(r, "%.100s has unknown content", path);
    else
        unknown(r, "%.100s: %.50s", path, strerror(-error));
    return true;
}

/* Returns 0; -EILSEQ when the file is not one decimal number, or -errno. */
static int read_number(const char *path, int64_t *out)
{
    char text[32];
    uint64_t value;
    int error = READ_LINE(path, text);
    if (error)
        return error;
    bool negative = text[0] == '-';
    const char *rest = procfs_number(text + negative, &value);
    if (!rest || *rest || value > INT64_MAX)
        return -EILSEQ;
    *out = negative ? -(int64_t)value : (int64_t)value;
    return 0;
}

/* Adds a file to write. */
static void put_write(struct reading *r, const char *path, const char *value)
{
    if (!r->writes)
        return;
    if (setting_writes_add(r->writes, path, value))
        r->failed = true;
    else
        r->writes->write[r->writes->n - 1].of = r->setting;
}

/* Judges and changes a file that is one number: ok when it equals want, or as the setting says. */
static void look_number(struct reading *r, const char *path, int64_t want)
{
    const struct setting *s = r->setting;
    int64_t value;
    if (not_read(r, path, read_number(path, &value)))
        return;
    const bool good = value == want || (s->good_from && value >= s->good_from);
    judge(r, NOISY_IF(!good), "%" PRId64 "%s", value, s->unit ? s->unit : "");
    if (!good)
        put_write(r, path, TEXT_LINE("%" PRId64, want));
}

static void look_file(struct reading *r)
{
    look_number(r, r->setting->path, r->setting->want);
}

/* A file that is one word, of those in want_text. */
static void look_word(struct reading *r)
{
    char word[64];
    const int error = READ_LINE(r->setting->path, word);
    if (!not_read(r, r->setting->path, !error && strchr(word, '?') ? -EILSEQ : error))
        judge(r, NOISY_IF(!text_has_word(r->setting->want_text, word)), "%s", word);
}

/* --- A file of each CPU: frequencies, preferences. --- */

#define VALUE_SIZE 48

/* Reads a CPU's value: as shown, and the good one to write; of the frequency's lower limit the upper one. Returns 0 or
 * -errno. */
static int read_cpu(const struct reading *r, unsigned cpu, char text[VALUE_SIZE], char want[24], bool *good)
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
    error = read_number(path, &min_khz);
    error = error ? error : read_number(CPU_PATH(cpu, "cpufreq/scaling_max_freq"), &max_khz);
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

static void look_cpus(struct reading *r)
{
    struct {
        char text[VALUE_SIZE];
        unsigned cpus;
    } value[4] = {{.cpus = 0}};
    unsigned n = 0, others = 0, failed = 0;
    char text[VALUE_SIZE], want[24];
    bool all_good = true, good;
    uint64_t first;
    int first_error = 0; /* of a file that exists and cannot be read */
    for_each_cpu(cpu, online_cpus(r)) {
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
        if (good)
            continue;
        procfs_read(CPU_PATH(cpu, "cpufreq/affected_cpus"), text, sizeof text);
        /* An earlier CPU may have the same cpufreq files. */
        if (!procfs_number(text, &first) || first >= cpu || !cpuset_has(online_cpus(r), (unsigned)first))
            put_write(r, CPU_PATH(cpu, r->setting->path), want);
    }
    if (first_error || n == 0) {
        not_read(r, first_error ? CPU_PATH(failed, r->setting->path) : CPU_FOLDER "/",
                 first_error ? first_error : -ENOENT);
        return;
    }
    judge(r, NOISY_IF(!all_good), "%s", "");
    for (unsigned i = 0; i < n; i++)
        setting_append(r->state->now, sizeof r->state->now,
                       TEXT_LINE("%s (%u CPU%s)", value[i].text, value[i].cpus, PLURAL(value[i].cpus)));
    if (others)
        setting_append(r->state->now, sizeof r->state->now, TEXT_LINE("others (%u CPUs)", others));
}

static void look_turbo(struct reading *r)
{
    static const char pstate[] = CPU_FOLDER "/intel_pstate/no_turbo";
    const bool has_pstate = procfs_exists(pstate);
    const char *path = has_pstate ? pstate : CPU_FOLDER "/cpufreq/boost";
    int64_t value;
    const int error = read_number(path, &value);
    if (not_read(r, path, error || value == 0 || value == 1 ? error : -EILSEQ))
        return;
    look_number(r, path, has_pstate);
    judge(r, r->state->verdict, value == has_pstate ? "off" : "on");
}

/* With more than two threads a core, the file may hold the number in use. */
static void look_smt(struct reading *r)
{
    static const char path[] = CPU_FOLDER "/smt/control";
    char control[32];
    const int error = READ_LINE(path, control);
    const bool on = !strcmp(control, "on") || (control[0] >= '1' && control[0] <= '9');
    const bool known = on || text_has_word("off forceoff notsupported notimplemented", control);
    if (not_read(r, path, error || known ? error : -EILSEQ))
        return;
    judge(r, on ? SETTING_NOISY : control[0] == 'n' ? SETTING_NA : SETTING_OK, "%s", control);
    if (on)
        put_write(r, path, "off");
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

static void look_c_states(struct reading *r)
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
        judge(r, SETTING_OK, "%s", held);
    else if (states)
        judge(r, NOISY_IF(exit_us > 0), "%s, up to %s (%" PRIu64 " us)", error ? "hold not known" : held,
              name[0] ? name : "a state without name", exit_us);
    else if (error)
        not_read(r, path, error);
    else
        judge(r, SETTING_NOISY, "%s, idle states not known", held);
}

/* --- Hardware that the bench CPUs share with others. --- */
#define NODES "/sys/devices/system/node"

static void look_numa(struct reading *r)
{
    struct cpuset nodes, used = {0}, cpus;
    if (not_read(r, NODES "/online", setting_read_cpus(NODES "/online", &nodes)))
        return;
    for_each_cpu(node, &nodes) {
        if (setting_read_cpus(PROCFS_PATH(NODES "/node%u/cpulist", node), &cpus) == 0 &&
            !setting_disjoint(&cpus, r->bench))
            cpuset_add(&used, node);
    }
    unsigned n = cpuset_count(&used);
    if (n == 0)
        not_read(r, NODES "/node0/cpulist", -EILSEQ);
    else
        judge(r, NOISY_IF(n > 1), "node%s %s of %u", PLURAL(n), SETTINGS_CPUS(&used), cpuset_count(&nodes));
}

static void look_caches(struct reading *r)
{
    struct cpuset seen = {0}, shared, outside, strangers = {0}, usual;
    unsigned level, worst = 0, known = 0;
    for_each_cpu(cpu, r->bench) {
        if (cpuset_has(&seen, cpu) || (level = machine_last_cache(cpu, &shared)) == 0)
            continue;
        known = level;
        cpuset_union(&seen, &shared);
        cpuset_intersect(&shared, online_cpus(r));
        outside = cpuset_without(&shared, r->bench);
        if (cpuset_is_empty(&outside))
            continue;
        worst = level;
        cpuset_union(&strangers, &outside);
    }
    if (known == 0)
        not_read(r, CPU_FOLDER "/", -ENOENT);
    else if (worst == 0)
        judge(r, SETTING_OK, "L%u not shared with others", known);
    else
        judge(r, SETTING_NOISY, "L%u shared with CPU%s %s", worst, PLURAL(cpuset_count(&strangers)),
              SETTINGS_CPUS(&strangers));
    /* Some CPU must be left to other work: sharing only with those left to it by default is the best choice. */
    settings_bench_cpus(r->machine, &usual);
    if (worst != 0 && setting_disjoint(&usual, &strangers)) {
        r->state->verdict = SETTING_OK;
        explain(r, "for all else");
    }
}

static void look_siblings(struct reading *r)
{
    unsigned known = 0, sharing = 0, first = 0;
    struct cpuset core, siblings = {0};
    for_each_cpu(cpu, r->bench) {
        if (!machine_core_cpus(cpu, &core))
            continue;
        known++;
        cpuset_intersect(&core, online_cpus(r));
        cpuset_remove(&core, cpu);
        if (cpuset_is_empty(&core) || sharing++ > 0)
            continue;
        first = cpu;
        siblings = core;
    }
    if (known == 0)
        not_read(r, CPU_FOLDER "/", -ENOENT);
    else if (sharing == 0)
        judge(r, SETTING_OK, "none online");
    else
        judge(r, SETTING_NOISY, "%u of %u bench CPUs have one (CPU %u: %s)", sharing, cpuset_count(r->bench), first,
              SETTINGS_CPUS(&siblings));
}

/* --- Isolation of the bench CPUs from other tasks, the tick, RCU callbacks, kernel threads, interrupts, workqueues.
 * --- */

#define NOHZ_FULL CPU_FOLDER "/nohz_full"
#define CMDLINE   "/proc/cmdline"

/* Ok when the set, which is shown, contains all bench CPUs. */
static void judge_covered(struct reading *r, const struct cpuset *set)
{
    const struct cpuset left = cpuset_without(r->bench, set);

    judge(r, NOISY_IF(!cpuset_is_empty(&left)), "%s", SETTINGS_CPUS(set));
    if (!cpuset_is_empty(&left) && !cpuset_is_empty(set))
        explain(r, "not CPU%s %s", PLURAL(cpuset_count(&left)), SETTINGS_CPUS(&left));
}

static void look_isolated(struct reading *r)
{
    struct cpuset isolated, partitions;
    int error = setting_read_cpus(CPU_FOLDER "/isolated", &isolated);
    cgroup_isolated_cpus(&partitions);
    if (not_read(r, CPU_FOLDER "/isolated", cpuset_is_empty(&partitions) ? error : 0))
        return;
    cpuset_union(&isolated, &partitions);
    judge_covered(r, &isolated);
}

static void look_nohz_full(struct reading *r)
{
    struct cpuset set;
    unsigned boot = cpuset_next(online_cpus(r), 0);
    if (not_read(r, NOHZ_FULL, setting_read_cpus(NOHZ_FULL, &set)))
        return;
    judge_covered(r, &set);
    if (cpuset_has(&set, boot)) {
        r->state->verdict = SETTING_NOISY;
        explain(r, "the boot CPU, %u, must keep its tick", boot);
    } else if (cpuset_has(r->bench, boot)) {
        explain(r, "the boot CPU, %u, keeps its tick: measure on others", boot);
    }
}

static void look_nohz_pstate(struct reading *r)
{
    static const char status[] = CPU_FOLDER "/intel_pstate/status";
    struct cpuset set;
    char text[16];
    if (not_read(r, NOHZ_FULL, setting_read_cpus(NOHZ_FULL, &set)) || not_read(r, status, READ_LINE(status, text)))
        return;
    bool both = !cpuset_is_empty(&set) && !strcmp(text, "active");
    judge(r, NOISY_IF(both), "nohz_full %s, intel_pstate %s", cpuset_is_empty(&set) ? "none" : "set", text);
}

/* The kernel also accepts "all", N for the last CPU, and CPUs named twice. */
static bool add_piece(struct reading *r, const char *piece, struct cpuset *set)
{
    char text[64];
    struct error why;
    size_t n = 0;
    struct cpuset part = *online_cpus(r);
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
static int read_parameter(struct reading *r, const char *key, struct cpuset *set)
{
    const size_t length = strlen(key);
    FREED char *text = procfs_read_all(CMDLINE);
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
static bool nohz_covers(struct reading *r)
{
    struct cpuset set;
    return (setting_read_cpus(NOHZ_FULL, &set) == 0 && cpuset_subset(r->bench, &set)) ||
           (read_parameter(r, "nohz_full", &set) == 0 && cpuset_subset(r->bench, &set));
}

static void look_rcu_nocbs(struct reading *r)
{
    struct cpuset set;
    int error = read_parameter(r, "rcu_nocbs", &set);
    if (error && error != -ENODATA)
        not_read(r, CMDLINE, error);
    else if (nohz_covers(r))
        judge(r, SETTING_OK, "by nohz_full");
    else if (error)
        judge(r, SETTING_NOISY, "not given");
    else
        judge_covered(r, &set);
}

/* Migration moves timers of idle CPUs to busy ones, such as the bench CPUs: off is good. But with nohz_full= it
 * moves the bench CPUs' own timers to the others: on is good. */
static void look_timer_migration(struct reading *r)
{
    look_number(r, r->setting->path, nohz_covers(r));
}

/* Ok when the parameter key names only other CPUs than the bench CPUs, or `otherwise` (NULL: none), with the same
 * effect, is in force. */
static void judge_elsewhere(struct reading *r, const char *key, const char *otherwise)
{
    struct cpuset set;
    int error = read_parameter(r, key, &set);
    if (error && error != -ENODATA)
        not_read(r, CMDLINE, error);
    else if (!error && setting_disjoint(&set, r->bench))
        judge(r, SETTING_OK, "%s", SETTINGS_CPUS(&set));
    else if (otherwise)
        judge(r, SETTING_OK, "by %s", otherwise);
    else
        judge(r, SETTING_NOISY, "%s", error ? "not given" : SETTINGS_CPUS(&set));
}

static void look_kthread_cpus(struct reading *r)
{
    struct cpuset set;
    int error = setting_read_cpus(NOHZ_FULL, &set);
    judge_elsewhere(r, "kthread_cpus", nohz_covers(r) ? "nohz_full" : NULL);
    /* Few kernels have kthread_cpus=. Without it, nohz_full= decides where kernel threads run, which this kernel may
     * lack too. */
    if (r->state->verdict == SETTING_NOISY && error == -ENOENT && r->machine->have_sys &&
        read_parameter(r, "kthread_cpus", &set) == -ENODATA)
        not_read(r, NOHZ_FULL, error);
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
    FREED char *text = procfs_read_all(file->path);
    if (!text)
        return -errno;
    int digits = cpuset_parse_mask(text, &file->cpus);
    file->digits = digits > 0 ? (size_t)digits : 0;
    return digits > 0 ? 0 : text[0] ? -EILSEQ : -ENODATA;
}

/* Removes the bench CPUs from the file's set; if none would be left, writes all other online CPUs. */
static void write_housekeeping(struct reading *r, struct mask_file *file)
{
    char text[CPUSET_MAX / 4 + CPUSET_MAX / 32 + 1];
    struct cpuset rest = cpuset_without(online_cpus(r), r->bench), kept = rest;

    if (cpuset_is_empty(&rest) || setting_disjoint(&file->cpus, r->bench))
        return;
    cpuset_intersect(&kept, &file->cpus);
    if (cpuset_is_empty(&kept))
        kept = rest;
    if (file->digits || cpuset_format(&kept, text, sizeof text) >= sizeof text) {
        if (!file->digits) /* too long as a list: write the mask */
            file->path[strlen(file->path) - strlen(LIST)] = '\0';
        cpuset_format_mask(&kept, file->digits, text, sizeof text);
    }
    put_write(r, file->path, text);
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

static void look_masks(struct reading *r)
{
    const struct masks *of = strcmp(r->setting->name, "irqs") ? &works : &irqs;
    struct mask_file file = {0};
    unsigned files = 0, on_bench = 0;
    char list[48] = "";
    int first_error = 0;
    FREED char **names = procfs_names(of->folder);
    if (not_read(r, of->folder, names ? 0 : -errno) || !names)
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
        not_read(r, of->folder, first_error ? first_error : -ENOENT);
        return;
    }
    judge(r, NOISY_IF(on_bench), "%u of %u %s may use bench CPUs", on_bench, files, of->what);
    explain(r, "%s", list);
}

static void look_irqaffinity(struct reading *r)
{
    struct mask_file standard = {.path = DEFAULT_AFFINITY};
    bool kept_off = read_mask(&standard) == 0 && setting_disjoint(&standard.cpus, r->bench);
    judge_elsewhere(r, "irqaffinity", kept_off ? "default_smp_affinity" : NULL);
}

/* --- Memory, watchdogs, limits of real-time tasks. --- */

static void look_swappiness(struct reading *r)
{
    const bool no_swap = r->machine->swap_total_bytes == 0;
    int64_t value;
    if (read_number(r->setting->path, &value) || !(no_swap || value < r->setting->want)) {
        look_file(r);
        return;
    }
    judge(r, SETTING_OK, "%" PRId64, value);
    if (no_swap && value != r->setting->want)
        explain(r, "no swap");
}

static void look_rt_throttling(struct reading *r)
{
    int64_t runtime_us, period_us;
    look_file(r);
    if (r->state->verdict != SETTING_NOISY)
        return;
    if (read_number(r->setting->path, &runtime_us) == 0 &&
        read_number("/proc/sys/kernel/sched_rt_period_us", &period_us) == 0)
        judge(r, SETTING_OK, "%" PRId64 " of %" PRId64 " us", runtime_us, period_us);
    r->state->verdict = SETTING_OK;
    explain(r, "matters only with --fifo");
}

/* kernel/watchdog, which switches both and nmi_watchdog on as well, is written last, and so restored first. */
static void look_watchdogs(struct reading *r)
{
    struct setting_state hard = {.verdict = SETTING_NA}, both = hard, *out = r->state;
    r->state = &hard;
    look_number(r, "/proc/sys/kernel/nmi_watchdog", 0);
    r->state = &both;
    look_number(r, "/proc/sys/kernel/watchdog", 0);
    r->state = out;
    const bool by_hard = both.verdict == SETTING_NA || both.verdict == SETTING_OK;
    *out = by_hard && hard.verdict != SETTING_NA ? hard : both;
    if (hard.verdict == SETTING_NOISY && both.verdict == SETTING_NOISY)
        judge(r, SETTING_NOISY, "watchdog %.40s, nmi_watchdog %.40s", both.now, hard.now);
}

/* "madvise" is written if the run asks for huge pages, otherwise "never". A file that says "never" already is left
 * alone. */
static void look_thp(struct reading *r)
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
            put_write(r, path, want);
    }
    if (error)
        not_read(r, failed, error);
    else
        judge(r, NOISY_IF(!good), "%s", now);
}

/* --- How the kernel was built. --- */

#define PACKED_MAX   ((size_t)1 << 19)
#define UNPACKED_MAX ((size_t)1 << 22)

/* From /proc/config.gz, or the file that the distribution installs beside the kernel; NULL: neither. The caller
 * frees it. */
static char *read_config(const struct reading *r)
{
    char path[128], *text = NULL;
    const char *release = r->machine->kernel;
    FREED char *packed = malloc(PACKED_MAX);
    ssize_t length = packed ? procfs_read("/proc/config.gz", packed, PACKED_MAX) : -1;
    if (length > 0)
        text = inflate_gzip((const unsigned char *)packed, (size_t)length, UNPACKED_MAX);
    TEXT_PRINT(path, "/boot/config-%.*s", (int)strcspn(release, " "), release);
    if (!text && release[0])
        text = procfs_read_all(path);
    return text;
}

static void say_no_config(struct reading *r)
{
    unknown(r, "neither /proc/config.gz nor /boot/config of this kernel");
}

/* Returns what follows "CONFIG_KEY="; "": it is not set, or there is no configuration. */
static const char *config_value(const char *config, const char *key)
{
    char name[64];
    TEXT_PRINT(name, "CONFIG_%s", key);
    const char *value = procfs_find(config, name, '=');
    return value ? value : "";
}

static bool config_has(const char *config, const char *key)
{
    return config_value(config, key)[0] == 'y';
}

/* Appends those of the keys (with blanks between) that are set, without "CONFIG_". */
static void append_set(const char *config, const char *keys, char *list, size_t size)
{
    for (size_t length; *keys; keys += length + strspn(keys + length, " ")) {
        char key[48];
        length = strcspn(keys, " ");
        TEXT_PRINT(key, "%.*s", (int)length, keys);
        if (config_has(config, key))
            setting_append(list, size, key);
    }
}

static void look_config(struct reading *r)
{
    static const char known[] =
        "PREEMPT_RT PREEMPT PREEMPT_LAZY PREEMPT_VOLUNTARY PREEMPT_NONE PREEMPT_DYNAMIC NO_HZ_FULL "
        "RCU_NOCB_CPU CPU_ISOLATION";
    /* the last one is the name of the one before until Linux 6.0 */
    static const char slow[] = "KASAN KCSAN KMSAN KCOV PROVE_LOCKING LOCK_STAT DEBUG_LOCK_ALLOC DEBUG_ATOMIC_SLEEP "
                               "DEBUG_KMEMLEAK DEBUG_OBJECTS DEBUG_VM DEBUG_PAGEALLOC_ENABLE_DEFAULT SLUB_DEBUG_ON "
                               "CONTEXT_TRACKING_USER_FORCE CONTEXT_TRACKING_FORCE";
    char now[sizeof r->state->now] = "", debugging[sizeof r->state->why - 16] = "";
    FREED char *config = read_config(r);
    if (!config) {
        say_no_config(r);
        return;
    }
    append_set(config, known, now, sizeof now);
    append_set(config, slow, debugging, sizeof debugging);
    judge(r, NOISY_IF(debugging[0]), "%s", now[0] ? now : "nothing of note");
    if (debugging[0])
        explain(r, "debugging: %s", debugging);
}

/* The ticks per second, by which coarse clocks advance. */
static void look_hz(struct reading *r)
{
    char mode[64] = "";
    struct timespec grain;
    FREED char *config = read_config(r);
    long hz = strtol(config_value(config, "HZ"), NULL, 10);
    if (hz <= 0 && !procfs_root[0] && !clock_getres(CLOCK_MONOTONIC_COARSE, &grain) && !grain.tv_sec &&
        grain.tv_nsec > 0)
        hz = (1000000000 + grain.tv_nsec / 2) / grain.tv_nsec;
    append_set(config, "NO_HZ_FULL NO_HZ_IDLE HZ_PERIODIC", mode, sizeof mode);
    if (hz > 0)
        judge(r, SETTING_OK, "%ld%s%s", hz, mode[0] ? ", " : "", mode);
    else
        say_no_config(r);
}

static void look_aslr(struct reading *r)
{
    static const char *const levels[] = {"0 (none)", "1 (stack, mappings)", "2 (stack, mappings, heap)"};
    int level = r->machine->randomize_va_space;
    if (level >= 0 && level < (int)COUNT(levels))
        judge(r, SETTING_OK, "%s", levels[level]);
    else
        not_read(r, "/proc/sys/kernel/randomize_va_space", level < 0 ? -ENOENT : -EILSEQ);
}

/* --- Not judged: why two machines, or two runs on one, differ. --- */

#define DEBUG "/sys/kernel/debug/"

/* "": the file does not tell. */
static void tell(struct reading *r, const char *path, const char *value)
{
    if (value[0])
        judge(r, SETTING_OK, "%s", value);
    else
        not_read(r, path, -ENOENT);
}

static void look_cpu_quota(struct reading *r)
{
    if (r->machine->cpu_quota > 0)
        judge(r, SETTING_NOISY, "%.3g CPUs", r->machine->cpu_quota);
    else
        tell(r, "/proc/self/cgroup", r->machine->have_proc ? "none" : "");
}

static void look_scheduler(struct reading *r)
{
    const char *kernel = r->machine->kernel, *rule = setting_kernel_is(r->machine, 6, 6) ? "EEVDF" : "CFS";
    char text[64], name[48];
    int64_t bore;
    if (read_number("/proc/sys/kernel/sched_bore", &bore) == 0 && bore > 0)
        rule = "BORE";
    if (READ_LINE("/sys/kernel/sched_ext/state", text) == 0 && !strcmp(text, "enabled")) {
        READ_LINE("/sys/kernel/sched_ext/root/ops", name);
        TEXT_PRINT(text, "sched_ext%s%s", name[0] ? " " : "", name);
        rule = text;
    }
    tell(r, "/proc/sys/kernel/osrelease", kernel[0] >= '1' && kernel[0] <= '9' ? rule : "");
}

/* From debugfs, which marks the one in force ("none (full) lazy"), then the kernel's command line, then its
 * configuration, which sets the one after boot, then `uname -v`. */
static void look_preempt(struct reading *r)
{
    static const char *const models[][2] = {
        {"PREEMPT_RT", "rt"},     {"PREEMPT_RT_FULL", "rt"},          {"PREEMPT RT", "rt"},
        {"PREEMPT_LAZY", "lazy"}, {"PREEMPT_VOLUNTARY", "voluntary"}, {"PREEMPT_NONE", "none"},
        {"PREEMPT", "full"}};
    const char *kernel = r->machine->kernel, *model = "";
    const bool dynamic = strstr(kernel, "PREEMPT_DYNAMIC") != NULL;
    char text[512], *at = NULL;
    FREED char *config = read_config(r);
    FREED char *words = procfs_read_all("/proc/cmdline");
    if (READ_LINE(DEBUG "sched/preempt", text) == 0 && (at = strchr(text, '('))) {
        at[strcspn(at, ")")] = '\0';
        model = at + 1;
    }
    for (char *rest = words, *word; !at && dynamic && (word = strsep(&rest, " \n"));)
        if (starts_with(word, "preempt="))
            model = word + 8;
    for (size_t i = 0; i < COUNT(models) && !model[0]; i++) {
        TEXT_PRINT(text, " %s ", models[i][0]);
        if (config ? config_has(config, models[i][0]) : strstr(kernel, text) != NULL)
            model = models[i][1];
    }
    if (!model[0] && !config && !dynamic && strchr(kernel, '#')) /* `uname -v` begins with it */
        model = "voluntary or none";
    tell(r, "/proc/sys/kernel/version", model);
}

/* Name, place and meaning of the file have changed, but it is always the least time for which a task keeps its CPU
 * while others wait. */
static void look_base_slice(struct reading *r)
{
    static const char *const paths[] = {DEBUG "sched/base_slice_ns", DEBUG "sched/min_granularity_ns",
                                        "/proc/sys/kernel/sched_min_granularity_ns"};
    char text[32] = "";
    int64_t ns;
    for (size_t i = 0; i < COUNT(paths) && !text[0]; i++)
        if (read_number(paths[i], &ns) == 0)
            TEXT_PRINT(text, "%.6g ms", (double)ns / 1e6);
    tell(r, paths[0], text);
}

static void look_init(struct reading *r)
{
    char name[64], records[8000] = "";
    int32_t pid;
    procfs_read("/run/utmp", records, sizeof records);
    /* In records of 384 or 400 bytes: pid at 4, id at 40. */
    const char *id = memmem(records, sizeof records, "~~\0\0runlevel", 12);
    if (READ_LINE("/proc/1/comm", name) == 0 && id && id - records >= 40) {
        memcpy(&pid, id - 36, sizeof pid);
        TEXT_ADD(name, ", run level %c", pid & 0xff);
    }
    tell(r, "/proc/1/comm", name);
}

/* Noisy if the machine was booted to measure. */
static void look_network(struct reading *r)
{
    char up[sizeof r->state->now] = "", state[16] = "", first[16];
    FREED char **names = procfs_names("/sys/class/net");
    for (char **name = names; name && *name; name++)
        if (!READ_LINE(PROCFS_PATH("/sys/class/net/%s/operstate", *name), state) && !strcmp(state, "up"))
            setting_append(up, sizeof up, *name);
    tell(r, "/sys/class/net", up[0] ? up : state[0] ? "none" : "");
    READ_LINE("/proc/1/comm", first);
    if (up[0] && !strcmp(first, "jitbench") && !r->machine->container[0])
        r->state->verdict = SETTING_NOISY;
}

static void look_os(struct reading *r)
{
    char name[64] = "";
    FREED char *text = procfs_read_all("/etc/os-release");
    const char *value = procfs_find(text, "PRETTY_NAME", '=');
    if (value) {
        value += strspn(value, "\"'");
        procfs_copy(value, strcspn(value, "\"'\n"), name, sizeof name);
    }
    tell(r, "/etc/os-release", name);
}

/* "4K", "2M" or "1G" */
static const char *size_text(uint64_t bytes, char buf[24])
{
    static const char units[] = "KMG";
    size_t unit = 0;
    for (bytes /= 1024; bytes && bytes % 1024 == 0 && unit < 2; unit++)
        bytes /= 1024;
    snprintf(buf, 24, "%" PRIu64 "%c", bytes, units[unit]);
    return buf;
}

static void look_page_size(struct reading *r)
{
    char size[24];
    tell(r, "", size_text((uint64_t)sysconf(_SC_PAGESIZE), size));
}

static void look_hugetlb(struct reading *r)
{
    static const char folder[] = "/sys/kernel/mm/hugepages";
    char list[sizeof r->state->now] = "", size[24];
    FREED char **names = procfs_names(folder);
    bool known = names != NULL;
    for (char **name = names; name && *name; name++) { /* "hugepages-2048kB" */
        int64_t number = 0, unused;
        const uint64_t kib = strtoull(*name + strcspn(*name, "0123456789"), NULL, 10);
        known &= read_number(PROCFS_PATH("%s/%s/nr_hugepages", folder, *name), &number) == 0;
        if (number > 0)
            setting_append(list, sizeof list, TEXT_LINE("%" PRId64 " of %s", number, size_text(kib * 1024, size)));
        if (!read_number(PROCFS_PATH("%s/%s/free_hugepages", folder, *name), &unused) && unused < number)
            TEXT_ADD(list, " (%" PRId64 " free)", unused);
    }
    tell(r, folder, list[0] ? list : known ? "none" : "");
}

static void look_fault_around(struct reading *r)
{
    static const char path[] = DEBUG "fault_around_bytes";
    char size[24] = "";
    int64_t bytes;
    if (read_number(path, &bytes) == 0)
        size_text((uint64_t)bytes, size);
    tell(r, path, size);
}

/* A bit for each prefetcher in a register of the first CPU (Intel: MISC_FEATURE_CONTROL; AMD from Zen 4: Prefetch
 * Control). */
static void look_prefetchers(struct reading *r)
{
    static const struct {
        const char *vendor;
        off_t number;
        const char *bits[6];
    } registers[] = {
        {"GenuineIntel", 0x1a4, {"L2 stream", "L2 adjacent line", "L1 next line", "L1 IP"}},
        {"AuthenticAMD", 0xc0000108, {"L1 stream", "L1 stride", "L1 region", "L2 stream", NULL, "up/down"}},
    };
    static const char path[] = "/dev/cpu/0/msr";
    char vendor[16] = "", off[sizeof r->state->now] = "";
    const char *known = "";
    FREED char *text = procfs_read_all("/proc/cpuinfo");
    uint64_t value;
    for (size_t i = 0; i < COUNT(registers) && text && procfs_value(text, "vendor_id", vendor, sizeof vendor); i++) {
        const int fd = strcmp(vendor, registers[i].vendor) ? -1 : procfs_open(path);
        if (fd < 0 || pread(fd, &value, sizeof value, registers[i].number) != sizeof value)
            value = 0;
        else
            known = "on";
        fd_close(&fd);
        for (size_t bit = 0; bit < COUNT(registers[i].bits); bit++)
            if (value >> bit & 1 && registers[i].bits[bit])
                setting_append(off, sizeof off, registers[i].bits[bit]);
    }
    tell(r, path, known);
    if (off[0])
        judge(r, SETTING_OK, "off: %s", off);
}

/* From the SMBIOS table: structures of a header (type, length of the fixed part), a fixed part, and texts that end
 * with an empty one. A module is of type 17, its size at 12 (0: empty slot), its highest speed at 21 and, from
 * SMBIOS 2.7, its configured speed at 32, in MT/s. */
static void look_dimms(struct reading *r)
{
    unsigned n = 0, least = UINT16_MAX, most = 0;
    static const char path[] = "/sys/firmware/dmi/tables/DMI";
    const int fd = procfs_open(path);
    size_t size = 0, at = 0;
    FREED char *table = fd >= 0 ? procfs_read_rest(fd, &size) : NULL;
    const unsigned char *bytes = (const unsigned char *)table;
    fd_close(&fd);
    while (table && at + 4 <= size && bytes[at + 1] >= 4 && at + bytes[at + 1] <= size) {
        const unsigned char *fixed = bytes + at, length = fixed[1];
        const size_t speed_at = length >= 34 && (fixed[32] || fixed[33]) ? 32 : 21;
        if (fixed[0] == 17 && length >= 23 && (fixed[12] || fixed[13])) {
            const unsigned speed = fixed[speed_at] | (unsigned)fixed[speed_at + 1] << 8;
            n++;
            least = speed && speed < least ? speed : least;
            most = speed > most ? speed : most;
        }
        for (at += length; at + 1 < size && (bytes[at] || bytes[at + 1]); at++)
            ;
        at += 2;
    }
    char text[48] = "";
    if (n && most)
        TEXT_PRINT(text, least < most ? "%u at %u to %u MT/s" : "%u at %u MT/s", n, least, most);
    tell(r, path, text);
}

/* --- Outside the bench CPUs. --- */

/* Noisy when irqbalance runs, or one of the others. */
static void look_programs(struct reading *r)
{
    static const char balancer[] = "irqbalance";
    const bool irqbalance = !strcmp(r->setting->name, balancer);
    const struct settings_program *running[SETTINGS_PROGRAMS_MAX];
    char names[sizeof r->state->now] = "";
    /* Where /proc hides others' processes, it hides PID 1 too. */
    int error = READ_LINE("/proc/1/comm", names);
    const size_t n = error ? 0 : settings_programs(running, SETTINGS_PROGRAMS_MAX);
    names[0] = '\0';
    for (size_t i = 0; i < n; i++)
        if (!strcmp(running[i]->comm, balancer) == irqbalance)
            setting_append(names, sizeof names, running[i]->comm);
    if (error && r->machine->have_proc) {
        unknown(r, "other users' processes cannot be seen");
    } else if (error) {
        not_read(r, "/proc/1/comm", error);
    } else if (names[0] || !r->machine->container[0]) {
        judge(r, NOISY_IF(names[0]), "%s", names[0] ? names : "none seen");
    } else {
        judge(r, SETTING_UNKNOWN, "none seen");
        explain(r, "the host's processes cannot be seen from a container");
    }
}

static void look_swap(struct reading *r)
{
    static const char path[] = "/proc/meminfo";
    FREED char *text = procfs_read_all(path);
    const int error = !text ? -errno : text[0] ? 0 : -ENODATA;
    const int64_t total = procfs_count(text, "SwapTotal"), unused = procfs_count(text, "SwapFree");
    if (not_read(r, path, !error && (unused < 0 || unused > total) ? -EILSEQ : error))
        return;
    if (total < 1024)
        judge(r, SETTING_OK, "no swap");
    else
        judge(r, NOISY_IF(unused / 1024 < total / 1024), "%" PRId64 " of %" PRId64 " MiB", total / 1024 - unused / 1024,
              total / 1024);
}

static void look_load(struct reading *r)
{
    double load = r->machine->load1, low = 0.05 * r->machine->cpus_online;
    if (load < 0)
        not_read(r, "/proc/loadavg", -ENOENT);
    else
        judge(r, NOISY_IF(load > (low > 0.5 ? low : 0.5)), "%.2f", load);
}

static void look_pressure(struct reading *r)
{
    static const char path[] = "/proc/pressure/memory";
    char text[128];
    double share = -1;
    int error = READ_LINE(path, text);
    if (!error && (sscanf(text, "some avg10=%lf", &share) != 1 || !(share >= 0 && share <= 100)))
        error = -EILSEQ;
    if (!not_read(r, path, error))
        judge(r, NOISY_IF(share >= 1), "%.2f %%", share);
}

static void look_hypervisor(struct reading *r)
{
    const char *name = r->machine->hypervisor;
    if (name[0])
        judge(r, SETTING_NOISY, "%s", strcmp(name, "yes") ? name : "one without name");
    else
        tell(r, "/sys/hypervisor", r->machine->have_sys || r->machine->have_proc ? "none seen" : "");
}

/* For a counter since boot, of events or seconds (negative: not known, by this error of the path), read again after a
 * moment: noisy when it rose. Without a moment, the state is unknown unless it is 0. */
static void judge_rise(struct reading *r, const char *path, int error, double (*count)(const struct reading *r),
                       int decimals, const char *unit)
{
    static const char *const ends[] = {
        [SETTING_OK] = ", not rising", [SETTING_NOISY] = ", rising", [SETTING_UNKNOWN] = ""};
    const double before = count(r);
    double after = before;
    if (not_read(r, path, before < 0 ? error : 0))
        return;
    if (r->view->moment) {
        r->view->moment();
        after = fmax(before, count(r));
    }
    const enum setting_verdict steady = r->view->moment || after <= 0 ? SETTING_OK : SETTING_UNKNOWN;
    const enum setting_verdict verdict = after > before ? SETTING_NOISY : steady;
    judge(r, verdict, "%.*f %s since boot%s", decimals, after, unit, ends[verdict]);
}

static double count_steal(const struct reading *r)
{
    struct machine_activity activity;
    (void)r;
    machine_read_activity(&activity);
    return (double)activity.steal_ns * 1e-9;
}

static void look_steal(struct reading *r)
{
    judge_rise(r, "/proc/stat", r->machine->have_proc ? -EILSEQ : -ENOENT, count_steal, 2, "s");
}

#define SUPPLIES "/sys/class/power_supply"

/* Reads a file of a supply in /sys/class. Returns 0 or -errno. */
static int read_supply(const char *name, const char *file, char *buf, size_t size)
{
    return procfs_read_line(PROCFS_PATH(SUPPLIES "/%s/%s", name, file), buf, size);
}

static void look_power(struct reading *r)
{
    char type[32], scope[16], online[8];
    bool plugged = false, any = false, battery = false;
    FREED char **names = procfs_names(SUPPLIES);
    int error = names ? -ENOENT : -errno;
    for (char **name = names; name && *name; name++) {
        /* "Device" is the battery of a mouse. */
        if (read_supply(*name, "type", type, sizeof type) == 0 && !strcmp(type, "Battery")) {
            battery |= read_supply(*name, "scope", scope, sizeof scope) || strcmp(scope, "Device");
            continue;
        }
        if (read_supply(*name, "online", online, sizeof online) || !strchr("012", online[0]))
            continue;
        any = true;
        plugged |= online[0] != '0';
    }
    if (plugged)
        judge(r, SETTING_OK, "online");
    else if (any && battery)
        judge(r, SETTING_NOISY, "on battery");
    else /* not online counts only beside a battery: an idle USB-C port of a desktop is one */
        not_read(r, SUPPLIES, error);
}

/* Each CPU of a package counts the whole package's events. */
static double count_throttling(const struct reading *r)
{
    /* those of a package last */
    static const char *const files[] = {"core_throttle_count", "core_power_limit_count", "package_throttle_count",
                                        "package_power_limit_count"};
    struct cpuset packages = {0};
    uint64_t value, package, count = 0;
    bool any = false;
    for_each_cpu(cpu, r->bench) {
        const bool known =
            procfs_read_u64(CPU_PATH(cpu, "topology/physical_package_id"), &package) && package < CPUSET_MAX;
        const bool seen = known && cpuset_has(&packages, (unsigned)package);
        if (known)
            cpuset_add(&packages, (unsigned)package);
        for (size_t i = 0; i < (seen ? 2 : COUNT(files)); i++) {
            const char *path = PROCFS_PATH(CPU_FOLDER "/cpu%u/thermal_throttle/%s", cpu, files[i]);
            if (!procfs_read_u64(path, &value))
                continue;
            any = true;
            count += value;
        }
    }
    return any ? (double)count : -1;
}

static void look_throttling(struct reading *r)
{
    judge_rise(r, CPU_FOLDER "/", -ENOENT, count_throttling, 0, "times");
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
    {REPORTED("aslr", look_aslr, "address space layout randomisation", "addresses differ between samples",
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
    {SETTING("irqbalance", look_programs, "the daemon that moves interrupts", "absent", "moves interrupts back",
             "stop irqbalance")},
    {SETTING("daemons", look_programs, "programs that wake up by themselves", "absent", "run at any time",
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
     .how = SETTING_WRITE_NAMED, .path = "/proc/sys/kernel/sched_rt_runtime_us", .want = -1, .unit = " us"},
    {TUNED("perf_rate", look_file, "limit of perf's sampling", "1 a second", "a profiler may interrupt"),
     .path = "/proc/sys/kernel/perf_event_max_sample_rate", .want = 1, .unit = " a second"},
    {TUNED("workqueues", look_masks, "CPUs for unbound work of the kernel", "not the bench CPUs",
           "the kernel's work runs there")},
    {TUNED("stat_interval", look_file, "how often memory statistics are summed up", "20 s or more",
           "a timer on each CPU"),
     .path = "/proc/sys/vm/stat_interval", .want = 20, .good_from = 20, .unit = " s"},
    {SETTING("clocksource", look_word, "the kernel's clock", "tsc or similar", "reading the clock is slow",
             "boot with clocksource=tsc"),
     .path = "/sys/devices/system/clocksource/clocksource0/current_clocksource",
     .want_text = "tsc arch_sys_counter riscv_clocksource timebase tod stp", .recorded = true},
    {SETTING("swap", look_swap, "swap in use", "0", "page faults read a disk", "free memory, then swapoff -a")},
    {TUNED("swappiness", look_swappiness, "how early memory is swapped out", "10 or less",
           "memory in use is swapped out"),
     .path = "/proc/sys/vm/swappiness", .want = 10},
    {SETTING("load", look_load, "load average of the last minute", "0.5, or 5 % of CPUs", "other tasks run",
             "wait, or stop them")},
    {SETTING("pressure", look_pressure, "time that tasks wait for memory", "below 1 %", "memory is reclaimed",
             "free memory")},
    {SETTING("hypervisor", look_hypervisor, "a hypervisor below", "none", "the host takes CPU time, and exits are slow",
             "measure on bare metal"),
     .recorded = true},
    {SETTING("steal", look_steal, "time that the hypervisor took", "not rising", "other guests had these CPUs",
             "ask for CPUs of your own")},
    {SETTING("power", look_power, "mains power", "online", "the frequency is lowered", "plug it in")},
    {SETTING("throttling", look_throttling, "thermal throttling", "not rising", "the frequency is lowered",
             "cool it, or lower its limits")},
    {SETTING("numa", look_numa, "memory nodes of the bench CPUs", "one", "some memory is far", "--cpus of one node")},
    {SETTING("caches", look_caches, "CPUs that share the last-level cache of the bench CPUs",
             "bench CPUs, or those for all else", "other CPUs evict cached data",
             "--cpus with all that share a cache")},
    {SETTING("siblings", look_siblings, "SMT siblings of the bench CPUs", "none online",
             "the sibling takes half of the core", "jitbench tune smt")},
    {SETTING("config", look_config, "how the kernel was built", "no debugging", "the kernel checks itself at each step",
             "another kernel")},
    {SETTING("cpu_quota", look_cpu_quota, "CPU time that the control groups allow", "none",
             "the group stands still until the period ends", "raise cpu.max (v1: cpu.cfs_quota_us) of the group"),
     .recorded = true},
    {SETTING("network", look_network, "network links up", "none under init", "packets interrupt",
             "boot without ip=, or unplug it")},
    {REPORTED("scheduler", look_scheduler, "who runs next, by which rule", "waits and slices differ",
              "another kernel, or sched_ext")},
    {REPORTED("preempt", look_preempt, "where the kernel itself gives way", "wake-ups take longer",
              "boot with preempt=")},
    {REPORTED("hz", look_hz, "ticks a second, and when there is none", "timers and slices are multiples of it",
              "another kernel")},
    {REPORTED("base_slice", look_base_slice, "least time that a task keeps its CPU", "fewer switches, longer waits",
              "debugfs")},
    {REPORTED("init", look_init, "first process, run level", "other programs run", "init=/jitbench")},
    {REPORTED("os", look_os, "distribution", "libraries and defaults differ", "another system")},
    {REPORTED("page_size", look_page_size, "size of a page", "faults differ in number", "another kernel")},
    {REPORTED("hugetlb", look_hugetlb, "huge pages set aside", "memory is kept from all else", "write nr_hugepages")},
    {REPORTED("fault_around", look_fault_around, "how much a fault on a file maps", "faults differ in number",
              "debugfs")},
    {REPORTED("prefetchers", look_prefetchers, "prefetchers of the CPU (x86, as root)", "memory is slower or faster",
              "the firmware")},
    {REPORTED("dimms", look_dimms, "memory modules (SMBIOS, as root)", "memory is slower or faster", "the firmware")},
};
const size_t settings_count = COUNT(settings_list);

const struct setting *setting_find(const char *name)
{
    for_each_setting(i)
        if (!strcmp(settings_list[i].name, name))
            return &settings_list[i];
    return NULL;
}

bool setting_look(const struct setting *setting, const struct settings_view *view, struct setting_state *out,
                  struct setting_writes *writes)
{
    struct reading r = {.view = view,
                        .machine = view->machine,
                        .bench = view->bench,
                        .setting = setting,
                        .state = out,
                        .writes = writes};
    setting->look(&r);
    return !r.failed;
}

void settings_summary(const struct settings_view *view, unsigned counts[4])
{
    struct setting_state state = {.verdict = SETTING_UNKNOWN};
    memset(counts, 0, 4 * sizeof *counts);
    for_each_setting(i) {
        setting_look(&settings_list[i], view, &state, NULL);
        counts[state.verdict]++;
    }
}
