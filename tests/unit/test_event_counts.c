/* SPDX-License-Identifier: MIT */
/* Event counters: the kernel's own for page faults, which every machine has, made-up readings, and their table. */

#include "../refuse.h"
#include "fixture.h"
#include "out/out.h"
#include "row_fixture.h"

#define PAGES 64u

static void touch_pages(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return;
    (void)madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        *(volatile char *)(memory + i * page) = 1;
    (void)munmap(memory, PAGES * page);
}

static struct counts counted(const struct counters *counters)
{
    struct counters_reading after;
    struct counts counts;

    counters_read(counters, &after);
    counters_difference(NULL, &after, &counts);
    return counts;
}

/* Only what happens between start and stop counts. */
TEST(test_counters_count_between_start_and_stop)
{
    struct counters counters;

    counters_open(&counters, false, false);
    if (counters.error[COUNTER_PAGE_FAULTS])
        skip_because("page faults cannot be counted: %s", strerror(-counters.error[COUNTER_PAGE_FAULTS]));
    touch_pages();
    assert_true(counted(&counters).value[COUNTER_PAGE_FAULTS] <= 0);
    counters_start();
    touch_pages();
    counters_stop();
    const double faults = counted(&counters).value[COUNTER_PAGE_FAULTS];
    assert_in_range((uint64_t)faults, PAGES, 2 * PAGES);
    assert_true(counted(&counters).value[COUNTER_TASK_CLOCK] > 0);
    touch_pages();
    assert_true(counted(&counters).value[COUNTER_PAGE_FAULTS] <= faults);
    counters_close(&counters);
    assert_int_equal(counted(&counters).error[COUNTER_PAGE_FAULTS], -ENODATA);
}

/* Children count when they have ended. */
TEST(test_counters_include_children)
{
    for (int inherited = 0; inherited < 2; inherited++) {
        struct counters counters;
        counters_open(&counters, inherited, false);
        if (counters.error[COUNTER_PAGE_FAULTS])
            skip_because("page faults cannot be counted: %s", strerror(-counters.error[COUNTER_PAGE_FAULTS]));
        counters_start();
        pid_t child = fork();
        if (child == 0) {
            for (int i = 0; i < 8; i++)
                touch_pages();
            _exit(0);
        }
        assert_int_equal(fixture_wait(child), 0);
        counters_stop();
        assert_int_equal(counted(&counters).value[COUNTER_PAGE_FAULTS] >= 8 * PAGES, inherited);
        counters_close(&counters);
    }
}

TEST(test_counters_difference_scales_what_was_multiplexed)
{
    struct counters_reading before = {.error = {0}}, after = {.error = {0}};
    struct counts counts;

    for (int i = 0; i < COUNTERS; i++) {
        before.value[i] = 1000;
        after.value[i] = 1500;
        before.enabled_ns[i] = before.running_ns[i] = 100;
        after.enabled_ns[i] = after.running_ns[i] = 300;
    }
    after.running_ns[COUNTER_CYCLES] = 150;       /* a quarter of the time */
    after.running_ns[COUNTER_INSTRUCTIONS] = 100; /* never */
    before.error[COUNTER_SWITCHES] = -EACCES;
    counters_difference(&before, &after, &counts);
    assert_true(counts.scaled[COUNTER_CYCLES]);
    assert_float_equal(counts.value[COUNTER_CYCLES], 2000, 0);
    assert_int_equal(counts.error[COUNTER_INSTRUCTIONS], -EBUSY);
    assert_int_equal(counts.error[COUNTER_SWITCHES], -EACCES);
    assert_float_equal(counts.value[COUNTER_PAGE_FAULTS], 500, 0);
    assert_false(counts.scaled[COUNTER_PAGE_FAULTS]);
}

TEST(test_counters_put_has_a_line_for_each_measurement)
{
    struct row rows[] = {
        ROW(NULL, 1, .test = "prime", .metric = "cycles", .param = "limit=22", .cpus = "1"),
        ROW(NULL, 1, .test = "prime", .metric = "time", .param = "limit=22", .cpus = "1"),
        ROW(NULL, 1, .test = "prime", .metric = "cycles", .param = "limit=46", .cpus = "1"),
        ROW(NULL, 1, .test = "index", .metric = "index"),
    };
    struct text out = {0};

    counters_put(rows, COUNT(rows), 0, &out);
    assert_int_equal(out.length, 0);
    for (size_t i = 0; i < 3; i++) {
        rows[i].item = i < 2 ? 1 : 2;
        text_copy(rows[i].counters, sizeof(rows[i].counters),
                  i < 2 ? "cycles=~123;task_clock_ms=14.748;switches=9;not_counted=cache_misses;why=no PMU for them"
                        : "task_clock_ms=4;switches=8;not_counted=cache_misses;why=no PMU for them");
    }
    counters_put(rows, COUNT(rows), 0, &out);
    assert_string_equal(out.data, "\nEvents of all samples together (hardware events: in user mode)\n"
                                  "Test   Parameter  CPU  Cycles  Task ms  Switches\n"
                                  "prime  limit=22   1      ~123   14.748         9\n"
                                  "prime  limit=46   1         -        4         8\n"
                                  "not counted: cache_misses: no PMU for them\n");
    text_free(&out);
}

/* In the order of time; the reason once, below. */
TEST(test_culprits_put_names_who_had_the_cpus)
{
    struct row rows[] = {
        ROW(NULL, 1, .test = "prime", .metric = "cycles", .param = "limit=22", .cpus = "1"),
        ROW(NULL, 1, .test = "prime", .metric = "time", .param = "limit=22", .cpus = "1"),
        ROW(NULL, 1, .test = "pipe", .metric = "loops", .cpus = "0"),
        ROW(NULL, 1, .test = "index", .metric = "index"),
    };
    struct text out = {0};

    culprits_put(rows, COUNT(rows), 0, &out);
    assert_int_equal(out.length, 0);
    for (size_t i = 0; i < 3; i++) {
        rows[i].item = i < 2 ? 1 : 2;
        rows[i].wall_s = i < 2 ? 0.25 : 2;
        text_copy(rows[i].culprits, sizeof(rows[i].culprits),
                  i < 2 ? "node=3.204;kworker/0:1(vmstat_update)=0.410"
                        : "nobody=0;not_recorded=9.000;why=a ring was full");
    }
    culprits_put(rows, COUNT(rows), 0, &out);
    assert_string_equal(out.data, "\nWho else had the measured CPUs, in all samples together\n"
                                  "Test   Parameter  CPU  Wall s  Took most, ms\n"
                                  "prime  limit=22   1     0.250  node 3.204, kworker/0:1(vmstat_update) 0.410\n"
                                  "pipe              0     2.000  nobody 0, not_recorded 9.000\n"
                                  "not recorded: a ring was full\n");
    text_free(&out);
}
