/* SPDX-License-Identifier: MIT */
#include "engine/trial.h"

/* In a shorter sample, one time slice of another task is more than half. */
#define WAITED_LEAST_MS 100

/* Further samples for which the precision has to hold: HOLD_ON, and 1/HOLD_ON_SHARE of those before. */
#define HOLD_ON       10u
#define HOLD_ON_SHARE 4u
/* Shorter runs are not checked for their load: one unit of its work may take long. */
#define LOOK_AT_LOADS_S 0.5

const struct metric *bench_metric(const struct bench *bench, unsigned number)
{
    return number < bench->n_shared_metrics ? &bench->metrics[number]
                                            : &bench->own_metrics[number - bench->n_shared_metrics];
}

int results_init(struct results *results, const struct plan_item *item, const struct plan_run *how)
{
    *results = (struct results){
        .item = item, .how = how, .n_groups = item->bench->group_per_copy ? item->copies : 1, .value = NAN};
    results->group = calloc(results->n_groups, sizeof(*results->group));
    if (!results->group)
        return -1;
    for (unsigned g = 0; g < results->n_groups; g++) {
        results->group[g].metric = calloc(item->bench->n_metrics, sizeof(struct metric_values));
        if (!results->group[g].metric)
            return -1; /* results_free() frees everything */
        results->group[g].core_cpu = CPUSET_NONE;
    }
    return 0;
}

void results_free(struct results *results)
{
    for (unsigned g = 0; results->group && g < results->n_groups; g++) {
        struct metric_values *metric = results->group[g].metric;
        for (unsigned m = 0; metric && m < results->item->bench->n_metrics; m++) {
            free(metric[m].samples);
            free(metric[m].hist);
            free(metric[m].series);
            core_notes_free(&metric[m].core);
        }
        free(metric);
        shares_free(&results->group[g].interference.taken);
    }
    free(results->group);
    results->group = NULL;
}

void results_fail(struct results *results)
{
    results->failed = true;
}

void results_sample(struct results *results, unsigned group, unsigned metric, double value)
{
    struct metric_values *m = &results->group[group].metric[metric];

    if (GROW_ARRAY(m->samples, m->capacity, m->n))
        m->samples[m->n++] = value;
    else
        results->failed = true;
}

void results_hist(struct results *results, unsigned group, unsigned metric, const struct hist *hist)
{
    struct metric_values *m = &results->group[group].metric[metric];

    /* calloc: only pages of used bins become resident */
    if (!m->hist && (m->hist = calloc(1, sizeof(*m->hist)))) {
        m->hist->base = hist->base;
        m->hist->width = hist->width;
        m->hist->min = UINT64_MAX;
    }
    if (m->hist)
        hist_merge(m->hist, hist);
    results->failed |= !m->hist;
}

void results_series_from(struct results *results, unsigned group, unsigned metric, const struct series *series,
                         uint64_t first)
{
    struct metric_values *m = &results->group[group].metric[metric];

    if (m->series || (m->series = calloc(1, sizeof(*m->series))))
        series_append(m->series, series, first);
    results->failed |= !m->series;
}

void results_series(struct results *results, unsigned group, unsigned metric, const struct series *series)
{
    const struct series *before = results->group[group].metric[metric].series;

    results_series_from(results, group, metric, series, before ? before->n : 0);
}

void results_cause(struct results *results, unsigned group, const char *name, double ms)
{
    results->failed |= causes_add_measured(&results->group[group].causes, name, ms) != 0;
}

void results_scaled(struct results *results, unsigned metric, unsigned of, double scale)
{
    for (unsigned g = 0; g < results->n_groups; g++) {
        struct metric_values *m = results->group[g].metric;
        m[metric].of = &m[of];
        m[metric].scale = scale;
    }
}

void results_pages(struct results *results, unsigned group, double huge_bytes, double possible_bytes)
{
    results->group[group].pages_known = true;
    results->group[group].pages_huge += huge_bytes;
    results->group[group].pages_possible += possible_bytes;
}

void results_remark(struct results *results, unsigned group, const struct row_params *remarks)
{
    results->group[group].remarks = *remarks;
}

unsigned results_group(struct results *results, const struct cpuset *cpus)
{
    const unsigned n = results->n_groups;
    struct metric_values *metric = calloc(results->item->bench->n_metrics, sizeof(*metric));
    struct group_values *group = metric ? realloc(results->group, (n + (size_t)1) * sizeof(*results->group)) : NULL;

    if (!group) {
        free(metric);
        results->failed = true;
        return 0;
    }
    group[n] = group[0];
    group[n].metric = metric;
    group[n].cpus = *cpus;
    results->group = group;
    return results->n_groups++;
}

double results_clock_hz(const struct results *results)
{
    struct clock_pair now;

    clock_pair_read(results->how->clock->kind, &now);
    return clock_hz(results->how->clock->kind, results->how->clock_start, &now);
}

struct trial_times trial_times(const struct trial *trial)
{
    struct trial_times t = {.first_start = UINT64_MAX, .first_end = UINT64_MAX};

    for (unsigned copy = 0; copy < trial->spec.copies; copy++) {
        const struct trial_slot *party = trial_party(trial, 0, copy);
        t.first_start = smaller(party->start_ns, t.first_start);
        t.last_start = larger(party->start_ns, t.last_start);
        t.first_end = smaller(party->end_ns, t.first_end);
        t.last_end = larger(party->end_ns, t.last_end);
    }
    return t;
}

unsigned trial_last_cpu(const struct trial *trial, unsigned copy)
{
    return trial_party(trial, 0, copy)->last_cpu;
}

static void add_refused(struct group_values *g, const char *who, const char *refused)
{
    if (refused[0] && !g->refused[0])
        TEXT_PRINT(g->refused, "%s%s%s", who, who[0] ? ": " : "", refused);
}

void results_degraded(struct results *results, unsigned group, const char *reason)
{
    add_refused(&results->group[group], "", reason);
}

static void enter_party(struct group_values *g, const struct trial_slot *p, bool first)
{
    g->mixed |= !first && (g->seen.policy != p->seen.policy || g->seen.rt_priority != p->seen.rt_priority);
    g->seen = p->seen;
    g->bind = p->placement.bind;
    cpuset_union(&g->cpus, &p->seen.cpus);
    add_refused(g, "", p->refused);
    causes_add(&g->causes, &p->counters, NULL);
    counted_add(&g->counted, &p->counts, &p->counters);
    if (p->khz) {
        g->khz_sum += (double)p->khz;
        g->khz_n++;
    }
}

/* A party not measured, as "timer=fifo:96" or "load=other:5@0-1": policy; priority or nice value unless 0; CPUs
 * unless those of the measured party. */
static void enter_other(struct results *results, const char *name, const struct trial_slot *p)
{
    struct group_values *g = &results->group[0];
    const int rank = p->seen.rt_priority ? p->seen.rt_priority : p->seen.nice;
    char cpus[64] = "", number[16] = "";

    if (!cpuset_equal(&p->seen.cpus, &g->cpus))
        cpuset_format_cut(&p->seen.cpus, cpus, sizeof(cpus));
    if (rank)
        TEXT_PRINT(number, ":%d", rank);
    row_param_add(&results->others, PARAM_PLACEMENT, name, "%s%s%s%s", task_policy_name(p->seen.policy), number,
                  cpus[0] ? "@" : "", cpus);
    add_refused(g, name, p->refused);
}

/* Of what the load claims, or was to do. */
static void check_disk(struct group_values *g, double claim, double count, double share, const char *what)
{
    if (count < claim * share) /* not for NAN */
        add_refused(g, "load",
                    TEXT_LINE("of %.0f MiB %s only %.0f MiB went to or came from the disk", claim / 0x1p20, what,
                              count / 0x1p20));
}

static void enter_load(struct results *results, const struct load *load, const struct trial *trial)
{
    struct group_values *g = &results->group[0];
    const double seconds = trial->load_s, *did = trial->load_count;

    if (trial->spec.load_cpu.weight)
        row_param_add(&results->others, PARAM_PLACEMENT, "load_weight", "%" PRIu64, trial->load_cpu.weight);
    if (trial->spec.load_cpu.limit > 0)
        row_param_add(&results->others, PARAM_PLACEMENT, "load_limit", "%g%%", 100 * trial->load_cpu.limit);
    for (unsigned p = 0; p < load->n_parties; p++) {
        const struct trial_slot *left = trial_party(trial, p, trial->spec.copies);
        if (p == 0)
            enter_other(results, "load", left);
        else
            add_refused(g, load->parties[p].kind == PARTY_PROCESS ? "load" : "the load's thread", left->refused);
    }
    for (unsigned c = 0; c < LOAD_COUNTS; c++) {
        g->load_count[c] += did[c];
        if (load->least[c] > 0 && seconds >= LOOK_AT_LOADS_S && did[c] < load->least[c] * seconds)
            add_refused(g, "",
                        TEXT_LINE("the load %s did next to nothing: %s is %.3g in %.1f s", load->name,
                                  load_count_names[c], did[c], seconds));
    }
    check_disk(g, did[LOAD_WRITTEN], did[LOAD_DISK_WRITTEN], 0.5, "written");
    check_disk(g, did[LOAD_READ], did[LOAD_DISK_READ], 0.5, "read");
    check_disk(g, did[LOAD_PACED], did[LOAD_WRITTEN] + did[LOAD_READ], 0.9, "by its rate");
}

/* Timing threads of the first copy, the parent, and the load, whose work is added up and checked. */
static void enter_others(struct results *results, const struct trial *trial)
{
    const struct bench *bench = results->item->bench;
    struct group_values *g = &results->group[0];

    results->others = (struct row_params){0};
    for (unsigned p = 0; p < bench->n_parties; p++)
        if (bench->parties[p].role == ROLE_TIMER)
            enter_other(results, bench->parties[p].name, trial_party(trial, p, 0));
    g->control = trial->control;
    add_refused(g, "", trial->control_refused);
    if (results->item->load && results->item->load->n_parties)
        enter_load(results, results->item->load, trial);
}

/* Core probes of one copy: into what is known of the CPU; its slices into the metrics with the core free. */
static void enter_core(struct results *results, const struct trial *trial, unsigned copy)
{
    const struct bench *bench = results->item->bench;
    struct core_session *session = results->how->core;
    struct group_values *g = &results->group[bench->group_per_copy ? copy : 0];
    const unsigned cpu = trial_party(trial, 0, copy)->last_cpu;

    for (unsigned r = 0; session && r < bench->parties[0].n_recorders; r++) {
        if (bench->parties[0].recorders[r].kind != RECORD_CORE)
            continue;
        const struct core_record *record = trial_recorder(trial, 0, copy, r);
        if (!record->slices)
            continue;
        core_learn(session, cpu, record->probes);
        for (unsigned level = 0; level < CORE_LEVELS; level++)
            g->core_probes[level] += record->probes[level];
        stats_add(&g->core_hz, record->cycles_per_tick * results_clock_hz(results));
        g->core_cpu = cpu;
        g->core_own |= trial->shares_core;
        for (unsigned m = 0; m < bench->n_metrics; m++)
            if (bench_metric(bench, m)->alone && bench_metric(bench, m)->recorder == r)
                results->failed |= core_notes_add(&g->metric[m].core, record, (uint32_t)results->n_trials, cpu,
                                                  core_highest(session, cpu)) != 0;
    }
}

/* The series tells how far its events are independent. */
static void enter_quantile(struct results *results, unsigned group, unsigned number)
{
    const struct metric *about = bench_metric(results->item->bench, number);
    const struct metric_values *of = &results->group[group].metric[about->of];
    struct metric_values *m = &results->group[group].metric[number];
    const double beyond = 1 - about->quantile;
    const bool known = of->hist && (double)of->hist->n * beyond + 1e-6 >= about->above;
    const double value = known ? hist_quantile(of->hist, about->quantile) : NAN;

    m->low = m->high = NAN;
    if (known)
        hist_quantile_interval(of->hist, about->quantile, series_clustering(of->series, value, beyond), &m->low,
                               &m->high);
    m->n = 0;
    if (known || !about->optional)
        results_sample(results, group, number, value);
}

int results_enter(struct results *results, const struct trial *trial)
{
    const struct bench *bench = results->item->bench;

    for (unsigned g = 0; g < results->n_groups; g++) {
        struct group_values *into = &results->group[g];
        causes_add(&into->causes, NULL, trial_machine(trial, g));
        interference_merge(&into->interference, &trial->interference[trial->n_machine == 1 ? 0 : g]);
        into->wall_s += (double)trial->wall_ns * 1e-9;
    }
    for (unsigned copy = 0; copy < results->item->copies; copy++)
        for (unsigned party = 0; party < bench->n_parties; party++) {
            if (bench->parties[party].role != ROLE_MEASURED)
                continue;
            enter_party(&results->group[bench->group_per_copy ? copy : 0], trial_party(trial, party, copy),
                        results->n_trials == 0 && (bench->group_per_copy || copy == 0));
            if (party == 0)
                enter_core(results, trial, copy);
        }
    enter_others(results, trial);
    results->n_trials++;
    bench->reduce(trial, results);
    for (unsigned i = 0; i < results->n_groups * bench->n_metrics; i++)
        if (bench_metric(bench, i % bench->n_metrics)->quantile > 0)
            enter_quantile(results, i / bench->n_metrics, i % bench->n_metrics);
    return results->failed ? -1 : 0;
}

/* For how long the party was ready to run, but had no CPU. The kernel's sum has the wait for the start as well. */
static int64_t waited_ns(const struct trial_slot *p)
{
    const int64_t off_ns = (int64_t)(p->end_ns - p->start_ns) - p->counters.cpu_ns;

    return p->counters.run_delay_ns < off_ns ? p->counters.run_delay_ns : off_ns;
}

bool results_take_again(struct results *results, const struct trial *trial)
{
    const struct bench *bench = results->item->bench;
    const unsigned parties = results->item->copies * bench->n_parties;
    const bool again = !results->retaken && !results->waits;
    static const struct trial_slot none;
    const struct trial_slot *worst = &none;
    struct cpuset cpus = {0};
    unsigned group = 0;

    results->retaken = false;
    for (unsigned i = 0; i < parties; i++) {
        const unsigned party = i % bench->n_parties, copy = i / bench->n_parties;
        const struct trial_slot *left = trial_party(trial, party, copy);
        cpuset_union(&cpus, &left->seen.cpus);
        if (bench->parties[party].role != ROLE_MEASURED || waited_ns(left) <= waited_ns(worst))
            continue;
        worst = left;
        group = bench->group_per_copy ? copy : 0;
    }
    const double waited = (double)waited_ns(worst) * 1e-6, took = (double)(worst->end_ns - worst->start_ns) * 1e-6;
    if (bench->switches || bench->ends_early || bench->parties[0].counts || results->item->load ||
        parties > cpuset_count(&cpus) || took < WAITED_LEAST_MS || waited <= took / 2)
        return false;
    if (again) {
        results->retaken = true;
        return true;
    }
    results->waits = true;
    results_degraded(results, group, "a sample waited for a CPU for more than half of its time");
    return false;
}

/* Copies known samples (not NAN), in order, into room for all. Returns how many. */
static size_t known_samples(const struct metric_values *m, double *values)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n; i++)
        if (!isnan(m->samples[i]))
            values[n++] = m->samples[i];
    return n;
}

/* Returns the first percentile, which alone decides on the precision; NULL: the means of the headline metrics do. */
static const struct metric_values *percentile_of(const struct results *results)
{
    const struct bench *bench = results->item->bench;

    for (unsigned m = 0; m < bench->n_metrics; m++)
        if (bench_metric(bench, m)->quantile > 0)
            return &results->group[0].metric[m];
    return NULL;
}

double results_precision_pct(const struct results *results)
{
    const struct bench *bench = results->item->bench;
    const struct metric_values *percentile = percentile_of(results);
    double worst = NAN;

    if (percentile)
        return percentile->n ? 100 * (percentile->high - percentile->low) / 2 / percentile->samples[0] : NAN;
    for (unsigned g = 0; g < results->n_groups; g++)
        for (unsigned m = 0; m < bench->n_metrics; m++) {
            const struct metric_values *values = &results->group[g].metric[m];
            double low, high;
            if (!bench_metric(bench, m)->headline)
                continue;
            stats_mean_interval(values->samples, values->n, 0.95, &low, &high);
            double pct = 100 * (high - low) / 2 / fabs(stats_mean(values->samples, values->n));
            if (isnan(pct))
                return NAN;
            if (!(worst >= pct))
                worst = pct;
        }
    return worst;
}

bool results_sampled_enough(struct results *results)
{
    const struct sampling *s = &results->item->sampling;
    uint64_t n = results->n_trials, least = s->min_samples ? s->min_samples : 1;

    if (s->max_samples != least) {
        bool precise = results_precision_pct(results) <= s->precision_pct;
        results->precise_from = !precise ? 0 : results->precise_from ? results->precise_from : n;
    }
    if (n < least)
        return false;
    if (s->max_samples && n >= s->max_samples)
        return true;
    /* Another average trial would exceed the time limit. */
    if (results->spent_ns + results->spent_ns / n > s->max_ns)
        return true;
    const uint64_t from = results->precise_from;
    return from && n >= from + (percentile_of(results) ? 0 : HOLD_ON) + from / HOLD_ON_SHARE;
}

static void fill_counters(const struct results *results, const struct group_values *g, struct row *row)
{
    const struct task_counters *task = &g->causes.task;
    const struct machine_counters *machine = &g->causes.machine;

    row->wall_s = g->wall_s;
    row->cpu_s = counter_number(task->cpu_ns, 1e-9);
    row->ctx_voluntary = counter_number(task->ctx_voluntary, 1);
    row->ctx_involuntary = counter_number(task->ctx_involuntary, 1);
    row->migrations = counter_number(task->migrations, 1);
    row->faults_minor = counter_number(task->faults_minor, 1);
    row->faults_major = counter_number(task->faults_major, 1);
    row->run_delay_ms = counter_number(task->run_delay_ns, 1e-6);
    row->irqs = counter_number(machine->irqs, 1);
    row->softirqs = counter_number(machine->softirqs, 1);
    row->steal_ms = counter_number(machine->steal_ns, 1e-6);
    row->freq_khz = g->khz_n ? g->khz_sum / (double)g->khz_n : NAN;
    row->temp_begin_c = results->celsius[0];
    row->temp_end_c = results->celsius[1];
    causes_fill(&g->causes, results->n_stopped, &row->causes);
    counted_text(&g->counted, row->counters, sizeof(row->counters));
    interference_text(&g->interference, row->culprits, sizeof(row->culprits));
    TEXT_SET(row->timer_latency_held, results->how->timer_latency_held ? "yes" : "no");
}

/* The trials differed from the request. */
static void note_degraded(const struct results *results, const struct group_values *g, struct row *row)
{
    const struct plan_run *how = results->how;

    if (row->status >= ROW_DEGRADED)
        return;
    if (g->refused[0])
        TEXT_SET(row->reason, g->refused);
    else if (how->degraded && how->degraded[0])
        TEXT_SET(row->reason, how->degraded);
    else if (how->place->layout_fixed && !g->seen.layout_fixed)
        TEXT_SET(row->reason, "fixed memory layout refused (personality)");
    else if (results->n_stopped > RESULTS_STOPPED_MAX)
        TEXT_PRINT(row->reason, "stopped by signals repeatedly: %" PRIu64 " samples, of which %u were repeated",
                   results->n_stopped, RESULTS_STOPPED_MAX);
    else
        return;
    row->status = ROW_DEGRADED;
}

/* All but the interval. above: least events above a percentile. */
static void hist_summary(const struct hist *h, uint64_t above, struct stats_summary *s)
{
    s->n = h->n;
    s->mean = hist_mean(h);
    s->sd = hist_sd(h);
    s->rsd_pct = 100 * s->sd / fabs(s->mean);
    s->min = h->n ? (double)h->min : NAN;
    s->max = h->n ? (double)h->max : NAN;
    s->median = hist_quantile(h, 0.5);
    s->mad = hist_mad(h);
    s->p90 = h->n >= 10 * above ? hist_quantile(h, 0.9) : NAN;
    s->p99 = h->n >= 100 * above ? hist_quantile(h, 0.99) : NAN;
    s->p999 = h->n >= 1000 * above ? hist_quantile(h, 0.999) : NAN;
}

/* The original UNIX index: the geometric mean of n samples without the n/3 worst (rounded down). -1: out of memory. */
static int classic_score(const struct metric_values *m, double *score)
{
    FREED double *sorted = malloc((m->n + 1) * sizeof(*sorted));
    double sum = 0;

    if (!sorted)
        return -1;
    size_t n = known_samples(m, sorted);
    stats_sort(sorted, n);
    for (size_t i = n; i-- > n / 3;)
        sum += log(sorted[i]);
    *score = n ? exp(sum / (double)(n - n / 3)) : NAN;
    return 0;
}

/* With a histogram, all describes its events but the interval, that of the mean over trials: events of one trial are
 * not independent. */
static int fill_values(const struct metric_values *m, const struct metric *metric, double scale, struct row *row)
{
    row->samples = malloc((m->n + 1) * sizeof(*row->samples));
    if (!row->samples || stats_summarise(row->samples, known_samples(m, row->samples), &row->stats))
        return -1;
    struct stats_summary *s = &row->stats;
    if (m->hist)
        hist_summary(m->hist, larger(metric->above, 1), s);
    if (metric->quantile > 0) {
        s->ci95_lo = m->low;
        s->ci95_hi = m->high;
    }
    double *const fields[] = {&s->mean, &s->sd,  &s->ci95_lo, &s->ci95_hi, &s->min, &s->median,
                              &s->mad,  &s->p90, &s->p99,     &s->p999,    &s->max};
    for (size_t i = 0; i < COUNT(fields); i++)
        *fields[i] *= scale;
    const double values[] = {
        [VALUE_MEAN] = s->mean, [VALUE_MEDIAN] = s->median, [VALUE_MIN] = s->min, [VALUE_MAX] = s->max};
    row->value = values[metric->value];
    for (; row->n_samples < m->n; row->n_samples++)
        row->samples[row->n_samples] = m->samples[row->n_samples] * scale;
    return 0;
}

static int fill_hist(const struct hist *h, struct row *row)
{
    struct hist_bin bin;

    for (size_t position = 0, capacity = 0; hist_next(h, &position, &bin);) {
        if (!GROW_ARRAY(row->hist, capacity, row->n_hist))
            return -1;
        row->hist[row->n_hist++] = (struct stats_point){(double)bin.low, (double)bin.count};
    }
    return 0;
}

static int fill_series(const struct series *s, struct row *row)
{
    FREED struct series_point *points = malloc((SERIES_FIRST + SERIES_LARGEST) * sizeof(*points));

    if (!points)
        return -1;
    const size_t n = series_points(s, points);
    row->series = malloc((n ? n : 1) * sizeof(*row->series));
    if (!row->series)
        return -1;
    for (size_t i = 0; i < n; i++)
        row->series[i] = (struct stats_point){(double)points[i].at, (double)points[i].value};
    row->n_series = n;
    row->series_left_out = s->n - n;
    return 0;
}

/* Unstable: the standard deviation is more than limit_pct of the mean (0: no limit). A worse status is kept. */
static void judge_spread(const struct metric_values *m, double limit_pct, struct row *row)
{
    const struct stats_running samples = stats_running_of(m->samples, m->n);
    const double rsd = 100 * stats_sd(&samples) / fabs(samples.mean);

    if (row->status == ROW_OK && limit_pct > 0 && rsd > limit_pct) {
        row->status = ROW_UNSTABLE;
        TEXT_PRINT(row->reason, "the samples spread by more than %g %% (RSD)", limit_pct);
    }
}

/* The load's parameters, other parties' placement, and the load's work. */
static void add_load(const struct results *results, struct row_params *out)
{
    const struct group_values *g = &results->group[0];
    const struct plan_item *item = results->item;

    if (item->load && item->load->describe)
        item->load->describe(item->load_params, out);
    row_params_append(out, &results->others);
    if (g->control)
        row_param_add(out, PARAM_PLACEMENT, "control", "fifo:%d", g->control);
    for (unsigned c = 0; c < LOAD_COUNTS; c++)
        if (g->load_count[c] > 0)
            row_param_add(out, PARAM_OUTCOME, load_count_names[c], "%.*f",
                          c == LOAD_CPU       ? 2
                          : c == LOAD_PRINTED ? 6
                                              : 0,
                          g->load_count[c]);
    if (g->load_count[LOAD_PACED] > 0)
        row_param_add(out, PARAM_OUTCOME, "load_rate", "%.0f",
                      (g->load_count[LOAD_WRITTEN] + g->load_count[LOAD_READ]) / g->load_count[LOAD_PACED] *
                          row_param_number(out, "disk_rate"));
}

/* Smaller and larger shares of memory in huge pages are none and all. */
#define PAGES_NONE 0.005
#define PAGES_ALL  0.995

static void identify(const struct results *results, unsigned group, const struct metric *metric, struct row *row)
{
    const struct plan_item *item = results->item;
    const struct bench *bench = item->bench;
    const struct place_request *place = results->how->place;
    const struct group_values *g = &results->group[group];

    TEXT_SET(row->suite, bench->suite);
    TEXT_SET(row->test, item->test ? item->test : bench->name);
    TEXT_SET(row->load, item->load ? item->load->name : "");
    if (bench->describe)
        bench->describe(&(const struct bench_case){bench, item->params, results->how->clock, item->copies},
                        &row->param);
    if (item->cpus)
        row_param_count(&row->param, PARAM_WORK, "cpus", item->cpus);
    /* Copies with the same CPUs are told apart by number. */
    if (bench->group_per_copy && results->n_groups > 1 &&
        (place->bind != BIND_ONE || results->n_groups > place->n_order))
        row_param_add(&row->param, PARAM_WORK, "copy", "%u", group);
    if (results->how->watch && (!bench->who || bench->who(item->params) == WHO_SUMS))
        row_param_add(&row->param, PARAM_WORK, "who", "1"); /* it is part of what was measured */
    if (place->slice_ns && g->seen.slice_ns)
        row_param_add(&row->param, PARAM_PLACEMENT, "slice_us", "%g", (double)g->seen.slice_ns * 1e-3);
    if (place->uclamp[1] && g->seen.uclamp[1])
        row_param_add(&row->param, PARAM_PLACEMENT, "uclamp", "%u:%u", g->seen.uclamp[0], g->seen.uclamp[1]);
    add_load(results, &row->param);
    const double share = g->pages_possible > 0 ? g->pages_huge / g->pages_possible : 0;
    if (g->pages_known && share > PAGES_NONE && share < PAGES_ALL)
        row_param_add(&row->param, PARAM_OUTCOME, "pages", "mixed:%.0f%%", 100 * share);
    else if (g->pages_known)
        row_param_add(&row->param, PARAM_OUTCOME, "pages", "%s", share >= PAGES_ALL ? "huge" : "small");
    row_params_append(&row->param, &g->remarks);
    row->copies = item->copies;
    const char *dir = bench->scratch_dir ? bench->scratch_dir(item->params) : NULL;
    if (!dir && item->load && item->load->scratch_dir)
        dir = item->load->scratch_dir(item->load_params);
    if (dir) {
        machine_fs_name(dir, row->scratch_fs, sizeof(row->scratch_fs));
        storage_describe(dir, row->scratch_disk, sizeof(row->scratch_disk));
    }
    TEXT_SET(row->metric, metric->id);
    TEXT_SET(row->unit, metric->unit ? metric->unit : results->how->clock->unit);
    TEXT_SET(row->better, metric->better);
    row->headline = metric->headline;
}

/* From the slices while no other thread used the core, and each trial's value. Returns -1 when out of memory. */
static int find_alone(const struct results *results, struct group_values *g)
{
    const struct bench *bench = results->item->bench;

    for (unsigned number = 0; number < bench->n_metrics; number++) {
        const struct metric *about = bench_metric(bench, number);
        struct metric_values *m = &g->metric[number];
        if (!about->alone)
            continue;
        m->n = (size_t)results->n_trials;
        m->samples = calloc(m->n + 1, sizeof(*m->samples));
        if (!m->samples || core_alone_find(&m->core, results->how->core, !strcmp(about->better, "lower"),
                                           (uint32_t)m->n, m->samples, &m->alone))
            return -1;
    }
    return 0;
}

/* By how many % the variance between samples is smaller when only slices with the core free count; NAN: not known. */
static double explained(const struct bench *bench, const struct group_values *g, unsigned metric)
{
    const struct metric_values *raw = &g->metric[metric];
    double pct = NAN;

    for (unsigned number = 0; g->core_cpu != CPUSET_NONE && !g->core_own && number < bench->n_metrics; number++) {
        const struct metric *about = bench_metric(bench, number);
        const struct metric_values *m = &g->metric[number];
        if (about->alone && about->of == metric && raw->n == m->n && !isnan(m->alone.value))
            pct = core_explained_pct(raw->samples, m->samples, raw->n);
    }
    return pct;
}

static void add_reason(struct row *row, const char *words)
{
    TEXT_ADD(row->reason, "%s%s", row->reason[0] ? "; " : "", words);
}

/* Fills the row of a metric with the core free: value, interval over blocks of time, each trial's value. What is not
 * known stays empty, with a reason. A large spread is mentioned, but not unstable. */
static int fill_alone(const struct results *results, const struct group_values *g, const struct metric *about,
                      const struct metric_values *m, struct row *row)
{
    bool lower = !strcmp(about->better, "lower");
    double factor = lower ? 1 : (about->scale > 0 ? about->scale : 1) * 1e9;
    char why[160] = "";

    /* Rates of copies that share a row add up. */
    if (results->n_groups < results->item->copies && !lower)
        factor *= results->item->copies;
    row->samples = calloc(m->n + 1, sizeof(*row->samples));
    if (!row->samples)
        return -1;
    if (g->core_own) {
        add_reason(row, "other parties of the run can be on the same core");
    } else if (!core_free_level(results->how->core, g->core_cpu, why, sizeof(why))) {
        add_reason(row, why);
    } else {
        TEXT_PRINT(why, "the core was free in %" PRIu64 " of %" PRIu64 " slices", m->alone.slices, m->core.slices);
        add_reason(row, why);
        row->explained_pct = explained(results->item->bench, g, about->of);
        if (!isnan(m->alone.value))
            for (size_t i = 0; i < m->n; i++)
                if (!isnan(m->samples[i]))
                    row->samples[row->n_samples++] = m->samples[i] * factor;
    }
    if (stats_summarise(row->samples, row->n_samples, &row->stats))
        return -1;
    if (!row->n_samples)
        return 0;
    row->stats.n = m->alone.slices;
    row->value = row->stats.mean = m->alone.value * factor;
    if (results->how->max_rsd_pct > 0 && row->stats.rsd_pct > results->how->max_rsd_pct)
        add_reason(row, "the samples spread even while the core was free");
    row->stats.ci95_lo = m->alone.low * factor;
    row->stats.ci95_hi = m->alone.high * factor;
    return 0;
}

static enum row_status put_row(struct results *results, unsigned group, unsigned metric, enum row_status status,
                               const char *reason, int error)
{
    const struct metric *about = bench_metric(results->item->bench, metric);
    const struct group_values *g = &results->group[group];
    const struct metric_values *m = &g->metric[metric];
    const bool measured = status < ROW_SKIPPED && !error;
    double scale = m->of ? m->scale : 1;
    FREED_BY(row_free) struct row row = {0};

    row_init(&row, results->how->run);
    identify(results, group, about, &row);
    row.item = results->order + 1;
    row.status = status;
    TEXT_SET(row.reason, reason);
    if (results->n_trials) {
        TEXT_SET(row.policy, g->mixed ? "mixed" : task_policy_name(g->seen.policy));
        row.rt_priority = g->seen.rt_priority;
        row.nice = g->seen.nice;
        cpuset_format_cut(&g->cpus, row.cpus, sizeof(row.cpus));
        TEXT_SET(row.bind, bind_names[g->bind]);
        /* without a request inherited: setarch -R, a debugger */
        TEXT_SET(row.layout, !g->seen.fresh_exec ? "inherited (plain fork)"
                             : !results->how->place->layout_fixed
                                 ? g->seen.layout_fixed ? "random env (ASLR is off)" : results->how->layout_varied
                             : g->seen.layout_fixed ? "fixed"
                                                    : "random (fixed was refused)");
        fill_counters(results, g, &row);
    }
    if (results->n_trials && g->core_cpu != CPUSET_NONE) { /* the core's frequency, and the CPU's share */
        const unsigned level = core_free_level(results->how->core, g->core_cpu, NULL, 0);
        const double share = level ? core_share(g->core_probes, level) : NAN;
        row.core_mhz = g->core_hz.mean * 1e-6;
        if (g->core_own)
            TEXT_SET(row.core_share, "own");
        else if (!isnan(share))
            TEXT_PRINT(row.core_share, "%.3f", share);
    }
    if (measured)
        note_degraded(results, g, &row);
    if (measured && about->alone) {
        error = fill_alone(results, g, about, m, &row);
    } else if (measured) {
        const struct metric_values *source = m->of ? m->of : m;
        error = fill_values(source, about, scale, &row);
        row.explained_pct = explained(results->item->bench, g, metric);
        if (m->hist)
            error |= fill_hist(m->hist, &row);
        if (m->series)
            error |= fill_series(m->series, &row);
        if (about->headline && results->item->sampling.classic)
            error |= classic_score(source, &row.value);
        if (about->baseline > 0 && !results->item->no_index)
            row.index = row.value / about->baseline * 10;
        if (about->headline)
            judge_spread(source, results->how->max_rsd_pct, &row);
    }
    if (error) {
        row.status = ROW_FAILED;
        TEXT_SET(row.reason, "out of memory");
        row.value = NAN;
    }
    results->how->sink.put(results->how->sink.context, &row);
    return row.status;
}

enum row_status results_rows(struct results *results, enum row_status status, const char *reason)
{
    const struct bench *bench = results->item->bench;
    const bool probed = results->how->core && !results->item->sampling.classic;
    enum row_status worst = status;
    unsigned judged = 0;

    while (judged + 1 < bench->n_metrics && !bench_metric(bench, judged)->headline)
        judged++;
    const bool by_headline = bench_metric(bench, judged)->headline;
    for (unsigned g = 0; g < results->n_groups; g++) {
        int error = status < ROW_SKIPPED && probed ? find_alone(results, &results->group[g]) : 0;
        for (unsigned m = 0; m < bench->n_metrics; m++) {
            const struct metric *metric = bench_metric(bench, m);
            /* A benchmark that did not run has one row. */
            if (status >= ROW_SKIPPED && (by_headline ? !metric->headline : m > 0))
                continue;
            if (metric->alone ? !probed : status < ROW_SKIPPED && metric->optional && !results->group[g].metric[m].n)
                continue;
            enum row_status one = put_row(results, g, m, status, reason, error);
            if (one > worst)
                worst = one;
        }
    }
    return worst;
}
