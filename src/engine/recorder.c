/* SPDX-License-Identifier: MIT */
#include "engine/engine.h"

struct recorder_spec party_recorder(const struct party *party, unsigned number, const void *params)
{
    struct recorder_spec spec = party->recorders[number];

    if (party->slices && spec.kind == RECORD_SLICES)
        spec.capacity *= *(const uint64_t *)((const char *)params + party->slices);
    return spec;
}

size_t recorder_size(const struct recorder_spec *spec)
{
    static const struct {
        size_t fixed, each;
    } sizes[] = {
        [RECORD_NUMBERS] = {0, sizeof(double)},
        [RECORD_SLICES] = {sizeof(struct slices), sizeof(struct slice)},
        [RECORD_HIST] = {sizeof(struct hist), 0},
        [RECORD_SERIES] = {sizeof(struct series), 0},
        [RECORD_CORE] = {sizeof(struct core_record), 0},
        [RECORD_CHECKS] = {sizeof(struct checks), sizeof(struct check)},
    };

    return sizes[spec->kind].fixed + spec->capacity * sizes[spec->kind].each;
}

/* Writes every byte: no page is new during the run. */
void recorder_init(const struct recorder_spec *spec, void *recorder)
{
    memset(recorder, 0, recorder_size(spec));
    if (spec->kind == RECORD_SLICES)
        *(struct slices *)recorder = (struct slices){.capacity = spec->capacity, .stride = 1};
    else if (spec->kind == RECORD_HIST)
        hist_init_classes(recorder, spec->capacity ? spec->capacity : 1);
    else if (spec->kind == RECORD_CHECKS)
        ((struct checks *)recorder)->capacity = spec->capacity;
}

static void slices_join_neighbours(struct slices *s)
{
    size_t half = s->n / 2;

    for (size_t i = 0; i < half; i++) {
        const struct slice *a = &s->slice[2 * i], *b = &s->slice[2 * i + 1];
        s->slice[i] = (struct slice){.count = a->count + b->count, .start_ns = a->start_ns, .end_ns = b->end_ns};
    }
    if (s->n % 2)
        s->slice[half] = s->slice[s->n - 1];
    s->pending = s->n % 2 ? s->stride : 0;
    s->n = half + s->n % 2;
    s->stride *= 2;
}

void slices_add(struct slices *s, uint64_t count, uint64_t start_ns, uint64_t end_ns)
{
    if (!s->pending && s->n == s->capacity) {
        if (s->capacity < 2)
            return;
        slices_join_neighbours(s);
    }
    if (s->pending) {
        s->slice[s->n - 1].count += count;
        s->slice[s->n - 1].end_ns = end_ns;
        s->pending = (s->pending + 1) % s->stride;
        return;
    }
    s->slice[s->n++] = (struct slice){.count = count, .start_ns = start_ns, .end_ns = end_ns};
    s->pending = s->stride > 1;
}

double slices_completed(const struct slices *s, uint64_t from_ns, uint64_t to_ns)
{
    double total = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct slice *a = &s->slice[i];
        const uint64_t from = larger(a->start_ns, from_ns), to = smaller(a->end_ns, to_ns);
        if (to > from)
            total += (double)a->count * (double)(to - from) / (double)(a->end_ns - a->start_ns);
    }
    return total;
}

void series_init(struct series *s)
{
    memset(s, 0, sizeof(*s));
}

static void heap_sift_down(struct series_point *heap, size_t n, size_t i)
{
    for (;;) {
        size_t least = i, left = 2 * i + 1, right = left + 1;
        if (left < n && heap[left].value < heap[least].value)
            least = left;
        if (right < n && heap[right].value < heap[least].value)
            least = right;
        if (least == i)
            return;
        struct series_point t = heap[i];
        heap[i] = heap[least];
        heap[least] = t;
        i = least;
    }
}

static void heap_sift_up(struct series_point *heap, size_t i)
{
    while (i > 0 && heap[(i - 1) / 2].value > heap[i].value) {
        struct series_point t = heap[i];
        heap[i] = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = t;
        i = (i - 1) / 2;
    }
}

/* If it is one of the SERIES_LARGEST. */
static void keep_large(struct series *s, struct series_point point)
{
    if (s->n_largest < SERIES_LARGEST) {
        s->largest[s->n_largest] = point;
        heap_sift_up(s->largest, s->n_largest++);
    } else if (point.value > s->largest[0].value) {
        s->largest[0] = point;
        heap_sift_down(s->largest, SERIES_LARGEST, 0);
    }
    if (s->n_largest == SERIES_LARGEST && (s->n_first == SERIES_FIRST || point.at < s->from))
        s->threshold = s->largest[0].value + 1;
}

void series_offer(struct series *s, uint64_t at, uint64_t value)
{
    const struct series_point point = {at, value};

    if (s->n_first < SERIES_FIRST && at >= s->from)
        s->first[s->n_first++] = point;
    keep_large(s, point);
}

void series_append(struct series *into, const struct series *other, uint64_t shift)
{
    for (uint32_t i = 0; i < other->n_first && into->n_first < SERIES_FIRST; i++) {
        into->first[into->n_first] = other->first[i];
        into->first[into->n_first++].at += shift;
    }
    for (uint32_t i = 0; i < other->n_largest; i++) {
        struct series_point p = other->largest[i];
        p.at += shift;
        keep_large(into, p);
    }
    into->n += other->n;
}

#define PARTS 20u

double series_clustering(const struct series *s, double limit, double share)
{
    double above[PARTS] = {0};
    uint64_t end = s->n;

    for (uint32_t i = 0; i < s->n_largest; i++)
        end = larger(end, s->largest[i].at + 1);
    for (uint32_t i = 0; i < s->n_largest; i++) /* has all from s->threshold on */
        above[s->largest[i].at * PARTS / end] += (double)s->largest[i].value >= fmax(limit, (double)s->threshold);
    const struct stats_running parts = stats_running_of(above, PARTS);
    const double wanted = (double)s->n * share / PARTS, variance = parts.m2 / (PARTS - 1);
    /* the excess over Poisson's variance grows with the square of the mean */
    return parts.mean > 0 ? fmax(1, 1 + (variance / parts.mean - 1) / parts.mean * wanted) : 1;
}

static int by_number(const void *a, const void *b)
{
    return ORDER_OF(((const struct series_point *)a)->at, ((const struct series_point *)b)->at);
}

size_t series_points(const struct series *s, struct series_point *points)
{
    const size_t n = (size_t)s->n_first + s->n_largest;
    size_t unique = 0;

    memcpy(points, s->first, s->n_first * sizeof(*points));
    memcpy(points + s->n_first, s->largest, s->n_largest * sizeof(*points));
    SORT(points, n, by_number);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || points[i].at != points[unique - 1].at)
            points[unique++] = points[i];
    return unique;
}

void checks_add(struct checks *c, const char *name, double got, double expected, double tolerance)
{
    if (c->n == c->capacity)
        return;
    struct check *check = &c->check[c->n++];
    *check = (struct check){.got = got, .expected = expected, .tolerance = tolerance};
    TEXT_SET(check->name, name);
}

const struct check *checks_wrong(const struct checks *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (!(fabs(c->check[i].got - c->check[i].expected) <= c->check[i].tolerance))
            return &c->check[i];
    return NULL;
}
