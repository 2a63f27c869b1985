/* SPDX-License-Identifier: MIT */
/* Recorders: typed memory that a party writes while it runs and the parent reads afterwards. All have a fixed size,
 * which does not grow with the number of events. */
#ifndef ENGINE_RECORDER_H
#define ENGINE_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "stats/hist.h"

enum recorder_kind {
    RECORD_NUMBERS, /* array double[capacity] */
    RECORD_SLICES,  /* struct slices with capacity slices */
    RECORD_HIST,    /* a struct hist with classes of width capacity; 0: 1 */
    RECORD_SERIES,  /* a struct series */
    RECORD_CHECKS,  /* struct checks: self-checks; a wrong one fails the row */
    RECORD_CORE,    /* struct core_record: slices by core probe (engine/core.h) */
};

struct recorder_spec {
    enum recorder_kind kind;
    size_t capacity;
};
#define RECORDERS_MAX 8

size_t recorder_size(const struct recorder_spec *spec);
void recorder_init(const struct recorder_spec *spec, void *recorder);

/* A slice: the smallest number of units of work that lasts some 1.5 ms, with its start and end. When the array is full,
 * neighbouring slices are joined, and from then on a slice is twice as long. */
struct slice {
    uint64_t count, start_ns, end_ns; /* start and end by CLOCK_MONOTONIC_RAW */
};
/* Returns the time of a unit of work. */
static inline double slice_ns(const struct slice *slice)
{
    return (double)(slice->end_ns - slice->start_ns) / (double)slice->count;
}
struct slices {
    size_t n, capacity;
    uint32_t stride, pending; /* number of slices_add() calls per slice, and number of them in the last slice */
    struct slice slice[];
};
void slices_add(struct slices *s, uint64_t count, uint64_t start_ns, uint64_t end_ns);
/* Returns the units of work completed between two times. A slice that is only partly between them counts in
 * proportion. */
double slices_completed(const struct slices *s, uint64_t from_ns, uint64_t to_ns);

/* A series of numbered values keeps the first SERIES_FIRST of them, and the SERIES_LARGEST largest. */
#define SERIES_FIRST   500u
#define SERIES_LARGEST 2000u
struct series_point {
    uint64_t at, value;
};
struct series {
    uint64_t n;         /* number of values added */
    uint64_t threshold; /* smaller values are ignored: 0 until both parts are full */
    uint32_t n_first, n_largest;
    struct series_point first[SERIES_FIRST];
    struct series_point largest[SERIES_LARGEST]; /* largest values: a heap with the smallest of them on top */
};
void series_init(struct series *s);
void series_offer(struct series *s, uint64_t at, uint64_t value);
/* Adds a value. A value below the threshold costs one comparison. */
static inline void series_add(struct series *s, uint64_t at, uint64_t value)
{
    s->n++;
    if (__builtin_expect(value >= s->threshold, 0))
        series_offer(s, at, value);
}
/* Appends another series; its numbers are increased by shift. */
void series_append(struct series *into, const struct series *other, uint64_t shift);
/* Copies all points, each once and ordered by number, into points (room for SERIES_FIRST + SERIES_LARGEST). Returns
 * how many there are. */
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
/* Returns the first check with a wrong value, or NULL. NAN is wrong. */
const struct check *checks_wrong(const struct checks *c);

#endif
