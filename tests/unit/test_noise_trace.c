/* SPDX-License-Identifier: MIT */
/* The detours that noise takes for the timer's, against the kernel's own trace of the timer's interrupts in the same
 * run. Those of other timers than the tick, of which a busy machine has many, are not searched for. It needs x86, root
 * and tracefs; tests/boot runs it on other kernels. Alone in its program: a boot runs this only. */
#include "bench_fixture.h"

#include "bench/noise.h"

/* So short that the list of detours, which is emptied when it is half full, has all of them on a busy machine too. */
#define TRACED_NS 1000000000ull
/* With more detours in that time nobody can tell the tick's: tried again. */
#define CROWDED        5000u
#define TRIES          8
#define BUSY           (CANNOT - 1)
#define INTERRUPTS_MAX 32768u
/* The timer's number of an event, and what is added to it: see detour.c. */
#define TIMER  1u
#define STOLEN 256u

static struct {
    const struct detour_account *account; /* of the last run */
    size_t n_events;                      /* before their causes were searched for, which leaves the events in place */
} ended;

void __real_detour_end(struct detour_account *a, uint64_t end);
void __wrap_detour_end(struct detour_account *a, uint64_t end);
void __wrap_detour_end(struct detour_account *a, uint64_t end)
{
    ended.account = a;
    ended.n_events = a->n_events;
    __real_detour_end(a, end);
}

struct interrupt {
    uint64_t at;
    bool tick;
};

static char trace[64]; /* directory of the trace */

static int put(const char *name, const char *text)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", trace, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    return fd >= 0 && close(fd) == 0 && written ? 0 : -1;
}

static int begin_trace(enum clock_kind clock)
{
    return fixture_own_mounts() || mount("none", "/mnt", "tracefs", 0, NULL) || mkdir(trace, 0700) ||
           put("trace_clock", clock == CLOCK_KIND_COUNTER ? "x86-tsc" : "mono_raw") ||
           put("events/irq_vectors/local_timer_entry/enable", "1") ||
           put("events/timer/hrtimer_expire_entry/enable", "1");
}

/* Returns the time before ": local_timer_entry": ticks of the counter, or seconds with six decimals, to be ns. */
static uint64_t read_time(const char *text)
{
    char *rest;
    uint64_t number = strtoull(text, &rest, 10);

    return *rest == '.' ? number * 1000000000 + strtoull(rest + 1, NULL, 10) * 1000 : number;
}

/* Reads the times of the timer's interrupts on that CPU: "... [001] d.h.. 123456: local_timer_entry: vector=236", and
 * whether the kernel had its tick in it: "hrtimer_expire_entry: hrtimer=... function=tick_nohz_handler now=...". */
static size_t read_trace(unsigned cpu, struct interrupt *interrupts)
{
    char path[128], line[512];
    size_t n = 0;

    (void)snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace", trace, cpu);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file) && n < INTERRUPTS_MAX) {
        char *event = strstr(line, ": local_timer_entry"), *at = event;
        while (event && at > line && at[-1] != ' ')
            at--;
        if (event)
            interrupts[n++] = (struct interrupt){.at = read_time(at)};
        else if (n && strstr(line, " function=tick_"))
            interrupts[n - 1].tick = true;
    }
    if (file)
        (void)fclose(file);
    return n;
}

struct compared {
    unsigned ticks, interrupts; /* detours with a tick; with an interrupt of the timer */
    unsigned taken;             /* for the timer's */
    unsigned found, right;      /* taken and with a tick; with an interrupt */
};

/* Compares the detours without a cause of the thread's own. grain: of the times of the trace. */
static struct compared compare_with_trace(const struct interrupt *interrupts, size_t n, uint64_t grain)
{
    const struct detour_account *a = ended.account;
    struct compared sum = {0};
    size_t k = 0;

    for (size_t i = 0; i < ended.n_events; i++) {
        uint64_t from = a->start + a->events[i].at, to = from + a->events[i].length;
        bool interrupt = false, tick = false, taken = a->events[i].periodic % STOLEN == TIMER;
        while (k < n && interrupts[k].at + grain < from)
            k++;
        for (size_t in = k; in < n && interrupts[in].at <= to; in++) {
            interrupt = true;
            tick |= interrupts[in].tick;
        }
        sum.ticks += tick;
        sum.interrupts += interrupt;
        sum.taken += taken;
        sum.found += tick && taken;
        sum.right += interrupt && taken;
    }
    return sum;
}

/* On the last CPU, as a real-time task: what runs as another process has another cause. */
static int take_cpu(uint64_t time_ns)
{
    struct cpuset all, one;
    unsigned last = CPUSET_NONE;

    if (task_get_affinity(&all))
        return -1;
    for (unsigned cpu = cpuset_next(&all, 0); cpu != CPUSET_NONE; cpu = cpuset_next(&all, cpu + 1))
        last = cpu;
    cpuset_clear(&one);
    cpuset_add(&one, last);
    return task_set_affinity(&one) || task_limit_realtime_us(2 * time_ns / 1000) ? -1 : task_set_policy(SCHED_FIFO, 50);
}

static int traced(void)
{
    static const struct noise_params eight = {.threshold = "8x", .threshold_loops = 8};
    static struct interrupt interrupts[INTERRUPTS_MAX];
    struct clock_info clock;

    clock_choose(&clock);
    if (begin_trace(clock.kind) || take_cpu(TRACED_NS))
        return CANNOT;
    struct fixture_party p;
    fixture_party_begin(&p, &bench_noise, &eight);
    p.context.clock = clock.kind;
    p.context.time_ns = TRACED_NS;
    CHECK(p.party->setup(&p.context) == 0);
    CHECK(p.party->run(&p.context) == 0);
    size_t n = read_trace(task_current_cpu(), interrupts);
    CHECK(n >= 50 && n < INTERRUPTS_MAX);
    struct compared sum = compare_with_trace(interrupts, n, clock.kind == CLOCK_KIND_COUNTER ? 0 : 1000);
    print_message(
        "of %u detours with a tick (%u with an interrupt of the timer) %u were found; of %u that were taken for "
        "the timer's %u have an interrupt of it; %zu detours (%s)\n",
        sum.ticks, sum.interrupts, sum.found, sum.taken, sum.right, ended.n_events, clock.name);
    if (ended.n_events > CROWDED && sum.found < 0.95 * sum.ticks)
        return BUSY;
    CHECK(sum.ticks >= 50);
    CHECK(sum.found >= 0.95 * sum.ticks);
    CHECK(sum.right >= 0.95 * sum.taken);
    fixture_party_end(&p);
    return 0;
}

static int end_trace(void)
{
    return fixture_own_mounts() || mount("none", "/mnt", "tracefs", 0, NULL) || rmdir(trace) ? CANNOT : 0;
}

TEST(test_noise_timer_as_the_kernel_traces_it)
{
    (void)snprintf(trace, sizeof(trace), "/mnt/instances/jitbench-test-%d", (int)getpid());
    int status = BUSY, removed = 0;
    for (int tries = 0; status == BUSY && !removed && tries < TRIES; tries++) {
        status = fixture_in_child(traced);
        removed = fixture_in_child(end_trace);
    }

    if (status == BUSY)
        skip_because("the machine is too busy");
    if (status == CANNOT)
        skip_because("it needs x86, root and tracefs");
    assert_int_equal(status, 0);
    assert_int_equal(removed, 0);
}
