/* SPDX-License-Identifier: MIT */
/* The plan line before measuring, and the line of progress on a terminal. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/plan.h"
#include "engine/text.h"

struct progress {
    uint64_t began_ns, shown_ns; /* of CLOCK_MONOTONIC_RAW; shown 0: no line was printed */
    double planned_s;            /* of all suites; 0: not known */
    double before, weight;       /* share of the whole that is done, and that the suite stands for */
    double left_s;               /* as shown last; negative: not yet */
    const struct clock_info *clock;
    char line[320]; /* without the time left */
};

/* Whether the line may be printed: standard error is a terminal, and standard output is no pipe, whose reader may show
 * a page on that terminal. */
bool progress_wanted(void);
/* How much time is left, in s: done of all (0 to 1) after elapsed_s, when planned_s were expected (0: not known). Not
 * much more than what was said before (negative: nothing). Negative: too early to say. */
double progress_left(double done, double elapsed_s, double planned_s, double before_s);
/* The callbacks of a plan_run; context is the struct progress. Between samples, a few times a second; within one each
 * second where the benchmark allows that: in all others the parent sleeps, for to wake it would be a disturbance that
 * they measure. There the line says when the sample ends. */
void progress_show(void *context, const struct plan_item *item, uint64_t sample, double done);
void progress_elapsed(void *context, uint64_t elapsed_ns);
void progress_clear(const struct progress *progress);

/* "2 figures, 10 samples or more of 250 ms each, 10 s to 20 s" for the plan. */
void progress_plan(const struct plan *plan, const struct plan_time *time, struct text *out);
/* An estimate in two digits: 2.6 min, not 2.58. Below a second it stays. */
uint64_t progress_round(uint64_t ns);
/* "about 3 s", "10 s to 20 s", "at least 5 s". */
void progress_time(const struct plan_time *time, struct text *out);

#endif
