/* SPDX-License-Identifier: MIT */
/* Event counts of a row: sums, and the text of the column. */

#include "../test.h"
#include "rows/rows.h"

static const struct task_counters none = {-1, -1, -1, -1, -1, -1, -1};

static struct counts all_known(void)
{
    struct counts counts = {.error = {0}};

    counts.value[COUNTER_CYCLES] = 4000;
    counts.value[COUNTER_INSTRUCTIONS] = 6000;
    counts.value[COUNTER_BRANCH_MISSES] = 7;
    counts.value[COUNTER_CACHE_MISSES] = 8;
    counts.value[COUNTER_TASK_CLOCK] = 2.5e6;
    counts.value[COUNTER_PAGE_FAULTS] = 9;
    counts.value[COUNTER_SWITCHES] = 0;
    return counts;
}

static const char *text_of(const struct counted *counted)
{
    static char text[256];

    counted_text(counted, text, sizeof(text));
    return text;
}

TEST(test_counted_sums_samples)
{
    const struct counts counts = all_known();
    struct counted counted = {.n = 0};

    assert_string_equal(text_of(&counted), "");
    counted_add(&counted, &counts, &none);
    counted_add(&counted, &counts, &none);
    assert_string_equal(text_of(&counted), "cycles=8000;instructions=12000;ipc=1.500;branch_misses=14;cache_misses=16;"
                                           "task_clock_ms=5.000;page_faults=18;switches=0");
}

TEST(test_counted_marks_what_is_scaled)
{
    struct counts counts = all_known();
    struct counted counted = {.n = 0};

    counts.scaled[COUNTER_CYCLES] = true;
    counted_add(&counted, &counts, &none);
    counts.scaled[COUNTER_CYCLES] = false;
    counted_add(&counted, &counts, &none);
    assert_string_equal(text_of(&counted), "cycles=~8000;instructions=12000;ipc=~1.500;branch_misses=14;"
                                           "cache_misses=16;task_clock_ms=5.000;page_faults=18;switches=0");
}

/* Without a PMU: no zeros; the reason once; software events from the kernel's other counters. */
TEST(test_counted_says_what_is_not_counted)
{
    const struct task_counters task = {
        .cpu_ns = 1500000, .ctx_voluntary = 2, .ctx_involuntary = 3, .faults_minor = 40, .faults_major = 1};
    struct counts counts = {.error = {0}};
    struct counted counted = {.n = 0};

    for (int i = 0; i < COUNTERS; i++)
        counts.error[i] = i < COUNTER_TASK_CLOCK ? -ENOENT : -EACCES;
    counted_add(&counted, &counts, &task);
    assert_string_equal(text_of(&counted),
                        "task_clock_ms=1.500;page_faults=41;switches=5;"
                        "not_counted=cycles+instructions+branch_misses+cache_misses;why=no PMU for them");
    for (int unknown = 0; unknown < 4; unknown++) { /* one half of a sum is no figure */
        struct task_counters part = task;
        *(int64_t *[]){&part.ctx_voluntary, &part.ctx_involuntary, &part.faults_minor, &part.faults_major}[unknown] =
            -1;
        counted = (struct counted){.n = 0};
        counted_add(&counted, &counts, &part);
        assert_non_null(strstr(text_of(&counted), unknown < 2 ? "misses+switches;" : "misses+page_faults;"));
    }
    counted = (struct counted){.n = 0};
    counted_add(&counted, &counts, &none);
    assert_string_equal(text_of(&counted), "not_counted=cycles+instructions+branch_misses+cache_misses+task_clock_ms+"
                                           "page_faults+switches;why=no PMU for them");
}

/* A sum over a part of the samples is no figure. */
TEST(test_counted_that_vanishes_in_mid_run_is_not_known)
{
    struct counts counts = all_known();
    struct counted counted = {.n = 0};

    counted_add(&counted, &counts, &none);
    counts.error[COUNTER_CYCLES] = -ENODATA;
    counted_add(&counted, &counts, &none);
    counts.error[COUNTER_CYCLES] = 0;
    counted_add(&counted, &counts, &none);
    assert_string_equal(text_of(&counted), "instructions=18000;branch_misses=21;cache_misses=24;task_clock_ms=7.500;"
                                           "page_faults=27;switches=0;not_counted=cycles;why=vanished in mid-run");
}

TEST(test_counted_value_finds_whole_keys)
{
    static const char text[] = "branch_misses=14;misses=~2;why=no PMU for them";
    size_t length = 99;

    assert_ptr_equal(counted_value(text, "misses", &length), text + strlen("branch_misses=14;misses="));
    assert_int_equal(length, 2);
    assert_non_null(counted_value(text, "why", &length));
    assert_int_equal(length, strlen("no PMU for them"));
    assert_null(counted_value(text, "branch", &length));
    assert_null(counted_value("", "why", &length));
}

/* --- Who had the CPUs. --- */

static const char *interference_of(const struct interference *interference)
{
    static char buf[512];

    interference_text(interference, buf, sizeof(buf));
    return buf;
}

TEST(test_interference_names_those_with_most_time)
{
    struct interference sum = {.looked = false}, more = {.looked = true};
    char name[16];

    assert_string_equal(interference_of(&sum), "");
    interference_merge(&sum, &more);
    assert_string_equal(interference_of(&sum), "nobody=0");
    for (unsigned i = 0; i < 24; i++) {
        (void)snprintf(name, sizeof(name), "task%u", i);
        shares_add(&more.taken, name, 1 + i);
    }
    interference_merge(&sum, &more);
    interference_merge(&sum, &more);
    assert_string_equal(interference_of(&sum), "task23=48.000;task22=46.000;task21=44.000;task20=42.000;task19=40.000;"
                                               "others(19)=380.000");
    shares_free(&more.taken);
    more = (struct interference){.looked = true, .why = "until 0.4 s; more"};
    shares_add(&more.taken, "task0", 60);
    shares_add(&more.taken, "a", 43);
    interference_merge(&sum, &more);
    assert_string_equal(interference_of(&sum), "task0=62.000;task23=48.000;task22=46.000;task21=44.000;a=43.000;"
                                               "others(20)=460.000;why=until 0.4 s; more");
    shares_free(&more.taken);
    shares_free(&sum.taken);
}

TEST(test_interference_says_what_is_not_recorded)
{
    struct interference sum = {.looked = true}, part = {.looked = true, .unrecorded_ms = 1.5, .why = "a ring was full"},
                        nothing = {.looked = true, .unrecorded_ms = HUGE_VAL, .why = "needs root"};

    interference_merge(&sum, &part);
    interference_merge(&sum, &part);
    assert_string_equal(interference_of(&sum), "nobody=0;not_recorded=3.000;why=a ring was full");
    shares_add(&sum.taken, "x", 2);
    assert_string_equal(interference_of(&sum), "x=2.000;not_recorded=3.000;why=a ring was full");
    interference_merge(&sum, &nothing);
    assert_string_equal(interference_of(&sum), "x=2.000;not_recorded=all;why=needs root");
    assert_string_equal(interference_of(&nothing), "not_recorded=all;why=needs root");
    shares_free(&sum.taken);
    interference_merge(&nothing, &part);
    assert_string_equal(interference_of(&nothing), "not_recorded=all;why=a ring was full");
}
