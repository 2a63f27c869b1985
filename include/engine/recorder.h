/* SPDX-License-Identifier: MIT */
/* Recorders: typed memory that a party (a process or thread of a trial) writes while it runs and the parent reads
 * afterwards. All have a fixed size, which does not grow with the number of events. */
#ifndef ENGINE_RECORDER_H
#define ENGINE_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "stats/stats.h"

enum recorder_kind {
    RECORD_NUMBERS, /* array double[capacity] */
    RECORD_SLICES,  /* a struct slices with room for capacity slices */
    RECORD_HIST,    /* a struct hist; capacity is the width of its classes (0: 1) */
    RECORD_SERIES,  /* a struct series */
    RECORD_CHECKS,  /* struct checks: self-checks; when one is wrong the trial fails */
    RECORD_CORE,    /* struct core_record: slices of work by the result of the core probes around them
                     * (engine/core.h) */
};

struct recorder_spec {
    enum recorder_kind kind;
    size_t capacity;
};
#define RECORDERS_MAX 8

size_t recorder_size(const struct recorder_spec *spec);
void recorder_init(const struct recorder_spec *spec, void *recorder);

/* A slice of the work: the smallest number of units that lasts some 1.5 ms, with its start and end. When the array is
 * full, neighbouring slices are joined, and from then on a slice is twice as long. */
struct slice {
    uint64_t count, start_ns, end_ns; /* start and end by CLOCK_MONOTONIC_RAW */
};
/* Returns the mean time of a unit of work in the slice, in ns. */
static inline double slice_ns(const struct slice *slice)
{
    return (double)(slice->end_ns - slice->start_ns) / (double)slice->count;
}
struct slices {
    size_t n, capacity;
    uint32_t stride, pending; /* number of slices_add() calls that make a slice; number of them in the last one if it is
                               * not complete, else 0 */
    struct slice slice[];
};
void slices_add(struct slices *s, uint64_t count, uint64_t start_ns, uint64_t end_ns);
/* Returns how many units of work were completed between two times of CLOCK_MONOTONIC_RAW. A slice that is only partly
 * between them counts in proportion. */
double slices_completed(const struct slices *s, uint64_t from_ns, uint64_t to_ns);

/* A series of events keeps the values of the first SERIES_FIRST events, and the SERIES_LARGEST largest values. at:
 * number of the event. */
#define SERIES_FIRST   500u
#define SERIES_LARGEST 2000u
struct series_point {
    uint64_t at, value;
};
struct series {
    uint64_t n;         /* number of values added, kept or not */
    uint64_t threshold; /* smaller values are not kept: 0 until both arrays are full */
    uint32_t n_first, n_largest;
    struct series_point first[SERIES_FIRST];
    struct series_point largest[SERIES_LARGEST]; /* largest values: a heap with the smallest of them on top */
};
void series_init(struct series *s);
void series_offer(struct series *s, uint64_t at, uint64_t value);
/* Adds a value with its number. A value below the threshold costs one comparison. */
static inline void series_add(struct series *s, uint64_t at, uint64_t value)
{
    s->n++;
    if (__builtin_expect(value >= s->threshold, 0))
        series_offer(s, at, value);
}
/* Appends another series, with shift added to the numbers of its values. */
void series_append(struct series *into, const struct series *other, uint64_t shift);
/* Copies all values that were kept, each once and ordered by number, into points (room for SERIES_FIRST +
 * SERIES_LARGEST). Returns how many there are. */
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
/* Returns the first check whose value differs from the expected one by more than its tolerance, or is NAN; NULL:
 * none. */
const struct check *checks_wrong(const struct checks *c);

#endif
