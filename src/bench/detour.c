/* SPDX-License-Identifier: MIT */
#include "bench/noise.h"
#include "sys/base.h"

#include <math.h>

/* The estimate changes by at most 1/USUAL_STEPS (and a tick) a value: steady, and settled within 100 detours. */
#define USUAL_STEPS 64u
/* Longer gaps, in ticks, are not the most frequent. */
#define LOOP_GAP_MAX 4096u
/* Shortest gaps rarer than one in LOOP_RARE of those above 0 are rounding of the clock. */
#define LOOP_RARE 10u
/* Largest relative difference of the loop's clock to the kernel's and hypervisor's; of the kernel's as measured in the
 * run, over at least 0.1 s, beside that of ticks which come late at one end of it. */
#define DRIFT          300e-6
#define MEASURED_DRIFT 20e-6

void detour_begin(struct detour_account *a, uint64_t start, uint64_t length, uint64_t threshold, double ns_per_tick,
                  const struct detour_seen *seen)
{
    struct hist *hist = a->hist;
    struct series *series = a->series;

    memset(a, 0, sizeof(*a));
    a->hist = hist;
    a->series = series;
    a->start = a->explained = a->window = start;
    a->length = length;
    a->threshold = threshold;
    a->ns_per_tick = a->kernel_ns_per_tick = ns_per_tick;
    a->drift = DRIFT;
    a->seen = *seen;
}

static void count(const struct detour_account *a, struct detour_sum *sum, uint64_t n, uint64_t ticks)
{
    sum->n += (double)n;
    sum->ns += (double)ticks * a->ns_per_tick;
}

static uint64_t to_ns(const struct detour_account *a, uint64_t ticks)
{
    return (uint64_t)((double)ticks * a->ns_per_tick + 0.5);
}

unsigned detour_class(uint64_t ns)
{
    unsigned octave = 0;

    while (octave + 1 < DETOUR_CLASSES && ns >> (octave + 1))
        octave++;
    return octave;
}

/* n is 0 when the detour is counted under another cause, and only this time belongs here. */
static void enter(struct detour_account *a, enum detour_cause cause, uint64_t n, uint64_t ticks)
{
    count(a, &a->sums.lost[cause], n, ticks);
    count(a, &a->sums.by_class[cause][detour_class(to_ns(a, ticks))], n, ticks);
}

static uint64_t cell_start(const struct detour_account *a, uint64_t cell)
{
    return a->start + a->length / DETOUR_CELLS * cell + a->length % DETOUR_CELLS * cell / DETOUR_CELLS;
}

unsigned detour_cell(const struct detour_account *a, uint64_t at)
{
    double cell = (double)(at - a->start) / (double)a->length * DETOUR_CELLS;

    return cell < DETOUR_CELLS ? (unsigned)cell : DETOUR_CELLS - 1;
}

/* Not beyond the planned end. */
static void mark_cells(struct detour_account *a, uint64_t from, uint64_t to)
{
    unsigned cell = detour_cell(a, from);

    cell -= cell > 0; /* perhaps rounded up */
    for (; cell < DETOUR_CELLS && cell_start(a, cell) < to; cell++) {
        uint64_t low = cell_start(a, cell), high = cell_start(a, cell + 1);
        low = larger(low, from);
        high = smaller(high, to);
        a->sums.cell[cell] += high > low ? (double)(high - low) * a->ns_per_tick : 0;
    }
}

/* periodic_event.periodic. FREE: no cause; TIMER: the tick's series; PERIODIC + i: a series with the rate of
 * sums.periodic[i]. STOLEN is added when the hypervisor took the time but the usual length in its series. */
enum { FREE, TIMER, PERIODIC, NUMBERS = PERIODIC + DETOUR_RATES, STOLEN = 1u << 8 };
/* Series of one rate among which the tick's is searched: a host's tick of 1000 Hz is ten of 100 Hz. */
#define CANDIDATES 12u
/* Number of another series while its events are candidates for the tick's, too. */
#define LENT 16u
/* In Hz: of the kernel's tick (CONFIG_HZ) on all architectures, and of other work. */
static const double tick_hz[] = {1200, 1024, 1000, 512, 500, 300, 256, 250, 200, 128, 100, 64, 48, 32, 24};
static const double other_hz[] = {1000, 500, 300, 250, 200, 125,  120, 100, 64, 60, 50, 40,
                                  30,   25,  24,  20,  16,  12.5, 10,  8,   5,  4,  2,  1};
/* Least share of a series' periods with a detour. Smaller for the tick: one in which the kernel switched tasks has
 * that cause already, and the interrupt count proves ticks. */
#define TICK_SHARE  0.35
#define OTHER_SHARE 0.5
/* A tick rate may exceed the counted timer interrupts a little (a window with a tick less, lost ticks), or be far
 * below, as other timers count too. */
#define COUNTED_MORE 1.1
/* CPUs can run without a tick: with fewer interrupts its series is not searched. */
#define TIMER_MIN 50u
/* Shorter ones are never steal. */
#define STEAL_MIN_NS 100000u
/* In ns from its expected time: a tick that the hypervisor delivers is late. */
#define REACH_NS 150000u
/* A tick's detour begins at most EARLY_NS before or LATE_NS after its time, a multiple of the period in
 * CLOCK_MONOTONIC. */
#define EARLY_NS 20000.0
#define LATE_NS  300000.0

static void leave_over(struct detour_account *a, uint64_t began, uint64_t ticks)
{
    if (to_ns(a, ticks) < DETOUR_EVENT_NS)
        count(a, &a->since_probe, 1, ticks);
    else if (a->n_events < DETOUR_EVENTS)
        a->events[a->n_events++] = (struct periodic_event){.at = began - a->start, .length = ticks, .periodic = FREE};
    else
        enter(a, DETOUR_UNEXPLAINED, 1, ticks);
}

/* Marks the detours of a series of this rate with `number`, if least_share of its periods have one within near_share
 * of the period. Returns false: none. */
static bool take_periodic(struct detour_account *a, double hz, double least_share, double near_share, unsigned number,
                          struct periodic *periodic)
{
    const double ns_per_tick = number < NUMBERS ? a->ns_per_tick : a->kernel_ns_per_tick;
    const double drift = number < NUMBERS ? DRIFT : a->drift, period = 1e9 / ns_per_tick / hz;
    const double reach = fmin(REACH_NS / a->ns_per_tick, period * near_share);

    /* A period at the edge of the drift was held back there: it is another series' own. */
    return periodic_fit(a->events, a->n_events, period, drift, reach, periodic) &&
           fabs(periodic->period - period) < 0.999 * drift * period && periodic->share >= least_share &&
           periodic_take(periodic, a->events, a->n_events, reach, number);
}

/* ns from the kernel's last time for its tick to the time `at`. */
static double since_tick(const struct detour_account *a, double at, double period_ns)
{
    double ns = ((double)a->start + at - (double)a->clock_at) * a->kernel_ns_per_tick;
    double since = fmod(fmod((double)a->clock_ns, period_ns) + ns, period_ns);

    return since + (since < 0 ? period_ns : 0);
}

/* ns from the kernel's time for its tick to the series' detours; INFINITY: not known, or too long for a tick. */
static double after_tick(const struct detour_account *a, const struct periodic *periodic, double period_ns)
{
    double last = periodic->phase + periodic->period * (double)(periodic->periods - 1);
    double after = fmax(since_tick(a, last + EARLY_NS / a->ns_per_tick, period_ns) - EARLY_NS, 0);

    return a->clock_ns && after <= LATE_NS ? after : INFINITY;
}

/* The tick during a detour, as of a host's tick, is in it: such a detour begins with the tick, unless the next one soon
 * after that time is the tick's. It may be of a faster series, too. */
static void begin_with_tick(const struct detour_account *a, struct periodic_event *event, double period_ns)
{
    const double left = (period_ns - since_tick(a, (double)event->at, period_ns)) / a->ns_per_tick;
    const double next = event + 1 < a->events + a->n_events ? (double)(event[1].at - event->at) : INFINITY;

    if (a->clock_ns && left < (double)event->length && left + EARLY_NS / a->ns_per_tick <= next)
        event->moved = (unsigned)left;
    event->at += event->moved;
    event->periodic <<= LENT;
}

/* The series of this rate that comes soonest after the kernel's time for its tick; its median length goes to
 * usual[TIMER]. timely: rejects series without that time, or too late; otherwise the most conspicuous of the rest is
 * taken. Returns false: none. */
static bool take_tick(struct detour_account *a, double hz, bool timely, uint64_t *usual)
{
    const double period_ns = floor(1e9 / hz + 0.5); /* as the kernel rounds it */
    struct periodic periodic[CANDIDATES];
    double soonest = INFINITY;
    unsigned n = 0, timer = 0;

    for (size_t i = 0; timely && i < a->n_events; i++)
        begin_with_tick(a, &a->events[i], period_ns);
    for (; n < CANDIDATES && take_periodic(a, hz, TICK_SHARE, 0.25, NUMBERS + n, &periodic[n]); n++) {
        double after = after_tick(a, &periodic[n], period_ns);
        if (after < soonest)
            timer = n;
        soonest = fmin(soonest, after);
    }
    bool found = n && (!timely || soonest < INFINITY);
    for (size_t i = 0; i < a->n_events; i++) {
        struct periodic_event *event = &a->events[i];
        const unsigned number = (uint16_t)event->periodic;
        if (number >= NUMBERS || timely)
            event->periodic = found && number == NUMBERS + timer ? TIMER : event->periodic >> LENT;
        event->at -= event->moved;
        event->moved = 0;
    }
    if (found)
        usual[TIMER] = periodic[timer].length;
    return found;
}

/* Ticks in a second that could come: one while the hypervisor has the CPU for several periods. */
static double tick_rate(const struct detour_account *a, uint64_t end, double hz)
{
    double period = 1e9 / a->ns_per_tick / hz, gone = 0;

    for (size_t i = 0; i < a->n_events; i++)
        gone += fmax((double)a->events[i].length - period, 0);
    return hz * fmax(1 - gone / (double)(end - a->explained), 0);
}

/* Tries the rates of kernel ticks: not far above rate (1/s, of counted timer interrupts), but perhaps below, as
 * other timers count too. */
static bool take_timer(struct detour_account *a, uint64_t end, double rate, bool timely, uint64_t *usual)
{
    for (size_t i = 0; i < COUNT(tick_hz); i++)
        if (tick_rate(a, end, tick_hz[i]) < COUNTED_MORE * rate && take_tick(a, tick_hz[i], timely, usual))
            return true;
    return false;
}

/* Finds other series of at least least_hz (0: any); usual[]: median length (of several of one rate, the largest). */
static void take_others(struct detour_account *a, uint64_t end, double least_hz, uint64_t *usual)
{
    for (size_t i = 0; i < COUNT(other_hz); i++) {
        if (least_hz > 0 && tick_rate(a, end, other_hz[i]) < least_hz)
            return;
        struct detour_periodic *periodic = a->sums.periodic;
        while (periodic < a->sums.periodic + DETOUR_RATES && periodic->hz > 0 && periodic->hz != other_hz[i])
            periodic++;
        if (periodic == a->sums.periodic + DETOUR_RATES)
            return;
        unsigned number = PERIODIC + (unsigned)(periodic - a->sums.periodic);
        struct periodic found;
        while (take_periodic(a, other_hz[i], OTHER_SHARE, least_hz > 0 ? 1. / 16 : 0.25, number, &found)) {
            periodic->hz = other_hz[i];
            usual[number] = found.length > usual[number] ? found.length : usual[number];
        }
    }
}

/* The longest detours are steal, of which the kernel tells only the sum, until theirs is nearest: one up to twice
 * the rest still brings it nearer. The hypervisor often delivers a late tick when it gives the CPU back: the usual
 * length (usual[], ticks) in a series is not stolen. */
static void take_steal(struct detour_account *a, const uint64_t *usual)
{
    double left_ns = (double)a->stolen_ns;

    for (;;) {
        struct periodic_event *longest = NULL;
        double longest_ns = 0;
        for (size_t i = 0; i < a->n_events; i++) {
            struct periodic_event *event = &a->events[i];
            if (event->periodic >= NUMBERS || to_ns(a, event->length) < STEAL_MIN_NS)
                continue;
            double ns = ((double)event->length - (double)usual[event->periodic]) * a->ns_per_tick;
            if (ns > longest_ns && ns <= 2 * left_ns) {
                longest = event;
                longest_ns = ns;
            }
        }
        if (!longest)
            break;
        left_ns -= longest_ns;
        longest->periodic += STOLEN;
    }
}

/* Adds a->events with their causes to the sums, and empties the list. end: ticks. */
static void explain(struct detour_account *a, uint64_t end)
{
    static const enum detour_cause causes[PERIODIC] = {[FREE] = DETOUR_UNEXPLAINED, [TIMER] = DETOUR_INTERRUPT};
    const double seconds = (double)a->counted * a->ns_per_tick * 1e-9, rate = (double)a->timer / seconds;
    uint64_t usual[NUMBERS] = {0};

    /* faster series than the timer interrupts first: a part of them looks like the tick's */
    if (a->timer >= TIMER_MIN) {
        take_others(a, end, COUNTED_MORE * rate, usual);
        (void)(take_timer(a, end, rate, true, usual) || take_timer(a, end, rate, false, usual));
    }
    take_steal(a, usual);
    take_others(a, end, 0, usual);
    for (size_t i = 0; i < a->n_events; i++) {
        unsigned number = a->events[i].periodic % STOLEN;
        uint64_t length = a->events[i].length, own = a->events[i].periodic < STOLEN ? length : usual[number];
        if (length > own)
            enter(a, DETOUR_STEAL, own == 0, length - own);
        if (own)
            enter(a, number < PERIODIC ? causes[number] : DETOUR_PERIODIC, 1, own);
        if (number >= PERIODIC)
            count(a, &a->sums.periodic[number - PERIODIC].sum, 1, own);
    }
    a->n_events = 0;
    a->timer = a->counted = a->stolen_ns = 0;
    a->moved = false;
    a->explained = end;
}

/* By the counter that changed. Migration first, as it includes a context switch; that before a page fault, which may
 * be its result. */
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
    if (last->quota)
        enter(a, DETOUR_QUOTA, 1, last->quota);
    if (last->cause == DETOUR_UNEXPLAINED)
        leave_over(a, began, last->ticks);
    else if (last->ticks > last->quota)
        enter(a, last->cause, !last->quota, last->ticks - last->quota);
    hist_add(a->hist, to_ns(a, last->ticks));
    series_add(a->series, to_ns(a, began - a->start) / 1000, to_ns(a, last->ticks));
    mark_cells(a, began, last->end);
    a->last.ticks = 0;
}

void detour_add(struct detour_account *a, uint64_t end, uint64_t ticks, const struct detour_seen *seen)
{
    settle(a);
    a->last = (struct detour_last){.end = end, .ticks = ticks, .cause = cause_of(&a->seen, seen), .before = a->seen};
    a->moved |= seen->cpu != a->seen.cpu;
    a->seen = *seen;
}

bool detour_waited(const struct detour_account *a)
{
    return a->last.ticks && (a->last.cause == DETOUR_PREEMPTED || a->last.cause == DETOUR_MIGRATED);
}

void detour_throttled(struct detour_account *a, uint64_t ns)
{
    const double ticks = (double)ns / a->ns_per_tick;

    a->last.quota = ticks < (double)a->last.ticks ? (uint64_t)ticks : a->last.ticks;
}

void detour_probed(struct detour_account *a, unsigned level)
{
    unsigned higher = level > a->level ? level : a->level;

    settle(a);
    struct detour_sum *brief = &a->sums.brief[smaller(higher, DETOUR_LEVELS - 1)];
    brief->n += a->since_probe.n;
    brief->ns += a->since_probe.ns;
    a->since_probe = (struct detour_sum){0};
    a->level = level;
}

/* Running median: a value moves it one step. */
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

uint64_t detour_step(struct detour_account *a, struct detour_cost *cost, uint64_t took)
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

void detour_clock(struct detour_account *a, uint64_t now, uint64_t monotonic_ns)
{
    if (!a->clock_ns) {
        a->clock_from = now;
        a->clock_from_ns = monotonic_ns;
    }
    a->clock_at = now;
    a->clock_ns = monotonic_ns;
    if (monotonic_ns > a->clock_from_ns + 100000000) {
        const double ns = (double)(monotonic_ns - a->clock_from_ns);
        a->kernel_ns_per_tick = ns / (double)(now - a->clock_from);
        a->drift = MEASURED_DRIFT + EARLY_NS / ns;
    }
}

void detour_window(struct detour_account *a, uint64_t end, int64_t timer, uint64_t stolen_ns)
{
    settle(a);
    a->timer += timer > 0 ? (uint64_t)timer : 0;
    a->counted += timer >= 0 ? end - a->window : 0;
    a->window = end;
    a->stolen_ns += stolen_ns;
    if (a->moved || a->n_events > DETOUR_EVENTS / 2) /* each CPU ticks at other times */
        explain(a, end);
}

void detour_end(struct detour_account *a, uint64_t end)
{
    detour_probed(a, a->level);
    explain(a, end);
    a->end = end;
}

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
