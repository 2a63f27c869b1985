/* SPDX-License-Identifier: MIT */
/* Made-up measurements whose truth is known, from a fixed seed, through the engine's own rule when to stop. */
#ifndef MADE_UP_H
#define MADE_UP_H

#include "plan_fixture.h"

#include "engine/trial.h"

struct made_up {
    uint64_t seed;
};

static inline double made_up_uniform(struct made_up *m)
{
    return ((double)(stats_random(&m->seed) >> 11) + 0.5) * 0x1p-53;
}

/* Standard normal, by Box and Muller 1958. */
static inline double made_up_normal(struct made_up *m)
{
    const double radius = sqrt(-2 * log(made_up_uniform(m)));

    return radius * cos(2 * acos(-1) * made_up_uniform(m));
}

enum made_up_shape { NORMAL, LOG_NORMAL, BIMODAL, AUTOCORRELATED };

/* A process's mean. Over all processes its mean is 1 and its standard deviation about rsd. */
static inline double made_up_process(struct made_up *m, enum made_up_shape shape, double rsd)
{
    double sum = 0, x;

    switch (shape) {
    case NORMAL:
        return 1 + rsd * made_up_normal(m);
    case LOG_NORMAL:
        return exp(rsd * made_up_normal(m) - rsd * rsd / 2);
    case BIMODAL: /* three processes in ten got the other memory layout; a quarter of the variance is within a mode */
        x = made_up_uniform(m) < 0.3 ? 0.7 : -0.3;
        return 1 + rsd * (sqrt(0.75 / 0.21) * x + 0.5 * made_up_normal(m));
    case AUTOCORRELATED: /* 100 events, each close to the one before, and with a long tail: log-normal AR(1) */
        x = made_up_normal(m);
        for (int i = 0; i < 100; i++) {
            x = 0.9 * x + sqrt(1 - 0.9 * 0.9) * made_up_normal(m);
            sum += exp(0.5 * x - 0.125);
        }
        /* The mean of these 100 has a standard deviation of 0.2 about. */
        return 1 + (sum / 100 - 1) * rsd / 0.2;
    }
    return NAN;
}

static const struct metric made_up_metrics[] = {
    {.id = "value", .unit = "ns", .better = "lower", .value = VALUE_MEAN, .headline = true}};
static const struct bench made_up_bench = {
    .name = "made up", .suite = "dummy", .metrics = made_up_metrics, .n_shared_metrics = 1, .n_metrics = 1};

/* Processes, each a trial of 100 ms, times factor, until the engine has enough of them. Returns the row that comes of
 * it, which is the first of rows. */
static inline const struct row *made_up_run(struct made_up *m, enum made_up_shape shape, double rsd, double factor,
                                            const struct sampling *sampling, struct fixture_rows *rows)
{
    static struct place_request place;
    static struct plan_run how;
    const struct plan_item item = {.bench = &made_up_bench, .copies = 1, .calibrated_by = -1, .sampling = *sampling};
    struct results results;

    if (!how.sink.put)
        how = fixture_run(&place, rows);
    rows->n = 0;
    how.place = &place;
    assert_int_equal(results_init(&results, &item, &how), 0);
    do {
        results_sample(&results, 0, 0, factor * made_up_process(m, shape, rsd));
        results.n_trials++;
        results.spent_ns += 100 * MS;
    } while (!results_sampled_enough(&results));
    assert_true(results_rows(&results, ROW_OK, "") < ROW_SKIPPED);
    results_free(&results);
    return &rows->row[0];
}

#endif
