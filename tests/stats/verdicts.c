/* SPDX-License-Identifier: MIT */
/* The verdicts of `compare` on made-up runs whose truth is known: how often rows and the mean of a suite claim a change
 * that is not there, how often the 95 % interval holds the truth, and how often a change of 5 % is found, beside other
 * rules. All from fixed seeds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/compare_samples.h"
#include "stats/inference.h"
#include "stats/stats.h"

#define DRAWS     2000u
#define ROWS      3u
#define RUNS_MOST 30u
#define EFFECT    0.95 /* ratio of a real change */

static const struct cell {
    const char *name;
    unsigned n[2];
    double sd[2];    /* of the logarithm of a run's value at the same share */
    double share[2]; /* mean share of the core */
    double common;   /* part of the spread at the same share that the rows of a run have in common */
    double outliers; /* part of the runs that are 20 % slower */
    double error;    /* of the logarithm of the share */
    double ar;       /* correlation of neighbouring runs, which are in turns */
} cells[] = {
    {"20/5 1:1", {20, 5}, {.01, .01}, {.85, .85}, 0, 0, 0, 0},
    {"20/5 1:3", {20, 5}, {.01, .03}, {.85, .85}, 0, 0, 0, 0},
    {"20/5 1:5", {20, 5}, {.01, .05}, {.85, .85}, 0, 0, 0, 0},
    {"30/5 1:1", {30, 5}, {.01, .01}, {.85, .85}, 0, 0, 0, 0},
    {"30/5 1:3", {30, 5}, {.01, .03}, {.85, .85}, 0, 0, 0, 0},
    {"30/5 1:5", {30, 5}, {.01, .05}, {.85, .85}, 0, 0, 0, 0},
    {"5/20 5:1", {5, 20}, {.05, .01}, {.85, .85}, 0, 0, 0, 0},
    {"5/20 1:3", {5, 20}, {.01, .03}, {.85, .85}, 0, 0, 0, 0},
    {"5/20 1:5", {5, 20}, {.01, .05}, {.85, .85}, 0, 0, 0, 0},
    {"10/5 1:1", {10, 5}, {.01, .01}, {.85, .85}, 0, 0, 0, 0},
    {"10/5 1:3", {10, 5}, {.01, .03}, {.85, .85}, 0, 0, 0, 0},
    {"10/5 1:5", {10, 5}, {.01, .05}, {.85, .85}, 0, 0, 0, 0},
    {"10/10 1:1", {10, 10}, {.01, .01}, {.85, .85}, 0, 0, 0, 0},
    {"10/10 1:3", {10, 10}, {.01, .03}, {.85, .85}, 0, 0, 0, 0},
    {"10/10 1:5", {10, 10}, {.01, .05}, {.85, .85}, 0, 0, 0, 0},
    {"20/5 1:5 shares", {20, 5}, {.01, .05}, {.90, .72}, 0, 0, 0, 0},
    {"5/20 1:3 shares", {5, 20}, {.01, .03}, {.90, .72}, 0, 0, 0, 0},
    {"10/10 1:1 shares", {10, 10}, {.01, .01}, {.90, .72}, 0, 0, 0, 0},
    {"20/5 1:5 common", {20, 5}, {.01, .05}, {.85, .85}, 1, 0, 0, 0},
    {"10/10 1:1 common", {10, 10}, {.01, .01}, {.85, .85}, 1, 0, 0, 0},
    {"10/10 1:1 outliers", {10, 10}, {.01, .01}, {.85, .85}, 0, .1, 0, 0},
    {"20/5 1:3 outliers", {20, 5}, {.01, .03}, {.85, .85}, 0, .1, 0, 0},
    {"10/10 1:1 error", {10, 10}, {.01, .01}, {.85, .85}, 0, 0, .02, 0},
    {"20/5 1:3 shares error", {20, 5}, {.01, .03}, {.90, .72}, 1, 0, .02, 0},
    {"10/10 in turns", {10, 10}, {.02, .02}, {.90, .72}, 0, 0, 0, .8},
};
#define CELLS (sizeof(cells) / sizeof(cells[0]))

static uint64_t seed;

static double uniform(void)
{
    return ((double)(stats_random(&seed) >> 11) + 0.5) * 0x1p-53;
}

/* Standard normal, by Box and Muller 1958. */
static double normal(void)
{
    const double radius = sqrt(-2 * log(uniform()));

    return radius * cos(2 * acos(-1) * uniform());
}

/* The runs of both sides. [ROWS] is the score of a run: the geometric mean of its rows. */
struct drawn {
    double value[2][RUNS_MOST][ROWS + 1], share[2][RUNS_MOST];
};

/* Draws both sides; effect multiplies the values of the second. What AR(1) adds goes through both sides in turns. */
static void draw(const struct cell *cell, double effect, struct drawn *out)
{
    static const double slopes[ROWS] = {1, 0.7, 0.4};
    double drift[ROWS] = {normal(), normal(), normal()};

    for (unsigned k = 0; k < cell->n[0] || k < cell->n[1]; k++)
        for (unsigned turn = 0; turn < 2; turn++) {
            const unsigned side = cell->ar > 0 && k % 2 ? 1 - turn : turn; /* A B B A */
            const double share = fmin(cell->share[side] * exp(0.06 * normal()), 1), of_run = normal();
            const bool outlier = uniform() < cell->outliers;
            double sum = 0;
            if (k >= cell->n[side])
                continue;
            for (unsigned r = 0; r < ROWS; r++) {
                double noise = cell->common > 0 ? of_run : normal();
                if (cell->ar > 0)
                    noise = drift[r] = cell->ar * drift[r] + sqrt(1 - cell->ar * cell->ar) * noise;
                /* In turns the neighbours meet both sides alike: there is no effect of the share. */
                const double speed = cell->ar > 0 ? 0 : slopes[r] * log(share);
                double y = cell->sd[side] * noise + speed + (side ? log(effect) : 0);
                y += outlier ? log(0.8) : 0;
                out->value[side][k][r] = 100 * exp(y);
                sum += y;
            }
            out->value[side][k][ROWS] = 100 * exp(sum / ROWS);
            out->share[side][k] = fmin(share * exp(cell->error * normal()), 1);
        }
}

static void measure(const struct cell *cell, const struct drawn *d, unsigned row, struct comparison *out)
{
    struct comparison_run runs[2][RUNS_MOST];

    for (unsigned side = 0; side < 2; side++)
        for (unsigned k = 0; k < cell->n[side]; k++)
            runs[side][k] = (struct comparison_run){
                .samples = &d->value[side][k][row],
                .n = 1,
                .share = d->share[side][k],
                .share_error = cell->error,
            };
    comparison_measure(&(struct comparison_side){runs[0], cell->n[0]}, &(struct comparison_side){runs[1], cell->n[1]},
                       cell->ar > 0 ? ORDER_RUNS_ALTERNATE : ORDER_APART, out);
    comparison_judge(out, 1, 0.95, 0);
}

static bool claims(const struct comparison *c)
{
    return c->change == CHANGE_LOWER || c->change == CHANGE_HIGHER;
}

/* --- Other rules, for comparison. --- */

enum { WELCH, RANKS, POOLED, RULES };

/* The analysis of covariance with pooled variances, as `compare` had it before. Returns t, and its degrees of freedom.
 */
static double pooled_t(const struct cell *cell, const struct drawn *d, unsigned row, double *df)
{
    double x[2] = {0, 0}, y[2] = {0, 0}, xx = 0, xy = 0, yy = 0;

    for (unsigned side = 0; side < 2; side++) {
        for (unsigned k = 0; k < cell->n[side]; k++) {
            x[side] += log(d->share[side][k]) / cell->n[side];
            y[side] += log(d->value[side][k][row]) / cell->n[side];
        }
        for (unsigned k = 0; k < cell->n[side]; k++) {
            const double dx = log(d->share[side][k]) - x[side], dy = log(d->value[side][k][row]) - y[side];
            xx += dx * dx;
            xy += dx * dy;
            yy += dy * dy;
        }
    }
    *df = cell->n[0] + cell->n[1] - 3.0;
    const double beyond = x[1] - x[0];
    const double error = sqrt((yy - xy * xy / xx) / *df * (1.0 / cell->n[0] + 1.0 / cell->n[1] + beyond * beyond / xx));
    return (y[1] - y[0] - xy / xx * beyond) / error;
}

static void other_rules(const struct cell *cell, const struct drawn *d, unsigned row, unsigned found[RULES])
{
    double values[2][RUNS_MOST], df;
    struct inference_shift shift;

    for (unsigned side = 0; side < 2; side++)
        for (unsigned k = 0; k < cell->n[side]; k++)
            values[side][k] = log(d->value[side][k][row]);
    found[WELCH] += inference_welch(values[0], cell->n[0], values[1], cell->n[1]).p < 0.05;
    if (inference_rank_test(values[0], cell->n[0], values[1], cell->n[1], 0.95, &shift))
        exit(1);
    found[RANKS] += shift.p < 0.05;
    const double t = pooled_t(cell, d, row, &df);
    found[POOLED] += stats_student_p(t, df) < 0.05;
}

static double pct(unsigned n, unsigned of)
{
    return 100.0 * n / of;
}

int main(void)
{
    static struct drawn d;
    bool failed = false;

    (void)printf("%-22s|%6s %5s %5s %5s %5s|%6s %5s %5s %5s %6s|\n", "", "alarms", "suite", "holds", "suite", "apart",
                 "found", "Welch", "ranks", "pooled", "apart");
    for (size_t i = 0; i < CELLS; i++) {
        const struct cell *cell = &cells[i];
        unsigned alarms = 0, of_suite = 0, holds = 0, suite_holds = 0, apart = 0, found = 0, apart_found = 0;
        unsigned false_by[RULES] = {0}, suite_by[RULES] = {0}, found_by[RULES] = {0};
        struct comparison c;
        seed = 20261124 + i;
        for (unsigned n = 0; n < DRAWS; n++) {
            draw(cell, 1, &d);
            measure(cell, &d, n % ROWS, &c);
            alarms += claims(&c);
            holds += c.low <= 1 && 1 <= c.high;
            apart += c.change == CHANGE_UNKNOWN;
            measure(cell, &d, ROWS, &c);
            of_suite += claims(&c);
            suite_holds += c.low <= 1 && 1 <= c.high;
            other_rules(cell, &d, n % ROWS, false_by);
            other_rules(cell, &d, ROWS, suite_by);
            draw(cell, EFFECT, &d);
            measure(cell, &d, n % ROWS, &c);
            found += claims(&c);
            apart_found += c.change == CHANGE_UNKNOWN;
            other_rules(cell, &d, n % ROWS, found_by);
        }
        double best = 0;
        for (unsigned rule = 0; rule < RULES && cell->share[0] == cell->share[1]; rule++)
            if (pct(false_by[rule], DRAWS) <= 6.5 && pct(suite_by[rule], DRAWS) <= 6.5) /* keeps its level */
                best = fmax(best, pct(found_by[rule], DRAWS));
        const double most = cell->ar > 0 ? 8 : 6.5;
        const bool bad = pct(alarms, DRAWS) > most || pct(of_suite, DRAWS) > most ||
                         (!(cell->ar > 0) && (pct(holds, DRAWS) < 93.5 || pct(suite_holds, DRAWS) < 93.5)) ||
                         pct(found, DRAWS) < best - 5;
        (void)printf("%-22s|%6.1f %5.1f %5.1f %5.1f %5.1f|%6.1f %5.1f %5.1f %5.1f %6.1f|%s\n", cell->name,
                     pct(alarms, DRAWS), pct(of_suite, DRAWS), pct(holds, DRAWS), pct(suite_holds, DRAWS),
                     pct(apart, DRAWS), pct(found, DRAWS), pct(found_by[WELCH], DRAWS), pct(found_by[RANKS], DRAWS),
                     pct(found_by[POOLED], DRAWS), pct(apart_found, DRAWS), bad ? "  FAILED" : "");
        failed |= bad;
    }
    return failed;
}
