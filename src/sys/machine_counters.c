/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "sys/file.h"
#include "sys/machine.h"
#include "sys/process.h"

/* All labels have three letters. */
static const struct {
    enum interrupt_kind kind;
    const char *labels;
} labels[] = {
    /* ppc64: BCT, a broadcast for sleeping CPUs; Hyper-V: HVS, where LOC does not count; s390: clock comparator, timer
     */
    {INTERRUPT_TIMER, "LOC BCT HVS CLK TMR"},
    {INTERRUPT_RESCHED, "RES"},
    /* ppc64: DBL, a doorbell; s390: external call, emergency signal */
    {INTERRUPT_IPI, "CAL TLB DBL EXC EMS"},
    /* One number for the whole machine, which looks like a column when there is one CPU; s390: sums of other lines. */
    {INTERRUPT_NONE, "ERR Err MIS EXT I/O AIO MSI"},
};

/* "arch_timer", "riscv-timer", Xen's "timer0", or one that begins with one of `others`. */
static bool is_timer(const char *name)
{
    static const char *const others[] = {"hpet", "twd", "mct_tick"};
    static const char timer[] = "timer";
    size_t length = strlen(name);
    for (size_t i = 0; i < COUNT(others); i++) {
        if (starts_with(name, others[i]))
            return true;
    }
    while (length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    return length >= sizeof timer - 1 && !strncmp(name + length - (sizeof timer - 1), timer, sizeof timer - 1);
}

enum interrupt_kind interrupt_kind(const char *label, const char *text)
{
    char words[256];
    size_t length = strcspn(label, ":");
    for (size_t i = 0; length == 3 && i < COUNT(labels); i++)
        for (const char *at = labels[i].labels; *at; at += at[3] ? 4 : 3)
            if (!memcmp(at, label, 3))
                return labels[i].kind;
    procfs_copy(text, strcspn(text, "\n"), words, sizeof words);
    if (length > 0 && strspn(label, "0123456789") == length) {
        /* "IO-APIC 2-edge timer" is the controller, its own number, the trigger mode, the name. */
        const char *space = strrchr(words, ' '), *name = space ? space + 1 : words;
        /* Xen and MIPS; "IPI-0" on ppc64, "IPI call" on MIPS, "-ipi callfunc0" on Xen. */
        return is_timer(name)                                     ? INTERRUPT_TIMER
               : starts_with(name, "resched")                     ? INTERRUPT_RESCHED
               : strstr(words, " IPI") || strstr(words, " -ipi ") ? INTERRUPT_IPI
                                                                  : INTERRUPT_DEVICE;
    }
    /* device interrupts on s390: [I/O], [AIO] */
    return strstr(words, "Rescheduling")                                 ? INTERRUPT_RESCHED
           : strstr(words, "Timer broadcast")                            ? INTERRUPT_TIMER
           : starts_with(label, "IPI") || strstr(words, "Function call") ? INTERRUPT_IPI
           : strstr(words, "[I/O]") || strstr(words, "[AIO]")            ? INTERRUPT_DEVICE
                                                                         : INTERRUPT_OTHER;
}

/* --- Interrupts, CPU time and frequency. --- */

static int64_t add_counts(int64_t sum, uint64_t value)
{
    return value > (uint64_t)(INT64_MAX - sum) ? INT64_MAX : sum + (int64_t)value;
}

static int64_t ticks_to_ns(uint64_t ticks)
{
    long hz = sysconf(_SC_CLK_TCK);
    uint64_t tick_ns = 1000000000u / (uint64_t)(hz > 0 ? hz : 100);
    return ticks > (uint64_t)INT64_MAX / tick_ns ? INT64_MAX : (int64_t)(ticks * tick_ns);
}

/* Negative means not known: such a count is ignored, and such a sum becomes the count. */
static void add_known(int64_t *sum, int64_t value)
{
    if (value >= 0)
        *sum = add_counts(*sum < 0 ? 0 : *sum, (uint64_t)value);
}

/* All counters are -1, not known. */
static void forget(struct machine_counters *counters)
{
    memset(counters, -1, sizeof *counters);
}

/* Counters of consecutive CPUs from `first` on. */
struct span {
    unsigned first;
    size_t n;
    struct machine_counters *of;
};

static struct machine_counters *of_cpu(const struct span *span, uint64_t cpu)
{
    return cpu >= span->first && cpu - span->first < span->n ? &span->of[cpu - span->first] : NULL;
}

struct columns {
    size_t n;
    struct machine_counters *of[CPUSET_MAX]; /* where each column's values are added; NULL: nowhere */
    uint64_t value[CPUSET_MAX];              /* of the current line */
};

/* Parses " CPU0 CPU2 ...": offline CPUs have no column. */
static void parse_header(const char *line, const struct span *span, struct columns *columns)
{
    columns->n = 0;
    for (line += strspn(line, " \t"); starts_with(line, "CPU"); line += strspn(line, " \t")) {
        uint64_t cpu;
        line = procfs_number(line + 3, &cpu);
        if (!line || columns->n == CPUSET_MAX)
            return;
        columns->value[columns->n] = 0;
        columns->of[columns->n++] = of_cpu(span, cpu);
    }
}

/* Adds the line to the sums of all interrupts and of this kind; or, if `interrupts` is false, of soft interrupts. */
static void add_values(const struct columns *columns, bool interrupts, enum interrupt_kind kind)
{
    for (size_t i = 0; kind != INTERRUPT_NONE && i < columns->n; i++) {
        int64_t value = add_counts(0, columns->value[i]);
        struct machine_counters *counters = columns->of[i];
        if (!counters)
            continue;
        int64_t *const parts[INTERRUPT_NONE] = {[INTERRUPT_TIMER] = &counters->timer,
                                                [INTERRUPT_RESCHED] = &counters->resched,
                                                [INTERRUPT_IPI] = &counters->ipi,
                                                [INTERRUPT_DEVICE] = &counters->device};
        add_known(interrupts ? &counters->irqs : &counters->softirqs, value);
        if (parts[kind])
            add_known(parts[kind], value);
    }
}

static void parse_table(const char *text, bool interrupts, const struct span *span, struct columns *columns)
{
    parse_header(text, span, columns);
    add_values(columns, interrupts, INTERRUPT_OTHER); /* adds 0: each sum is known from here on */
    for (const char *line = procfs_next_line(text); line; line = procfs_next_line(line)) {
        const char *label = line + strspn(line, " \t"), *colon = label + strcspn(label, ":\n");
        const char *rest = *colon == ':' ? colon + 1 : NULL;
        for (size_t i = 0; rest && i < columns->n; i++)
            rest = procfs_number(rest, &columns->value[i]);
        if (rest) /* otherwise the line has fewer values: it does not count by CPU */
            add_values(columns, interrupts, interrupts ? interrupt_kind(label, rest) : INTERRUPT_OTHER);
    }
}

/* user, nice, system, idle, iowait, irq, softirq, steal; guest time is included in user and nice time */
enum { STAT_IDLE = 3, STAT_IOWAIT, STAT_STEAL = 7, STAT_FIELDS };

/* Parses the times in clock ticks after "cpu" or "cpuN". */
static bool parse_ticks(const char *at, uint64_t ticks[STAT_FIELDS])
{
    for (size_t i = 0; i < STAT_FIELDS && at; i++)
        at = procfs_number(at, &ticks[i]);
    return at != NULL;
}

enum { FILE_INTERRUPTS, FILE_SOFTIRQS, FILE_STAT, FILES };
static const char *const files[FILES] = {"/proc/interrupts", "/proc/softirqs", "/proc/stat"};

static void parse_file(int file, const char *text, const struct span *span, struct columns *columns)
{
    if (file != FILE_STAT)
        parse_table(text, file == FILE_INTERRUPTS, span, columns);
    /* the steal time of the lines "cpuN", which come first */
    for (const char *line = text; file == FILE_STAT && line && starts_with(line, "cpu");
         line = procfs_next_line(line)) {
        uint64_t ticks[STAT_FIELDS], cpu;
        const char *at = line[3] == ' ' ? NULL : procfs_number(line + 3, &cpu);
        struct machine_counters *counters = at ? of_cpu(span, cpu) : NULL;
        if (counters && parse_ticks(at, ticks))
            add_known(&counters->steal_ns, ticks_to_ns(ticks[STAT_STEAL]));
    }
}

static void add_set(const struct span *span, const struct cpuset *set, struct machine_counters *out)
{
    for_each_cpu(cpu, set) {
        const void *one = of_cpu(span, cpu);
        void *sums = out;
        for (size_t i = 0; i < sizeof *out / sizeof(int64_t); i++)
            add_known((int64_t *)sums + i, ((const int64_t *)one)[i]);
    }
}

/* Allocates counters, 'not known', from the lowest to the highest CPU of n sets. `of` is NULL when there is no CPU
 * or no memory. */
static struct span span_of(const struct cpuset *sets, size_t n)
{
    struct cpuset all = {0};
    for (size_t i = 0; i < n; i++)
        cpuset_union(&all, &sets[i]);
    struct span span = {.first = cpuset_next(&all, 0)};
    for (unsigned cpu = span.first; cpu != CPUSET_NONE; cpu = cpuset_next(&all, cpu + 1))
        span.n = cpu - span.first + 1;
    span.of = span.n ? malloc(span.n * sizeof *span.of) : NULL;
    for (size_t i = 0; span.of && i < span.n; i++)
        forget(&span.of[i]);
    return span;
}

void machine_read_counters_of(const struct cpuset *sets, size_t n, struct machine_counters *out)
{
    const struct span span = span_of(sets, n);
    FREED struct columns *columns = span.of ? malloc(sizeof *columns) : NULL;
    for (int file = 0; columns && file < FILES; file++) {
        FREED char *text = procfs_read_all(files[file]);
        if (text)
            parse_file(file, text, &span, columns);
    }
    for (size_t i = 0; i < n; i++) {
        forget(&out[i]);
        /* Copies that are not bound have the same set, and there may be thousands of copies and of CPUs. */
        if (i > 0 && cpuset_equal(&sets[i], &sets[i - 1]))
            out[i] = out[i - 1];
        else if (span.of)
            add_set(&span, &sets[i], &out[i]);
    }
    free(span.of);
}

#define WATCH_FIRST ((size_t)1 << 14)
#define WATCH_LIMIT ((size_t)64 << 20)

struct machine_watch {
    unsigned cpu;
    int fd[FILES];
    size_t size;
    char *text;
    struct columns columns;
};

/* Reads the whole file from its start into watch->text. Returns false on failure. */
static bool read_again(struct machine_watch *watch, int fd)
{
    size_t length = 0;
    for (;;) {
        if (length + 1 >= watch->size &&
            (watch->size >= WATCH_LIMIT || !grow_array(&watch->text, &watch->size, length + WATCH_FIRST, 1)))
            return false;
        ssize_t n = pread(fd, watch->text + length, watch->size - 1 - length, (off_t)length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        watch->text[length += (size_t)n] = '\0';
        if (n == 0)
            return true;
    }
}

struct machine_watch *machine_watch_open(unsigned cpu)
{
    struct machine_watch *watch = calloc(1, sizeof *watch);
    struct machine_counters first;
    if (!watch)
        return NULL;
    watch->cpu = cpu;
    for (int file = 0; file < FILES; file++)
        watch->fd[file] = procfs_open(files[file]);
    machine_watch_read(watch, &first); /* grows the buffer to its final size */
    return watch;
}

void machine_watch_read(struct machine_watch *watch, struct machine_counters *out)
{
    const struct span span = {.first = watch->cpu, .n = 1, .of = out};
    forget(out);
    for (int file = 0; file < FILES; file++) {
        if (watch->fd[file] >= 0 && read_again(watch, watch->fd[file]))
            parse_file(file, watch->text, &span, &watch->columns);
    }
}

void machine_watch_close(struct machine_watch *watch)
{
    if (!watch)
        return;
    for (int file = 0; file < FILES; file++)
        fd_close(&watch->fd[file]);
    free(watch->text);
    free(watch);
}

static int64_t stat_count(const char *text, const char *key)
{
    uint64_t count;
    return procfs_number_after(text, key, &count) ? add_counts(0, count) : -1;
}

void machine_read_activity(struct machine_activity *out)
{
    uint64_t ticks[STAT_FIELDS];
    FREED char *text = procfs_read_all("/proc/stat");
    const bool known = text && starts_with(text, "cpu ") && parse_ticks(text + 4, ticks);
    *out = (struct machine_activity){.ctx_switches = stat_count(text, "ctxt"),
                                     .interrupts = stat_count(text, "intr"),
                                     .steal_ns = known ? ticks_to_ns(ticks[STAT_STEAL]) : -1,
                                     .busy_ns = -1,
                                     .idle_ns = -1};
    for (size_t i = 0; known && i < STAT_STEAL; i++)
        add_known(i == STAT_IDLE || i == STAT_IOWAIT ? &out->idle_ns : &out->busy_ns, ticks_to_ns(ticks[i]));
}

static uint64_t khz_from_cpuinfo(const char *text, unsigned cpu)
{
    uint64_t number;
    while ((text = procfs_find(text, "processor", ':')) && (!procfs_number(text, &number) || number != cpu)) {
    }
    const char *value = procfs_find(text, "cpu MHz", ':'), *next = procfs_find(text, "processor", ':');
    const double mhz = value && (!next || value < next) ? strtod(value, NULL) : 0;
    return isfinite(mhz) && mhz > 0 && mhz < 1e6 ? (uint64_t)(mhz * 1000 + 0.5) : 0;
}

uint64_t machine_cpu_khz(unsigned cpu)
{
    uint64_t khz;
    if (procfs_read_u64(CPU_PATH(cpu, "cpufreq/scaling_cur_freq"), &khz))
        return khz;
    FREED char *text = procfs_read_all("/proc/cpuinfo");
    return khz_from_cpuinfo(text, cpu);
}

double machine_celsius(void)
{
    static const char *const places[][3] = {{"/sys/class/hwmon", "name", "temp1_input"},
                                            {"/sys/class/thermal", "type", "temp"}};
    double highest = NAN;
    for (size_t i = 0; i < COUNT(places); i++) {
        FREED char **names = procfs_names(places[i][0]);
        for (char **name = names; name && *name; name++) {
            char kind[64];
            uint64_t millis;
            if (!READ_LINE(PROCFS_PATH("%s/%s/%s", places[i][0], *name, places[i][1]), kind) &&
                (strcasestr(kind, "cpu") || mountinfo_has("coretemp,k8temp,k10temp,zenpower,x86_pkg_temp", kind)) &&
                procfs_read_u64(PROCFS_PATH("%s/%s/%s", places[i][0], *name, places[i][2]), &millis) && millis &&
                millis < 150000) /* else broken */
                highest = fmax(highest, (double)millis / 1000);
        }
    }
    return highest;
}
