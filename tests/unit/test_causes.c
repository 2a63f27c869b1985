/* SPDX-License-Identifier: MIT */
/* Disturbances of a row: sums over made-up trials, and the text made of them. */

#include "../test.h"
#include "row_fixture.h"

static const struct task_counters one_task = {.cpu_ns = 1500000000,
                                              .ctx_voluntary = 2,
                                              .ctx_involuntary = 4,
                                              .migrations = 1,
                                              .faults_minor = 5,
                                              .faults_major = 6,
                                              .run_delay_ns = 12345000};
static const struct machine_counters one_machine = {
    .irqs = 280, .softirqs = 310, .steal_ns = 20000000, .timer = 250, .resched = 3, .ipi = 7, .device = 12};

static void assert_text(const struct causes *causes, const char *expected)
{
    struct row row;

    causes_fill(causes, 0, &row.causes);
    assert_string_equal(causes_of(&row), expected);
}

TEST(test_causes_of_one_trial)
{
    struct causes causes = {0};

    causes_add(&causes, &one_task, &one_machine);
    assert_text(&causes,
                "preempted:12.345;steal:20;timer=250;resched=3;ipi=7;device=12;softirq=310;fault=11;migrated=1;"
                "involuntary=4");
    assert_true(causes.task.cpu_ns == 1500000000 && causes.task.ctx_voluntary == 2 && causes.machine.irqs == 280);
}

TEST(test_causes_add_up)
{
    struct causes causes = {0};

    for (int trial = 0; trial < 2; trial++) {
        causes_add(&causes, NULL, &one_machine);
        for (int party = 0; party < 2; party++)
            causes_add(&causes, &one_task, NULL);
    }
    assert_text(&causes,
                "preempted:49.38;steal:40;timer=500;resched=6;ipi=14;device=24;softirq=620;fault=44;migrated=4;"
                "involuntary=16");
}

TEST(test_causes_without_any_are_none)
{
    const struct causes causes = {0};

    assert_text(&causes, "preempted:0;steal:0;timer=0;resched=0;ipi=0;device=0;softirq=0;fault=0;migrated=0;"
                         "involuntary=0");
}

/* The time that the quota took is a part of the time that tasks waited. The kernel's sum may be larger, as other tasks
 * of the group stand still too, or the only one that is known. */
TEST(test_causes_quota_comes_off_the_waiting)
{
    static const struct {
        int64_t throttled_ns, delay_ns;
        const char *expected;
    } cases[] = {
        {10000000, 12345000, "quota:10;preempted:2.345;steal:20"},
        {99000000, 12345000, "quota:12.345;preempted:0;steal:20"},
        {10000000, -1, "quota:10;steal:20"},
        {0, 12345000, "preempted:12.345;steal:20"},
        {-1, 12345000, "preempted:12.345;steal:20"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct machine_counters machine = one_machine;
        struct task_counters task = one_task;
        struct causes causes = {0};
        struct row row;

        machine.throttled_ns = cases[i].throttled_ns;
        task.run_delay_ns = cases[i].delay_ns;
        causes_add(&causes, &task, &machine);
        causes_fill(&causes, 0, &row.causes);
        assert_memory_equal(causes_of(&row), cases[i].expected, strlen(cases[i].expected));
        assert_true(causes_of(&row)[strlen(cases[i].expected)] == ';');
    }
}

/* One trial of which it is not known is enough, whichever it is. */
TEST(test_causes_not_known_are_left_out)
{
    for (int unknown = 0; unknown < 3; unknown++) {
        struct causes causes = {0};
        for (int trial = 0; trial < 3; trial++) {
            struct task_counters task = one_task;
            struct machine_counters machine = one_machine;
            if (trial == unknown) {
                task.run_delay_ns = task.migrations = task.faults_major = -1;
                machine.resched = -1;
            }
            causes_add(&causes, &task, &machine);
        }
        assert_text(&causes, "steal:60;timer=750;ipi=21;device=36;softirq=930;involuntary=12");
        assert_true(causes.task.run_delay_ns == -1 && causes.task.faults_minor == 15);
    }
}

TEST(test_causes_of_nothing_known)
{
    const struct task_counters task = {-1, -1, -1, -1, -1, -1, -1};
    const struct machine_counters machine = {-1, -1, -1, -1, -1, -1, -1, -1};
    struct causes causes = {0};

    causes_add(&causes, &task, &machine);
    assert_text(&causes, "");
}

TEST(test_causes_of_large_counts)
{
    const struct machine_counters machine = {
        .irqs = -1, .softirqs = 9007199254740992, .steal_ns = 86400000000000, .timer = -1, .resched = -1, .ipi = -1};
    const struct task_counters task = {-1, -1, 1000000, -1, -1, -1, 1};
    struct causes causes = {0};

    causes_add(&causes, &task, &machine);
    assert_text(&causes, "preempted:0;steal:86400000;device=0;softirq=9007199254740992;involuntary=1000000");
}

TEST(test_causes_of_its_own_stand_in_place)
{
    static const char fault[] = "fault";
    struct causes causes = {0};
    char same[sizeof(fault)];

    memcpy(same, fault, sizeof(fault)); /* a name is what it says, not where it stands */
    causes_add(&causes, &one_task, &one_machine);
    assert_int_equal(causes_add_measured(&causes, "interrupt", 1.0625), 0);
    assert_int_equal(causes_add_measured(&causes, fault, 0), 0);
    assert_int_equal(causes_add_measured(&causes, "unexplained", 100), 0);
    assert_int_equal(causes_add_measured(&causes, same, 0.5), 0);
    assert_int_equal(causes_add_measured(&causes, "interrupt", 2), 0);
    assert_text(&causes, "interrupt:3.062;fault:0.5;unexplained:100;timer=250;resched=3;ipi=7;device=12;softirq=310;"
                         "fault=11;migrated=1;involuntary=4");
}

TEST(test_causes_of_its_own_that_are_not_known)
{
    struct causes causes = {0};

    causes_add(&causes, &one_task, NULL);
    assert_int_equal(causes_add_measured(&causes, "interrupt", (double)NAN), 0);
    assert_int_equal(causes_add_measured(&causes, "interrupt", 1), 0);
    assert_int_equal(causes_add_measured(&causes, "fault", 2), 0);
    assert_text(&causes, "fault:2;timer=0;resched=0;ipi=0;device=0;softirq=0;fault=11;migrated=1;involuntary=4");
}

TEST(test_causes_of_its_own_are_so_many)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    struct causes causes = {0};

    assert_int_equal(COUNT(names), CAUSES_OWN);
    for (int i = 0; i < CAUSES_OWN; i++)
        assert_int_equal(causes_add_measured(&causes, names[i], i), 0);
    assert_int_equal(causes_add_measured(&causes, "j", 1), -1);
    assert_int_equal(causes_add_measured(&causes, "h", 1), 0);
    assert_text(&causes, "a:0;b:1;c:2;d:3;e:4;f:5;g:6;h:8;i:8;timer=0;resched=0;ipi=0;device=0;softirq=0;fault=0;"
                         "migrated=0;involuntary=0");
}

TEST(test_causes_stopped_samples_are_counted)
{
    struct causes causes = {.n_own = 1, .own = {{"a", 0}}};
    struct row row;

    causes_add(&causes, NULL, &(const struct machine_counters){-1, -1, -1, -1, -1, -1, -1, -1});
    causes_add(&causes, &(const struct task_counters){-1, -1, -1, -1, -1, -1, -1}, NULL);
    causes_fill(&causes, 2, &row.causes);
    assert_string_equal(causes_of(&row), "a:0;stopped=2");
}

/* A name that is too long, and what is beyond the last place, are left out. */
TEST(test_causes_without_room_are_left_out)
{
    struct row row;

    row.causes.n = 0;
    row_cause_add(&row.causes, "fifteen-letters", 15, true, 1);
    row_cause_add(&row.causes, "fourteen-lette", 14, true, 1);
    assert_string_equal(causes_of(&row), "fourteen-lette:1");
    for (int i = 0; i < 2 * ROW_CAUSES_MAX; i++)
        row_cause_add(&row.causes, "x", 1, false, i);
    assert_int_equal(row.causes.n, ROW_CAUSES_MAX);
}
