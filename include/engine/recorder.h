/* SPDX-License-Identifier: MIT */
/* Recorders: typed memory that a party writes while it runs and the parent reads afterwards, of a size that does not
 * grow with the events. */
#ifndef ENGINE_RECORDER_H
#define ENGINE_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "stats/stats.h"

enum recorder_kind {
    RECORD_NUMBERS, /* double[capacity] */
    RECORD_SLICES,  /* struct slices of capacity slices */
    RECORD_HIST,    /* struct hist; capacity: width of its classes (0: 1) */
    RECORD_SERIES,  /* struct series */
    RECORD_CHECKS,  /* struct checks; a wrong one fails the trial */
    RECORD_CORE,    /* struct core_record: slices by the core probes around them (engine/core.h) */
};

struct recorder_spec {
    enum recorder_kind kind;
    size_t capacity;
};
#define RECORDERS_MAX 8

size_t recorder_size(const struct recorder_spec *spec);
void recorder_init(const struct recorder_spec *spec, void *recorder);

/* The smallest number of units that lasts some 1.5 ms. When the array is full, neighbours are joined, and slices are
 * twice as long. */
struct slice {
    uint64_t count, start_ns, end_ns; /* times: CLOCK_MONOTONIC_RAW */
};
/* Mean time of a unit in ns. */
static inline double slice_ns(const struct slice *slice)
{
    return (double)(slice->end_ns - slice->start_ns) / (double)slice->count;
}
struct slices {
    size_t n, capacity;
    uint32_t stride, pending; /* slices_add() calls in a slice; in the last one if it is not complete, else 0 */
    struct slice slice[];
};
void slices_add(struct slices *s, uint64_t count, uint64_t start_ns, uint64_t end_ns);
/* Units completed between two times of CLOCK_MONOTONIC_RAW; a slice partly between them counts in proportion. */
double slices_completed(const struct slices *s, uint64_t from_ns, uint64_t to_ns);

/* Values of the first SERIES_FIRST events, and the SERIES_LARGEST largest. at: number of the event. */
#define SERIES_FIRST   500u
#define SERIES_LARGEST 2000u
struct series_point {
    uint64_t at, value;
};
struct series {
    uint64_t n;         /* added, kept or not */
    uint64_t threshold; /* smaller values are not kept: 0 until both arrays are full */
    uint32_t n_first, n_largest;
    struct series_point first[SERIES_FIRST];
    struct series_point largest[SERIES_LARGEST]; /* a heap with the smallest on top */
};
void series_init(struct series *s);
void series_offer(struct series *s, uint64_t at, uint64_t value);
/* Below the threshold one comparison. */
static inline void series_add(struct series *s, uint64_t at, uint64_t value)
{
    s->n++;
    if (__builtin_expect(value >= s->threshold, 0))
        series_offer(s, at, value);
}
/* shift is added to the numbers. */
void series_append(struct series *into, const struct series *other, uint64_t shift);
/* Copies the kept values, each once, by number, into points (room for SERIES_FIRST + SERIES_LARGEST). Returns how
 * many. */
size_t series_points(const struct series *s, struct series_point *points);

struct check {
    char name[40];
    double expected, got, tolerance;
};
struct checks {
    size_t n, capacity;
    struct check check[];
};
void checks_add(struct checks *c, const char *name, double got, double expected, double tolerance);
/* The first that is NAN or differs by more than its tolerance; NULL: none. */
const struct check *checks_wrong(const struct checks *c);

#endif
