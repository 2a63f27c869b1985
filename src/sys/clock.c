/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>

#include "sys/base.h"
#include "sys/clock.h"

#define PAIR_TRIES       32
#define COST_TRIES       1000
#define SHORTEST_SPAN_NS 1000000u

/* Global, as a signal handler gets no context. Not thread-local: musl would map memory for it before main, and crash
 * without a message if that is refused. */
static sigjmp_buf trapped;

static void trap(int signal)
{
    siglongjmp(trapped, signal);
}

bool clock_can_read(uint64_t (*read)(void))
{
    static const int signals[] = {SIGILL, SIGSEGV, SIGBUS};
    enum { N = COUNT(signals) };
    const struct sigaction action = {.sa_handler = trap};
    struct sigaction before[N];
    sigset_t open, mask;

    sigemptyset(&open);
    for (size_t i = 0; i < N; i++) {
        sigaddset(&open, signals[i]);
        sigaction(signals[i], &action, &before[i]);
    }
    /* If the signal of a trap is blocked, the kernel kills the process. */
    pthread_sigmask(SIG_UNBLOCK, &open, &mask);
    bool read_it = sigsetjmp(trapped, 1) == 0;
    if (read_it)
        read();
    for (size_t i = 0; i < N; i++)
        sigaction(signals[i], &before[i], NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return read_it;
}

static uint64_t read_all(void)
{
    return counter_read() + counter_now();
}

/* Constants of prctl(2); headers may lack them. */
#define PRCTL_GET_TSC    25
#define PRCTL_TSC_ENABLE 1

void clock_choose(struct clock_info *out)
{
    *out = (struct clock_info){.kind = CLOCK_KIND_GETTIME, .name = "clock_gettime", .unit = "ns"};
    if (!COUNTER_NAME[0])
        return;
    const char *why = arch_counter_refused();
    int mode = PRCTL_TSC_ENABLE; /* what prctl() leaves where it fails */
    if (!why[0] && prctl(PRCTL_GET_TSC, (unsigned long)&mode, 0, 0, 0) == 0 && mode != PRCTL_TSC_ENABLE)
        why = "this process may not read the counter";
    if (why[0])
        TEXT_PRINT(out->why, "%s", why);
    else if (!clock_can_read(read_all))
        TEXT_PRINT(out->why, "reading the counter (%s) is refused by a signal", COUNTER_NAME);
    else
        *out = (struct clock_info){.kind = CLOCK_KIND_COUNTER, .name = COUNTER_NAME, .unit = "cycles"};
}

void clock_pair_read(enum clock_kind kind, struct clock_pair *out)
{
    if (kind == CLOCK_KIND_GETTIME) {
        out->raw_ns = clock_raw_ns();
        out->counter = out->raw_ns;
        return;
    }
    uint64_t tightest = UINT64_MAX;
    for (int i = 0; i < PAIR_TRIES; i++) {
        uint64_t before = clock_raw_ns();
        uint64_t counter = clock_end(CLOCK_KIND_COUNTER);
        uint64_t width = clock_raw_ns() - before;
        if (width < tightest) {
            tightest = width;
            *out = (struct clock_pair){.counter = counter, .raw_ns = before + width / 2};
        }
    }
}

double clock_hz(enum clock_kind kind, const struct clock_pair *from, const struct clock_pair *to)
{
    if (kind == CLOCK_KIND_GETTIME)
        return 1e9;
    if (to->raw_ns < from->raw_ns || to->raw_ns - from->raw_ns < SHORTEST_SPAN_NS || to->counter < from->counter)
        return 0;
    return (double)(to->counter - from->counter) * 1e9 / (double)(to->raw_ns - from->raw_ns);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return ORDER_OF(x, y);
}

double clock_grain(uint64_t *intervals, size_t n)
{
    size_t gaps = 0, ones = 0;
    uint64_t least = 0;

    SORT(intervals, n, compare_u64);
    for (size_t i = 1; i < n; i++) {
        uint64_t gap = intervals[i] - intervals[i - 1];
        if (gap == 0)
            continue;
        gaps++;
        ones += gap == 1;
        if (gap > 1 && (least == 0 || gap < least))
            least = gap;
    }
    return least == 0 || ones * 2 > gaps ? 1 : (double)least;
}

ALWAYS_INLINE void cost_measure(enum clock_kind kind, struct clock_cost *out)
{
    uint64_t cost[COST_TRIES], interval[COST_TRIES];
    for (unsigned i = 0; i < COST_TRIES; i++) {
        uint64_t begin = clock_begin(kind);
        uint64_t end = clock_end(kind);
        /* A step back after a move to a CPU whose counter differs must not look like a huge cost. */
        cost[i] = end > begin ? end - begin : 0;
    }
    /* Many lengths, so that differences of one step of the clock occur. */
    for (unsigned i = 0; i < COST_TRIES; i++) {
        uint64_t begin = clock_begin(kind);
        for (unsigned k = 0; k < i % 64; k++)
            __asm__ volatile("" ::: "memory");
        uint64_t end = clock_end(kind);
        interval[i] = end > begin ? end - begin : 0;
    }
    SORT(cost, COST_TRIES, compare_u64);
    out->min = (double)cost[0];
    out->median = ((double)cost[COST_TRIES / 2 - 1] + (double)cost[COST_TRIES / 2]) / 2;
    out->grain = clock_grain(interval, COST_TRIES);
}

void clock_cost_measure(enum clock_kind kind, struct clock_cost *out)
{
    if (kind == CLOCK_KIND_COUNTER)
        cost_measure(CLOCK_KIND_COUNTER, out);
    else
        cost_measure(CLOCK_KIND_GETTIME, out);
}

void clock_sleep_ns(uint64_t ns)
{
    /* An absolute deadline: interruptions by signals do not add up. */
    clock_sleep_until(clock_monotonic_ns() + ns);
}

/* STEPS: minimum length of a probe in steps of the counter, on a core that does CHAINS additions per cycle. */
#define STEPS        50.0
#define CHAINS       6.0
#define LEAST_BLOCKS 3.0
#define MOST_NS      2500.0 /* maximum length of the additions; a probe takes twice that, each 1.5 ms */
/* Minimum length of the chain in steps and in cycles: it is then known to 1 % or so. */
#define CHAIN_STEPS   80.0
#define CHAIN_CYCLES  2000.0
#define CHAIN_SHORT   4u
#define CHAIN_LONG    40u
#define CHAIN_TRIES   5u
#define TIMING_BLOCKS 100u

static double ticks_of(void (*work)(uint64_t), uint64_t blocks, unsigned tries)
{
    double least = HUGE_VAL;

    for (unsigned i = 0; i < tries; i++) {
        uint64_t begin = counter_read();
        work(blocks);
        double ticks = (double)(counter_read() - begin);
        least = ticks < least ? ticks : least;
    }
    return least;
}

static double cycles_per_tick(void)
{
    double ticks =
        ticks_of(core_work_chain, CHAIN_LONG, CHAIN_TRIES) - ticks_of(core_work_chain, CHAIN_SHORT, CHAIN_TRIES);
    return ticks > 0 ? (double)(CHAIN_LONG - CHAIN_SHORT) * CORE_BLOCK_LINKS * core_link_cycles / ticks : NAN;
}

void core_probe_init(struct core_probe *probe, const struct clock_info *clock)
{
    struct clock_cost cost;

    memset(probe, 0, sizeof(*probe));
    if (!core_link_cycles) {
        TEXT_PRINT(probe->why, "there is no core probe for this architecture");
        return;
    }
    if (clock->kind != CLOCK_KIND_COUNTER) {
        TEXT_PRINT(probe->why, "no cycle counter%s%.60s", clock->why[0] ? ": " : "", clock->why);
        return;
    }
    clock_cost_measure(clock->kind, &cost);
    const double grain = fmax(cost.grain, 1);
    probe->empty = cost.min;
    /* The dependent chain measures the frequency: another thread on the core would slow down independent additions. */
    const double cycles = cycles_per_tick(), link = CORE_BLOCK_LINKS * (double)core_link_cycles;
    const double block = CORE_BLOCK_ADDS / CHAINS / cycles, blocks = fmax(ceil(STEPS * grain / block), LEAST_BLOCKS);
    const uint64_t start = clock_raw_ns();
    core_work_adds(TIMING_BLOCKS);
    const double block_ns = (double)(clock_raw_ns() - start) / TIMING_BLOCKS;
    if (!(block > 0) || blocks * block_ns > 2 * MOST_NS) {
        TEXT_PRINT(probe->why, "the cycle counter's step is too coarse (%.0f ticks)", grain);
        return;
    }
    probe->unit = fmax(blocks * block / STEPS, grain) * cycles;
    probe->chain = (uint32_t)ceil(fmax(CHAIN_STEPS * grain * cycles, CHAIN_CYCLES) / link);
    probe->blocks = (uint32_t)blocks;
}

void core_probe_take(const struct core_probe *probe, struct core_reading *reading)
{
    const double cycles = (double)probe->chain * CORE_BLOCK_LINKS * core_link_cycles, before = reading->chain;

    core_work_chain(1); /* loads it into the instruction cache */
    const uint64_t begin = counter_read();
    core_work_chain(probe->chain);
    const uint64_t between = counter_read();
    core_work_adds(probe->blocks);
    const double adds = (double)(counter_read() - between) - probe->empty;
    reading->chain = cycles / ((double)(between - begin) - probe->empty);
    reading->cycles_per_tick = fmax(reading->chain, before);
    const double level = adds * reading->cycles_per_tick / probe->unit + 0.5;
    reading->level = level < 0 ? 0 : level < CORE_LEVELS - 1 ? (uint32_t)level : CORE_LEVELS - 1;
}

double core_probe_width(const struct core_probe *probe, unsigned level)
{
    return (double)probe->blocks * CORE_BLOCK_ADDS / ((double)level * probe->unit);
}
