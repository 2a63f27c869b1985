/* SPDX-License-Identifier: MIT */
/* Prints the result of `jitbench fleet`: a line for each machine, those that stand out first; or all results as CSV. */
#include "out/out.h"

/* Without -v. */
#define PLAIN_MOST 20u
/* A longer name shifts the rest of its own line only. */
#define NAME_WIDTH_MOST 32

/* --- The table. --- */

static const struct shown {
    const char *suite, *test, *load, *metric, *unit, *heading;
    double scale;
    int decimals;
} shown[] = {
    {"prime", "prime", "", "cycles", "cycles", "prime cycles", 1, 1},
    {"stream", "bandwidth", "", "copy_rate", "MB/s", "copy MB/s", 1, 0},
    {"unix", "index", "", "index", "ratio", "unix index", 1, 0},
    {"latency", "audio", "none", "latency", "ns", "audio us", 1e-3, 1},
    {"noise", "noise", "", "lost", "%", "lost %", 1, 3},
    {"wakeup", "worst", "", "latency_max", "ns", "wakeup max us", 1e-3, 1},
    {"wakeup", "worst", "", "latency_p999", "ns", "wakeup p99.9 us", 1e-3, 1},
    {"core", "core", "", "share", "ratio", "core %", 100, 0},
};
enum { N_SHOWN = COUNT(shown) };

struct fleet_column {
    size_t result; /* SIZE_MAX: no machine has it */
    size_t judged; /* `result`, or the same one with the core free */
    char heading[48];
};

static bool is_result_shown(const struct shown *what, const struct gather_result *result)
{
    return !strcmp(result->suite, what->suite) && !strcmp(result->test, what->test) &&
           !strcmp(result->metric, what->metric) && !strcmp(result->load, what->load) &&
           !strcmp(result->unit, what->unit);
}

/* Of results that differ in copies or parameters the one that most machines have; then the one with the fewest
 * copies. */
static void find_shown(const struct judgement *f, const struct shown *what, struct fleet_column *column)
{
    const struct gather *g = f->g;
    size_t found = SIZE_MAX;

    for (size_t k = 0; k < g->results.n; k++) {
        const struct gather_result *result = &g->result[k], *before = found == SIZE_MAX ? NULL : &g->result[found];
        if (!is_result_shown(what, result))
            continue;
        if (!before || result->n > before->n || (result->n == before->n && result->copies < before->copies))
            found = k;
    }
    const char *protocol = found == SIZE_MAX ? "" : g->result[found].protocol;
    const size_t judged = found == SIZE_MAX ? found : gather_judged(g, found);
    const bool by_alone = judged != found && f->metric[judged].n;
    column->result = found;
    column->judged = by_alone ? judged : found;
    TEXT_PRINT(column->heading, "%s%s%s%s", what->heading, by_alone ? ", alone" : "", protocol[0] ? ", " : "",
               protocol);
}

char *fleet_name_result(const struct gather_result *result, bool telling, char *buf, size_t size)
{
    static const char *const keys[] = {"limit", "elements", "stores", "level"};
    const bool named = strcmp(result->test, result->suite);
    struct row_params work = {0};

    text_line(buf, size, "%s%s%s%s%s", result->suite, named ? " " : "", named ? result->test : "",
              result->load[0] ? "/" : "", result->load);
    TEXT_SET(work.text, telling ? result->work : "");
    row_params_read(&work);
    for (size_t i = 0; i < COUNT(keys); i++) {
        const char *word = ROW_PARAM(&work, keys[i]);
        text_add(buf, size, "%s%s", word[0] ? " " : "", word);
    }
    if (result->copies > 1)
        text_add(buf, size, " x%" PRIu64, result->copies);
    if (result->protocol[0])
        text_add(buf, size, " (%s)", result->protocol);
    text_add(buf, size, " %s", result->metric);
    return buf;
}

/* "prime cycles +5.2 %": the sign is that of the value, better or worse. */
static void put_effect(const struct judgement *f, const struct judged *j, struct text *out)
{
    const struct gather_result *result = &f->g->result[j->result];

    text_printf(out, "%s %+.1f %%", FLEET_NAME(result, false),
                100 * (result->higher_is_better ? -j->effect : j->effect));
}

static bool is_few(const struct judgement *f)
{
    return f->g->machines.n < OUTLIER_HOSTS_LEAST;
}

static void put_fleet_verdict(const struct judgement *f, const struct judged *j, struct text *out)
{
    const size_t failed = f->g->machine[j->machine].failed, k = f->g->share - 1;
    const char *between = "";
    size_t n = 0;

    if (j->often || j->far)
        text_printf(out, "%s: ", judge_is_shared(f, j) ? "SHARED" : j->often || j->effect > 0 ? "WORSE" : "BETTER");
    if (j->often) {
        text_printf(out, "the worst of all in %zu of %zu figures, by %.1f %% (median), most of all ", j->worst_count,
                    j->results, 100 * j->median_effect);
        put_effect(f, j, out);
        between = "; ";
    } else if (j->far) {
        put_effect(f, j, out);
        if (j->n_far > 1)
            text_printf(out, ", and %zu more (-v)", j->n_far - 1);
        between = "; ";
    }
    if (*between && !judge_is_shared(f, j) && f->g->share && f->metric[k].n) { /* it may stand out in this as well */
        const double share = gather_value(f->g, k, j->machine);
        if (!isnan(share) && judge_is_far(f, k, j->machine, share))
            text_printf(out, "; core share %.0f %%, the median %.0f %%", 100 * share, 100 * f->metric[k].median);
    }
    if (failed)
        text_printf(out, "%s%s%zu row%s failed", between, j->broke && !*between ? "BROKEN: " : "", failed,
                    PLURAL(failed));
    else if (!*between)
        text_printf(out, "%s",
                    j->results  ? "ok"
                    : is_few(f) ? "not judged"
                                : "not judged: it has no figure that enough others have");
    for (size_t s = 0; s < f->g->settings.n && n < j->differences; s++) {
        const char *value = gather_setting(f->g, s, j->machine), *majority = f->majority[s];
        if (value && majority && strcmp(value, majority))
            text_printf(out, "%s%s=%.60s (most have %.60s)", n++ ? ", " : "; differs: ", f->g->settings.name[s], value,
                        majority);
    }
}

/* all: not only the one in which it is farthest. */
static void put_far(const struct judgement *f, const struct judged *j, bool all, struct grid *grid)
{
    for (size_t k = 0; k < f->g->results.n && j->n_far; k++) {
        const struct gather_result *result = &f->g->result[k];
        const struct outlier_metric *metric = &f->metric[k];
        double value = metric->n ? gather_value(f->g, k, j->machine) : NAN;
        if (isnan(value) || !judge_is_far(f, k, j->machine, value) || (!all && k != j->result))
            continue;
        text_printf(grid_note(grid), "  %s: %s, the fleet's median %s, %+.1f %%%s%s", FLEET_NAME(result, false),
                    units_plain(UNITS_VALUE(value, result->unit)),
                    units_plain(UNITS_VALUE(metric->median, result->unit)), 100 * outlier_effect(metric, value),
                    result->work[0] ? "; " : "", result->work);
    }
}

static void put_fleet_host(const struct judgement *f, const struct judged *j, const struct fleet_column *columns,
                           bool verbose, struct grid *grid)
{
    grid_text(grid, j->name);
    for (size_t c = 0; c < N_SHOWN; c++) {
        if (columns[c].result == SIZE_MAX)
            continue;
        double value = gather_value(f->g, columns[c].judged, j->machine) * shown[c].scale;
        if (fabs(value) >= 1e9)
            text_printf(grid_cell(grid, COLOR_NONE), "%.*g", shown[c].decimals, value);
        else
            grid_number(grid, value, (unsigned)shown[c].decimals);
    }
    const bool worse = judge_stands_out(j) && (j->often || j->broke || j->effect > 0);
    put_fleet_verdict(f, j, grid_cell(grid, worse ? COLOR_RED : COLOR_NONE));
    if (verbose || grid->html)
        put_far(f, j, verbose, grid);
}

/* Their indices are computed from other tests. */
static void put_other_indices(const struct judgement *f, const struct shown *what, const struct fleet_column *column,
                              const struct doc *doc)
{
    if (column->result == SIZE_MAX)
        return;
    const struct gather_result *of = &f->g->result[column->result];
    for (size_t k = 0; k < f->g->results.n && of->protocol[0]; k++) {
        const struct gather_result *result = &f->g->result[k];
        size_t n = 0;
        if (k == column->result || !is_result_shown(what, result) || result->copies != of->copies)
            continue;
        for (size_t m = 0; m < f->g->machines.n; m++)
            n += isnan(gather_value(f->g, column->result, m)) && !isnan(gather_value(f->g, k, m));
        if (n)
            doc_say(doc, "%s: not comparable with the index of %zu %s%s: %s", column->heading, n,
                    f->g->by_rank ? "rank" : "host", PLURAL(n), result->work);
    }
}

static bool has_finding(const struct judgement *f, const struct judged *j)
{
    return judge_stands_out(j) || j->differences || f->g->machine[j->machine].failed || (!j->results && f->n_results);
}

void fleet_put_table(const struct judgement *f, bool verbose, const struct doc *doc)
{
    struct fleet_column columns[N_SHOWN];
    size_t plain = 0, hidden = 0;
    struct grid grid = {.html = doc->format == DOC_HTML};

    GRID_COLUMN(&grid, .title = f->g->by_rank ? "Rank" : "Host", .most = NAME_WIDTH_MOST, .left = true);
    for (size_t c = 0; c < N_SHOWN; c++) {
        find_shown(f, &shown[c], &columns[c]);
        if (columns[c].result != SIZE_MAX)
            GRID_COLUMN(&grid, .title = columns[c].heading, .rank = (unsigned)c);
    }
    GRID_COLUMN(&grid, "Verdict", .left = true, .wrap = true);
    for (size_t i = 0; i < f->g->machines.n; i++) {
        const struct judged *j = &f->judged[i];
        plain += !has_finding(f, j);
        if (has_finding(f, j) || verbose || plain <= PLAIN_MOST)
            put_fleet_host(f, j, columns, verbose, &grid);
        else
            hidden++;
    }
    doc_table(doc, &grid);
    if (hidden)
        doc_say(doc, "(%zu more without findings: %s-v shows them)", hidden,
                doc->format == DOC_HTML ? "jitbench fleet " : "");
    for (size_t c = 0; c < N_SHOWN; c++)
        put_other_indices(f, &shown[c], &columns[c], doc);
}

/* The settings that differ; of only few machines the value of each. */
static void put_undecided(const struct judgement *f, const struct doc *doc)
{
    for (size_t s = 0; s < f->g->settings.n; s++) {
        FREED_BY(text_free) struct text values = {0};
        if (f->majority[s])
            continue;
        for (size_t m = 0; m < f->g->machines.n && is_few(f); m++) {
            const char *value = gather_setting(f->g, s, m);
            if (value)
                text_printf(&values, "%s%s has %s", values.length ? ", " : ": ", f->g->machines.name[m], value);
        }
        doc_say(doc, "Settings: %s differs%s.", f->g->settings.name[s],
                !is_few(f)    ? ", and no value is common to most machines"
                : values.data ? values.data
                              : "");
    }
}

static void put_pooled(const struct judgement *f, const struct doc *doc)
{
    size_t several = 0, many_ranks = 0;

    for (size_t m = 0; m < f->g->machines.n; m++) {
        several += f->g->machine[m].runs > 1;
        many_ranks += f->g->machine[m].many_ranks;
    }
    if (several)
        doc_say(doc, "%zu %s%s more than one run: their mean counts.%s", several, f->g->by_rank ? "rank" : "host",
                several == 1 ? " has" : "s have", many_ranks ? " '--by rank' judges each rank by itself." : "");
}

void fleet_put_summary(const struct judgement *f, const struct doc *doc)
{
    const size_t n = f->g->machines.n, outliers = judge_count_out(f), results = f->n_results;
    const char *what = f->g->by_rank ? "rank" : "host";
    const char *judged = TEXT_LINE("%zu %s%s, %zu figure%s judged: ", n, what, PLURAL(n), results, PLURAL(results));
    const char *before = outliers ? "" : judged;
    const size_t least = outlier_worst_threshold(f->n_machines, results);
    const char *worst = least <= results ? TEXT_LINE(", or if it is the worst of all in %zu figures", least) : "";

    if (results || outliers)
        doc_say(doc, "%s%zu stand%s out.", judged, outliers, outliers == 1 ? "s" : "");
    if (f->n_alone)
        doc_say(doc, "%zu figure%s judged with the core free (_alone), which all %ss know.", f->n_alone,
                f->n_alone == 1 ? " is" : "s are", what);
    if (results) { /* each result has a threshold of its own */
        const size_t k = judge_usual(f);
        const double far = f->threshold[k] * f->metric[k].scale;
        doc_say(
            doc,
            "A %s is named if a figure is more than %.3g %% off the median, and further than chance puts any in 99 of "
            "100 fleets of equal machines (here %.2g %% in %s)%s.",
            what, 100 * f->least_effect, 100 * (f->metric[k].logarithmic ? expm1(far) : far),
            FLEET_NAME(&f->g->result[k], true), worst);
    } else if (is_few(f))
        doc_say(doc, "%stoo few to judge figures. 'fleet' needs %d %ss%s.%s", before, OUTLIER_HOSTS_LEAST, what,
                n > 1 ? "; 'jitbench compare A.csv B.csv' compares two" : "",
                n > 1 ? " Failed tests and settings that differ are shown." : "");
    else
        doc_say(doc, "%sa figure is judged when %d %ss have it, and its median is not 0.", before, OUTLIER_HOSTS_LEAST,
                what);
    put_pooled(f, doc);
    put_undecided(f, doc);
}

/* --- The CSV. --- */

void fleet_put_csv(const struct judgement *f, size_t number, struct text *out)
{
    const struct judged *j = &f->judged[number];

    if (!number)
        text_printf(out, "host,suite,test,load,param,metric,unit,copies,value,median,effect_pct,distance,verdict\r\n");
    for (size_t k = 0; number < f->g->machines.n && k < f->g->results.n; k++) {
        const struct gather_result *result = &f->g->result[k];
        const struct outlier_metric *metric = &f->metric[k];
        const double value = gather_value(f->g, k, j->machine);
        if (isnan(value))
            continue;
        csv_print(out, "%s,%s,%s,%s,%s,%s,%s,%f,%f,%f,%f,%f,%s\r\n", j->name, result->suite, result->test, result->load,
                  result->work, result->metric, result->unit, (double)result->copies, value,
                  metric->n ? metric->median : NAN, metric->n ? 100 * outlier_effect(metric, value) : NAN,
                  metric->n ? outlier_distance(metric, value) : NAN,
                  judge_stands_out(j) ? "outlier"
                  : j->results        ? "ok"
                                      : "not judged");
    }
}
