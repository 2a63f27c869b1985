/* SPDX-License-Identifier: MIT */
/* Accounting of detours: lengths, causes, blind time. */
#include "bench/detour.h"

#include <string.h>

/* The usual cost changes by a fraction of 1/USUAL_STEPS at a time: small enough to be steady, large enough to settle
 * within 100 detours. */
#define USUAL_STEPS 64u
/* Gaps above this are not part of the loop's own distribution. */
#define LOOP_GAP_MAX 4096u
/* The shortest gaps are treated as rounding of the clock if they are less than one in LOOP_RARE of all gaps. */
#define LOOP_RARE 10u

void detour_begin(struct detour_account *a, uint64_t start, uint64_t length, uint64_t threshold, double ns_per_tick,
                  const struct detour_seen *seen)
{
    struct hist *hist = a->hist;
    struct series *series = a->series;

    memset(a, 0, sizeof(*a));
    a->hist = hist;
    a->series = series;
    a->start = start;
    a->length = length;
    a->threshold = threshold;
    a->ns_per_tick = ns_per_tick;
    a->seen = *seen;
}

static void count(struct detour_sum *sum, uint64_t n, uint64_t ticks)
{
    sum->n += n;
    sum->ticks += ticks;
}

static uint64_t to_ns(const struct detour_account *a, uint64_t ticks)
{
    return (uint64_t)((double)ticks * a->ns_per_tick + 0.5);
}

static unsigned class_of(uint64_t ns)
{
    unsigned octave = 0;

    while (octave + 1 < DETOUR_CLASSES && ns >> (octave + 1))
        octave++;
    return octave;
}

/* Adds n detours of `ticks` in total to the sums. Several detours known only by their sum go to the class of their
 * mean. */
static void enter(struct detour_account *a, enum detour_cause cause, uint64_t n, uint64_t ticks)
{
    if (!n)
        return;
    count(&a->sum[cause], n, ticks);
    count(&a->by_class[cause][class_of(to_ns(a, ticks / n))], n, ticks);
}

static void take_out(struct detour_account *a, enum detour_cause cause, uint64_t ticks)
{
    struct detour_sum *class = &a->by_class[cause][class_of(to_ns(a, ticks))];

    a->sum[cause].n--;
    a->sum[cause].ticks -= ticks;
    class->n--;
    class->ticks -= ticks;
}

/* --- Position in the run. --- */

static uint64_t cell_start(const struct detour_account *a, uint64_t cell)
{
    return a->start + a->length / DETOUR_CELLS * cell + a->length % DETOUR_CELLS * cell / DETOUR_CELLS;
}

/* Adds lost time to the parts of the run. Time beyond the planned end is in none. */
static void mark_cells(struct detour_account *a, uint64_t from, uint64_t to)
{
    uint64_t cell = (uint64_t)((double)(from - a->start) / (double)a->length * DETOUR_CELLS);

    cell -= cell > 0; /* corrects rounding */
    for (; cell < DETOUR_CELLS && cell_start(a, cell) < to; cell++) {
        uint64_t low = cell_start(a, cell), high = cell_start(a, cell + 1);
        low = low < from ? from : low;
        high = high > to ? to : high;
        a->cell[cell] += high > low ? high - low : 0;
    }
}

/* --- Detours without a known cause. --- */

/* Replaces the heap's least element. */
static void heap_replace(struct detour_left *heap, size_t n, struct detour_left left)
{
    size_t i = 0;

    for (;;) {
        size_t least = 2 * i + 1;
        least += least + 1 < n && heap[least + 1].ticks < heap[least].ticks;
        if (least >= n || heap[least].ticks >= left.ticks)
            break;
        heap[i] = heap[least];
        i = least;
    }
    heap[i] = left;
}

/* Removes and returns the heap's least element. Used to sort in place of qsort(), which may allocate. */
static struct detour_left heap_pop(struct detour_left *heap, size_t *n)
{
    struct detour_left top = heap[0];

    --*n;
    heap_replace(heap, *n, heap[*n]);
    return top;
}

/* Adds an element to a heap; if it is full, drops the least of all. Returns the ticks of the dropped element. */
static uint64_t heap_push(struct detour_left *heap, size_t *n, size_t room, struct detour_left left)
{
    uint64_t dropped = heap[0].ticks;
    size_t i = *n;

    if (i < room) {
        ++*n;
        for (; i > 0 && heap[(i - 1) / 2].ticks > left.ticks; i = (i - 1) / 2)
            heap[i] = heap[(i - 1) / 2];
        heap[i] = left;
        return 0;
    }
    if (left.ticks <= dropped)
        return left.ticks;
    heap_replace(heap, room, left);
    return dropped;
}

static void leave_over(struct detour_account *a, uint64_t ticks)
{
    const struct detour_left left = {.ticks = ticks, .cause = DETOUR_UNEXPLAINED};

    if (to_ns(a, ticks) < DETOUR_INTERRUPT_MIN_NS) {
        enter(a, DETOUR_UNEXPLAINED, 1, ticks);
        return;
    }
    bool full = a->n_window == DETOUR_WINDOW_MAX;
    uint64_t dropped = heap_push(a->window, &a->n_window, DETOUR_WINDOW_MAX, left);

    if (full)
        count(&a->shorter, 1, dropped);
}

/* Attributes interrupts to detours that are known only by their sum, in proportion. */
static uint64_t explain_sum(struct detour_account *a, uint64_t interrupts)
{
    struct detour_sum *rest = &a->shorter;
    uint64_t n = rest->n < interrupts ? rest->n : interrupts;
    uint64_t ticks = n == rest->n ? rest->ticks : (uint64_t)((double)rest->ticks * ((double)n / (double)rest->n));

    enter(a, DETOUR_INTERRUPT, n, ticks);
    enter(a, DETOUR_UNEXPLAINED, rest->n - n, rest->ticks - ticks);
    *rest = (struct detour_sum){0};
    return n;
}

/* --- One detour. --- */

/* Returns the cause, or DETOUR_UNEXPLAINED when no counter changed. Migration is tested first because it includes a
 * context switch, and a switch first because a page fault may follow it. */
static enum detour_cause cause_of(const struct detour_seen *before, const struct detour_seen *now)
{
    if (now->cpu != before->cpu)
        return DETOUR_MIGRATED;
    if (now->switches > before->switches)
        return DETOUR_PREEMPTED;
    return now->faults > before->faults ? DETOUR_FAULT : DETOUR_UNEXPLAINED;
}

static void settle(struct detour_account *a)
{
    const struct detour_last *last = &a->last;
    uint64_t began = last->end - a->start > last->ticks ? last->end - last->ticks : a->start;

    if (!last->ticks)
        return;
    if (last->cause == DETOUR_UNEXPLAINED)
        leave_over(a, last->ticks);
    else
        enter(a, last->cause, 1, last->ticks);
    a->switched += last->cause == DETOUR_PREEMPTED || last->cause == DETOUR_MIGRATED;
    hist_add(a->hist, to_ns(a, last->ticks));
    series_add(a->series, to_ns(a, began - a->start) / 1000, to_ns(a, last->ticks));
    mark_cells(a, began, last->end);
    a->last.ticks = 0;
}

void detour_add(struct detour_account *a, uint64_t end, uint64_t ticks, const struct detour_seen *seen)
{
    settle(a);
    a->last = (struct detour_last){.end = end, .ticks = ticks, .cause = cause_of(&a->seen, seen), .before = a->seen};
    a->seen = *seen;
}

/* --- The sampler's own steps. --- */

/* Updates the running median: each value moves it one step up or down, so no values need to be stored. */
static void follow(struct detour_cost *cost, uint64_t took)
{
    uint64_t step = cost->usual / USUAL_STEPS + 1;

    if (took > cost->usual)
        cost->usual += step < took - cost->usual ? step : took - cost->usual;
    else
        cost->usual -= step < cost->usual - took ? step : cost->usual - took;
}

static uint64_t beyond_usual(struct detour_account *a, const struct detour_cost *cost, uint64_t took)
{
    uint64_t usual = cost->usual;
    bool met = took > 2 * usual && took - usual > a->threshold;

    a->blind += met ? usual : took;
    return met ? took - usual : 0;
}

uint64_t detour_added(struct detour_account *a, struct detour_cost *cost, uint64_t took, bool again)
{
    uint64_t beyond = beyond_usual(a, cost, took);

    if (!again)
        follow(cost, took);
    if (beyond > a->last.ticks && a->last.cause != DETOUR_UNEXPLAINED) {
        a->last.cause = DETOUR_UNEXPLAINED;
        a->seen = a->last.before;
    }
    return beyond;
}

uint64_t detour_read(struct detour_account *a, struct detour_cost *cost, uint64_t took)
{
    uint64_t beyond = beyond_usual(a, cost, took);

    follow(cost, took);
    return beyond;
}

void detour_unwatched(struct detour_account *a, uint64_t now, uint64_t took, const struct detour_seen *seen)
{
    if (cause_of(&a->seen, seen) != DETOUR_UNEXPLAINED && took > a->threshold) {
        detour_add(a, now, took, seen);
    } else {
        a->blind += took;
        a->seen = *seen;
    }
}

/* --- End of a window and of the run. --- */

void detour_window(struct detour_account *a, uint64_t interrupts, bool carry)
{
    uint64_t left = interrupts + a->unused;

    settle(a);
    left -= a->switched < left ? a->switched : left;
    a->switched = 0;
    left -= explain_sum(a, left);
    while (a->n_window) {
        struct detour_left shortest = heap_pop(a->window, &a->n_window);
        shortest.cause = left ? DETOUR_INTERRUPT : DETOUR_UNEXPLAINED;
        left -= left > 0;
        enter(a, shortest.cause, 1, shortest.ticks);
        (void)heap_push(a->kept, &a->n_kept, DETOUR_KEPT_MAX, shortest);
    }
    a->unused = carry && left ? 1 : 0;
}

static void take_steal(struct detour_account *a, double stolen_ns)
{
    size_t n = a->n_kept;
    double sum_ns = 0;

    while (n) {
        struct detour_left shortest = heap_pop(a->kept, &n);
        a->kept[n] = shortest; /* the heap's order reversed: longest first */
    }
    for (size_t i = 0; i < a->n_kept && sum_ns < stolen_ns; i++) {
        const struct detour_left *left = &a->kept[i];
        double ns = (double)left->ticks * a->ns_per_tick;
        if (ns < DETOUR_STEAL_MIN_NS)
            break;
        take_out(a, left->cause, left->ticks);
        enter(a, DETOUR_STEAL, 1, left->ticks);
        sum_ns += ns;
    }
    a->n_kept = 0;
}

void detour_end(struct detour_account *a, uint64_t end, uint64_t stolen_ns)
{
    detour_window(a, 0, false);
    a->end = end;
    take_steal(a, (double)stolen_ns);
}

/* --- Sums. --- */

uint64_t detour_observed(const struct detour_account *a)
{
    return a->end - a->start - a->blind;
}

void detour_loop(const uint64_t *gaps, size_t n, uint64_t *least, uint64_t *mode)
{
    uint32_t counts[LOOP_GAP_MAX] = {0};
    uint64_t shortest = UINT64_MAX, above_0 = 0, up_to = 0;

    *least = 0;
    *mode = 0;
    for (size_t i = 0; i < n; i++) {
        above_0 += gaps[i] > 0;
        if (gaps[i] > 0 && gaps[i] < shortest)
            shortest = gaps[i];
        if (gaps[i] < LOOP_GAP_MAX)
            counts[gaps[i]]++;
    }
    for (uint64_t gap = 1; gap < LOOP_GAP_MAX; gap++) {
        up_to += counts[gap];
        if (!*least && up_to && LOOP_RARE * up_to >= above_0)
            *least = gap;
        if (counts[gap] > counts[*mode])
            *mode = gap;
    }
    if (!*least)
        *least = above_0 ? shortest : 1;
    if (!counts[*mode])
        *mode = *least;
}
