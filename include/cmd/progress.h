/* SPDX-License-Identifier: MIT */
/* The plan line before measuring, and the line of progress on a terminal. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/plan.h"
#include "rows/text.h"

struct progress {
    uint64_t began_ns, shown_ns; /* times in CLOCK_MONOTONIC_RAW; shown 0: no line was printed */
    double planned_s;            /* planned time of all suites; 0: not known */
    double before, weight;       /* share of the total that is done, and the current suite's share of it */
    double left_s;               /* time left in s, as last shown; negative: not shown yet */
    const struct clock_info *clock;
    char line[320]; /* text of the line, without the time left */
};

/* Returns whether the progress line may be printed: standard error is a terminal, and standard output is not a pipe,
 * whose reader (a pager) may use that terminal. */
bool progress_wanted(void);
/* Estimates the time left in s from the share done (0 to 1) after elapsed_s, with planned_s expected in total (0: not
 * known). The estimate is not much longer than before_s, the previous one (negative: none). Returns a negative value
 * when it is too early for an estimate. */
double progress_left(double done, double elapsed_s, double planned_s, double before_s);
/* Callback of a plan_run; context is the struct progress. Called between samples a few times a second, and within a
 * sample each second if the benchmark allows that. Other benchmarks measure such disturbances, so the parent sleeps
 * during their samples, and the line says when the sample ends. */
void progress_show(void *context, const struct plan_item *item, uint64_t sample, double done);
void progress_elapsed(void *context, uint64_t elapsed_ns);
void progress_clear(const struct progress *progress);

/* The least and the most of some numbers; before the first of them, least is UINT64_MAX. */
struct range {
    uint64_t least, most;
};
void range_add(struct range *range, uint64_t value);

/* Appends "2 measurements, 10 samples or more of 250 ms each, 10 s to 20 s" for the plan. */
void progress_plan(const struct plan *plan, const struct plan_time *time, struct text *out);
/* Rounds an estimate in ns to two digits: 2.6 min, not 2.58. Values below a second are not rounded. */
uint64_t progress_round(uint64_t ns);
/* Appends "about 3 s", "10 s to 20 s", "at least 5 s". */
void progress_time(const struct plan_time *time, struct text *out);

#endif
