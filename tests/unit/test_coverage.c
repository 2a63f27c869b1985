/* SPDX-License-Identifier: MIT */
/* Do the statistics keep their word? On made-up measurements whose truth is known: a 95 % interval holds it in 93 to 97
 * % of experiments, with the engine's rule when to stop in the loop; a comparison of a machine with itself says
 * 'changed' in at most 5 %; a change that is there is found, and the least change that would be found in 80 % is found
 * in about as many. All from fixed seeds: the same figures each time. */
#include "made_up.h"

#include "analysis/compare_samples.h"
#include "stats/inference.h"

/* `make stats` runs all of it, which takes a minute; `make test` a part. A part is too small to estimate a probability,
 * but its seeds are fixed: the number of intervals that hold the truth is known exactly. Whoever changes the statistics
 * on purpose runs `make stats` first, then writes the new numbers below. */
static unsigned experiments = 300, tables = 60;
static bool all_of_it;

/* With another C library's log() and cos() one experiment may end differently. */
#define ROUNDING 1

static void set_size(void)
{
    all_of_it = getenv("JITBENCH_STATS") != NULL;
    if (all_of_it) {
        experiments = tables = 2000;
    }
}

/* --- Intervals. --- */

static const struct sampling usual = {.min_samples = 10, .max_ns = 12000 * MS, .precision_pct = 2};
static const struct sampling quick = {.min_samples = 5, .max_ns = 2000 * MS, .precision_pct = 2};

static struct fixture_rows rows;

static struct comparison_run run_of(const double *samples, size_t n)
{
    return (struct comparison_run){.samples = samples, .n = n};
}

/* expected: the exact number when only a part is run. */
static void in_bounds(const char *what, const char *shape, double rsd, unsigned held, unsigned expected)
{
    const double pct = 100.0 * held / experiments;

    print_message("%-22s %-14s RSD %4.1f %%: held in %.2f %%, %u experiments\n", what, shape, 100 * rsd, pct, held);
    if (all_of_it && !(pct >= 93 && pct <= 97))
        fail_msg("%s, %s, RSD %g: a 95 %% interval that holds the truth in %.2f %%", what, shape, rsd, pct);
    if (!all_of_it && !(held + ROUNDING >= expected && held <= expected + ROUNDING))
        fail_msg("%s, %s, RSD %g: it holds the truth in %u of %u experiments, not in %u", what, shape, rsd, held,
                 experiments, expected);
}

/* The row's interval of the mean, and the interval of the ratio of two runs, of which the second is a tenth slower. */
static void check_intervals(enum made_up_shape shape, const char *name, double rsd, const struct sampling *sampling,
                            unsigned of_mean, unsigned of_ratio)
{
    struct made_up m = {.seed = 20261121};
    unsigned mean_held = 0, ratio_held = 0;

    for (unsigned i = 0; i < experiments; i++) {
        const struct row *row = made_up_run(&m, shape, rsd, 1, sampling, &rows);
        struct row base = *row; /* its samples are now ours */
        mean_held += row->stats.ci95_lo <= 1 && 1 <= row->stats.ci95_hi;
        rows.row[0].samples = NULL;
        row = made_up_run(&m, shape, rsd, 1.1, sampling, &rows);
        const struct comparison_run before = run_of(base.samples, base.n_samples);
        const struct comparison_run after = run_of(row->samples, row->n_samples);
        struct comparison c;
        comparison_measure(&(struct comparison_side){&before, 1}, &(struct comparison_side){&after, 1}, ORDER_APART,
                           &c);
        ratio_held += c.low <= 1.1 && 1.1 <= c.high;
        row_free(&base);
        fixture_free_rows(&rows);
    }
    in_bounds("interval of the mean", name, rsd, mean_held, of_mean);
    in_bounds("interval of the ratio", name, rsd, ratio_held, of_ratio);
}

#define INTERVALS(test, shape, name, of_mean, of_ratio) \
    TEST(test_coverage_##test) \
    { \
        check_intervals(shape, name, 0.04, &usual, of_mean, of_ratio); \
        if (!all_of_it) \
            return; \
        check_intervals(shape, name, 0.01, &usual, 0, 0); \
        check_intervals(shape, name, 0.08, &usual, 0, 0); \
        check_intervals(shape, name, 0.2, &usual, 0, 0); \
        check_intervals(shape, name, 0.01, &quick, 0, 0); \
        check_intervals(shape, name, 0.04, &quick, 0, 0); \
    }
INTERVALS(normal, NORMAL, "normal", 277, 276)
INTERVALS(log_normal, LOG_NORMAL, "log-normal", 277, 282)
INTERVALS(bimodal, BIMODAL, "bimodal", 278, 276)
INTERVALS(autocorrelated, AUTOCORRELATED, "autocorrelated", 278, 275)

/* --- Whole tables. --- */

#define TABLE_ROWS 12
#define RUNS_MAX   10
#define SAMPLES    20

/* One side of a row. */
struct made_up_side {
    double samples[RUNS_MAX][SAMPLES];
    struct comparison_run run[RUNS_MAX];
    struct comparison_side side;
};

/* Makes as many runs as there are levels. share: each has a share of the core between a half and all of it, on which
 * its values depend. */
static void make_side(struct made_up *m, enum made_up_shape shape, double rsd, double factor, const double *levels,
                      size_t runs, bool share, struct made_up_side *side)
{
    for (size_t r = 0; r < runs; r++) {
        const double of_core = share ? 0.5 + 0.5 * made_up_uniform(m) : 0;
        const double level = levels[r] * (share ? pow(of_core, 0.6) : 1);
        for (size_t i = 0; i < SAMPLES; i++)
            side->samples[r][i] = factor * level * made_up_process(m, shape, rsd);
        side->run[r] = run_of(side->samples[r], SAMPLES);
        side->run[r].share = of_core;
    }
    side->side = (struct comparison_side){.runs = side->run, .n_runs = runs};
}

struct table {
    size_t runs;
    double drift;                /* between runs, in RSDs of a process */
    double change;               /* of the first row, 1.02; 0: the least change that its comparison names */
    bool share;                  /* other users of the core, with whom each run has another share of it */
    enum comparison_order order; /* of runs that alternate, the drift is common to both sides */
};

/* Rows of all shapes, from quiet to noisy. */
static void make_table(struct made_up *m, const struct table *table, double change, struct comparison *rows_of_table)
{
    static const double rsds[] = {0.01, 0.005, 0.03, 0.1};
    static struct made_up_side base, changed;

    for (size_t i = 0; i < TABLE_ROWS; i++) {
        const enum made_up_shape shape = (enum made_up_shape)(i % 3);
        const double rsd = rsds[i % COUNT(rsds)];
        double levels[2][RUNS_MAX];
        for (size_t r = 0; r < 2 * table->runs; r++)
            levels[r % 2][r / 2] = r % 2 && table->order == ORDER_RUNS_ALTERNATE
                                       ? levels[0][r / 2]
                                       : 1 + table->drift * rsd * made_up_normal(m);
        make_side(m, shape, rsd, 1, levels[0], table->runs, table->share, &base);
        make_side(m, shape, rsd, i ? 1 : change, levels[1], table->runs, table->share, &changed);
        comparison_measure(&base.side, &changed.side, table->order, &rows_of_table[i]);
    }
    comparison_judge(rows_of_table, TABLE_ROWS, 0.95, 0.01);
}

/* Percentage of tables in which the first row changed, and in which any other did. Of ranks, whose level is 5 % less
 * what ties and discrete values take, five times as many tables tell whether it is kept. */
static void count_changes(const struct table *table, double *first_pct, double *others_pct)
{
    struct made_up m = {.seed = 42};
    unsigned first = 0, others = 0;

    const unsigned n = table->change == 1 && !table->share && all_of_it ? 5 * tables : tables;

    for (unsigned t = 0; t < n; t++) {
        struct comparison c[TABLE_ROWS];
        bool any = false;
        make_table(&m, table, table->change > 0 ? table->change : 1, c);
        if (!(table->change > 0))
            make_table(&m, table, 1 + c[0].least, c);
        first += c[0].change == CHANGE_HIGHER;
        for (size_t i = table->change != 1; i < TABLE_ROWS; i++)
            any = any || c[i].change == CHANGE_HIGHER || c[i].change == CHANGE_LOWER;
        others += any;
    }
    *first_pct = 100.0 * first / n;
    *others_pct = 100.0 * others / n;
}

static void check_same(const char *what, const struct table *table)
{
    double first, others;

    count_changes(table, &first, &others);
    print_message("A against A, %-40s 'changed' in %.2f %% of tables\n", what, others);
    if (!(others <= 5))
        fail_msg("%s: %g %% of tables", what, others);
}

TEST(test_coverage_a_against_a)
{
    check_same("3 runs, drift as the spread:", &(struct table){.runs = 3, .change = 1, .drift = 1});
    check_same("3 pairs, drift as the spread:",
               &(struct table){.runs = 3, .change = 1, .drift = 1, .order = ORDER_RUNS_ALTERNATE});
    check_same("5 runs at any share of the core, drift:",
               &(struct table){.runs = 5, .change = 1, .drift = 1, .share = true});
    if (!all_of_it)
        return;
    check_same("10 runs at any share of the core, drift:",
               &(struct table){.runs = 10, .change = 1, .drift = 3, .share = true});
    check_same("10 pairs at any share of the core, drift:",
               &(struct table){.runs = 10, .change = 1, .drift = 3, .share = true, .order = ORDER_RUNS_ALTERNATE});
    check_same("3 runs, no drift:", &(struct table){.runs = 3, .change = 1});
    check_same("5 runs, drift 3 times the spread:", &(struct table){.runs = 5, .change = 1, .drift = 3});
    check_same("10 runs, drift 3 times the spread:", &(struct table){.runs = 10, .change = 1, .drift = 3});
    check_same("10 pairs, drift 3 times the spread:",
               &(struct table){.runs = 10, .change = 1, .drift = 3, .order = ORDER_RUNS_ALTERNATE});
}

static void check_found(const char *what, const struct table *table, double least_pct)
{
    double first, others;

    count_changes(table, &first, &others);
    print_message("%g %% slower, %-30s found in %.1f %%; another row 'changed' in %.2f %%\n", 100 * (table->change - 1),
                  what, first, others);
    assert_true(first >= least_pct);
    assert_true(others <= 5);
}

/* --- Intervals of a percentile. --- */

#define EVENTS   40000u
#define TOGETHER 25u /* events beside a long-running task */

/* In a twentieth of the time events take longer, each by itself, or TOGETHER of them: the quantile is within these. */
static void check_percentile(const char *name, unsigned together, unsigned expected)
{
    struct made_up m = {.seed = 20261127};
    struct hist *hist = malloc(sizeof(*hist));
    struct series *series = malloc(sizeof(*series));
    const double truth = 1e6 + 5e4 * log(5); /* of P99: a fifth of the twentieth is above */
    unsigned held = 0;

    assert_true(hist && series);
    for (unsigned i = 0; i < experiments; i++) {
        double low, high, late = 0;
        hist_init_classes(hist, 100);
        series_init(series);
        for (unsigned k = 0; k < EVENTS; k++) {
            if (k % together == 0)
                late = made_up_uniform(&m) < 0.05 ? 1e6 : 0;
            const uint64_t ns = (uint64_t)(late - 5e4 * log(made_up_uniform(&m)));
            hist_add_class(hist, ns);
            series_add(series, k, ns);
        }
        hist_quantile_interval(hist, 0.99, series_clustering(series, hist_quantile(hist, 0.99), 0.01), &low, &high);
        held += low <= truth && truth <= high;
    }
    in_bounds("interval of P99", name, 0.05, held, expected);
    free(hist);
    free(series);
}

TEST(test_coverage_percentile)
{
    check_percentile("independent", 1, 287);
    check_percentile("late together", TOGETHER, 288);
}

/* The first row has an RSD of 1 %. */
TEST(test_coverage_finds_two_per_cent)
{
    check_found("5 runs a side, without drift:", &(struct table){.runs = 5, .change = 1.02}, 80);
    check_found("5 pairs, drift 3 times the spread:",
                &(struct table){.runs = 5, .change = 1.02, .drift = 3, .order = ORDER_RUNS_ALTERNATE}, 80);
    /* Pooled variances found more, and called a change what was none where one side spread more. */
    check_found("5 runs at any share of the core:", &(struct table){.runs = 5, .change = 1.02, .share = true}, 75);
}

/* The least change of one table in the next: its error varies from table to table, most of all with few runs. */
TEST(test_coverage_least_change)
{
    static const struct {
        const char *what;
        struct table table;
    } of[] = {{"10 runs a side", {.runs = 10, .drift = 1}},
              {"10 pairs", {.runs = 10, .drift = 3, .order = ORDER_RUNS_ALTERNATE}}};

    for (size_t i = 0; i < COUNT(of); i++) {
        double first, others;
        count_changes(&of[i].table, &first, &others);
        print_message("The least change, %s: found in %.1f %%\n", of[i].what, first);
        assert_true(first >= 65 && first <= 90);
    }
}

int main(void)
{
    set_size();
    return run_all_tests();
}
