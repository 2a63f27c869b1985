/* SPDX-License-Identifier: MIT */
/* The detours that noise takes for the timer's, against the kernel's own trace of the timer's interrupts in the same
 * run. It needs x86, root and tracefs; tests/boot runs it on other kernels. Alone in its program: a boot runs this
 * only. */
#include "bench_fixture.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/noise.h"

#define TRACED_NS 1500000000ull
#define TRACE     "/mnt/instances/jitbench-test"
#define TICKS_MAX 32768u
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

static int put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    return fd >= 0 && close(fd) == 0 && written ? 0 : -1;
}

static int begin_trace(enum clock_kind clock)
{
    return fixture_own_mounts() || mount("none", "/mnt", "tracefs", 0, NULL) || mkdir(TRACE, 0700) ||
           put(TRACE "/trace_clock", clock == CLOCK_KIND_COUNTER ? "x86-tsc" : "mono_raw") ||
           put(TRACE "/events/irq_vectors/local_timer_entry/enable", "1");
}

/* Returns the time before ": local_timer_entry": ticks of the counter, or seconds with six decimals, to be ns. */
static uint64_t read_time(const char *text)
{
    char *rest;
    uint64_t number = strtoull(text, &rest, 10);

    return *rest == '.' ? number * 1000000000 + strtoull(rest + 1, NULL, 10) * 1000 : number;
}

/* Reads the times of the timer's interrupts on that CPU: "... [001] d.h.. 123456: local_timer_entry: vector=236". */
static size_t read_trace(unsigned cpu, uint64_t *ticks)
{
    char path[80], line[512];
    size_t n = 0;

    (void)snprintf(path, sizeof(path), TRACE "/per_cpu/cpu%u/trace", cpu);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file) && n < TICKS_MAX) {
        char *event = strstr(line, ": local_timer_entry"), *at = event;
        while (event && at > line && at[-1] != ' ')
            at--;
        if (event)
            ticks[n++] = read_time(at);
    }
    if (file)
        (void)fclose(file);
    return n;
}

/* Counts the detours without a cause of the thread's own that contain an interrupt of the timer, those that were taken
 * for such, and those that are both. grain: of the times of the trace. */
static void compare_with_trace(const uint64_t *ticks, size_t n, uint64_t grain, unsigned *with, unsigned *taken,
                               unsigned *both)
{
    const struct detour_account *a = ended.account;
    size_t k = 0;

    *with = *taken = *both = 0;
    for (size_t i = 0; i < ended.n_events; i++) {
        uint64_t from = a->start + a->events[i].at, to = from + a->events[i].length;
        while (k < n && ticks[k] + grain < from)
            k++;
        bool contains = k < n && ticks[k] <= to, timer = a->events[i].comb % STOLEN == TIMER;
        *with += contains;
        *taken += timer;
        *both += contains && timer;
    }
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
    static uint64_t ticks[TICKS_MAX];
    unsigned with, taken, both;
    struct fixture_party p;
    struct clock_info clock;

    clock_choose(&clock);
    fixture_party_begin(&p, &bench_noise, &eight);
    p.context.clock = clock.kind;
    p.context.time_ns = TRACED_NS;
    if (begin_trace(clock.kind) || take_cpu(p.context.time_ns))
        return CANNOT;
    CHECK(p.party->setup(&p.context) == 0);
    CHECK(p.party->run(&p.context) == 0);
    size_t n = read_trace(task_current_cpu(), ticks);
    CHECK(n >= 50 && n < TICKS_MAX);
    compare_with_trace(ticks, n, clock.kind == CLOCK_KIND_COUNTER ? 0 : 1000, &with, &taken, &both);
    print_message("of %u detours with an interrupt of the timer %u were found; %u were taken for such (%s)\n", with,
                  both, taken, clock.name);
    CHECK(with >= 50);
    CHECK(both >= 0.95 * with);
    CHECK(both >= 0.95 * taken);
    fixture_party_end(&p);
    return 0;
}

static int end_trace(void)
{
    return fixture_own_mounts() || mount("none", "/mnt", "tracefs", 0, NULL) || rmdir(TRACE) ? CANNOT : 0;
}

static void test_noise_timer_as_the_kernel_traces_it(void **state)
{
    int status = fixture_in_child(traced), removed = fixture_in_child(end_trace);

    if (status == CANNOT)
        skip_because("it needs x86, root and tracefs");
    assert_int_equal(status, 0);
    assert_int_equal(removed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise_timer_as_the_kernel_traces_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
