/* SPDX-License-Identifier: MIT */
/* The sampler: the loop, with core probes and readings of the kernel's counters in between. */
#include "bench/noise.h"

/* ns between two core probes (sys/clock.h). */
#define PROBE_NS 1500000u
/* ns of a window, after which the CPU's interrupt counters are read: WINDOW_COSTS times such a reading, within these
 * limits. */
#define WINDOW_NS     100000000u
#define WINDOW_MAX_NS 1000000000u
#define WINDOW_COSTS  1000u
/* For measuring the clock's frequency. */
#define HZ_NS 20000000u
/* Repetitions of a step (recording a detour, a core probe, ...) for its usual cost; after COSTS_NS at least
 * COSTS_MIN, as steps are slow with thousands of CPUs. The loop runs for COSTS_TURN_NS (ns) before each. */
#define COSTS         100u
#define COSTS_MIN     3u
#define COSTS_NS      50000000u
#define COSTS_TURN_NS 5000u
/* For the loop's shortest and most frequent gap. */
#define LOOP_GAPS 65536u
/* ns; results are discarded. The usual costs become what they are after real detours. */
#define WARM_NS 30000000u
/* In a chain of detours, each while the last is recorded, every CHAINth updates the usual cost: the recording itself
 * may have become slower. */
#define CHAIN 16u
/* Limits of the threshold, in shortest gaps and ns. Below LEAST_LOOPS the undisturbed loop would be a detour. */
#define LEAST_LOOPS 2
#define MOST_LOOPS  1000000
#define MOST_NS     1000000000u

int noise_read_threshold(struct noise_params *params, struct error *error)
{
    static const struct option loops = {.type = OPTION_PERCENT, .size = sizeof(params->threshold_loops)};
    static const struct option time = {.type = OPTION_DURATION, .size = sizeof(params->threshold_ns)};
    size_t length = strlen(params->threshold);
    bool in_loops = length > 0 && params->threshold[length - 1] == 'x';
    char number[sizeof(params->threshold)];
    struct error ignored;

    TEXT_SET(number, params->threshold);
    number[in_loops ? length - 1 : length] = 0;
    params->threshold_ns = 0;
    params->threshold_loops = 0;
    bool junk = strchr(number, '%') || (in_loops ? option_set(&loops, number, &params->threshold_loops, false, &ignored)
                                                 : option_set(&time, number, &params->threshold_ns, false, &ignored));
    bool inside = in_loops ? params->threshold_loops >= LEAST_LOOPS && params->threshold_loops <= MOST_LOOPS
                           : params->threshold_ns >= 1 && params->threshold_ns <= MOST_NS;
    if (!junk && inside)
        return 0;
    return error_set(error, "--threshold: '%s' is %s (1 ns to 1 s, unit ns, us, ms or s, or %dx to %dx the loop)",
                     params->threshold, junk ? "not a threshold" : "out of range", LEAST_LOOPS, MOST_LOOPS);
}

struct sampler {
    struct detour_account account;
    struct detour_cost adding, reading, probing, throttling;
    const struct core_probe *probe; /* NULL: none */
    struct core_record *record;
    struct core_reading core;               /* the last probe */
    double (*levels)[CORE_LEVELS];          /* core probes by part of the run */
    struct stats_running mhz[DETOUR_CELLS]; /* by part of the run */
    unsigned cell;                          /* current part of the run */
    uint64_t probe_ns, next_probe;          /* last probe in ns (CLOCK_MONOTONIC_RAW), next one in ticks */
    struct cgroup_quota quota;
    struct cgroup_throttled throttled; /* at the last reading */
    struct machine_watch *watch;
    unsigned watched;                        /* whose interrupts and steal time are counted */
    struct machine_counters counters, risen; /* at the last reading; increase over the run */
    enum clock_kind clock;
    double ns_per_tick;
    /* In ticks. loop, least: most frequent and shortest gap; slice: between two core probes. */
    uint64_t loop, least, threshold, window, slice;
};

ALWAYS_INLINE struct noise_gap watch(uint64_t from, uint64_t threshold, uint64_t end, enum clock_kind clock)
{
    uint64_t to;

    for (;;) {
        to = clock_now(clock);
        if (to - from > threshold || to >= end)
            return (struct noise_gap){.from = from, .to = to};
        from = to;
    }
}

/* One for each clock: no test of its kind in the loop. */
static __attribute__((noinline)) struct noise_gap watch_counter(uint64_t from, uint64_t threshold, uint64_t end)
{
    return watch(from, threshold, end, CLOCK_KIND_COUNTER);
}

static __attribute__((noinline)) struct noise_gap watch_gettime(uint64_t from, uint64_t threshold, uint64_t end)
{
    return watch(from, threshold, end, CLOCK_KIND_GETTIME);
}

struct noise_gap noise_watch(enum clock_kind clock, uint64_t from, uint64_t threshold, uint64_t end)
{
    return clock == CLOCK_KIND_COUNTER ? watch_counter(from, threshold, end) : watch_gettime(from, threshold, end);
}

ALWAYS_INLINE void collect_gaps(uint64_t *gaps, enum clock_kind clock)
{
    uint64_t from = clock_now(clock);

    for (size_t i = 0; i < LOOP_GAPS; i++) {
        uint64_t to = clock_now(clock);
        gaps[i] = to - from;
        from = to;
    }
}

static void look(struct detour_seen *seen)
{
    struct task_counters counters;

    task_read_usage(&counters);
    *seen = (struct detour_seen){.switches = counters.ctx_voluntary + counters.ctx_involuntary,
                                 .faults = counters.faults_minor + counters.faults_major,
                                 .cpu = task_current_cpu()};
}

static void read_quota(struct sampler *s)
{
    cgroup_throttled(&s->quota, &s->throttled);
}

/* Did a quota stop the sampler during the last detour? `from`: last reading. The kernel counts a period before it
 * lets a CPU go on, but another CPU's time perhaps later: without a further period, further time is not this
 * sampler's. Returns the length of a detour meanwhile, as detour_step(). */
static uint64_t look_at_quota(struct sampler *s, uint64_t *from)
{
    const struct cgroup_throttled before = s->throttled;
    const uint64_t began = *from;

    if (!s->quota.n || !detour_waited(&s->account) || !cgroup_throttled(&s->quota, &s->throttled))
        return 0;
    if (s->throttled.periods > before.periods && s->throttled.ns > before.ns)
        detour_throttled(&s->account, (uint64_t)(s->throttled.ns - before.ns));
    *from = clock_now(s->clock);
    return detour_step(&s->account, &s->throttling, *from - began);
}

/* A detour of so many ticks that ended at `to`, and those while it is recorded. Returns a new reading; `to` when
 * ticks is 0. */
static uint64_t follow_detour(struct sampler *s, uint64_t to, uint64_t ticks)
{
    struct detour_seen seen;

    for (unsigned chain = 0; ticks; chain++) {
        look(&seen);
        detour_add(&s->account, to, ticks, &seen);
        uint64_t fresh = clock_now(s->clock);
        ticks = detour_added(&s->account, &s->adding, fresh - to, chain % CHAIN != 0);
        to = fresh;
        ticks += look_at_quota(s, &to);
    }
    return to;
}

static void take_probe(struct sampler *s)
{
    const struct core_reading before = s->core;
    core_probe_take(s->probe, &s->core);
    uint64_t now_ns = clock_raw_ns();

    if (s->probe_ns)
        core_enter(s->record, &before, &s->core, 1, (double)(now_ns - s->probe_ns), s->probe_ns);
    s->probe_ns = now_ns;
    s->levels[s->cell][s->core.level]++;
    stats_add(&s->mhz[s->cell], s->core.cycles_per_tick * 1e3 / s->ns_per_tick);
    detour_probed(&s->account, s->core.level);
}

/* `from`: last reading. Returns a new one. */
static uint64_t probe_core(struct sampler *s, uint64_t from)
{
    s->cell = detour_cell(&s->account, from);
    take_probe(s);
    uint64_t to = clock_now(s->clock);
    to = follow_detour(s, to, detour_step(&s->account, &s->probing, to - from));
    s->next_probe = to + s->slice;
    return to;
}

/* Until the end of the window. Returns the last reading. */
static uint64_t run_window(struct sampler *s, uint64_t from, uint64_t end)
{
    while (from < end) {
        uint64_t stop = s->next_probe < end ? s->next_probe : end;
        struct noise_gap gap = noise_watch(s->clock, from, s->threshold, stop);
        uint64_t ticks = gap.to - gap.from;
        from = gap.to;
        /* On another CPU the clock may step back a little: no detour. */
        if (ticks > s->threshold && gap.to > gap.from && ticks > s->loop)
            from = follow_detour(s, gap.to, ticks - s->loop);
        if (s->probe && from >= s->next_probe)
            from = probe_core(s, from);
    }
    return from;
}

static void read_counters(const struct sampler *s, struct machine_counters *out)
{
    if (s->watch)
        machine_watch_read(s->watch, out);
    else
        memset(out, 0xff, sizeof(*out)); /* -1: not known */
}

/* Changes only if the sampler is not bound. */
static void watch_cpu(struct sampler *s, unsigned cpu)
{
    if (cpu == s->watched)
        return;
    machine_watch_close(s->watch);
    s->watched = cpu;
    s->watch = cpu == CPUSET_NONE ? NULL : machine_watch_open(cpu);
    read_counters(s, &s->counters);
}

/* Both clocks at one moment, the best of three times: what comes between the readings is an error of the tick's period.
 */
static void read_clocks(struct sampler *s)
{
    uint64_t at = 0, monotonic_ns = 0, narrowest = UINT64_MAX;

    for (int i = 0; i < 3; i++) {
        const uint64_t before = clock_now(s->clock), ns = clock_monotonic_ns(), took = clock_now(s->clock) - before;
        if (took < narrowest) {
            narrowest = took;
            at = before + took / 2;
            monotonic_ns = ns;
        }
    }
    detour_clock(&s->account, at, monotonic_ns);
}

/* Returns the increase since the last reading, and adds it to the run's. */
static struct machine_counters count_interrupts(struct sampler *s)
{
    struct machine_counters before = s->counters, by;

    read_counters(s, &s->counters);
    by = s->counters;
    known_subtract(&by, &before, sizeof(by));
    known_add(&s->risen, &by, sizeof(by));
    read_clocks(s);
    return by;
}

/* Reads the CPU's counters. Returns a new reading. */
static uint64_t end_window(struct sampler *s, uint64_t from)
{
    struct detour_seen seen;
    const struct machine_counters by = count_interrupts(s);
    uint64_t read = clock_now(s->clock);

    read = follow_detour(s, read, detour_step(&s->account, &s->reading, read - from));
    /* On another CPU meanwhile, the timer interrupts are not known. */
    detour_window(&s->account, read, s->account.seen.cpu == s->watched ? by.timer : -1,
                  by.steal_ns > 0 ? (uint64_t)by.steal_ns : 0);
    look(&seen);
    watch_cpu(s, seen.cpu);
    uint64_t fresh = clock_now(s->clock);
    detour_unwatched(&s->account, fresh, fresh - read, &seen);
    return fresh;
}

static void sample(const struct party_context *context, struct sampler *s, uint64_t time_ns)
{
    struct detour_seen seen;
    uint64_t length = (uint64_t)((double)time_ns / s->ns_per_tick) + 1;

    look(&seen);
    s->risen = (struct machine_counters){0};
    memset(s->levels, 0, DETOUR_CELLS * sizeof(*s->levels));
    memset(s->mhz, 0, sizeof(s->mhz));
    read_quota(s);
    read_counters(s, &s->counters);
    uint64_t from = clock_now(s->clock), end = from + length;
    detour_begin(&s->account, from, length, s->threshold, s->ns_per_tick, &seen);
    s->next_probe = s->probe ? from : UINT64_MAX;
    s->probe_ns = 0;
    core_record_begin(s->record, time_ns);
    while (from < end && !party_stopped(context)) {
        from = run_window(s, from, end - from > s->window ? from + s->window : end);
        from = end_window(s, from);
    }
    detour_end(&s->account, from);
}

double noise_find_tick_ns(enum clock_kind clock)
{
    struct clock_pair first, second;

    clock_pair_read(clock, &first);
    do
        clock_pair_read(clock, &second);
    while (second.raw_ns < first.raw_ns + HZ_NS);
    double hz = clock_hz(clock, &first, &second);
    return hz > 0 ? 1e9 / hz : 0;
}

static int measure_loop(struct sampler *s)
{
    FREED uint64_t *gaps = malloc(LOOP_GAPS * sizeof(*gaps));

    if (!gaps)
        return -1;
    memset(gaps, 0, LOOP_GAPS * sizeof(*gaps));
    if (s->clock == CLOCK_KIND_COUNTER)
        collect_gaps(gaps, CLOCK_KIND_COUNTER);
    else
        collect_gaps(gaps, CLOCK_KIND_GETTIME);
    detour_loop(gaps, LOOP_GAPS, &s->least, &s->loop);
    return 0;
}

static void choose_threshold(struct party_context *context, struct sampler *s)
{
    const struct noise_params *params = context->params;
    uint64_t floor = LEAST_LOOPS * s->least;

    s->threshold = params->threshold_ns ? (uint64_t)((double)params->threshold_ns / s->ns_per_tick + 0.5)
                                        : (uint64_t)(params->threshold_loops * (double)s->least);
    if (s->threshold >= floor)
        return;
    party_degraded(context, "the threshold %s is less than two turns of the loop: %.0f ns is used instead",
                   params->threshold, (double)floor * s->ns_per_tick);
    s->threshold = floor;
}

/* The loop runs for a moment before each repetition. */
static void measure_cost(struct sampler *s, void (*step)(struct sampler *s), struct detour_cost *cost)
{
    double costs[COSTS];
    uint64_t begin = clock_raw_ns();
    size_t n = 0;

    while (n < COSTS && (n < COSTS_MIN || clock_raw_ns() - begin < COSTS_NS)) {
        uint64_t from = clock_now(s->clock);
        noise_watch(s->clock, from, UINT64_MAX, from + (uint64_t)(COSTS_TURN_NS / s->ns_per_tick));
        from = clock_now(s->clock);
        step(s);
        costs[n++] = (double)(clock_now(s->clock) - from);
    }
    stats_sort(costs, n);
    cost->usual = (uint64_t)costs[n / 2];
}

static void add_one(struct sampler *s)
{
    struct detour_seen seen;

    look(&seen);
    detour_add(&s->account, clock_now(s->clock), s->threshold + 1, &seen);
}

static void read_once(struct sampler *s)
{
    count_interrupts(s);
}

static void measure_costs(struct sampler *s)
{
    struct detour_seen seen;

    look(&seen);
    detour_begin(&s->account, clock_now(s->clock), UINT64_MAX / 2, s->threshold, s->ns_per_tick, &seen);
    measure_cost(s, add_one, &s->adding);
    measure_cost(s, read_once, &s->reading);
    if (s->quota.n)
        measure_cost(s, read_quota, &s->throttling);
    if (s->probe)
        measure_cost(s, take_probe, &s->probing);
    const double least_ns = (double)s->reading.usual * s->ns_per_tick * WINDOW_COSTS;
    s->window = (uint64_t)(fmin(fmax(least_ns, WINDOW_NS), WINDOW_MAX_NS) / s->ns_per_tick);
    s->slice = (uint64_t)(PROBE_NS / s->ns_per_tick);
}

static int setup(struct party_context *context)
{
    struct sampler *s = context->state;

    s->clock = context->clock;
    s->account.hist = context->recorder[NOISE_HIST];
    s->account.series = context->recorder[NOISE_SERIES];
    s->probe = context->core_probe;
    s->record = context->recorder[NOISE_CORE];
    s->levels = context->recorder[NOISE_LEVELS];
    s->watched = CPUSET_NONE;
    watch_cpu(s, task_current_cpu());
    cgroup_quota_open(&s->quota);
    s->ns_per_tick = noise_find_tick_ns(s->clock);
    if (!(s->ns_per_tick > 0))
        return party_fail(context, "the clock's frequency cannot be measured");
    if (measure_loop(s))
        return party_fail(context, "out of memory");
    choose_threshold(context, s);
    core_record_begin(s->record, WARM_NS);
    measure_costs(s);
    sample(context, s, WARM_NS);
    hist_init(s->account.hist, 0);
    series_init(s->account.series);
    memset(s->record, 0, sizeof(*s->record));
    return 0;
}

static int run(struct party_context *context)
{
    struct noise_record *out = context->recorder[NOISE_NUMBERS];
    struct sampler *s = context->state;
    const struct detour_account *a = &s->account;
    const double tick_ns = s->ns_per_tick;

    sample(context, s, context->time_ns);
    *out = (struct noise_record){.loop = (double)s->loop * tick_ns,
                                 .threshold = (double)s->threshold * tick_ns,
                                 .observed = (double)detour_observed(a) * tick_ns,
                                 .blind = (double)a->blind * tick_ns,
                                 .limited = s->quota.n > 0,
                                 .counts = {counter_number(s->risen.timer, 1), counter_number(s->risen.resched, 1),
                                            counter_number(s->risen.ipi, 1), counter_number(s->risen.device, 1),
                                            counter_number(s->risen.softirqs, 1)},
                                 .sums = a->sums};
    for (unsigned cell = 0; cell < DETOUR_CELLS; cell++)
        out->mhz[cell] = s->mhz[cell].n ? s->mhz[cell].mean : NAN;
    return 0;
}

static void teardown(struct party_context *context)
{
    struct sampler *s = context->state;

    machine_watch_close(s->watch);
    cgroup_quota_close(&s->quota);
}

/* % of the observed time, with detours below DETOUR_EVENT_NS at probe levels below `levels`. */
static double lost_pct(const struct noise_record *r, unsigned levels)
{
    double ns = 0;

    for (unsigned c = 0; c < DETOUR_CAUSES; c++)
        ns += r->sums.lost[c].ns;
    for (unsigned level = 0; level < levels && level < DETOUR_LEVELS; level++)
        ns += r->sums.brief[level].ns;
    return 100 * ns / r->observed;
}

double noise_lost_pct(const struct noise_record *record)
{
    return lost_pct(record, DETOUR_LEVELS);
}

/* At each part's start in us; NAN is left out. */
static void enter_cells(struct results *results, unsigned copy, unsigned metric, const double *values,
                        uint64_t first_us, uint64_t time_us)
{
    struct series cells = {0};

    for (unsigned cell = 0; cell < DETOUR_CELLS; cell++)
        if (!isnan(values[cell]))
            series_add(&cells, time_us * cell / DETOUR_CELLS, (uint64_t)(values[cell] + 0.5));
    if (cells.n)
        results_series_from(results, copy, metric, &cells, first_us);
}

/* As a histogram of classes of lengths: mean in ns, and number. */
static void enter_classes(struct results *results, unsigned copy, const struct noise_record *r, unsigned cause)
{
    struct series classes = {0};

    for (const struct detour_sum *sum = r->sums.by_class[cause]; sum < r->sums.by_class[cause] + DETOUR_CLASSES; sum++)
        if (sum->n > 0)
            series_add(&classes, (uint64_t)(sum->ns / sum->n + 0.5), (uint64_t)sum->n);
    results_series_from(results, copy, NOISE_METRIC_LOST_BY + cause, &classes, 0);
}

static void add(struct detour_sum *to, const struct detour_sum *sum)
{
    to->n += sum->n;
    to->ns += sum->ns;
}

/* Adds detours below DETOUR_EVENT_NS: to DETOUR_SHARED if a core probe beside them was above free_level (0: not known),
 * otherwise to DETOUR_UNEXPLAINED. */
static void add_brief(struct noise_record *r, unsigned free_level)
{
    for (unsigned level = 0; level < DETOUR_LEVELS; level++) {
        const enum detour_cause cause = free_level && level > free_level ? DETOUR_SHARED : DETOUR_UNEXPLAINED;
        const struct detour_sum *sum = &r->sums.brief[level];
        add(&r->sums.lost[cause], sum);
        add(&r->sums.by_class[cause][sum->n > 0 ? detour_class((uint64_t)(sum->ns / sum->n + 0.5)) : 0], sum);
    }
}

/* Highest level at which the CPU has the core to itself; 0: not known. */
static unsigned free_level(const struct trial *trial, unsigned copy)
{
    const struct core_session *session = trial->spec.core;
    const unsigned cpu = trial_last_cpu(trial, copy);

    return session && cpu != CPUSET_NONE && !trial->shares_core ? core_free_level(session, cpu, NULL, 0) : 0;
}

/* By level, in the parts from `first` to before `end`. levels: CORE_LEVELS counts of each part. */
static void probes_of(const double *levels, unsigned first, unsigned end, uint64_t probes[CORE_LEVELS])
{
    memset(probes, 0, CORE_LEVELS * sizeof(probes[0]));
    for (unsigned cell = first; cell < end; cell++)
        for (unsigned level = 0; level < CORE_LEVELS; level++)
            probes[level] += (uint64_t)levels[cell * CORE_LEVELS + level];
}

double noise_slower_pct(const struct trial *trial, unsigned copy, double *alone)
{
    const unsigned free = free_level(trial, copy);
    uint64_t probes[CORE_LEVELS];

    if (!free)
        return NAN;
    probes_of(trial_recorder(trial, 0, copy, NOISE_LEVELS), 0, DETOUR_CELLS, probes);
    *alone = lost_pct(trial_recorder(trial, 0, copy, NOISE_NUMBERS), free + 1);
    return 100 * (1 - (1 - *alone / 100) * core_share(probes, free));
}

static void enter_known(struct results *results, unsigned copy, unsigned metric, double value)
{
    if (!isnan(value))
        results_sample(results, copy, metric, value);
}

/* If known: frequency, share of the core, how often it was free, how much slower that and the detours made the CPU. */
static void enter_core(struct results *results, const struct trial *trial, unsigned copy, uint64_t first_us,
                       uint64_t time_us)
{
    const double *mhz = ((const struct noise_record *)trial_recorder(trial, 0, copy, NOISE_NUMBERS))->mhz;
    const double *levels = trial_recorder(trial, 0, copy, NOISE_LEVELS);
    const unsigned free = free_level(trial, copy);
    uint64_t probes[CORE_LEVELS];
    double shares[DETOUR_CELLS], alone = 0;
    struct stats_running mean_mhz = {0};

    for (unsigned cell = 0; cell < DETOUR_CELLS; cell++)
        if (!isnan(mhz[cell]))
            stats_add(&mean_mhz, mhz[cell]);
    if (mean_mhz.n)
        results_sample(results, copy, NOISE_METRIC_MHZ, mean_mhz.mean);
    enter_cells(results, copy, NOISE_METRIC_MHZ, mhz, first_us, time_us);
    if (!free)
        return;
    for (unsigned cell = 0; cell < DETOUR_CELLS; cell++) {
        probes_of(levels, cell, cell + 1, probes);
        shares[cell] = 100 * core_share(probes, free);
    }
    enter_cells(results, copy, NOISE_METRIC_SHARE, shares, first_us, time_us);
    probes_of(levels, 0, DETOUR_CELLS, probes);
    enter_known(results, copy, NOISE_METRIC_SHARE, 100 * core_share(probes, free));
    enter_known(results, copy, NOISE_METRIC_FREE, 100 * core_free(probes, free));
    enter_known(results, copy, NOISE_METRIC_SLOWER, noise_slower_pct(trial, copy, &alone));
    enter_known(results, copy, NOISE_METRIC_LOST_ALONE, alone);
}

/* periods=10ms:31us;...: period and mean detour of each series. */
static void remark_periods(struct results *results, unsigned copy, const struct noise_record *r)
{
    struct row_params remarks = {0};
    struct text periods = {0};

    for (unsigned c = 0; c < DETOUR_RATES; c++)
        if (r->sums.periodic[c].sum.n > 0)
            text_printf(&periods, "%s%gms:%.3gus", periods.length ? ";" : "", 1e3 / r->sums.periodic[c].hz,
                        r->sums.periodic[c].sum.ns / r->sums.periodic[c].sum.n * 1e-3);
    if (periods.length && !periods.failed)
        row_param_add(&remarks, PARAM_OUTCOME, "periods", "%s", periods.data);
    results_remark(results, copy, &remarks);
    text_free(&periods);
}

/* Time lost to the quota, over all copies, is at most what the kernel counted for the control group: while several
 * CPUs stand still, a copy cannot tell its own. The rest had another task. */
static void limit_quota(const struct trial *trial, unsigned copy, struct noise_record *r)
{
    double all = 0;

    if (!(r->sums.lost[DETOUR_QUOTA].ns > 0))
        return;
    const int64_t throttled_ns = trial_machine(trial, copy)->throttled_ns;
    for (unsigned i = 0; i < trial->spec.copies; i++)
        all += ((const struct noise_record *)trial_recorder(trial, 0, i, NOISE_NUMBERS))->sums.lost[DETOUR_QUOTA].ns;
    if (throttled_ns < 0 || all <= (double)throttled_ns)
        return;
    const double rest = r->sums.lost[DETOUR_QUOTA].ns * (1 - (double)throttled_ns / all);
    r->sums.lost[DETOUR_QUOTA].ns -= rest;
    r->sums.lost[DETOUR_PREEMPTED].ns += rest;
}

static void reduce_copy(const struct trial *trial, unsigned copy, struct results *results)
{
    const struct trial_spec *spec = &trial->spec;
    const struct noise_record *const recorded = trial_recorder(trial, 0, copy, NOISE_NUMBERS);
    struct noise_record r = *recorded;
    const struct hist *hist = trial_recorder(trial, 0, copy, NOISE_HIST);
    const struct series *series = trial_recorder(trial, 0, copy, NOISE_SERIES);
    add_brief(&r, free_level(trial, copy));
    limit_quota(trial, copy, &r);
    remark_periods(results, copy, &r);
    const double observed_ns = r.observed;
    uint64_t time_us = spec->time_ns / 1000, first_us = spec->sample * time_us;

    enter_cells(results, copy, NOISE_METRIC_LOST, r.sums.cell, first_us, time_us);
    enter_core(results, trial, copy, first_us, time_us);
    results_samples(results, copy, NOISE_METRIC_LOST, noise_lost_pct(recorded), (double)hist->n / observed_ns * 1e9,
                    hist_mean(hist), r.loop, r.threshold, 100 * r.blind / (observed_ns + r.blind));
    results_hist(results, copy, NOISE_METRIC_DETOUR, hist);
    results_series_from(results, copy, NOISE_METRIC_DETOUR, series, first_us);
    for (unsigned c = 0; c < DETOUR_CAUSES; c++) {
        if (c == DETOUR_QUOTA && !(r.limited > 0))
            continue;
        results_sample(results, copy, NOISE_METRIC_LOST_BY + c, 100 * r.sums.lost[c].ns / observed_ns);
        enter_classes(results, copy, &r, c);
        results_cause(results, copy, detour_cause_names[c], r.sums.lost[c].ns * 1e-6);
    }
    for (unsigned i = 0; i < NOISE_COUNTS; i++)
        results_sample(results, copy, NOISE_METRIC_COUNTS + i, r.counts[i] / observed_ns * 1e9);
}

static void reduce(const struct trial *trial, struct results *results)
{
    for (unsigned copy = 0; copy < trial->spec.copies; copy++)
        reduce_copy(trial, copy, results);
}

/* Recording would be time lost: bench/who.c has a window of its own. */
static enum bench_who who(const void *params)
{
    (void)params;
    return WHO_NEVER;
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    const struct noise_params *params = of->params;

    row_param_add(out, PARAM_WORK, "threshold", "%s", params->threshold);
    row_param_add(out, PARAM_CPU, "clock", "%s",
                  of->clock->kind == CLOCK_KIND_COUNTER ? COUNTER_NOW_NAME : of->clock->name);
    if (params->buckets != NOISE_BUCKETS)
        row_param_count(out, PARAM_OUTCOME, "buckets", params->buckets);
    if (params->zero_omit)
        row_param_add(out, PARAM_OUTCOME, "zero_omit", "1");
}

static const struct option options[] = {
    {OPTION("threshold", 0, struct noise_params, threshold,
            "a longer gap is a detour: a time, or a multiple of the loop's shortest gap"),
     OPTION_WORD("TIME|Nx"), .preset = {"8x"}},
    {OPTION("stop-at", 0, struct noise_params, stop_ns,
            "do not measure: run until a detour is longer than this, print what ran on that CPU in its last 20 ms, and "
            "exit with status 4; in microseconds if it has no unit"),
     OPTION_NUMBER(DURATION_US, "TIME", 1e3, 60e9)},
    {OPTION("keep", 0, struct noise_params, keep, "write what --stop-at prints to this file, as CSV"),
     OPTION_WORD("FILE")},
    {OPTION("bucket-size", 'b', struct noise_params, buckets,
            "buckets of 1 us that `jitbench export -f oslat` prints of these rows"),
     OPTION_NUMBER(COUNT, "N", 4, 1024), .preset = {"32"}},
    {OPTION("zero-omit", 'z', struct noise_params, zero_omit, "there, leave out buckets that are empty on all CPUs")},
};

#define LOWER(id_, unit_, title_) \
    { \
        METRIC(id_, unit_, "lower", title_) \
    }

/* Time lost to a cause. */
#define LOST(cause_, name_, title_) [NOISE_METRIC_LOST_BY + (cause_)] = LOWER("lost_" name_, "%", title_)

static const struct metric metrics[NOISE_N_METRICS] = {
    [NOISE_METRIC_LOST] = {METRIC("lost", "%", "lower", "share of the time that detours took"), .headline = true},
    [NOISE_METRIC_DETOURS] = LOWER("detours", "1/s", "detours a second"),
    [NOISE_METRIC_DETOUR] = METRIC_MEDIAN("detour", "ns", "lower", "length of a detour"),
    [NOISE_METRIC_LOOP] = LOWER("loop", "ns", "most frequent time of one turn of the loop"),
    [NOISE_METRIC_THRESHOLD] = {METRIC("threshold", "ns", "", "threshold: a longer gap was counted as a detour")},
    [NOISE_METRIC_BLIND] = LOWER("blind", "%", "share of the time in which the sampler could not see detours"),
    [NOISE_METRIC_LOST_BY + DETOUR_QUOTA] =
        METRIC_OPTIONAL("lost_quota", "%", "lower", "time lost to the control group's quota of CPU time"),
    LOST(DETOUR_PREEMPTED, "preempted", "time lost while another task ran"),
    LOST(DETOUR_FAULT, "fault", "time lost to page faults"),
    LOST(DETOUR_MIGRATED, "migrated", "time lost to moves to another CPU"),
    LOST(DETOUR_INTERRUPT, "interrupt", "time lost to the timer's interrupts"),
    LOST(DETOUR_STEAL, "steal", "time lost to the hypervisor, as it reports (steal)"),
    LOST(DETOUR_PERIODIC, "periodic", "time lost to what comes back with another period"),
    LOST(DETOUR_SHARED, "core_shared", "time lost in gaps below 1 us while somebody else used the core"),
    LOST(DETOUR_UNEXPLAINED, "unexplained", "time lost without any event that the kernel counts"),
    [NOISE_METRIC_COUNTS] = LOWER("count_timer", "1/s", "timer interrupts of the CPU"),
    [NOISE_METRIC_COUNTS + 1] = LOWER("count_resched", "1/s", "rescheduling interrupts from other CPUs"),
    [NOISE_METRIC_COUNTS + 2] = LOWER("count_ipi", "1/s", "other interrupts from other CPUs"),
    [NOISE_METRIC_COUNTS + 3] = LOWER("count_device", "1/s", "interrupts of devices"),
    [NOISE_METRIC_COUNTS + 4] = LOWER("count_softirq", "1/s", "soft interrupts"),
    [NOISE_METRIC_SLOWER] =
        METRIC_OPTIONAL("slower", "%", "lower", "speed lost to detours and to other users of the core"),
    [NOISE_METRIC_SHARE] = METRIC_OPTIONAL("core_share", "%", "higher", "share of its core that the CPU had"),
    [NOISE_METRIC_FREE] = METRIC_OPTIONAL("core_free", "%", "higher", "share of the time in which the core was free"),
    [NOISE_METRIC_MHZ] = METRIC_OPTIONAL("core_mhz", "MHz", "higher", "frequency of the core"),
    [NOISE_METRIC_LOST_ALONE] =
        METRIC_OPTIONAL("lost_alone", "%", "lower", "share of the time that detours took, without lost_core_shared"),
};

const struct bench bench_noise = {
    BENCH_IS("noise", "noise", "Noise: where the time of a CPU goes", struct noise_params),
    BENCH_PARTY(PARTY_IS("sampler", [NOISE_HIST] = {RECORD_HIST, 0}, [NOISE_SERIES] = {RECORD_SERIES, 0},
                         [NOISE_NUMBERS] = {RECORD_NUMBERS, sizeof(struct noise_record) / sizeof(double)},
                         [NOISE_CORE] = {RECORD_CORE, 0}, [NOISE_LEVELS] = {RECORD_NUMBERS, DETOUR_CELLS *CORE_LEVELS}),
                .stop = STOP_FLAG, .state_size = sizeof(struct sampler), .setup = setup, .run = run,
                .teardown = teardown),
    BENCH_METRICS(metrics),
    BENCH_OPTIONS(options),
    .sampling = {SAMPLING(1, 1, 5000, 600), SAMPLING(1, 1, 2000, 600), SAMPLING(1, 1, 60000, 600)},
    .group_per_copy = true,
    .ends_early = true,
    .who = who,
    .describe = describe,
    .reduce = reduce,
};
