/* SPDX-License-Identifier: MIT */
/* Shared cores: records core probes with slices of work, learns which probe level means a free core, and computes the
 * value that a metric has while no other hardware thread uses the core. */
#include "engine/core.h"

#include <math.h>

#include "rows/text.h"
#include "stats/stats.h"
#include "sys/machine.h"

/* Minimum number of probes of a trial at a level for the level to count as seen: a single one may be a wrong reading of
 * the counter. */
#define SEEN_MIN 3u
/* The core counts as free up to this many probe levels above the lowest one seen: one step of the counter at each of
 * the two readings of a probe, and instruction cache misses of its first pass. */
#define FREE_MARGIN 4u
/* Additions per cycle that some core of the type must have shown for one to be known as free: of six, which the widest
 * cores do, a core that two hardware threads share equally all the time does three. */
#define WIDTH_MIN 3.1
/* Minimum additions per cycle of a free core, as a share of those of the best core of its type; FREE_MARGIN hides
 * smaller differences. */
#define WIDTH_OF_WIDEST 0.93
#define INTERRUPTED     2.4
#define BLOCKS_MAX      40u
#define BLOCKS_MIN      5u
/* Minimum number of trials for resampling whole trials instead of shorter blocks of time: the interval then includes
 * the variation between trials. */
#define TRIALS_MIN 8u
#define RESAMPLES  1000u

/* --- What the measured process does. --- */

static void add_cell(struct core_cell *into, const struct core_cell *other)
{
    into->count += other->count;
    into->cost += other->cost;
    into->n += other->n;
}

void core_record_begin(struct core_record *record, uint64_t expected_ns)
{
    record->start_ns = clock_raw_ns();
    record->block_ns = expected_ns / CORE_BLOCKS + 1;
}

void core_begin(struct core_meter *meter, uint64_t expected_ns)
{
    if (!meter->probe)
        return;
    if (!meter->record->start_ns)
        core_record_begin(meter->record, expected_ns);
    core_probe_take(meter->probe, &meter->reading);
}

void core_enter(struct core_record *record, const struct core_reading *before, const struct core_reading *after,
                double count, double cost, uint64_t start_ns)
{
    const uint64_t level = larger(before->level, after->level);

    /* A slice between two probes of a free core counts however long it took: a task that took the CPU meanwhile slows
     * the work down, and nobody else used the core. */
    record->probes[after->level]++;
    record->slices++;
    record->cycles_per_tick += (after->cycles_per_tick - record->cycles_per_tick) / (double)record->slices;
    if (level >= CORE_CELLS)
        return;
    uint64_t at = start_ns > record->start_ns ? start_ns - record->start_ns : 0;
    for (; at / record->block_ns >= CORE_BLOCKS; record->block_ns *= 2) /* joins neighbouring blocks */
        for (unsigned b = 0; b < CORE_BLOCKS; b++)
            for (unsigned i = 0; i < CORE_CELLS; i++) {
                const struct core_cell cell = record->cell[b][i];
                memset(&record->cell[b][i], 0, sizeof(cell));
                add_cell(&record->cell[b / 2][i], &cell);
            }
    add_cell(&record->cell[at / record->block_ns][level], &(struct core_cell){.count = count, .cost = cost, .n = 1});
}

void core_slice(struct core_meter *meter, double count, double cost, uint64_t start_ns)
{
    if (!meter->probe)
        return;
    const struct core_reading before = meter->reading;
    core_probe_take(meter->probe, &meter->reading);
    core_enter(meter->record, &before, &meter->reading, count, cost, start_ns);
}

/* --- What the probes have shown of each CPU. --- */

struct core_session *core_session_make(const struct clock_info *clock, const struct cpuset *online)
{
    struct core_session *session = memory_get(1, sizeof(*session));
    struct cpuset threads;

    core_probe_init(&session->probe, clock);
    for_each_cpu(cpu, online) {
        machine_core_cpus(cpu, &threads);
        session->core[cpu] = cpuset_next(&threads, 0);
        session->type[cpu] = machine_core_type(cpu);
        session->threads |= cpuset_count(&threads) > 1;
    }
    return session;
}

void core_learn(struct core_session *session, unsigned cpu, const uint32_t probes[CORE_LEVELS])
{
    if (cpu >= CPUSET_MAX)
        return;
    for (unsigned level = 1; level < CORE_LEVELS - 1; level++)
        if (probes[level] >= SEEN_MIN) {
            if (!session->lowest[cpu] || level < session->lowest[cpu])
                session->lowest[cpu] = (uint16_t)level;
            break;
        }
}

/* Returns the additions per cycle at the lowest probe level of the CPU; 0 when not known. */
static double width_of(const struct core_session *session, unsigned cpu)
{
    return session->lowest[cpu] ? core_probe_width(&session->probe, session->lowest[cpu]) : 0;
}

unsigned core_free_level(const struct core_session *session, unsigned cpu, char *why, size_t why_size)
{
    const double width = session->probe.blocks && cpu < CPUSET_MAX ? width_of(session, cpu) : 0;
    double widest = width;

    for (unsigned other = 0; width > 0 && other < CPUSET_MAX; other++)
        if (session->type[other] == session->type[cpu])
            widest = fmax(widest, width_of(session, other));
    if (widest > WIDTH_MIN && width >= WIDTH_OF_WIDEST * widest)
        return core_highest(session, cpu);
    if (!(width > 0))
        snprintf(why, why_size, "%s", session->probe.blocks ? "no core probe was taken" : session->probe.why);
    else if (widest <= WIDTH_MIN)
        snprintf(why, why_size,
                 "the core was never surely free: %.1f additions a cycle at most, as half of a wider core does",
                 widest);
    else
        snprintf(why, why_size, "the core was never seen free: %.1f additions a cycle at most, %.1f on another CPU",
                 width, widest);
    return 0;
}

unsigned core_highest(const struct core_session *session, unsigned cpu)
{
    return cpu < CPUSET_MAX ? session->lowest[cpu] + FREE_MARGIN : 0;
}

double core_share(const uint64_t probes[CORE_LEVELS], unsigned free_level)
{
    double sum = 0, n = 0;

    for (unsigned level = 1; level < CORE_LEVELS && (double)level <= INTERRUPTED * free_level; level++) {
        double share = level <= free_level ? 1 : (double)free_level / level;
        sum += share * (double)probes[level];
        n += (double)probes[level];
    }
    return n > 0 ? sum / n : NAN;
}

double core_free(const uint64_t probes[CORE_LEVELS], unsigned free_level)
{
    uint64_t n = 0, n_free = 0;

    for (unsigned level = 1; level < CORE_LEVELS - 1; level++) {
        n += probes[level];
        n_free += level <= free_level ? probes[level] : 0;
    }
    return n ? (double)n_free / (double)n : NAN;
}

/* --- The value of a metric with the core free. --- */

int core_notes_add(struct core_notes *notes, const struct core_record *record, uint32_t trial, unsigned cpu,
                   unsigned highest)
{
    notes->slices += record->slices;
    for (unsigned b = 0; b < CORE_BLOCKS; b++)
        for (unsigned level = 0; level <= highest && level < CORE_CELLS; level++) {
            if (!record->cell[b][level].n)
                continue;
            if (!GROW_ARRAY(notes->note, notes->capacity, notes->n))
                return -1;
            notes->note[notes->n++] = (struct core_note){.trial = trial,
                                                         .block = (uint16_t)b,
                                                         .level = (uint16_t)level,
                                                         .cpu = cpu,
                                                         .cell = record->cell[b][level]};
        }
    return 0;
}

void core_notes_free(struct core_notes *notes)
{
    free(notes->note);
    memset(notes, 0, sizeof(*notes));
}

static double cell_value(const struct core_cell *cell, bool cost_per_count)
{
    return cost_per_count ? cell->cost / cell->count : cell->count / cell->cost;
}

/* Computes the 95 % interval from the bootstrap's standard error over n blocks of time, with Student's t for their
 * number: percentiles of few blocks are too narrow (Efron, Tibshirani 1993, ch. 13). */
static void find_interval(const struct core_cell *blocks, size_t n, bool cost_per_count, struct core_alone *out)
{
    struct stats_running values = {0};
    uint64_t seed = n;

    if (n < BLOCKS_MIN)
        return;
    for (unsigned r = 0; r < RESAMPLES; r++) {
        struct core_cell sum = {0};
        for (size_t i = 0; i < n; i++)
            add_cell(&sum, &blocks[stats_random(&seed) % n]);
        stats_add(&values, cell_value(&sum, cost_per_count));
    }
    /* The variance of bootstrap resamples of n blocks is (n-1)/n of the variance of the mean. */
    double half = stats_student_t(0.95, (double)(n - 1)) * stats_sd(&values) * sqrt((double)n / (double)(n - 1));
    out->low = out->value - half;
    out->high = out->value + half;
}

/* Joins every `together` neighbouring blocks of time, drops empty ones, and joins pairs until at most BLOCKS_MAX are
 * left: long blocks are less correlated than short ones. Returns the number of blocks. */
static size_t gather(struct core_cell *blocks, size_t n, size_t together)
{
    size_t gathered = 0;

    for (size_t i = 0; i < n; i += together) {
        struct core_cell sum = {0};
        for (size_t k = i; k < i + together && k < n; k++)
            add_cell(&sum, &blocks[k]);
        if (sum.n)
            blocks[gathered++] = sum;
    }
    return gathered > BLOCKS_MAX ? gather(blocks, gathered, 2) : gathered;
}

int core_alone_find(const struct core_notes *notes, const struct core_session *session, bool cost_per_count,
                    uint32_t n_trials, double *samples, struct core_alone *out)
{
    size_t n_blocks = (size_t)n_trials * CORE_BLOCKS;
    FREED struct core_cell *blocks = calloc(n_blocks ? n_blocks : 1, sizeof(*blocks));
    struct core_cell all = {0};
    unsigned cpu = CPUSET_NONE, free_level = 0, trials = 0;

    *out = (struct core_alone){.value = NAN, .low = NAN, .high = NAN};
    if (!blocks)
        return -1;
    for (size_t i = 0; i < notes->n; i++) {
        const struct core_note *note = &notes->note[i];
        if (note->cpu != cpu)
            free_level = core_free_level(session, cpu = note->cpu, NULL, 0);
        if (note->trial < n_trials && note->level <= free_level)
            add_cell(&blocks[(size_t)note->trial * CORE_BLOCKS + note->block], &note->cell);
    }
    for (uint32_t t = 0; t < n_trials; t++) {
        struct core_cell trial = {0};
        for (unsigned b = 0; b < CORE_BLOCKS; b++)
            add_cell(&trial, &blocks[(size_t)t * CORE_BLOCKS + b]);
        add_cell(&all, &trial);
        trials += trial.n > 0;
        if (samples)
            samples[t] = trial.n < CORE_SLICES_A_TRIAL ? NAN : cell_value(&trial, cost_per_count);
    }
    size_t n = gather(blocks, n_blocks, trials < TRIALS_MIN ? 1 : CORE_BLOCKS);
    out->slices = all.n;
    if (all.n >= CORE_SLICES_MIN) {
        out->value = cell_value(&all, cost_per_count);
        find_interval(blocks, n, cost_per_count, out);
    }
    return 0;
}

double core_explained_pct(const double *raw, const double *alone, size_t n)
{
    struct stats_running of_raw = {0}, of_alone = {0};

    for (size_t i = 0; i < n; i++)
        if (!isnan(raw[i]) && !isnan(alone[i])) {
            stats_add(&of_raw, raw[i]);
            stats_add(&of_alone, alone[i]);
        }
    if (of_raw.n < 5 || !(of_raw.m2 > 0))
        return NAN;
    /* Compares variances relative to the squared means, since the two means differ. */
    double ratio = (of_alone.m2 / (of_alone.mean * of_alone.mean)) / (of_raw.m2 / (of_raw.mean * of_raw.mean));
    return ratio < 1 ? 100 * (1 - ratio) : 0;
}

/* --- Whether others use the cores, before anything is measured. --- */

#define LOOK_EACH_NS 500000u
#define CPUS_MAX     16u

/* Takes core probes for ns nanoseconds on the CPU that the caller is bound to. Adds to probes[] how often each probe
 * level was seen; *us is the shortest time of a probe so far. */
static void look_at(struct core_session *session, unsigned cpu, uint64_t ns, uint64_t probes[CORE_LEVELS], double *us)
{
    uint32_t seen[CORE_LEVELS] = {0};
    struct core_reading reading = {0};
    uint64_t until = clock_raw_ns() + ns;

    do {
        clock_sleep_ns(LOOK_EACH_NS);
        core_probe_take(&session->probe, &reading); /* its level is ignored: this probe warms up the caches */
        uint64_t start = clock_raw_ns();
        core_probe_take(&session->probe, &reading);
        seen[reading.level]++;
        double took = (double)(clock_raw_ns() - start) * 1e-3;
        *us = took > *us ? *us : took; /* the shortest time so far; *us is NAN at first */
    } while (clock_raw_ns() < until);
    core_learn(session, cpu, seen);
    for (unsigned level = 0; level < CORE_LEVELS; level++)
        probes[level] += seen[level];
}

void core_look(struct core_session *session, const struct cpuset *cpus, uint64_t ns, struct core_sight *out)
{
    uint64_t probes[CPUS_MAX][CORE_LEVELS] = {{0}};
    struct stats_running frees = {0};
    unsigned list[CPUS_MAX], n = 0;
    struct cpuset before;

    *out = (struct core_sight){.free = NAN, .us = NAN};
    if (!session->probe.blocks) {
        TEXT_SET(out->why, session->probe.why);
        return;
    }
    for (unsigned cpu = cpuset_next(cpus, 0); cpu != CPUSET_NONE && n < CPUS_MAX; cpu = cpuset_next(cpus, cpu + 1))
        list[n++] = cpu;
    const bool have = task_get_affinity(&before) == 0;
    for (unsigned i = 0; have && i < n; i++) {
        struct cpuset one = {0};
        cpuset_add(&one, list[i]);
        if (task_set_affinity(&one) == 0)
            look_at(session, list[i], ns / n, probes[i], &out->us);
    }
    if (have)
        task_set_affinity(&before);
    /* Each CPU has a free level of its own: cores of different types add at different rates. */
    for (unsigned i = 0; i < n; i++) {
        unsigned level = core_free_level(session, list[i], out->why, sizeof(out->why));
        for_each_cpu(other, cpus) /* where its core was never seen free: that of another one of the same type */
            if (!level && session->type[other] == session->type[list[i]])
                level = core_free_level(session, other, NULL, 0);
        if (level && !isnan(core_free(probes[i], level)))
            stats_add(&frees, core_free(probes[i], level));
    }
    if (!frees.n)
        return;
    out->why[0] = 0;
    out->free = frees.mean;
}
