/* SPDX-License-Identifier: MIT */
/* Formats the plan's duration for the output's header, and prints a line of progress on a terminal while measuring. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/plan.h"
#include "rows/text.h"

struct progress {
    uint64_t began_ns, shown_ns; /* times in CLOCK_MONOTONIC_RAW; shown 0: no line was printed */
    double planned_s;            /* planned time of all suites; 0: not known */
    double before, weight;       /* shares of the session (0 to 1): of the suites already done, of the current suite */
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
/* Callbacks of struct plan_run; context is a struct progress. progress_show() is called before each sample, and prints
 * at most five lines a second. progress_elapsed() is called each second within a sample if the benchmark allows that.
 * Other benchmarks would measure the disturbance, so during their samples this process sleeps, and the line says when a
 * long sample ends. */
void progress_show(void *context, const struct plan_item *item, uint64_t sample, double done);
void progress_elapsed(void *context, uint64_t elapsed_ns);
void progress_clear(const struct progress *progress);

/* The least and the most of some numbers; before the first of them, least is UINT64_MAX. */
struct range {
    uint64_t least, most;
};
void range_add(struct range *range, uint64_t value);

/* Appends what the plan will measure and how long that takes: "2 measurements, 10 samples or more of 250 ms each, 10 s
 * to 20 s". */
void progress_plan(const struct plan *plan, const struct plan_time *time, struct text *out);
/* Rounds an estimate in ns to two digits: 2.6 min, not 2.58. Values below a second are not rounded. */
uint64_t progress_round(uint64_t ns);
/* Appends an estimated duration: "about 3 s", "10 s to 20 s", "at least 5 s". */
void progress_time(const struct plan_time *time, struct text *out);

#endif
