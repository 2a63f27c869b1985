/* SPDX-License-Identifier: MIT */
/* Fits series of events with a period by folding, and marks their events. */
#include "stats/stats.h"

#include <math.h>

/* Number of phase bins into which a period is divided. The events of a series are in two neighbouring bins. */
#define BINS 64u
/* Number of length classes, by which the longest events are chosen: eight for each doubling of the length. */
#define LENGTHS (64u * 8u)
/* A series is found when two neighbouring bins have at least PEAK events for each period, and EXCESS standard
 * deviations more than events at random times would give. */
#define PEAK   0.35
#define EXCESS 6.0
/* Maximum number of periods that are folded. Further ones only refine the fit. */
#define FOLDED 512u
/* STEPS: number of calls of refine() for each range of events. MEDIANS: maximum number of events of which a median is
 * taken; with more events, every second, third, ... one is used. */
#define STEPS   4
#define MEDIANS 1024u
/* An event of a series is at least this part of the median length of the series' events. */
#define SHORTEST 0.4
/* Of a period: where no event of a series is expected that is 2, 3, 4, 5, 8, 10 or 12 times as fast. */
#define BESIDE 0.43

static unsigned length_class(uint64_t length)
{
    int exponent;
    double mantissa = frexp((double)length + 1, &exponent); /* at least 0.5, below 1 */

    return (unsigned)exponent * 8 + (unsigned)((mantissa - 0.5) * 16) - 8;
}

static bool is_candidate(const struct periodic_event *event, uint64_t floor)
{
    return (uint16_t)event->periodic == 0 && event->length >= floor;
}

/* Returns a length such that at most `most` of the events without a series are at least as long (or, if more events are
 * in the class of the longest ones, the lower limit of that class); 0 when there are at most `most` events in all. */
static uint64_t floor_of(const struct periodic_event *events, size_t n, double most)
{
    uint32_t count[LENGTHS + 8] = {0};
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        count[length_class(events[i].length)] += is_candidate(&events[i], 0);
    for (unsigned class = LENGTHS + 8; class -- > 0;) {
        sum += count[class];
        if (sum > most && sum > count[class])
            return (uint64_t)ceil(ldexp(0.5 + (class % 8 + 1) / 16.0, (int)(class / 8 + 1)) - 1);
    }
    return 0;
}

/* Returns how far an event at the time `at` is from the nearest expected time (negative: earlier), and the number of
 * that period. */
static double offset(double at, double phase, double period, double *number)
{
    *number = floor((at - phase) / period + 0.5);
    return at - phase - *number * period;
}

/* Counts the phases of the events in bins. Returns the highest sum of two neighbouring bins, and the phase in their
 * middle. */
static unsigned fold(const struct periodic_event *events, size_t n, uint64_t floor, double period, double *phase)
{
    unsigned bins[BINS] = {0}, best = 0, sum = 0;
    double scale = BINS / period;

    for (size_t i = 0; i < n; i++)
        if (is_candidate(&events[i], floor)) {
            double position = (double)(events[i].at - events[0].at) * scale;
            bins[(uint64_t)position % BINS]++;
        }
    for (unsigned b = 0; b < BINS; b++)
        if (bins[b] + bins[(b + 1) % BINS] > sum) {
            sum = bins[b] + bins[(b + 1) % BINS];
            best = b;
        }
    *phase = (double)events[0].at + (best + 1) / scale;
    return sum;
}

/* event: index of the event that is nearest to the expected time of a period; number: that of the period; offset: time
 * from the expected time to the event. */
struct nearest {
    size_t event;
    double number, offset;
};

/* Finds the next period, from the event *at on, that has an event within reach of the expected time. out is the nearest
 * such event. Returns false at the end. */
static bool next_hit(const struct periodic *periodic, const struct periodic_event *events, size_t n, double reach,
                     size_t *at, struct nearest *out)
{
    bool found = false;

    for (; *at < n; ++*at) {
        double number, off;
        if (!is_candidate(&events[*at], periodic->shortest))
            continue;
        off = offset((double)events[*at].at, periodic->phase, periodic->period, &number);
        if (fabs(off) > reach)
            continue;
        if (found && number > out->number)
            return true;
        if (!found || fabs(off) < fabs(out->offset))
            *out = (struct nearest){.event = *at, .number = number, .offset = off};
        found = true;
    }
    return found;
}

/* Collects the offsets (or the lengths, with `lengths`) of the nearest event of each period from number `from` to
 * before number `to`, evenly spread and at most MEDIANS. Returns their number. */
static size_t collect_hits(const struct periodic *periodic, const struct periodic_event *events, size_t n, double reach,
                           double from, double to, bool lengths, double *values)
{
    size_t at = 0, seen = 0, every = periodic->periods / MEDIANS + 1, kept = 0;
    struct nearest hit;

    while (next_hit(periodic, events, n, reach, &at, &hit))
        if (hit.number >= from && hit.number < to && seen++ % every == 0 && kept < MEDIANS)
            values[kept++] = lengths ? (double)events[hit.event].length : hit.offset;
    return kept;
}

/* Moves phase and period such that the median offset is 0 in the first and in the second half of the periods. The
 * period stays between `least` and `most`, as another series that crosses this one would draw it away. */
static void refine(struct periodic *periodic, const struct periodic_event *events, size_t n, double reach, double least,
                   double most)
{
    double values[MEDIANS], first, last, early, late;

    offset((double)events[0].at, periodic->phase, periodic->period, &first);
    offset((double)events[n - 1].at, periodic->phase, periodic->period, &last);
    double half = (first + last + 1) / 2;
    size_t n_early = collect_hits(periodic, events, n, reach, first, half, false, values);
    early = stats_median(values, n_early);
    size_t n_late = collect_hits(periodic, events, n, reach, half, last + 1, false, values);
    late = stats_median(values, n_late);
    if (!n_early || !n_late)
        return;
    double drift = (late - early) / ((last - first + 1) / 2); /* change of the offset in one period */
    double middle = (first + half) / 2;                       /* number of the period where the offset is `early` */
    drift = fmin(fmax(drift, least - periodic->period), most - periodic->period);
    periodic->phase += early - drift * middle;
    periodic->period += drift;
}

/* Computes periodic.share: the share of the periods that have an event, less those that have one by chance; the least
 * result for all periods, every second, ... and every fifth one. Events beside the expected times tell how many come by
 * chance. */
static double least_share(const struct periodic *periodic, const struct periodic_event *events, size_t n, double reach)
{
    enum { STRIDES = 5 };
    size_t hits[STRIDES + 1][STRIDES] = {{0}}, by_chance = 0;
    double least = 1, periods = (double)periodic->periods;
    struct periodic beside = *periodic;
    struct nearest hit;

    for (size_t at = 0; next_hit(periodic, events, n, reach, &at, &hit);)
        for (unsigned s = 1; s <= STRIDES; s++)
            hits[s][(uint64_t)(hit.number + 1) % s]++;
    beside.phase += BESIDE * beside.period;
    for (size_t at = 0; next_hit(&beside, events, n, reach, &at, &hit);)
        by_chance++;
    double chance = fmin((double)by_chance / periods, 0.9);
    for (unsigned s = 1; s <= STRIDES; s++)
        for (unsigned k = 0; k < s; k++)
            least = fmin(least, ((double)hits[s][k] * s / periods - chance) / (1 - chance));
    return least;
}

/* Returns the number of events that begin less than `time` after the first one. */
static size_t count_within(const struct periodic_event *events, size_t n, double time)
{
    size_t i = 0;

    while (i < n && (double)(events[i].at - events[0].at) < time)
        i++;
    return i;
}

bool periodic_fit(const struct periodic_event *events, size_t n, double period, double tolerance, double reach,
                  struct periodic *out)
{
    double values[MEDIANS], time = n ? (double)(events[n - 1].at - events[0].at) : 0;
    size_t periods = (size_t)(time / period) + 1, folded = periods < FOLDED ? periods : FOLDED, looked_at = 0;
    unsigned most = 0;

    if (periods < PERIODIC_PERIODS_LEAST)
        return false;
    uint64_t floor = floor_of(events, n, 4 * (double)periods);
    size_t first = count_within(events, n, (double)folded * period);
    /* From one tried period to the next, the last event moves by half a bin. */
    double step = period / (2 * BINS * (double)folded);
    *out = (struct periodic){.shortest = floor, .periods = folded};
    size_t tries = (size_t)(2 * tolerance * period / step) + 2;
    for (size_t i = 0; i < tries; i++) {
        double phase, tried = period * (1 - tolerance) + (double)i * step;
        unsigned sum = fold(events, first, floor, tried, &phase);
        if (sum > most) {
            most = sum;
            out->period = tried;
            out->phase = phase;
        }
    }
    for (size_t i = 0; i < first; i++)
        looked_at += is_candidate(&events[i], floor);
    double by_chance = 2.0 * (double)looked_at / BINS;
    if (most < PEAK * (double)folded || most < by_chance + EXCESS * sqrt(by_chance))
        return false;
    for (size_t part = folded;; part *= 2) {
        size_t end = part < periods ? count_within(events, n, (double)part * period) : n;
        out->periods = part < periods ? part : periods;
        /* The first call of refine() uses all events of the two bins. */
        for (int i = 0; i < STEPS; i++)
            refine(out, events, end, i ? reach : fmax(reach, out->period / BINS), period * (1 - tolerance),
                   period * (1 + tolerance));
        if (end == n)
            break;
    }
    out->periods = periods;
    size_t kept = collect_hits(out, events, n, reach, -INFINITY, INFINITY, true, values);
    if (!kept)
        return false;
    out->length = (uint64_t)stats_median(values, kept);
    out->shortest = (uint64_t)(SHORTEST * (double)out->length);
    out->share = least_share(out, events, n, fmin(reach, out->period * 2 / BINS));
    return true;
}

size_t periodic_take(const struct periodic *periodic, struct periodic_event *events, size_t n, double reach,
                     unsigned number)
{
    size_t at = 0, taken = 0;
    struct nearest hit;

    for (; next_hit(periodic, events, n, reach, &at, &hit); taken++)
        events[hit.event].periodic |= number;
    return taken;
}
