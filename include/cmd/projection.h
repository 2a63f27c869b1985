/* SPDX-License-Identifier: MIT */
/* What the noise of some hosts costs work on many ranks, from their rows: what project and report share. Nothing is
 * read or printed. */
#ifndef CMD_PROJECTION_H
#define CMD_PROJECTION_H

#include <stddef.h>

#include "cmd/detours.h"
#include "engine/project.h"

#define PROJECTION_DECADES 8u                  /* of lengths: below 100 ns, 1 us, ... 100 ms, and beyond */
#define PROJECTION_CAUSES  (DETOUR_CAUSES + 1) /* the last one: not known */
#define PROJECTION_COSTS   (PROJECTION_CAUSES * PROJECTION_DECADES)

/* All zero but for steps and ranks, which are the caller's to set; then rows, then projection_compute(). */
struct projection {
    double step_ns[PROJECT_STEPS_MAX], ranks[PROJECT_RANKS_MAX]; /* rising */
    size_t n_steps, n_ranks;
    size_t points;     /* as project_slowdown_on() */
    size_t hosts_most; /* hosts that are kept one by one; 0: all. Rows of a further host come together. */
    struct detours_host **hosts;
    size_t n, capacity;
    size_t n_more;                       /* further ones: they are part of all */
    struct detours_host *all;            /* those that have detours, as one */
    double *slowdown;                    /* projection_slowdown() */
    struct detours_host *further, *rest; /* for itself: the last of the further ones; those before it */
};

/* Enters a row of the host of that name, which is sanitized for the terminal; rows that say nothing of detours are
 * passed over. 0, or -1 when out of memory. */
int projection_enter(struct projection *p, const char *name, const struct row *row);
/* Hosts without detours go; say (may be NULL) is told their names. */
void projection_drop_empty(struct projection *p, void (*say)(const char *name));
/* 0, or -1 when out of memory. With no host left there is nothing to compute. */
int projection_compute(struct projection *p);
/* By step and ranks; host n: all together. With n_more they are as one machine, otherwise each has its share of the
 * ranks. */
const double *projection_slowdown(const struct projection *p, size_t host);
void projection_free(struct projection *p);

/* Detours of a cause and a decade of lengths, of all hosts. */
struct projection_cost {
    unsigned cause, decade;            /* cause DETOUR_CAUSES: of prime, not known */
    double per_s, lost_pct;            /* of a CPU's time */
    double without[PROJECT_STEPS_MAX]; /* slow-down at the most ranks when they are removed */
};
/* Those that there are, the most costly first; room for PROJECTION_COSTS. 0, or -1 when out of memory. */
int projection_costs(const struct projection *p, struct projection_cost *costs, size_t *n);
/* "1 us .. 10 us" and "preempted". */
const char *projection_decade(const struct projection_cost *cost);
const char *projection_cause(const struct projection_cost *cost);

#endif
