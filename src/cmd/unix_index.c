/* SPDX-License-Identifier: MIT */
/* The protocols of jitbench unix, and the index of each: the geometric mean of ten times each test's rate over its
 * baseline. The baselines stand in UNIX_METRICS() at each benchmark. */
#include <math.h>
#include <string.h>

#include "cmd/unix.h"
#include "rows/rows.h"

const struct unix_protocol unix_protocols[] = {
    {"stable", UNIX_INDEX_STABLE, "same", "bare"},
    {"classic", UNIX_INDEX_CLASSIC, "free", "dynamic"},
};

const struct unix_protocol *unix_protocol_of(const struct measure *m)
{
    return &unix_protocols[m->preset == PRESET_CLASSIC];
}

bool unix_in_index(const struct unix_protocol *protocol, const struct unix_test *test)
{
    return test->groups & protocol->index;
}

enum { METRIC_INDEX, METRIC_ALONE, METRIC_SCALING, N_METRICS };
static const struct metrics_metric index_metrics[N_METRICS] = {
    [METRIC_INDEX] = {"index", "geometric mean of the indices of the tests", "ratio", "higher", true},
    [METRIC_ALONE] = {"index_alone", "the same with the core free", "ratio", "higher", false},
    [METRIC_SCALING] = {"scaling", "index over that of the first number of copies", "ratio", "higher", false},
};
const struct metrics_test unix_index = {METRICS_TEST("unix", "index", "Index of the tests above", index_metrics)};

static bool is_rate(const struct row *row, uint64_t copies)
{
    return !strcmp(row->metric, "rate") && row->copies == copies && !isnan(row->index);
}

double unix_system_index(const struct table_rows *r, uint64_t copies, size_t *n)
{
    double sum = 0;

    *n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (is_rate(&r->rows[i], copies)) {
            sum += log(r->rows[i].index);
            ++*n;
        }
    return *n ? exp(sum / (double)*n) : (double)NAN;
}

double unix_alone_index(const struct table_rows *r, uint64_t copies)
{
    double sum = 0;
    size_t n = 0, n_alone = 0;

    for (size_t i = 0; i < r->n; i++) {
        const struct row *row = &r->rows[i];
        if (!is_rate(row, copies))
            continue;
        const struct row *alone = row_alone_of(r->rows, r->n, row);
        const bool known = alone && !isnan(alone->value), core = unix_test_of(row->test).groups & UNIX_CORE_BOUND;
        if (core && !known)
            return (double)NAN;
        n_alone += known && core;
        sum += log(known ? row->index * alone->value / row->value : row->index);
        n++;
    }
    return n_alone ? exp(sum / (double)n) : (double)NAN;
}

static void describe_protocol(const struct unix_protocol *protocol, struct row_params *out)
{
    row_param_add(out, PARAM_WORK, "protocol", "%s", protocol->name);
    row_param_add(out, PARAM_WORK, "context1", "%s", protocol->context1);
    row_param_add(out, PARAM_WORK, "footprint", "%s", protocol->footprint);
}

size_t unix_copy_counts(const struct table_rows *r, uint64_t *counts)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++) {
        size_t k = 0;
        while (k < n && counts[k] != r->rows[i].copies)
            k++;
        if (k == n && n < OPTION_COUNTS_MAX)
            counts[n++] = r->rows[i].copies;
    }
    return n;
}

void unix_conclude(struct measure *m)
{
    struct table_rows measured = {.rows = m->rows, .n = m->n_rows};
    uint64_t counts[OPTION_COUNTS_MAX] = {0};
    size_t n = unix_copy_counts(&measured, counts), tests, first_tests;
    double first = unix_system_index(&measured, counts[0], &first_tests);
    const struct unix_protocol *protocol = unix_protocol_of(m);

    for (size_t c = 0; c < n; c++) {
        measured.rows = m->rows; /* adding rows may move the array */
        double index = unix_system_index(&measured, counts[c], &tests);
        if (!tests)
            continue;
        struct row_params param = {.n = 0}, scaling = {.n = 0};
        describe_protocol(protocol, &param);
        row_param_add(&param, PARAM_WORK, "tests", "%zu", tests);
        row_param_add(&param, PARAM_WORK, "of", "%d", UNIX_N_INDEX);
        measure_put_made(m, &unix_index, METRIC_INDEX, counts[c], "", &param, index);
        measured.rows = m->rows;
        double alone = unix_alone_index(&measured, counts[c]);
        if (!isnan(alone))
            measure_put_made(m, &unix_index, METRIC_ALONE, counts[c], "", &param, alone);
        if (c > 0 && tests == first_tests) {
            describe_protocol(protocol, &scaling);
            row_param_add(&scaling, PARAM_WORK, "over", "%llu", (unsigned long long)counts[0]);
            measure_put_made(m, &unix_index, METRIC_SCALING, counts[c], "", &scaling, index / first);
        }
    }
}
