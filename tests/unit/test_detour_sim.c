/* SPDX-License-Identifier: MIT */
/* Made-up machines whose detours have known causes: each cause is given its time within 2 %, and the causes add up. */

#include "../test.h"
#include "bench/noise.h"

/* Times in nanoseconds. */
#define US     1e3
#define MS     1e6
#define S      1e9
#define WINDOW (100 * MS)
#define MOST   20000u
/* Expected times of two series are at least this far apart: what is nearer can be of either. */
#define APART (200 * US)
/* An event that another one holds up for longer cannot be known as one of its series. */
#define HELD_UP (150 * US)
#define TURN    6.28318530717958648
/* Number of machines with each rate of the tick; all, for `make stats`. */
#define DRAWS 3u
#define ALL   500u

/* A source of made-up detours. */
struct source {
    enum detour_cause cause;
    double hz, phase;      /* of a series; phase 0 for those at random, with that rate */
    double ppm;            /* deviation of the series' frequency from the counter's */
    double length, spread; /* median, and standard deviation of the logarithm */
    double late;           /* mean; exponential */
    double missing;        /* share that does not happen */
    double deferred;       /* share that is late by a quarter to three quarters of a period */
};

struct made {
    double at, length;
    enum detour_cause cause;
};

static struct {
    uint64_t state;
    double time, ns_per_tick, wander, wander_period; /* wander: amplitude of the counter's frequency, in ppm */
    struct source source[8];
    size_t n_sources;
    struct made made[MOST];
    size_t n;
    double truth[DETOUR_CAUSES], brief; /* ns; brief: of what is below DETOUR_EVENT_NS, of no cause of its own */
    uint64_t ticks;                     /* of all */
    bool aligned;                       /* CLOCK_MONOTONIC is known */
    struct detour_account a;
    struct hist hist;
    struct series series;
} sim;

/* --- Chance. --- */

static double at_random(void)
{
    sim.state = sim.state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(sim.state >> 11) + 0.5) / 9007199254740992.0;
}

static double between(double low, double high)
{
    return low + (high - low) * at_random();
}

static double one_of(const double *values, size_t n)
{
    return values[(size_t)(at_random() * (double)n)];
}

static double exponential(double mean)
{
    return -mean * log(at_random());
}

static double normal(void)
{
    return sqrt(-2 * log(at_random())) * cos(TURN * at_random());
}

/* --- A machine. --- */

static struct source *add_source(enum detour_cause cause, double hz, double length, double spread)
{
    struct source *source = &sim.source[sim.n_sources++];

    *source = (struct source){.cause = cause, .hz = hz, .length = length, .spread = spread};
    return source;
}

/* Returns whether each expected time of the series is APART from those of the others, in the first second. */
static bool apart(void)
{
    for (size_t i = 0; i < sim.n_sources; i++)
        for (size_t k = 0; k < sim.n_sources; k++)
            for (double at = sim.source[i].phase; k != i && at < S; at += S / sim.source[i].hz) {
                double number = (at - sim.source[k].phase) * sim.source[k].hz / S;
                if (fabs(number - floor(number + 0.5)) * S / sim.source[k].hz < APART)
                    return false;
            }
    return true;
}

/* The tick first, then other series. */
static void draw_periodic(double hz, size_t others, double ppm)
{
    static const double rates[] = {40, 50, 64, 100, 125, 200, 250, 500};

    do {
        sim.n_sources = 0;
        for (size_t i = 0; i <= others; i++) {
            struct source *s = add_source(i ? DETOUR_PERIODIC : DETOUR_INTERRUPT, i ? one_of(rates, 8) : hz,
                                          between(20, 80) * US, between(0.1, 0.35));
            s->phase = between(1 * US, S / s->hz);
            s->ppm = ppm + between(-2, 2);
            s->late = between(1, 20) * US;
            s->missing = between(0, 0.05);
        }
    } while (!apart() || (others > 0 && sim.source[1].hz == hz) ||
             (others > 1 && (sim.source[2].hz == hz || sim.source[2].hz == sim.source[1].hz)));
}

static void draw_others(void)
{
    (void)add_source(DETOUR_UNEXPLAINED, between(10, 250), between(5, 30) * US, 0.5);
    (void)add_source(DETOUR_UNEXPLAINED, between(10, 1000), 2 * US, 0.4); /* some are brief */
    (void)add_source(DETOUR_PREEMPTED, between(5, 50), 60 * US, 1);
    (void)add_source(DETOUR_FAULT, between(5, 50), 5 * US, 0.5);
    (void)add_source(DETOUR_STEAL, between(1, 3), 1 * MS, 0.4);
}

static void draw(uint64_t seed, double hz, size_t others)
{
    sim.state = seed * 7777777;
    for (unsigned i = 0; i < 10; i++)
        (void)at_random();
    sim.aligned = false;
    sim.time = between(4, 6) * S;
    sim.ns_per_tick = between(0.25, 1);
    sim.wander = between(0, 20);
    sim.wander_period = between(2, 20) * S;
    draw_periodic(hz, others, between(-250, 250));
}

/* --- Its detours. --- */

static void add(const struct source *s, double at)
{
    if (at_random() < s->missing)
        return;
    at += exponential(s->late);
    if (at_random() < s->deferred)
        at += between(0.25, 0.75) * S / s->hz;
    assert_true(sim.n < MOST);
    sim.made[sim.n++] = (struct made){.at = at, .length = s->length * exp(s->spread * normal()), .cause = s->cause};
}

/* Returns the time that the counter shows. */
static double shown(const struct source *s, double at)
{
    double amplitude = sim.wander * 1e-6 * sim.wander_period / TURN;

    return at * (1 + s->ppm * 1e-6) + amplitude * sin(TURN * at / sim.wander_period);
}

static void make(const struct source *s)
{
    if (s->phase > 0)
        for (double at = s->phase; at < sim.time; at += S / s->hz)
            add(s, shown(s, at));
    else
        for (double at = exponential(S / s->hz); at < sim.time; at += exponential(S / s->hz))
            add(s, at);
}

static int by_time(const void *a, const void *b)
{
    const struct made *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

static uint64_t ticks(double ns)
{
    return (uint64_t)(ns / sim.ns_per_tick);
}

static void begin(void)
{
    const struct detour_seen none = {.cpu = 1};

    memset(sim.truth, 0, sizeof(sim.truth));
    sim.n = sim.ticks = 0;
    sim.brief = 0;
    for (size_t i = 0; i < sim.n_sources; i++)
        make(&sim.source[i]);
    qsort(sim.made, sim.n, sizeof(sim.made[0]), by_time);
    hist_init(&sim.hist, 0);
    series_init(&sim.series);
    sim.a.hist = &sim.hist;
    sim.a.series = &sim.series;
    detour_begin(&sim.a, 0, ticks(sim.time), 100, sim.ns_per_tick, &none);
}

/* Ends a window. The tick comes a bit after a multiple of its period. */
static void end_window(double end, double counted, double stolen)
{
    const struct source *tick = &sim.source[0];
    double at = end, before = 100000 * floor(S / tick->hz + 0.5) - tick->phase + 30 * US;

    for (unsigned i = 0; i < 4; i++)
        at += end - shown(tick, at);
    if (sim.aligned)
        detour_clock(&sim.a, ticks(end), (uint64_t)(at + before));
    detour_window(&sim.a, ticks(end), (int64_t)counted, (uint64_t)stolen);
}

/* Passes the detours to the account. One that comes during another one is served after it. The timer's interrupts are
 * counted whether or not they are seen. */
static void account(double counted_hz)
{
    struct detour_seen seen = {.cpu = 1};
    double from = 0, window = WINDOW, counted = 0, stolen = 0;

    begin();
    for (size_t i = 0; i < sim.n; i++) {
        struct made m = sim.made[i];
        if (from - m.at > HELD_UP && (m.cause == DETOUR_INTERRUPT || m.cause == DETOUR_PERIODIC))
            m.cause = DETOUR_UNEXPLAINED;
        m.at = fmax(m.at, from);
        from = m.at + m.length + 1 * US;
        for (; m.at + m.length > window; window += WINDOW) {
            double sum = floor(counted_hz * window / S);
            end_window(window, sum - counted, stolen);
            counted = sum;
            stolen = 0;
        }
        double ns = (double)ticks(m.length) * sim.ns_per_tick;
        bool brief = m.cause == DETOUR_UNEXPLAINED && ns + 0.5 < DETOUR_EVENT_NS;
        seen.switches += m.cause == DETOUR_PREEMPTED;
        seen.faults += m.cause == DETOUR_FAULT;
        stolen += m.cause == DETOUR_STEAL ? ns : 0;
        detour_add(&sim.a, ticks(m.at + m.length), ticks(m.length), &seen);
        sim.ticks += ticks(m.length);
        *(brief ? &sim.brief : &sim.truth[m.cause]) += ns;
    }
    end_window(sim.time, counted_hz * sim.time / S - counted, stolen);
    detour_end(&sim.a, ticks(sim.time));
}

static double given(enum detour_cause cause)
{
    return sim.a.sums.lost[cause].ns;
}

/* --- What is expected. --- */

static void assert_adds_up(void)
{
    double sum = 0, periodic = 0;

    for (unsigned c = 0; c < DETOUR_CAUSES; c++)
        sum += sim.a.sums.lost[c].ns;
    for (unsigned c = 0; c < DETOUR_RATES; c++)
        periodic += sim.a.sums.periodic[c].sum.ns;
    assert_int_equal(llround(periodic), llround(sim.a.sums.lost[DETOUR_PERIODIC].ns));
    for (unsigned level = 0; level < DETOUR_LEVELS; level++)
        sum += sim.a.sums.brief[level].ns;
    assert_int_equal(llround(sum / sim.ns_per_tick), sim.ticks);
}

static void fail_draw(uint64_t seed, enum detour_cause cause, double tolerance)
{
    print_message("seed %llu, %.1f s\n", (unsigned long long)seed, sim.time / S);
    for (size_t i = 0; i < sim.n_sources; i++) {
        const struct source *s = &sim.source[i];
        print_message("%s: %.0f/s, phase %.0f us, length %.1f us, late %.1f us, missing %.2f, deferred %.2f\n",
                      detour_cause_names[s->cause], s->hz, s->phase / US, s->length / US, s->late / US, s->missing,
                      s->deferred);
    }
    for (unsigned c = 0; c < DETOUR_RATES && sim.a.sums.periodic[c].hz > 0; c++)
        print_message("found: %g Hz, %g\n", sim.a.sums.periodic[c].hz, sim.a.sums.periodic[c].sum.n);
    fail_msg("%s was given %.3f ms of %.3f ms, more than %.3f ms off", detour_cause_names[cause], given(cause) / MS,
             sim.truth[cause] / MS, tolerance / MS);
}

/* Each cause has its time within 2 %, apart from so much of the timer's that is unexplained. A stolen detour that meets
 * one of a series may be shared with it. What is unexplained is the rest, and is compared with all. */
static void assert_given(uint64_t seed, double unknown)
{
    double all = 0;

    for (unsigned c = 0; c < DETOUR_CAUSES; c++)
        all += sim.truth[c];
    for (enum detour_cause c = 0; c < DETOUR_CAUSES; c++) {
        double tolerance = 0.02 * (c == DETOUR_UNEXPLAINED ? all : sim.truth[c]) + (c == DETOUR_STEAL ? 100 * US : 0);
        double off = given(c) - sim.truth[c];
        off += c == DETOUR_INTERRUPT ? unknown : c == DETOUR_UNEXPLAINED ? -unknown : 0;
        if (fabs(off) > tolerance)
            fail_draw(seed, c, tolerance);
    }
    assert_adds_up();
}

static const double tick_rates[] = {100, 250, 300, 1000};
#define RATES (COUNT(tick_rates))

TEST(test_detour_sim_each_cause_gets_its_time)
{
    unsigned draws = getenv("JITBENCH_STATS") ? ALL : DRAWS;

    for (uint64_t seed = 1; seed <= draws; seed++)
        for (size_t r = 0; r < RATES; r++) {
            draw(seed, tick_rates[r], seed % 3);
            draw_others();
            account(tick_rates[r]);
            assert_given(seed, 0);
        }
}

/* A host with the same rate: the tick is the one that comes at multiples of its period, although it shows less. */
TEST(test_detour_sim_the_tick_comes_at_its_time)
{
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (size_t r = 0; r < RATES; r++) {
            draw(seed, tick_rates[r], 1);
            struct source *tick = &sim.source[0], *host = &sim.source[1];
            *host = *tick;
            host->cause = DETOUR_PERIODIC;
            host->phase += (r % 2 ? 0.4 : -0.4) * S / tick->hz;
            host->phase += host->phase < 0 ? S / tick->hz : 0;
            host->length *= 2;
            host->missing = 0;
            draw_others();
            sim.aligned = true;
            account(tick_rates[r]);
            assert_given(seed, 0);
        }
}

/* A tick that comes much later than expected cannot be known: it is unexplained, and the others are the timer's. */
TEST(test_detour_sim_deferred_ticks_are_unexplained)
{
    for (uint64_t seed = 1; seed <= 1; seed++)
        for (size_t r = 0; r < RATES; r++) {
            draw(seed, tick_rates[r], 1);
            sim.source[0].deferred = 0.2;
            sim.source[0].missing = 0;
            draw_others();
            account(tick_rates[r]);
            assert_given(seed, 0.2 * sim.truth[DETOUR_INTERRUPT]);
        }
}

/* A CPU without a tick whose detours look like one: nothing is the timer's, and so it is when the count is not known.
 */
TEST(test_detour_sim_no_tick_no_interrupts)
{
    for (size_t r = 0; r < RATES; r++) {
        draw(r, 250, 1);
        sim.source[0].cause = DETOUR_PERIODIC;
        draw_others();
        account((double)r * 2);
        assert_given(r, 0);
        assert_int_equal(sim.a.sums.lost[DETOUR_INTERRUPT].n, 0);
    }
}
