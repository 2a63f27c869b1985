/* SPDX-License-Identifier: MIT */
/* Tests of the benchmarks that time single experiments (prime, array): the series that they write, the rows of a trial.
 */
#ifndef EXPERIMENT_FIXTURE_H
#define EXPERIMENT_FIXTURE_H

#include "bench_fixture.h"

#include "bench/experiment.h"

/* The params are those of n experiments of that size: a line for each, and none for the warm-up's. */
static inline void experiment_assert_series(const struct bench *bench, const void *params, unsigned size, unsigned n)
{
    enum { COPY = 5, SAMPLE = 2 };
    struct fixture_party p;
    struct text expected = {0};
    int fd = fixture_file();

    fixture_party_begin(&p, bench, params);
    p.context.series_fd = fd;
    p.context.copy = COPY;
    p.context.sample = SAMPLE;
    assert_int_equal(p.party->setup(&p.context), 0);
    assert_int_equal(p.party->work(&p.context, 100), 0);
    assert_int_equal(p.party->run(&p.context), 0);
    const struct series *series = p.context.recorder[EXPERIMENT_SERIES];
    for (unsigned i = 0; i < n; i++)
        text_printf(&expected, "%u,%u,%u,%u,%llu\n", size, (unsigned)SAMPLE, (unsigned)COPY, i,
                    (unsigned long long)series->first[i].value);
    char *text = fixture_read_file(fd);
    assert_string_equal(text, expected.data);
    free(text);
    text_free(&expected);
    (void)close(fd);
    fixture_party_end(&p);
}

/* Runs a trial of two copies with so many experiments into rows; param is what that of each row begins with. The caller
 * frees the rows. */
static inline void experiment_run_two(const struct bench *bench, const void *params, uint64_t n, const char *param,
                                      struct fixture_rows *rows)
{
    assert_int_equal(fixture_one_trial(bench, params, 2, rows), ROW_OK);
    const unsigned n_rows = bench->n_metrics;
    assert_int_equal(rows->n, 2 * n_rows);
    for (unsigned copy = 0; copy < 2; copy++) {
        const struct row *row = &rows->row[copy * n_rows + METRIC_CYCLES];
        assert_int_equal(row->stats.n, n);
        /* On one CPU the number of the copy follows. */
        assert_ptr_equal(strstr(row->param.text, param), row->param.text);
    }
}

/* The main() of the test program: the workers of its trials are this program, too. */
static inline void experiment_main(int argc, char **argv, const struct bench *const *registry)
{
    trial_worker_main(argc, argv, registry, no_loads);
    process_init();
    signals_init();
}

#endif
