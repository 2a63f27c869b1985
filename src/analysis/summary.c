/* SPDX-License-Identifier: MIT */
/* A run in a few lines. */

#include "analysis/analysis.h"

#define CAUSES_SHOWN     3u
#define CAUSE_LEAST_PCT  1.0 /* of the loss */
#define SHARED_LEAST_PCT 1.0
#define NEIGHBOUR        "a neighbour on the core"

const char *const summary_names[SUMMARY_LINES] = {"Speed", "Steadiness", "Why", "Desktop", "Trust"};

static bool is(const struct row *row, const char *test, const char *metric)
{
    return !strcmp(row->test, test) && !strcmp(row->metric, metric);
}

static void widen_known(struct stats_running *range, double value)
{
    if (isfinite(value))
        stats_add(range, value);
}

/* --- Rows. --- */

static void take_speed(struct summary *s, const struct row *row)
{
    size_t i = 0;

    if (!strcmp(row->suite, "unix") && !strcmp(row->test, "index")) {
        while (i < s->n_indexes && s->index[i].copies != row->copies)
            i++;
        if (i == COUNT(s->index))
            return;
        if (i == s->n_indexes)
            s->index[s->n_indexes++] = (struct summary_index){row->copies, NAN, NAN};
        *(row_is_alone(row) ? &s->index[i].alone : &s->index[i].value) = row->value;
    }
    if (is(row, "bandwidth", "triad_rate"))
        widen_known(&s->bandwidth, row->value);
    const char *level = is(row, "levels", "level") ? ROW_PARAM(&row->param, "level") : "";
    if (level[0] && (!s->levels || !strcmp(level, "memory"))) {
        /* "level 1": not told */
        text_line(s->level[s->levels > 0], sizeof(s->level[0]), "%s %s", starts_with(level, "level") ? "cache" : level,
                  UNITS_VALUE(row->value, row->unit));
        s->levels = s->levels ? 2 : 1;
    }
}

static void take_steadiness(struct summary *s, const struct row *row)
{
    if (is(row, "noise", "lost")) {
        const double share = row_core_share(row);
        widen_known(&s->lost, row->value);
        widen_known(&s->slower, 100 - (100 - row->value) * (isnan(share) ? 1 : share));
    }
    if (is(row, "noise", "detour")) {
        if (!s->gap.n || row->stats.max > s->gap.max)
            TEXT_SET(s->gap_cpu, row->cpus);
        widen_known(&s->gap, row->stats.max);
    }
    if (is(row, "wakeup", "latency")) {
        widen_known(&s->wakeup, row->stats.max);
        s->real_time = !strcmp(row->policy, "fifo");
    }
}

static void take_causes_of(struct summary *s, const struct row *row)
{
    const bool of_noise = is(row, "noise", "lost");
    const double share = row_core_share(row);

    const char *name = ROW_PARAM(&row->param, "name");
    if (is(row, "who", "taken") && row_param_is(&row->param, "kind", "task") && name[0])
        shares_add(&s->tasks, name, row->value);
    if (!row->headline || (row->load[0] && strcmp(row->load, "none") != 0)) /* asked for */
        return;
    for (size_t i = 0; i < row->causes.n; i++)
        if (row->causes.of[i].is_time && row->causes.of[i].number >= 0)
            shares_add(&s->causes[of_noise], row->causes.of[i].name, row->causes.of[i].number);
    if (row->wall_s > 0)
        s->wall_ms[of_noise] +=
            1000 * row->wall_s * (of_noise || !strcmp(row->suite, "wakeup") ? 1 : fmax(1, (double)row->copies));
    if (!isnan(share))
        stats_add(&s->core[of_noise], share);
}

static void take_late(struct summary *s, const struct row *row)
{
    size_t i = 0;

    /* gaming never sleeps */
    if (strcmp(row->suite, "latency") || strcmp(row->metric, "late") || !strcmp(row->test, "gaming") ||
        !isfinite(row->value))
        return;
    while (i < s->n_tasks && strcmp(s->task[i].name, row->test))
        i++;
    if (i == COUNT(s->task))
        return;
    struct summary_task *task = &s->task[i];
    if (i == s->n_tasks) {
        s->n_tasks++;
        TEXT_SET(task->name, row->test);
    } else if (!(row->value > task->late_pct)) {
        return;
    }
    task->late_pct = row->value;
    TEXT_SET(task->load, row->load);
}

static void take_status(struct summary *s, const struct row *row)
{
    size_t i = 0;

    if (!row->headline && row->status < ROW_SKIPPED)
        return;
    while (i < s->n_suites && strcmp(s->suite[i].name, row->suite))
        i++;
    if (i == COUNT(s->suite))
        return;
    s->n_suites += i == s->n_suites;
    TEXT_SET(s->suite[i].name, row->suite);
    s->suite[i].n++;
    s->suite[i].unstable += row->status == ROW_UNSTABLE;
    if (row->status == ROW_UNSTABLE)
        widen_known(&s->spread, row->stats.rsd_pct);
    if (row->status >= ROW_SKIPPED && !s->status[row->status])
        text_line(s->lacks[row->status - ROW_SKIPPED], sizeof(s->lacks[0]), "%s %s", row->suite, row->test);
    s->status[row->status]++;
    s->stolen += row->steal_ms > 0;
}

void summary_row(struct summary *s, const struct row *row)
{
    take_status(s, row);
    if (row->status >= ROW_SKIPPED)
        return;
    take_speed(s, row);
    take_steadiness(s, row);
    take_causes_of(s, row);
    take_late(s, row);
}

/* "; " between parts. */
static struct text *part(struct text *line)
{
    if (line->length)
        text_append(line, "; ", 2);
    return line;
}

/* Whole, or two digits. */
static char *put_percents(double low, double high, char *buf, size_t size)
{
    buf[0] = '\0';
    if (high > 1.02 * low)
        text_add(buf, size, low < 10 ? "%.2g to " : "%.0f to ", low);
    text_add(buf, size, high < 10 ? "%.2g" TEXT_NO_BREAK "%%" : "%.0f" TEXT_NO_BREAK "%%", high);
    return buf;
}
#define PERCENTS(low, high) put_percents(low, high, (char[80]){0}, 80)
#define PERCENT(value)      PERCENTS(value, value)

static void say_speed(const struct summary *s, struct text *line)
{
    for (size_t i = 0; i < s->n_indexes; i++) {
        const struct summary_index *index = &s->index[i];
        if (isnan(index->value))
            continue;
        text_printf(part(line), "UNIX index %.0f", index->value);
        if (s->n_indexes > 1)
            text_printf(line, " with %" PRIu64 " cop%s", index->copies, index->copies == 1 ? "y" : "ies");
        if (!isnan(index->alone))
            text_printf(line, " (%.0f with the core to itself)", index->alone);
    }
    if (s->bandwidth.n)
        text_printf(part(line), "memory bandwidth %s", UNITS_VALUE(s->bandwidth.max, "MB/s"));
    for (unsigned i = s->levels; i-- > 0;)
        text_printf(part(line), "%s", s->level[i]);
}

/* Of the speed of a CPU. */
static const char *how_quiet(double slower_pct)
{
    static const struct {
        double below_pct;
        const char *words;
    } classes[] = {
        {0.1, "quiet"},
        {1, "fairly quiet"},
        {5, "noisy"},
        {20, "very noisy"},
        {29, "a quarter of a CPU's speed is gone"},
        {42, "a third of a CPU's speed is gone"},
        {60, "half of a CPU's speed is gone"},
        {INFINITY, "most of a CPU's speed is gone"},
    };
    size_t i = 0;

    while (slower_pct >= classes[i].below_pct)
        i++;
    return classes[i].words;
}

static double sum_of(const struct shares *shares)
{
    double sum = 0;

    for (size_t i = 0; i < shares->n; i++)
        sum += shares->of[i].amount;
    return sum;
}

static void say_steadiness(const struct summary *s, struct text *line)
{
    /* in %, of all tests; NAN: no cause is known, not even one of 0 */
    const double lost = s->causes[false].n && s->wall_ms[false] > 0
                            ? fmin(100, 100 * sum_of(&s->causes[false]) / s->wall_ms[false])
                            : NAN;
    const double share = s->core[false].n ? s->core[false].mean : 1;

    if (s->lost.n)
        text_printf(line, "%s: %s of the time lost", how_quiet(s->slower.max), PERCENTS(s->lost.min, s->lost.max));
    else if (!isnan(lost))
        text_printf(line, "%s: the tests lost %s of their time", how_quiet(100 - (100 - lost) * share), PERCENT(lost));
    if (s->gap.n)
        text_printf(part(line), "longest gap %s (CPU %s)", UNITS_VALUE(s->gap.max, "ns"), s->gap_cpu);
    if (s->wakeup.n)
        text_printf(part(line), "latest %swake-up %s", s->real_time ? "real-time " : "",
                    UNITS_VALUE(s->wakeup.max, "ns"));
}

static const char *cause_words(const char *name)
{
    static const struct {
        const char *name, *words;
    } words[] = {
        {"quota", "the CPU quota of its control group"},
        {"preempted", "other programs"},
        {"interrupt", "timer interrupts"},
        {"steal", "the hypervisor"},
        {"fault", "page faults"},
        {"migrated", "moves to another CPU"},
        {"periodic", "something periodic"},
        {"core_shared", NEIGHBOUR},
        {"unexplained", "hypervisor or firmware, not seen"},
    };

    for (size_t i = 0; i < COUNT(words); i++)
        if (!strcmp(words[i].name, name))
            return words[i].words;
    return name;
}

/* What ran instead has names where it was recorded. A neighbour takes speed while the test runs. */
static void name_causes(const struct summary *s, bool of_noise, struct shares *named)
{
    const struct shares *causes = &s->causes[of_noise];
    const double tasks = sum_of(&s->tasks), ran_ms = s->wall_ms[of_noise] - sum_of(causes);

    if (s->core[of_noise].n && ran_ms > 0)
        shares_add(named, NEIGHBOUR, ran_ms * (1 - s->core[of_noise].mean));
    for (size_t i = 0; i < causes->n; i++) {
        const bool split = tasks > 0 && !strcmp(causes->of[i].name, "preempted");
        for (size_t k = 0; split && k < s->tasks.n; k++)
            shares_add(named, s->tasks.of[k].name, causes->of[i].amount * s->tasks.of[k].amount / tasks);
        if (!split)
            shares_add(named, cause_words(causes->of[i].name), causes->of[i].amount);
    }
    shares_sort(named);
}

static void say_why(const struct summary *s, struct text *line)
{
    const bool of_noise = s->lost.n > 0;
    const struct stats_running *core = &s->core[of_noise];
    FREED_BY(shares_free) struct shares named = {0};

    name_causes(s, of_noise, &named);
    const double all = sum_of(&named);
    for (size_t i = 0; i < named.n && i < CAUSES_SHOWN; i++) {
        const double pct = 100 * named.of[i].amount / all;
        if (pct >= CAUSE_LEAST_PCT)
            text_printf(line, i || pct <= 50 ? "%s%s %s" : "%smostly %s (%s)", i ? ", " : "", named.of[i].name,
                        PERCENT(pct));
    }
    if (core->n && 100 * (1 - core->mean) >= SHARED_LEAST_PCT)
        text_printf(part(line), "the tests had %s of the core", PERCENT(100 * core->mean));
}

static void say_desktop(const struct summary *s, struct text *line)
{
    size_t n = 0, said = 0;

    for (size_t i = 0; i < s->n_tasks; i++)
        n += !(s->task[i].late_pct > 0);
    for (size_t i = 0; i < s->n_tasks; i++)
        if (!(s->task[i].late_pct > 0)) {
            text_printf(line, "%s%s", !said ? "" : said + 1 < n ? ", " : " and ", s->task[i].name);
            said++;
        }
    if (n)
        text_printf(line, " always in time");
    for (size_t i = 0; i < s->n_tasks; i++)
        if (s->task[i].late_pct > 0)
            text_printf(part(line), "%s late in %s of its wake-ups%s%s", s->task[i].name, PERCENT(s->task[i].late_pct),
                        strcmp(s->task[i].load, "none") ? " beside " : "",
                        strcmp(s->task[i].load, "none") ? s->task[i].load : "");
}

static void say_trust(const struct summary *s, struct text *line)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_suites; i++) {
        n += s->suite[i].n;
        if (s->suite[i].unstable)
            text_printf(part(line), "%" PRIu64 " of %" PRIu64 " %s figures unstable", s->suite[i].unstable,
                        s->suite[i].n, s->suite[i].name);
    }
    if (s->spread.n)
        text_printf(line, " (they spread by %s)", PERCENTS(s->spread.min, s->spread.max));
    if (s->status[ROW_DEGRADED])
        text_printf(part(line), "%" PRIu64 " not measured as asked", s->status[ROW_DEGRADED]);
    for (unsigned status = ROW_SKIPPED; status <= ROW_FAILED; status++)
        if (s->status[status])
            text_printf(part(line), "%" PRIu64 " %s (%s%s)", s->status[status],
                        row_status_name((enum row_status)status), s->lacks[status - ROW_SKIPPED],
                        s->status[status] > 1 ? ", ..." : "");
    if (n && !line->length)
        text_printf(line, n == 1 ? "the figure was measured as asked" : "all %zu figures were measured as asked", n);
    if (s->stolen)
        text_printf(part(line), "the hypervisor took time during %" PRIu64, s->stolen);
}

void summary_finish(struct summary *s)
{
    shares_sort(&s->causes[false]);
    shares_sort(&s->causes[true]);
    shares_sort(&s->tasks);
    say_speed(s, &s->line[SUMMARY_SPEED]);
    say_steadiness(s, &s->line[SUMMARY_STEADINESS]);
    say_why(s, &s->line[SUMMARY_WHY]);
    say_desktop(s, &s->line[SUMMARY_DESKTOP]);
    say_trust(s, &s->line[SUMMARY_TRUST]);
}

void summary_free(struct summary *s)
{
    shares_free(&s->causes[false]);
    shares_free(&s->causes[true]);
    shares_free(&s->tasks);
    for (unsigned i = 0; i < SUMMARY_LINES; i++)
        text_free(&s->line[i]);
}
