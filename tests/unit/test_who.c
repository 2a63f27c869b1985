/* SPDX-License-Identifier: MIT */
/* Who took the time: records of what ran on a CPU, made up, joined with the times in which the sampler lost it. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/who.h"

#define SELF 100u
#define US   1000u

/* --- One CPU. --- */

static struct who who;
static const struct who_span window = {1000 * US, 2000 * US};

static void begin(const struct who_span *spans, size_t n)
{
    assert_int_equal(who_begin(&who, SELF, &window, spans, n), 0);
}

static void add(uint64_t us, enum trace_kind kind, uint32_t tid, uint64_t number)
{
    const struct trace_record record = {.ns = us * US, .kind = (uint8_t)kind, .tid = tid, .number = number};

    who_add(&who, &record);
}

static void add_named(uint64_t us, enum trace_kind kind, enum trace_source source, uint64_t number, const char *name)
{
    struct trace_record record = {
        .ns = us * US, .kind = (uint8_t)kind, .source = (uint8_t)source, .tid = SELF, .number = number};

    (void)snprintf(record.name, sizeof(record.name), "%s", name);
    who_add(&who, &record);
}

static void rename_to(uint64_t us, uint32_t tid, const char *name)
{
    struct trace_record record = {.ns = us * US, .kind = TRACE_NAME, .tid = tid};

    (void)snprintf(record.name, sizeof(record.name), "%s", name);
    who_add(&who, &record);
}

/* Returns the taker, NULL when it took no time. */
static const struct who_taker *taker(enum who_kind kind, uint32_t tid, uint64_t number)
{
    for (size_t i = 0; i < who.n_order; i++) {
        const struct who_taker *one = &who.takers[who.order[i].taker];
        if (one->kind == kind && one->tid == tid && one->number == number)
            return one;
    }
    return NULL;
}

static void expect(enum who_kind kind, uint32_t tid, uint64_t number, uint64_t n, uint64_t us, uint64_t max_us)
{
    const struct who_taker *one = taker(kind, tid, number);

    if (!one) {
        fail_msg("kind %d, task %u, number %llu took nothing", (int)kind, tid, (unsigned long long)number);
        return;
    }
    assert_int_equal(one->n, n);
    assert_int_equal(one->ns, us * US);
    assert_int_equal(one->max_ns, max_us * US);
}

static void expect_all(size_t n)
{
    assert_int_equal(who.n_order, n);
    for (size_t i = 1; i < n; i++)
        assert_true(who.order[i - 1].ns >= who.order[i].ns);
}

/* A task runs twice; the detours begin before it and end after it. */
static void test_who_a_task_has_the_time_between_switches(void **state)
{
    static const struct who_span spans[] = {{1095 * US, 1205 * US}, {1300 * US, 1350 * US}};

    begin(spans, COUNT(spans));
    add(1100, TRACE_SWITCH, 7, 0);
    add(1200, TRACE_SWITCH, SELF, 0);
    add(1310, TRACE_SWITCH, 7, 0);
    add(1340, TRACE_SWITCH, SELF, 0);
    who_end(&who);
    expect(WHO_TASK, 7, 0, 2, 130, 100);
    expect(WHO_UNSEEN, 0, 0, 4, 30, 10);
    expect_all(2);
    who_free(&who);
}

/* What ran while nothing was lost, as in a pause, is nobody's. */
static void test_who_time_outside_of_detours_is_nobodys(void **state)
{
    static const struct who_span spans[] = {{1150 * US, 1160 * US}};

    begin(spans, COUNT(spans));
    add(900, TRACE_SWITCH, 7, 0);
    add(1100, TRACE_SWITCH, 8, 0);
    add(1200, TRACE_SWITCH, SELF, 0);
    who_end(&who);
    expect(WHO_TASK, 8, 0, 1, 10, 10);
    expect_all(1);
    who_free(&who);
}

/* A soft interrupt that two interrupts come into, one in the other, while a task runs: each has its own time. */
static void test_who_nested_interrupts_are_untangled(void **state)
{
    static const struct who_span spans[] = {{1000 * US, 2000 * US}};

    begin(spans, COUNT(spans));
    add(1000, TRACE_SWITCH, 7, 0);
    add_named(1100, TRACE_ENTER, TRACE_SOFTIRQ, 3, "");
    add_named(1200, TRACE_ENTER, TRACE_IRQ, 24, "virtio0");
    add_named(1210, TRACE_ENTER, TRACE_VECTOR, 2, "local_timer");
    add_named(1230, TRACE_LEAVE, TRACE_VECTOR, 2, "local_timer");
    add_named(1260, TRACE_LEAVE, TRACE_IRQ, 24, "");
    add_named(1300, TRACE_LEAVE, TRACE_SOFTIRQ, 3, "");
    add_named(1400, TRACE_ENTER, TRACE_IRQ, 24, "virtio0");
    add_named(1405, TRACE_LEAVE, TRACE_IRQ, 24, "");
    add(1500, TRACE_SWITCH, SELF, 0);
    who_end(&who);
    expect(WHO_VECTOR, 0, 2, 1, 20, 20);
    expect(WHO_IRQ, 0, 24, 2, 45, 40);
    expect(WHO_SOFTIRQ, 0, 3, 1, 140, 140);
    expect(WHO_TASK, 7, 0, 1, 295, 295);
    expect(WHO_UNSEEN, 0, 0, 1, 500, 500);
    assert_string_equal(taker(WHO_IRQ, 0, 24)->name, "virtio0");
    expect_all(5);
    who_free(&who);
}

/* PREEMPT_RT: a task is taken off the CPU in a soft interrupt, and goes on with it later. */
static void test_who_a_task_keeps_its_soft_interrupt(void **state)
{
    static const struct who_span spans[] = {{1000 * US, 1500 * US}};

    begin(spans, COUNT(spans));
    add(1000, TRACE_SWITCH, 7, 0);
    add_named(1100, TRACE_ENTER, TRACE_SOFTIRQ, 3, "");
    add(1150, TRACE_SWITCH, 8, 0);
    add(1250, TRACE_SWITCH, 7, 0);
    add_named(1300, TRACE_LEAVE, TRACE_SOFTIRQ, 3, "");
    add(1500, TRACE_SWITCH, SELF, 0);
    who_end(&who);
    expect(WHO_TASK, 7, 0, 2, 300, 200);
    expect(WHO_SOFTIRQ, 0, 3, 2, 100, 50);
    expect(WHO_TASK, 8, 0, 1, 100, 100);
    who_free(&who);
}

/* A work item that sleeps in its middle, and the time of its thread around it. */
static void test_who_work_items_are_told_from_their_thread(void **state)
{
    static const struct who_span spans[] = {{1000 * US, 1500 * US}};

    begin(spans, COUNT(spans));
    add(1000, TRACE_SWITCH, 7, 0);
    add(1010, TRACE_WORK, 7, 0xabc);
    add(1060, TRACE_SWITCH, 8, 0);
    add(1100, TRACE_SWITCH, 7, 0);
    add(1130, TRACE_WORK_END, 7, 0);
    add(1135, TRACE_SWITCH, SELF, 0);
    who_end(&who);
    expect(WHO_TASK, 7, 0xabc, 2, 80, 50);
    expect(WHO_TASK, 7, 0, 2, 15, 10);
    expect(WHO_TASK, 8, 0, 1, 40, 40);
    who_free(&who);
}

static void test_who_a_task_that_renames_itself_is_one(void **state)
{
    static const struct who_span spans[] = {{1000 * US, 1500 * US}};

    begin(spans, COUNT(spans));
    add(1000, TRACE_FORK, 7, 55);
    add(1000, TRACE_SWITCH, 7, 0);
    rename_to(1010, 7, "sh");
    rename_to(1050, 7, "stress");
    add(1100, TRACE_SWITCH, SELF, 0);
    who_end(&who);
    expect(WHO_TASK, 7, 0, 1, 100, 100);
    assert_string_equal(who_task(&who, 7)->name, "stress");
    assert_int_equal(who_task(&who, 7)->parent, 55);
    assert_null(who_task(&who, 8));
    who_free(&who);
}

/* The beginning of the window, and what was entered before it. */
static void test_who_ends_without_a_beginning_are_ignored(void **state)
{
    static const struct who_span spans[] = {{1000 * US, 1100 * US}};

    begin(spans, COUNT(spans));
    add_named(1020, TRACE_LEAVE, TRACE_IRQ, 24, "");
    add(1030, TRACE_WORK_END, SELF, 0);
    who_end(&who);
    expect(WHO_UNSEEN, 0, 0, 1, 100, 100);
    expect_all(1);
    who_free(&who);
}

/* Deeper than anything is: what does not fit is counted with what it interrupts, and nothing is overwritten. */
static void test_who_depth_is_limited(void **state)
{
    static const struct who_span spans[] = {{1000 * US, 1500 * US}};

    begin(spans, COUNT(spans));
    for (unsigned i = 0; i < 3 * WHO_DEPTH; i++)
        add_named(1000 + i, TRACE_ENTER, TRACE_IRQ, i, "");
    add(1400, TRACE_SWITCH, SELF, 0);
    for (unsigned i = 3 * WHO_DEPTH; i-- > 0;)
        add_named(1400, TRACE_LEAVE, TRACE_IRQ, i, "");
    who_end(&who);
    uint64_t sum = 0;
    for (size_t i = 0; i < who.n_order; i++)
        sum += who.order[i].ns;
    assert_int_equal(sum, 500 * US);
    who_free(&who);
}

/* What had the CPU while records were lost is not known; the next record tells what has it now. */
static void test_who_lost_records_leave_a_gap(void **state)
{
    static const struct who_span spans[] = {{1000 * US, 1500 * US}};

    begin(spans, COUNT(spans));
    add(1000, TRACE_SWITCH, 7, 0);
    add_named(1100, TRACE_ENTER, TRACE_IRQ, 24, "");
    add(1300, TRACE_LOST, 9, 12);
    add(1400, TRACE_SWITCH, SELF, 0);
    add(2100, TRACE_SWITCH, 7, 0);
    who_end(&who);
    expect(WHO_TASK, 7, 0, 1, 100, 100);
    expect(WHO_TASK, 9, 0, 1, 100, 100);
    expect(WHO_UNSEEN, 0, 0, 2, 300, 200);
    assert_null(taker(WHO_IRQ, 0, 24));
    assert_int_equal(who.lost, 12);
    assert_int_equal(who.to, 2000 * US);
    who_free(&who);
}

/* The ring was full: the window ends with the last record that it could hold. */
static void test_who_a_full_ring_ends_the_window(void **state)
{
    static const struct who_span spans[] = {{1000 * US, 1500 * US}, {1600 * US, 1700 * US}};

    begin(spans, COUNT(spans));
    add(1000, TRACE_SWITCH, 7, 0);
    add(1200, TRACE_SWITCH, SELF, 0);
    add(2100, TRACE_LOST, SELF, 500);
    add(2101, TRACE_LOST, SELF, 3); /* after the window */
    who_end(&who);
    expect(WHO_TASK, 7, 0, 1, 200, 200);
    expect_all(1);
    assert_int_equal(who.to, 1200 * US);
    assert_int_equal(who.lost, 500);
    who_free(&who);
}

/* A CPU with more tasks than are told apart. */
static void test_who_too_many_tasks_are_added_up(void **state)
{
    static const struct who_span spans[] = {{1000 * US, 2000 * US}};
    const uint32_t tasks = WHO_TAKERS + 1000;
    uint64_t sum = 0;

    begin(spans, COUNT(spans));
    for (uint32_t i = 0; i < tasks; i++) {
        const struct trace_record record = {.ns = 1000 * US + i * 50, .kind = TRACE_SWITCH, .tid = SELF + 1 + i};
        who_add(&who, &record);
    }
    who_end(&who);
    for (size_t i = 0; i < who.n_order; i++)
        sum += who.order[i].ns;
    assert_int_equal(sum, 1000 * US);
    assert_true(who.n_order <= WHO_TAKERS);
    assert_int_equal(who.takers[who.order[0].taker].kind, WHO_OTHERS);
    who_free(&who);
}

/* The parts of the window add up to each taker's time. */
static void test_who_parts_of_the_window_add_up(void **state)
{
    static const struct who_span spans[] = {{1005 * US, 1995 * US}};
    double sum = 0;

    begin(spans, COUNT(spans));
    add(1005, TRACE_SWITCH, 7, 0);
    add(1995, TRACE_SWITCH, SELF, 0);
    who_end(&who);
    const float *cell = who.cell[who.order[0].taker];
    assert_true(fabs(cell[0] - 5.0 * US) < 2);
    assert_true(fabs(cell[50] - 10.0 * US) < 2);
    assert_true(fabs(cell[99] - 5.0 * US) < 2);
    for (unsigned i = 0; i < WHO_CELLS; i++)
        sum += cell[i];
    assert_true(fabs(sum - 990.0 * US) < 100);
    who_free(&who);
}

static void expect_piece(size_t i, uint32_t tid, uint64_t us, uint64_t for_us)
{
    const struct who_piece *piece = who_piece(&who, i);

    assert_non_null(piece);
    assert_int_equal(piece->from, us * US);
    assert_int_equal(piece->ns, for_us * US);
    assert_int_equal(who.takers[piece->taker].tid, tid);
}

/* What had the CPU one after the other; the pause between two detours is no piece. */
static void test_who_pieces_are_in_order(void **state)
{
    static const struct who_span spans[] = {{1100 * US, 1200 * US}, {1300 * US, 1310 * US}};

    begin(spans, COUNT(spans));
    add(1100, TRACE_SWITCH, 7, 0);
    add_named(1120, TRACE_ENTER, TRACE_IRQ, 5, "device");
    add_named(1130, TRACE_LEAVE, TRACE_IRQ, 5, "");
    rename_to(1150, 7, "renamed"); /* does not end the piece */
    add(1200, TRACE_SWITCH, SELF, 0);
    add(1300, TRACE_SWITCH, 8, 0);
    add(1310, TRACE_SWITCH, SELF, 0);
    who_end(&who);
    assert_int_equal(who.n_pieces, 4);
    expect_piece(0, 7, 1100, 20);
    expect_piece(1, 0, 1120, 10);
    expect_piece(2, 7, 1130, 70);
    expect_piece(3, 8, 1300, 10);
    who_free(&who);
}

/* The first and the last pieces are kept. */
static void test_who_pieces_are_limited(void **state)
{
    static const struct who_span spans[] = {{1000 * US, 2000 * US}};
    const size_t half = WHO_PIECES / 2;

    begin(spans, COUNT(spans));
    for (unsigned i = 0; i < 900; i++)
        add(1000 + i, TRACE_SWITCH, 1 + i % 2, 0);
    add(1900, TRACE_SWITCH, SELF, 0);
    who_end(&who);
    assert_int_equal(who.n_pieces, 901);
    expect_piece(0, 1, 1000, 1);
    expect_piece(half - 1, 2, 1000 + half - 1, 1);
    assert_null(who_piece(&who, half));
    assert_null(who_piece(&who, 900 - half));
    expect_piece(901 - half, 2, 1901 - half, 1);
    expect_piece(900, 0, 1900, 100);
    who_free(&who);
}

/* --- All CPUs. --- */

void __wrap_tasks_kernel_functions(const char *root, const uint64_t *addresses, size_t n,
                                   char (*names)[TRACE_NAME_SIZE]);
void __wrap_tasks_kernel_functions(const char *root, const uint64_t *addresses, size_t n,
                                   char (*names)[TRACE_NAME_SIZE])
{
    for (size_t i = 0; i < n; i++)
        if (addresses[i] == 0xabc)
            (void)snprintf(names[i], TRACE_NAME_SIZE, "vmstat_update");
}

static const struct who_line *line_of(const struct who_line *lines, size_t n, const char *kind, const char *name,
                                      const char *work)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(lines[i].kind, kind) && !strcmp(lines[i].name, name) && !strcmp(lines[i].work, work))
            return &lines[i];
    fail_msg("no line %s %s (%s)", kind, name, work);
    return NULL;
}

static void test_who_names_are_joined_over_cpus(void **state)
{
    static const struct who_report first = {
        .cpu = 0,
        .n = 6,
        .n_names = 2,
        .named = {{.tid = 8, .name = "elsewhere"}, {.tid = 11, .kernel = 1, .name = "kworker/3:0"}},
        .entry = {{.kind = WHO_TASK, .tid = 5, .n = 3, .ns = 900, .max_ns = 500, .name = "node", .cell = {900}},
                  {.kind = WHO_TASK, .kernel = 1, .tid = 9, .number = 0xabc, .n = 1, .ns = 50, .name = "kworker/0:1"},
                  {.kind = WHO_TASK, .kernel = 1, .tid = 9, .number = 0xdef, .n = 1, .ns = 40, .name = "kworker/0:1"},
                  {.kind = WHO_IRQ, .number = 24, .n = 1, .ns = 30, .name = "virtio0-input.0"},
                  {.kind = WHO_SOFTIRQ, .number = 3, .n = 1, .ns = 20},
                  {.kind = WHO_TASK, .tid = 6, .n = 1, .ns = 10}}};
    static const struct who_report second = {
        .cpu = 3,
        .outside = 1,
        .n = 7,
        .entry = {{.kind = WHO_TASK, .tid = 7, .n = 2, .ns = 200, .max_ns = 700, .name = "node", .cell = {200}},
                  {.kind = WHO_TASK, .tid = 0, .n = 2, .ns = 100},
                  {.kind = WHO_IRQ, .number = 25, .n = 1, .ns = 30, .name = "virtio0-input.0"},
                  {.kind = WHO_TASK, .tid = 8, .n = 1, .ns = 5, .name = "a b\033[2J\n\xff"},
                  {.kind = WHO_TASK, .tid = 8, .n = 1, .ns = 2},
                  {.kind = WHO_TASK, .tid = 11, .n = 1, .ns = 1},
                  {.kind = WHO_UNSEEN, .n = 1, .ns = 4}}};
    const struct who_report *const reports[] = {&first, &second};
    struct who_line *lines;

    const size_t n = who_join(reports, COUNT(reports), &lines);
    assert_int_equal(n, 12);
    const struct who_line *node = line_of(lines, n, "task", "node", "");
    assert_ptr_equal(node, lines);
    assert_int_equal(node->tasks, 2);
    assert_true(node->n == 5 && node->ns == 1100 && node->max_ns == 700 && node->cell[0] == 1100);
    assert_int_equal(cpuset_count(&node->cpus), 2);
    assert_true(cpuset_has(&node->cpus, 3));
    assert_true(line_of(lines, n, "kthread", "kworker/0:1", "vmstat_update")->ns == 50);
    assert_true(line_of(lines, n, "kthread", "kworker/0:1", "work")->ns == 40);
    assert_true(line_of(lines, n, "irq", "virtio0-input.0", "")->ns == 30); /* each number has its own line */
    (void)line_of(lines, n, "softirq", "NET_RX", "");
    (void)line_of(lines, n, "task", "pid_6", "");
    (void)line_of(lines, n, "task", "elsewhere", "");
    (void)line_of(lines, n, "kthread", "kworker/3:0", "");
    (void)line_of(lines, n, "outside", "outside", "");
    (void)line_of(lines, n, "unseen", "unseen", "");
    (void)line_of(lines, n, "task", "a_b?[2J??", "");
    free(lines);
}

/* In the first PID namespace, a task without number is the idle one: the sampler was throttled. */
static void test_who_without_a_number_is_idle_or_outside(void **state)
{
    struct who_report report = {.n = 1, .entry = {{.kind = WHO_TASK, .n = 1, .ns = 1}}};
    const struct who_report *const reports[] = {&report};
    struct who_line *lines;

    assert_int_equal(who_join(reports, 1, &lines), 1);
    assert_string_equal(lines->kind, "idle");
    free(lines);
    report.outside = 1;
    assert_int_equal(who_join(reports, 1, &lines), 1);
    assert_string_equal(lines->kind, "outside");
    free(lines);
}

/* --- Memory. --- */

static void test_who_memory_is_a_share_of_what_there_is(void **state)
{
    static const struct {
        double seconds;
        size_t cpus;
        uint64_t memory;
    } cases[] = {{2.5, 2, 24ull << 30},  {1, 1, 1ull << 30},    {30, 64, 64ull << 30}, {30, 512, 64ull << 30},
                 {2.5, 512, 8ull << 30}, {600, 2, 24ull << 30}, {0.01, 1, 1 << 20}};
    struct who_params params;

    for (size_t i = 0; i < COUNT(cases); i++) {
        who_sizes(&params, (uint64_t)(cases[i].seconds * 1e9), cases[i].cpus, cases[i].memory);
        const uint64_t each = params.ring_bytes + params.spans * sizeof(struct who_span);
        assert_int_equal(params.ring_bytes & (params.ring_bytes - 1), 0);
        assert_in_range(params.ring_bytes, 64 << 10, 16 << 20);
        assert_in_range(params.spans, 4096, 1 << 20);
        if (params.ring_bytes > 64 << 10)
            assert_true(each * cases[i].cpus <= cases[i].memory / 16);
    }
    who_sizes(&params, 2500000000u, 2, 24ull << 30);
    assert_int_equal(params.ring_bytes, 4 << 20);
    assert_int_equal(params.spans, 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_a_task_has_the_time_between_switches),
        cmocka_unit_test(test_who_time_outside_of_detours_is_nobodys),
        cmocka_unit_test(test_who_nested_interrupts_are_untangled),
        cmocka_unit_test(test_who_a_task_keeps_its_soft_interrupt),
        cmocka_unit_test(test_who_work_items_are_told_from_their_thread),
        cmocka_unit_test(test_who_a_task_that_renames_itself_is_one),
        cmocka_unit_test(test_who_ends_without_a_beginning_are_ignored),
        cmocka_unit_test(test_who_depth_is_limited),
        cmocka_unit_test(test_who_lost_records_leave_a_gap),
        cmocka_unit_test(test_who_a_full_ring_ends_the_window),
        cmocka_unit_test(test_who_too_many_tasks_are_added_up),
        cmocka_unit_test(test_who_parts_of_the_window_add_up),
        cmocka_unit_test(test_who_pieces_are_in_order),
        cmocka_unit_test(test_who_pieces_are_limited),
        cmocka_unit_test(test_who_names_are_joined_over_cpus),
        cmocka_unit_test(test_who_without_a_number_is_idle_or_outside),
        cmocka_unit_test(test_who_memory_is_a_share_of_what_there_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
