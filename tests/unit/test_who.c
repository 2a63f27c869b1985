/* SPDX-License-Identifier: MIT */
/* Who took the time: records of what ran on a CPU, made up, joined with the times in which the sampler lost it. */
#include "bench_fixture.h"

#include "bench/who.h"
#include "made_up_clock.h"
#include "made_up_trial.h"
#include "memory_fixture.h"

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

/* --- The watcher, with a made-up clock and a made-up kernel. --- */

/* Tasks whose numbers no kernel gives. */
#define TASK 5000000u
#define CPU  3u

static struct {
    int open_error; /* of the ring */
    size_t n_events;
    unsigned cpu, cpu_asked;
    size_t bytes_asked;
    struct trace_record records[4];
    size_t n_records, n_before_sleep, taken; /* the others come with the sleep at the end */
    unsigned starts, drops, closes;
    struct tasks_one tasks[2][64]; /* before the window and after it */
    size_t n_tasks[2];
    unsigned task_calls, part, parts;
    struct interrupt_count interrupts[2][4]; /* the same */
    size_t n_interrupts;
    unsigned interrupt_calls;
} kernel;

int __wrap_trace_ring_open(struct trace_ring *ring, unsigned cpu, const struct trace_events *events, size_t bytes);
int __wrap_trace_ring_open(struct trace_ring *ring, unsigned cpu, const struct trace_events *events, size_t bytes)
{
    (void)events;
    ring->n = kernel.n_events;
    kernel.cpu_asked = cpu;
    kernel.bytes_asked = bytes;
    return kernel.open_error;
}

void __wrap_trace_ring_start(struct trace_ring *ring);
void __wrap_trace_ring_start(struct trace_ring *ring)
{
    kernel.starts++;
}

void __wrap_trace_ring_drop(struct trace_ring *ring);
void __wrap_trace_ring_drop(struct trace_ring *ring)
{
    kernel.drops++;
}

void __wrap_trace_ring_close(struct trace_ring *ring);
void __wrap_trace_ring_close(struct trace_ring *ring)
{
    kernel.closes++;
}

bool __wrap_trace_ring_next(struct trace_ring *ring, struct trace_record *out);
bool __wrap_trace_ring_next(struct trace_ring *ring, struct trace_record *out)
{
    if (kernel.taken == (made_up_clock.slept ? kernel.n_records : kernel.n_before_sleep))
        return false;
    *out = kernel.records[kernel.taken++];
    return true;
}

int __wrap_tasks_times(const char *root, unsigned part, unsigned parts, struct tasks_times *times);
int __wrap_tasks_times(const char *root, unsigned part, unsigned parts, struct tasks_times *times)
{
    const unsigned call = kernel.task_calls++;

    assert_true(call < 2);
    assert_string_equal(root, "");
    kernel.part = part;
    kernel.parts = parts;
    times->n = kernel.n_tasks[call];
    times->of = malloc((times->n + 1) * sizeof(*times->of));
    assert_non_null(times->of);
    memcpy(times->of, kernel.tasks[call], times->n * sizeof(*times->of));
    return 0;
}

size_t __wrap_tasks_interrupts(const char *root, unsigned cpu, struct interrupt_count *out, size_t most);
size_t __wrap_tasks_interrupts(const char *root, unsigned cpu, struct interrupt_count *out, size_t most)
{
    assert_string_equal(root, "");
    assert_int_equal(cpu, kernel.cpu);
    assert_true(kernel.interrupt_calls < 2 && most >= 256);
    memcpy(out, kernel.interrupts[kernel.interrupt_calls++], sizeof(kernel.interrupts[0]));
    return kernel.n_interrupts;
}

unsigned __wrap_task_current_cpu(void);
unsigned __wrap_task_current_cpu(void)
{
    return kernel.cpu;
}

static void begin_kernel(void)
{
    memset(&kernel, 0, sizeof(kernel));
    kernel.n_events = 5;
    kernel.cpu = CPU;
}

#define RUN_START 4000000000ull

/* Sets up and runs for 30 ms; a reading of the clock takes 500 ns. Times of the jumps are those since the start. */
static void watch(struct fixture_party *p, const struct who_params *params, const struct made_up_jump *jumps, size_t n)
{
    static struct made_up_jump absolute[8];

    fixture_party_begin(p, &bench_who, params);
    p->context.time_ns = 30 * MS;
    made_up_clock_start(1000000000u, 500);
    assert_int_equal(p->party->setup(&p->context), 0);
    made_up_clock.now_ns = RUN_START - 2 * 500; /* the second reading of the run is its start */
    for (size_t i = 0; i < n; i++)
        absolute[i] = (struct made_up_jump){RUN_START + jumps[i].at_ns, jumps[i].by_ns};
    made_up_clock.jumps = absolute;
    made_up_clock.n_jumps = n;
    assert_int_equal(p->party->run(&p->context), 0);
}

static const struct who_report *report_of(struct fixture_party *p)
{
    assert_int_equal(p->party->verify(&p->context), 0);
    made_up_clock.on = false;
    return p->context.recorder[0];
}

static void record(uint64_t since_ns, enum trace_kind kind, uint32_t tid, uint64_t number)
{
    assert_true(kernel.n_records < COUNT(kernel.records));
    kernel.records[kernel.n_records++] =
        (struct trace_record){.ns = RUN_START + since_ns, .kind = (uint8_t)kind, .tid = tid, .number = number};
    kernel.n_before_sleep = kernel.n_records;
}

static void expect_entry(const struct who_report *report, uint32_t i, enum who_kind kind, uint32_t tid, uint64_t n,
                         uint64_t ns)
{
    assert_true(i < report->n);
    assert_int_equal(report->entry[i].kind, kind);
    assert_int_equal(report->entry[i].tid, tid);
    assert_int_equal(report->entry[i].n, n);
    assert_int_equal(report->entry[i].ns, ns);
}

/* A task runs from 5.000 to 5.015 ms of the gap from 4.9995 to 5.020 ms; the window is whole by a record of the time
 * after it. */
static void test_who_joins_gaps_with_what_the_kernel_recorded(void **state)
{
    static const struct made_up_jump gap[] = {{5 * MS, 20000}};
    static const struct who_params params = {.ring_bytes = 1 << 20};
    struct fixture_party p;

    begin_kernel();
    kernel.n_tasks[0] = 1;
    kernel.tasks[0][0] = (struct tasks_one){.tid = TASK + 7, .name = "gone"};
    record(5 * MS, TRACE_SWITCH, TASK, 0);
    record(5015000, TRACE_SWITCH, (uint32_t)getpid(), 0);
    record(31 * MS, TRACE_SWITCH, TASK, 0);
    kernel.n_before_sleep = 2;
    watch(&p, &params, gap, COUNT(gap));
    kernel.cpu = CPU + 1; /* it has moved since, but all is known */
    const struct who_report *report = report_of(&p);
    assert_int_equal(kernel.cpu_asked, CPU);
    assert_int_equal(kernel.bytes_asked, 1 << 20);
    assert_int_equal(kernel.starts, 1);
    assert_int_equal(kernel.drops, 0);
    assert_true(kernel.task_calls == 1 && kernel.part == 0 && kernel.parts == 1);
    assert_int_equal(report->cpu, CPU);
    assert_int_equal(report->counted, 0);
    assert_int_equal(report->outside, who_others_are_hidden());
    assert_int_equal(report->observed_ns, 30000500);
    assert_int_equal(report->lost_ns, 20500);
    assert_true(report->stopped_ns == 0 && report->begun_ns == 0);
    assert_int_equal(report->n, 2);
    expect_entry(report, 0, WHO_TASK, TASK, 1, 15000);
    expect_entry(report, 1, WHO_UNSEEN, 0, 2, 5500);
    assert_int_equal(report->n_pieces, 3);
    assert_true(report->piece[0].from == 4999500 && report->piece[0].ns == 500 && report->piece[0].taker == 1);
    assert_true(report->piece[1].from == 5000000 && report->piece[1].ns == 15000 && report->piece[1].taker == 0);
    assert_true(report->piece[2].from == 5015000 && report->piece[2].ns == 5000 && report->piece[2].taker == 1);
    assert_string_equal(report->named[0].name, "gone");
    assert_string_equal(p.context.slot->refused, "");
    fixture_party_end(&p);
    assert_int_equal(kernel.closes, 1);
}

/* The CPU was taken offline: what ran there is known up to the last record only. */
static void test_who_of_a_cpu_that_went_offline_ends_with_its_last_record(void **state)
{
    static const struct made_up_jump gap[] = {{5 * MS, 20000}};
    static const struct who_params params = {.ring_bytes = 0};

    for (int moved = 0; moved < 2; moved++) {
        struct fixture_party p;
        begin_kernel();
        record(5 * MS, TRACE_SWITCH, TASK, 0);
        record(5015000, TRACE_SWITCH, (uint32_t)getpid(), 0);
        watch(&p, &params, gap, COUNT(gap));
        kernel.cpu += (unsigned)moved;
        const struct who_report *report = report_of(&p);
        assert_int_equal(kernel.bytes_asked, 64 << 10);
        assert_int_equal(report->observed_ns, moved ? 5015000 : 30000500);
        assert_int_equal(report->lost_ns, moved ? 15500 : 20500);
        fixture_party_end(&p);
    }
}

static void test_who_says_how_many_records_were_lost(void **state)
{
    static const struct who_params params = {.ring_bytes = 0};
    struct fixture_party p;

    begin_kernel();
    record(10 * MS, TRACE_LOST, TASK, 12);
    record(31 * MS, TRACE_SWITCH, TASK, 0);
    watch(&p, &params, NULL, 0);
    assert_int_equal(report_of(&p)->records_lost, 12);
    assert_string_equal(p.context.slot->refused, "12 records of what ran were lost: the ring was full after 0.0 s");
    fixture_party_end(&p);
}

/* With a limit of 30 us only the last 10 ms are reported, or from the start of a detour that is longer than these. */
static void test_who_that_stops_reports_the_last_10_ms(void **state)
{
    static const struct {
        struct made_up_jump jump[3];
        size_t n;
        uint64_t observed_ns, lost_ns, stopped_ns, begun_ns;
        unsigned drops;
        bool stopped;
    } cases[] = {
        {{{25 * MS, 40000}}, 1, 10 * MS, 40500, 40500, 9959500, 2, true},
        {{{2 * MS, 15 * MS}}, 1, 15000500, 15000500, 15000500, 0, 0, true},
        /* A gap of 30 us is not above the limit; that at 12 ms is before the last 10 ms. */
        {{{12 * MS, 8000}, {24 * MS, 29500}}, 2, 10 * MS, 30000, 0, 0, 2, false},
    };
    static const struct who_params params = {.stop_ns = 30000, .threshold_ns = 5000};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture_party p;
        begin_kernel();
        record(90 * MS, TRACE_SWITCH, TASK, 0);
        watch(&p, &params, cases[i].jump, cases[i].n);
        assert_int_equal(party_stopped(&p.context), cases[i].stopped);
        const struct who_report *report = report_of(&p);
        assert_int_equal(report->observed_ns, cases[i].observed_ns);
        assert_int_equal(report->lost_ns, cases[i].lost_ns);
        assert_int_equal(report->stopped_ns, cases[i].stopped_ns);
        assert_int_equal(report->begun_ns, cases[i].begun_ns);
        assert_int_equal(kernel.drops, cases[i].drops);
        fixture_party_end(&p);
    }
}

/* Where nothing can be recorded.  */
static void test_who_counts_gaps_above_the_threshold(void **state)
{
    static const struct {
        struct who_params params;
        struct made_up_jump jump[4];
        size_t n;
        uint64_t lost_ns, stopped_ns;
    } cases[] = {
        /* 5 us are not above 5 us. */
        {{.threshold_ns = 5000}, {{5 * MS, 20000}, {12 * MS, 4500}, {13 * MS, 5000}}, 3, 26000, 0},
        /* 1 us is the least. */
        {{.threshold_ns = 0}, {{5 * MS, 500}, {6 * MS, 1000}, {7 * MS, 400000}}, 3, 402000, 0},
        /* A limit below the threshold is the threshold. */
        {{.threshold_ns = 5000, .stop_ns = 3000}, {{5 * MS, 2500}, {6 * MS, 3000}, {7 * MS, 9000}}, 3, 3500, 3500},
        /* At 22 ms, what was there at 11 ms is dropped, and counts even so. */
        {{.threshold_ns = 5000, .stop_ns = 30000},
         {{3 * MS, 6000}, {11 * MS, 7000}, {12 * MS, 8000}, {25 * MS, 40000}},
         4,
         6500 + 7500 + 8500 + 40500,
         40500},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture_party p;
        begin_kernel();
        kernel.open_error = -EACCES;
        watch(&p, &cases[i].params, cases[i].jump, cases[i].n);
        const struct who_report *report = report_of(&p);
        assert_int_equal(report->counted, 1);
        assert_int_equal(report->lost_ns, cases[i].lost_ns);
        assert_int_equal(report->stopped_ns, cases[i].stopped_ns);
        assert_int_equal(report->n, 0);
        assert_ptr_equal(strstr(p.context.slot->refused, "nothing was recorded: "), p.context.slot->refused);
        fixture_party_end(&p);
        assert_true(kernel.starts == 0 && kernel.drops == 0 && kernel.closes == 0);
    }
}

static void put_task(unsigned when, uint32_t tid, uint32_t parent, bool kernel_thread, uint64_t cpu_ns,
                     const char *name)
{
    struct tasks_one *one = &kernel.tasks[when][kernel.n_tasks[when]++];

    *one = (struct tasks_one){.tid = tid, .parent = parent, .kernel = kernel_thread, .cpu_ns = cpu_ns};
    (void)snprintf(one->name, sizeof(one->name), "%s", name);
}

static void put_interrupt(const char *name, uint64_t before, const char *name_after, uint64_t after)
{
    struct interrupt_count *one = &kernel.interrupts[0][kernel.n_interrupts],
                           *other = &kernel.interrupts[1][kernel.n_interrupts++];

    one->count = before;
    other->count = after;
    (void)snprintf(one->name, sizeof(one->name), "%s", name);
    (void)snprintf(other->name, sizeof(other->name), "%s", name_after);
}

/* The tasks are read by the first copy only; the program's own are left out. */
static void test_who_counts_cpu_times_and_interrupts(void **state)
{
    static const struct who_params params = {.threshold_ns = 0};

    for (unsigned copy = 0; copy < 2; copy++) {
        struct fixture_party p;
        uint32_t at = 0;
        begin_kernel();
        kernel.open_error = -EACCES;
        put_task(0, TASK + 10, 1, false, 100, "idle");
        put_task(0, TASK + 12, 1, false, 100, "ended");
        put_task(0, TASK + 20, 2, true, 500, "kworker");
        put_task(1, (uint32_t)getppid(), 1, false, 900, "jitbench");
        put_task(1, TASK + 10, 1, false, 100, "idle");
        put_task(1, TASK + 15, 1, false, 30, "new");
        put_task(1, TASK + 20, 2, true, 700, "kworker");
        put_task(1, TASK + 30, (uint32_t)getppid(), false, 800, "worker");
        put_interrupt("24:virtio0", 5, "24:virtio0", 9);
        put_interrupt("LOC:interrupts", 100, "LOC:interrupts", 100);
        put_interrupt("25:eth0", 7, "26:eth1", 70);
        fixture_party_begin(&p, &bench_who, &params);
        p.context.copy = copy;
        p.context.copies = 1;
        p.context.time_ns = MS;
        made_up_clock_start(1000000000u, 500);
        assert_int_equal(p.party->setup(&p.context), 0);
        assert_int_equal(p.party->run(&p.context), 0);
        const struct who_report *report = report_of(&p);
        /* 1 ms, two readings before it, one at its end, one after it and that of the report. */
        assert_int_equal(report->observed_ns, MS + 5 * 500);
        assert_int_equal(kernel.task_calls, copy ? 0 : 2);
        assert_int_equal(report->n, copy ? 1 : 3);
        if (!copy) {
            expect_entry(report, at, WHO_TASK, TASK + 15, 0, 30);
            assert_string_equal(report->entry[at].name, "new");
            assert_int_equal(report->entry[at++].kernel, 0);
            expect_entry(report, at, WHO_TASK, TASK + 20, 0, 200);
            assert_int_equal(report->entry[at++].kernel, 1);
        }
        expect_entry(report, at, WHO_IRQ, 0, 4, 0);
        assert_string_equal(report->entry[at].name, "24:virtio0");
        fixture_party_end(&p);
    }
}

/* Of 50 tasks, the 49th takes the place of the least one, and the 50th none. */
static void test_who_keeps_the_largest_of_each_kind(void **state)
{
    static const struct who_params params = {.threshold_ns = 0};
    struct fixture_party p;

    begin_kernel();
    kernel.open_error = -EACCES;
    for (uint32_t i = 0; i < 48; i++)
        put_task(1, TASK + i, 1, false, i == 30 ? 900 : 1000 + i, "one");
    put_task(1, TASK + 48, 1, false, 901, "more");
    put_task(1, TASK + 49, 1, false, 901, "less");
    put_interrupt("24:virtio0", 5, "24:virtio0", 90000);
    watch(&p, &params, NULL, 0);
    const struct who_report *report = report_of(&p);
    assert_int_equal(report->n, WHO_ENTRIES);
    for (uint32_t i = 0; i < WHO_ENTRIES; i++)
        expect_entry(report, i, WHO_TASK, TASK + (i == 30 ? 48 : i), 0, i == 30 ? 901 : 1000 + i);
    fixture_party_end(&p);

    /* An interrupt takes the place of one, and not that of a task. */
    begin_kernel();
    kernel.open_error = -EACCES;
    for (uint32_t i = 0; i < 46; i++)
        put_task(1, TASK + i, 1, false, 1, "one");
    put_interrupt("1:a", 0, "1:a", 20);
    put_interrupt("2:b", 0, "2:b", 10);
    put_interrupt("3:c", 0, "3:c", 15);
    put_interrupt("4:d", 0, "4:d", 15);
    watch(&p, &params, NULL, 0);
    report = report_of(&p);
    assert_int_equal(report->n, WHO_ENTRIES);
    expect_entry(report, 45, WHO_TASK, TASK + 45, 0, 1);
    expect_entry(report, 46, WHO_IRQ, 0, 20, 0);
    expect_entry(report, 47, WHO_IRQ, 0, 15, 0);
    assert_string_equal(report->entry[47].name, "3:c");
    fixture_party_end(&p);
}

static void test_who_says_what_is_not_recorded(void **state)
{
    static const struct {
        int open_error;
        size_t n_events;
        int events_error;
        const char *refused;
    } cases[] = {
        {0, 2, 0, ""},
        {0, 1, 0, "interrupts and work items are not known: tracefs: Permission denied"},
        {0, 1, -ENOENT, "interrupts and work items are not known: tracefs: No such file or directory"},
    };
    struct fixture_party p;

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct who_params params = {.events = {.error = cases[i].events_error}};
        begin_kernel();
        kernel.n_events = cases[i].n_events;
        watch(&p, &params, NULL, 0);
        made_up_clock.on = false;
        assert_string_equal(p.context.slot->refused, cases[i].refused);
        fixture_party_end(&p);
    }
}

/* Each copy reads the names of its part of the tasks. */
static void test_who_shares_the_reading_of_names(void **state)
{
    static const struct who_params params = {.threshold_ns = 0};
    struct fixture_party p;

    begin_kernel();
    fixture_party_begin(&p, &bench_who, &params);
    p.context.copy = 2;
    p.context.copies = 5;
    made_up_clock_start(RUN_START, 500);
    allocations_left = 0;
    assert_int_equal(p.party->setup(&p.context), -1);
    allocations_left = UINT_MAX;
    assert_string_equal(p.reason, "out of memory");
    assert_int_equal(p.party->setup(&p.context), 0);
    made_up_clock.on = false;
    assert_true(kernel.task_calls == 1 && kernel.part == 2 && kernel.parts == 5);
    fixture_party_end(&p);
}

/* Nobody knows which CPU's ring to open. */
static void test_who_without_its_cpu_counts(void **state)
{
    static const struct who_params params = {.threshold_ns = 0};
    struct fixture_party p;

    begin_kernel();
    kernel.cpu = CPUSET_NONE;
    watch(&p, &params, NULL, 0);
    assert_int_equal(report_of(&p)->counted, 1);
    assert_int_equal(kernel.bytes_asked, 0);
    fixture_party_end(&p);
}

/* --- Its rows. --- */

static unsigned n_groups;
static struct cpuset group_cpus[MADE_UP_COPIES];

unsigned __wrap_results_group(struct results *results, const struct cpuset *cpus);
unsigned __wrap_results_group(struct results *results, const struct cpuset *cpus)
{
    assert_true(n_groups + 1 < MADE_UP_COPIES);
    group_cpus[++n_groups] = *cpus;
    return n_groups;
}

static void reduce(struct made_up_trial *trial, const struct who_report *reports, unsigned n)
{
    n_groups = 0;
    memset(trial->remark, 0, sizeof(trial->remark));
    trial->spec.copies = n;
    for (unsigned copy = 0; copy < n; copy++)
        trial->recorder[copy][0] = &reports[copy];
    made_up_reduce(trial);
}

/* One second of CPU 1 and three of CPU 3. */
static void test_who_rows_are_shares_of_the_time_of_all_cpus(void **state)
{
    static struct who_report reports[] = {
        {.cpu = 1,
         .observed_ns = 1000000000u,
         .lost_ns = 4000000,
         .records_lost = 3,
         .n = 3,
         .entry = {{.kind = WHO_TASK,
                    .tid = TASK,
                    .n = 3,
                    .ns = 900000,
                    .max_ns = 500000,
                    .name = "node",
                    .cell = {[0] = 600, [50] = 300}},
                   {.kind = WHO_UNSEEN, .n = 10, .ns = 100000, .max_ns = 30000},
                   {.kind = WHO_IRQ, .number = 24, .n = 7, .ns = 50000, .max_ns = 9000, .name = "virtio0"}}},
        {.cpu = 3,
         .observed_ns = 3000000000u,
         .lost_ns = 12000000,
         .records_lost = 2,
         .n = 2,
         .entry = {{.kind = WHO_TASK,
                    .tid = TASK + 1,
                    .n = 2,
                    .ns = 200000,
                    .max_ns = 700000,
                    .name = "node",
                    .cell = {[0] = 400}},
                   {.kind = WHO_TASK,
                    .tid = TASK + 2,
                    .number = 0xabc,
                    .kernel = 1,
                    .n = 1,
                    .ns = 40000,
                    .max_ns = 40000,
                    .name = "kworker"}}}};
    static const char *const remarks[] = {"source=perf", "kind=task name=node tasks=2", "kind=unseen name=unseen",
                                          "kind=irq name=virtio0 irq=24",
                                          "kind=kthread name=kworker work=vmstat_update pid=5000002"};
    static const double expected[][3] = {
        {0.0275, 2.5, 700000}, {0.0025, 5, 30000}, {0.00125, 3.5, 9000}, {0.001, 0.5, 40000}};
    static const struct who_params params = {.threshold_ns = 0};
    static struct series_point points[SERIES_FIRST + SERIES_LARGEST];
    static struct series series;
    struct made_up_trial trial = {.spec = {.bench = &bench_who, .params = &params, .time_ns = 100 * MS},
                                  .series = &series,
                                  .series_group = 1,
                                  .series_metric = WHO_METRIC_TAKEN};

    series_init(&series);
    reduce(&trial, reports, 2);
    fixture_assert_near(trial.sample[0][WHO_METRIC_DISTURBED], 0.4);
    fixture_assert_near(trial.sample[0][WHO_METRIC_UNSEEN], 0.0025);
    assert_true(trial.sample[0][WHO_METRIC_RECORDS_LOST] == 5);
    assert_int_equal(n_groups, 4);
    for (unsigned group = 0; group <= n_groups; group++) {
        assert_string_equal(trial.remark[group].text, remarks[group]);
        for (unsigned i = 0; group && i < 3; i++)
            fixture_assert_near(trial.sample[group][WHO_METRIC_TAKEN + i], expected[group - 1][i]);
    }
    assert_true(cpuset_count(&group_cpus[1]) == 2 && cpuset_has(&group_cpus[1], 1) && cpuset_has(&group_cpus[1], 3));
    assert_true(cpuset_count(&group_cpus[4]) == 1 && cpuset_has(&group_cpus[4], 3));
    /* A hundredth is 1 ms, and the mean of two CPUs. */
    assert_int_equal(series_points(&series, points), WHO_CELLS);
    for (unsigned i = 0; i < WHO_CELLS; i++) {
        assert_int_equal(points[i].at, 1000 * i);
        assert_int_equal(points[i].value, i == 0 ? 500 : i == 50 ? 150 : 0);
    }
}

/* The rows of the CPU whose detour was the longest. */
static void test_who_rows_of_a_run_that_ended_are_of_one_cpu(void **state)
{
    static struct who_report reports[] = {
        {.cpu = 1, .observed_ns = 10 * MS, .lost_ns = 7000, .stopped_ns = 40000, .begun_ns = 1},
        {.cpu = 3,
         .observed_ns = 10 * MS,
         .lost_ns = 60000,
         .stopped_ns = 50000,
         .begun_ns = 7000,
         .records_lost = 4,
         .n = 2,
         .entry = {{.kind = WHO_TASK, .tid = TASK, .n = 3, .ns = 9000, .max_ns = 5000, .name = "node"},
                   {.kind = WHO_UNSEEN, .n = 10, .ns = 1000}},
         .n_pieces = 3,
         .piece = {{100, 10, 0}, {120, 30, 1}, {300, 40, 0}}},
        {.cpu = 5, .observed_ns = 10 * MS, .lost_ns = 7000, .stopped_ns = 45000, .begun_ns = 1}};
    struct who_params params = {.stop_ns = 30500};
    static struct series_point points[SERIES_FIRST + SERIES_LARGEST];
    static struct series series;
    struct made_up_trial trial = {.spec = {.bench = &bench_who, .params = &params, .time_ns = 100 * MS},
                                  .series = &series,
                                  .series_group = 1,
                                  .series_metric = WHO_METRIC_LONGEST};

    series_init(&series);
    reduce(&trial, reports, 3);
    assert_string_equal(trial.remark[0].text,
                        "source=perf stop_at_us=30.5 stopped_us=50.000 begun_us=7.000 worst_cpu=3");
    assert_int_equal(n_groups, 2);
    fixture_assert_near(trial.sample[0][WHO_METRIC_DISTURBED], 0.6);
    fixture_assert_near(trial.sample[0][WHO_METRIC_UNSEEN], 0.01);
    assert_true(trial.sample[0][WHO_METRIC_RECORDS_LOST] == 4);
    fixture_assert_near(trial.sample[1][WHO_METRIC_TAKEN], 0.09);
    fixture_assert_near(trial.sample[1][WHO_METRIC_TIMES], 300);
    assert_int_equal(series_points(&series, points), 2);
    assert_true(points[0].at == 100 && points[0].value == 10 && points[1].at == 300 && points[1].value == 40);
    /* No detour has ended it: there are no names. */
    for (unsigned copy = 0; copy < 3; copy++)
        reports[copy].stopped_ns = 0;
    reduce(&trial, reports, 3);
    assert_string_equal(trial.remark[0].text, "source=perf stop_at_us=30.5");
    assert_int_equal(n_groups, 0);
    fixture_assert_near(trial.sample[0][WHO_METRIC_DISTURBED], 74 / 300.0);
}

/* Counts of the whole machine: no lengths, and nothing is unseen. */
static void test_who_rows_of_counts(void **state)
{
    static struct who_report reports[] = {{.cpu = 1,
                                           .counted = 1,
                                           .observed_ns = 2000000000u,
                                           .lost_ns = 4000000,
                                           .stopped_ns = 9000,
                                           .n = 2,
                                           .entry = {{.kind = WHO_TASK, .tid = TASK, .ns = 8000000, .name = "node"},
                                                     {.kind = WHO_IRQ, .n = 12, .name = "24:virtio0"}}},
                                          {.cpu = 3, .counted = 1, .observed_ns = 2000000000u}};
    struct who_params params = {.stop_ns = 8000};
    struct made_up_trial trial = {.spec = {.bench = &bench_who, .params = &params, .time_ns = 100 * MS}};

    reduce(&trial, reports, 2);
    assert_string_equal(trial.remark[0].text, "source=proc stop_at_us=8 stopped_us=9.000 begun_us=0.000 worst_cpu=1");
    assert_int_equal(n_groups, 2);
    fixture_assert_near(trial.sample[0][WHO_METRIC_DISTURBED], 0.1);
    assert_true(isnan(trial.sample[0][WHO_METRIC_UNSEEN]) && isnan(trial.sample[0][WHO_METRIC_RECORDS_LOST]));
    fixture_assert_near(trial.sample[1][WHO_METRIC_TAKEN], 0.2);
    assert_true(isnan(trial.sample[1][WHO_METRIC_TIMES]) && isnan(trial.sample[1][WHO_METRIC_LONGEST]));
    assert_true(isnan(trial.sample[2][WHO_METRIC_TAKEN]));
    fixture_assert_near(trial.sample[2][WHO_METRIC_TIMES], 6);
}

/* Twenty names have rows; what is unseen counts even so. After a detour that ended the run all have. */
static void test_who_rows_are_of_twenty_names(void **state)
{
    static struct who_report report = {.observed_ns = 1000000000u, .n = 23};
    struct who_params params = {.threshold_ns = 0};
    struct made_up_trial trial = {.spec = {.bench = &bench_who, .params = &params, .time_ns = 100 * MS}};

    for (unsigned i = 0; i < 23; i++)
        report.entry[i] = (struct who_entry){.kind = WHO_IRQ, .number = 1 + i, .n = 1, .ns = 1000 - i};
    report.entry[22] = (struct who_entry){.kind = WHO_UNSEEN, .n = 1, .ns = 10};
    reduce(&trial, &report, 1);
    assert_int_equal(n_groups, 20);
    fixture_assert_near(trial.sample[0][WHO_METRIC_UNSEEN], 1e-6);
    report.stopped_ns = params.stop_ns = 1;
    reduce(&trial, &report, 1);
    assert_int_equal(n_groups, 23);
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
        cmocka_unit_test(test_who_joins_gaps_with_what_the_kernel_recorded),
        cmocka_unit_test(test_who_of_a_cpu_that_went_offline_ends_with_its_last_record),
        cmocka_unit_test(test_who_says_how_many_records_were_lost),
        cmocka_unit_test(test_who_that_stops_reports_the_last_10_ms),
        cmocka_unit_test(test_who_counts_gaps_above_the_threshold),
        cmocka_unit_test(test_who_counts_cpu_times_and_interrupts),
        cmocka_unit_test(test_who_keeps_the_largest_of_each_kind),
        cmocka_unit_test(test_who_says_what_is_not_recorded),
        cmocka_unit_test(test_who_shares_the_reading_of_names),
        cmocka_unit_test(test_who_without_its_cpu_counts),
        cmocka_unit_test(test_who_rows_are_shares_of_the_time_of_all_cpus),
        cmocka_unit_test(test_who_rows_of_a_run_that_ended_are_of_one_cpu),
        cmocka_unit_test(test_who_rows_of_counts),
        cmocka_unit_test(test_who_rows_are_of_twenty_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
