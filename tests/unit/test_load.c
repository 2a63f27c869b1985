/* SPDX-License-Identifier: MIT */
/* Common parts of loads: where they run, their threads, and the CPU time that they report. */
#include "load_fixture.h"

#include "load/load.h"

/* --- Placement. --- */

static void request_of(struct place_request *request, const char *cpus)
{
    struct error why;

    memset(request, 0, sizeof(*request));
    assert_int_equal(cpuset_parse(cpus, &request->cpus, &why), 0);
    request->online = request->cpus;
    for (unsigned cpu = CPUSET_MAX; cpu-- > 0;) /* from the last to the first */
        if (cpuset_has(&request->cpus, cpu))
            request->order[request->n_order++] = cpu;
}

static const struct load *const placed[] = {&load_none, &load_burn, &load_ring, &load_hack, &load_memload};

TEST(test_load_runs_on_the_cpus_of_the_measured_task)
{
    static struct place_request request;
    static struct placement placement;
    struct load_params params = {.threads = 1};
    char list[64];

    request_of(&request, "1,3,7000");
    for (size_t i = 0; i < COUNT(placed); i++) {
        memset(&placement, 0xff, sizeof(placement));
        params.sim.single_cpu = false;
        placed[i]->place(&(struct place_of){&params, &request, 0, 0}, &placement);
        (void)cpuset_format(&placement.cpus, list, sizeof(list));
        assert_string_equal(list, "1,3,7000");
        assert_int_equal(placement.bind, BIND_RANGE);
        params.sim.single_cpu = true;
        placed[i]->place(&(struct place_of){&params, &request, 0, 0}, &placement);
        (void)cpuset_format(&placement.cpus, list, sizeof(list));
        assert_string_equal(list, "7000");
        assert_string_equal(placement.refused, "");
        assert_int_equal(placement.timer_slack_ns, 0);
    }
}

TEST(test_load_custom_tells_its_interval_and_work)
{
    const struct load_params params = {.sim = {.interval_ns = 5000000, .busy_ns = 1500000}};
    struct row_params out = {.n = 0};

    load_custom.describe(&params, &out);
    assert_string_equal(out.text, "load_interval_us=5000 load_busy_us=1500");
}

TEST(test_load_is_never_real_time_and_has_a_nice_value_of_its_own)
{
    static struct place_request request;
    static struct placement placement;
    struct load_params params = {.nice_given = true, .nice = 5, .sim = {.real_time = true}};

    request_of(&request, "0-2");
    request.fifo = request.nice_given = true;
    request.fifo_priority = 50;
    request.nice = -3;
    memset(&placement, 0xff, sizeof(placement));
    load_place(&(struct place_of){&params, &request, 0, 0}, &placement);
    assert_int_equal(placement.policy, SCHED_OTHER);
    assert_int_equal(placement.rt_priority, 0);
    assert_false(placement.lock_memory);
    assert_true(placement.nice_given);
    assert_int_equal(placement.nice, 5);
    params.nice_given = false;
    load_place(&(struct place_of){&params, &request, 0, 0}, &placement);
    assert_false(placement.nice_given);
}

/* --- Times and sizes. --- */

TEST(test_load_due_comes_once_a_period)
{
    uint64_t due = 0;

    assert_true(load_due(&due, 1000));
    assert_false(load_due(&due, 1000));
    assert_false(load_due(&due, 1000 + LOAD_REFRESH_NS - 1));
    assert_true(load_due(&due, 1000 + LOAD_REFRESH_NS));
    /* Late by many periods: none is made up for. */
    assert_true(load_due(&due, 1000 + 50 * (uint64_t)LOAD_REFRESH_NS));
    assert_false(load_due(&due, 1001 + 50 * (uint64_t)LOAD_REFRESH_NS));
}

static double usage_s(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void *use_cpu(void *argument)
{
    double *of_thread = argument;
    struct timespec t;

    do {
        sim_work(10000);
        assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t), 0);
    } while (t.tv_nsec < 20000000);
    *of_thread = (double)t.tv_nsec * 1e-9;
    return NULL;
}

TEST(test_load_cpu_time_is_of_all_threads)
{
    double before = task_process_cpu_s(), used = 0;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, use_cpu, &used), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    double after = task_process_cpu_s();
    assert_true(after - before >= used);
    assert_true(used >= 0.02);
    /* The kernel's other account of the same, which may be a tick behind. */
    assert_true(after <= usage_s() + 0.1);
}

/* --- The threads of a load. --- */

struct worker {
    struct threads *threads;
    uint32_t number, seen, all_made;
};

static void *work(void *argument)
{
    struct worker *worker = argument;

    worker->seen = worker->number + 100;
    if (!threads_wait(worker->threads))
        return NULL;
    worker->all_made = worker->threads->n;
    threads_at_work(worker->threads);
    while (!threads_ended(worker->threads))
        clock_sleep_ns(MS);
    return NULL;
}

static void prepare(struct worker *workers, size_t n, struct threads *threads)
{
    memset(workers, 0, n * sizeof(*workers));
    for (size_t i = 0; i < n; i++) {
        workers[i].threads = threads;
        workers[i].number = (uint32_t)i;
    }
}

TEST(test_load_threads_work_until_ended)
{
    struct worker workers[7];
    struct threads threads = {.n = 0};
    struct party_context context = {.copies = 1};

    uint64_t alone = load_alone();
    prepare(workers, COUNT(workers), &threads);
    assert_int_equal(threads_start(&threads, &context, COUNT(workers), work, workers, sizeof(workers[0])), 0);
    for (int i = 0; i < LOAD_PATIENCE_MS && !threads_complete(&threads); i++)
        clock_sleep_ns(MS);
    assert_true(threads_complete(&threads));
    if (alone)
        assert_int_equal(load_count_threads(), alone + COUNT(workers));
    assert_false(threads_ended(&threads));
    threads_end(&threads);
    threads_join(&threads);
    for (size_t i = 0; i < COUNT(workers); i++)
        assert_true(workers[i].seen == 100 + i && workers[i].all_made == COUNT(workers));
    assert_int_equal(threads.n, 0);
    threads_join(&threads);
}

static void *measure_stack(void *argument)
{
    pthread_attr_t attributes;
    size_t *size = argument;

    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        (void)pthread_attr_getstacksize(&attributes, size);
        (void)pthread_attr_destroy(&attributes);
    }
    return NULL;
}

/* 64 KiB, or twice what the C library asks for at least, where that is more. */
TEST(test_load_threads_have_the_stack_that_they_need)
{
    const long least = sysconf(_SC_THREAD_STACK_MIN);
    const size_t expected = least > 32768 ? 2 * (size_t)least : 65536;
    struct threads threads = {.n = 0};
    struct party_context context = {.copies = 1};
    size_t size[2] = {0, 0};

    assert_int_equal(threads_start(&threads, &context, 2, measure_stack, size, sizeof(size[0])), 0);
    threads_join(&threads);
    assert_int_equal(size[0], expected);
    assert_int_equal(size[1], expected);
}

static void *report(void *argument)
{
    threads_at_work(argument);
    return NULL;
}

TEST(test_load_threads_are_complete_only_when_all_are_at_work)
{
    struct threads threads = {.n = 0};
    struct party_context context = {.copies = 1};

    assert_int_equal(threads_start(&threads, &context, 2, report, &threads, 0), 0);
    threads.n++; /* one that is not there yet */
    for (int i = 0; i < LOAD_PATIENCE_MS && __atomic_load_n(&threads.at_work, __ATOMIC_ACQUIRE) < 2; i++)
        clock_sleep_ns(MS);
    assert_false(threads_complete(&threads));
    threads_at_work(&threads);
    assert_true(threads_complete(&threads));
    threads.n--;
    threads_join(&threads);
}

/* Root may have as many as it likes: the limit holds for others. */
static int threads_beyond_the_limit(void)
{
    static struct worker workers[50];
    const struct rlimit limit = {.rlim_cur = 3, .rlim_max = 3};
    struct threads threads = {.n = 0};
    char reason[160] = "";
    struct party_context context = {.reason = reason, .reason_size = sizeof(reason)};

    if (setrlimit(RLIMIT_NPROC, &limit) || (geteuid() == 0 && setresuid(64123, 64123, 64123)))
        return CANNOT;
    prepare(workers, COUNT(workers), &threads);
    if (threads_start(&threads, &context, COUNT(workers), work, workers, sizeof(workers[0])) == 0)
        return CANNOT;
    uint32_t n = threads.n;
    threads_end(&threads);
    threads_join(&threads);
    CHECK(n < 3);
    for (size_t i = 0; i < COUNT(workers); i++)
        CHECK((workers[i].seen == 100 + i) == (i < n) && !workers[i].all_made);
    char expected[160];
    (void)snprintf(expected, sizeof(expected),
                   "cannot make thread %u of 50: Resource temporarily unavailable (RLIMIT_NPROC, the pids cgroup or "
                   "memory)",
                   n + 1);
    CHECK(strcmp(reason, expected) == 0);
    return 0;
}

TEST(test_load_threads_name_the_limit_that_stopped_them)
{
    assert_int_equal(fixture_in_child(threads_beyond_the_limit), 0);
}
