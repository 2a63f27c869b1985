/* SPDX-License-Identifier: MIT */
/* Who took the time: records of what ran on CPUs, made up, joined with the times that count; and names. */
#include "fixture.h"

#include "engine/interference.h"

#define SELF 100u
#define US   1000u

/* --- One CPU. --- */

static struct account account;
static struct account_window window;

static void begin(const struct time_span *spans, size_t n)
{
    window = (struct account_window){.self = SELF, .time = {1000 * US, 2000 * US}, .spans = spans, .n_spans = n};
    account_begin(&account, &window);
}

static void add(uint64_t us, enum trace_kind kind, uint32_t tid, uint64_t number)
{
    const struct trace_record record = {.ns = us * US, .kind = (uint8_t)kind, .tid = tid, .number = number};

    account_add(&account, &record);
}

/* A work item begins, or (function 0) ends. */
static void add_work(uint64_t us, uint32_t tid, uint64_t function)
{
    const struct trace_record record = {.ns = us * US,
                                        .kind = function ? TRACE_ENTER : TRACE_LEAVE,
                                        .source = TRACE_WORK,
                                        .tid = tid,
                                        .number = function};

    account_add(&account, &record);
}

static void add_named(uint64_t us, enum trace_kind kind, enum trace_source source, uint64_t number, const char *name)
{
    struct trace_record record = {
        .ns = us * US, .kind = (uint8_t)kind, .source = (uint8_t)source, .tid = SELF, .number = number};

    (void)snprintf(record.name, sizeof(record.name), "%s", name);
    account_add(&account, &record);
}

static void rename_to(uint64_t us, uint32_t tid, const char *name)
{
    struct trace_record record = {.ns = us * US, .kind = TRACE_NAME, .tid = tid};

    (void)snprintf(record.name, sizeof(record.name), "%s", name);
    account_add(&account, &record);
}

/* What an interferer had: how often, and for how long in all and at most. */
struct had {
    uint64_t n, ns, max_ns;
};

static struct had had_by(const struct interferer *interferer)
{
    struct had had = {0};
    uint64_t visit = 0;

    for (size_t i = 0; i < account.n_pieces; i++) {
        const struct account_piece *piece = &account.pieces[i];
        if (&account.interferers[piece->interferer] != interferer)
            continue;
        visit = (piece->again ? visit : 0) + piece->ns;
        had.n += !piece->again;
        had.ns += piece->ns;
        had.max_ns = visit > had.max_ns ? visit : had.max_ns;
    }
    return had;
}

/* Returns the interferer, NULL when it took no time. */
static const struct interferer *interferer_with(unsigned kind, uint32_t tid, uint64_t number, uint64_t work)
{
    for (size_t i = 0; i < account.n; i++) {
        const struct interferer *one = &account.interferers[i];
        if (one->kind == kind && one->id == (tid ? tid : number) && one->work == work && had_by(one).n)
            return one;
    }
    return NULL;
}

static const struct interferer *interferer(unsigned kind, uint32_t tid, uint64_t number)
{
    return interferer_with(kind, tid, number, 0);
}

static void expect_work(unsigned kind, uint32_t tid, uint64_t number, uint64_t work, uint64_t n, uint64_t us,
                        uint64_t max_us)
{
    const struct interferer *one = interferer_with(kind, tid, number, work);

    if (!one) {
        fail_msg("kind %d, task %u, number %llu took nothing", (int)kind, tid, (unsigned long long)number);
        return;
    }
    const struct had had = had_by(one);
    assert_int_equal(had.n, n);
    assert_int_equal(had.ns, us * US);
    assert_int_equal(had.max_ns, max_us * US);
}

static void expect(unsigned kind, uint32_t tid, uint64_t number, uint64_t n, uint64_t us, uint64_t max_us)
{
    expect_work(kind, tid, number, 0, n, us, max_us);
}

static void expect_all(size_t n)
{
    size_t with = 0;

    for (size_t i = 0; i < account.n; i++)
        with += had_by(&account.interferers[i]).n > 0;
    assert_int_equal(with, n);
}

/* A task runs twice; the detours begin before it and end after it. */
TEST(test_who_a_task_has_the_time_between_switches)
{
    static const struct time_span spans[] = {{1095 * US, 1205 * US}, {1300 * US, 1350 * US}};

    begin(spans, COUNT(spans));
    add(1100, TRACE_SWITCH, 7, 0);
    add(1200, TRACE_SWITCH, SELF, 0);
    add(1310, TRACE_SWITCH, 7, 0);
    add(1340, TRACE_SWITCH, SELF, 0);
    account_end(&account, false);
    expect(TRACE_TASK, 7, 0, 2, 130, 100);
    expect(INTERFERER_UNSEEN, 0, 0, 4, 30, 10);
    expect_all(2);
    account_free(&account);
}

/* What ran while nothing was lost, as in a pause, is nobody's. */
TEST(test_who_time_outside_of_detours_is_nobodys)
{
    static const struct time_span spans[] = {{1150 * US, 1160 * US}};

    begin(spans, COUNT(spans));
    add(900, TRACE_SWITCH, 7, 0);
    add(1100, TRACE_SWITCH, 8, 0);
    add(1200, TRACE_SWITCH, SELF, 0);
    account_end(&account, false);
    expect(TRACE_TASK, 8, 0, 1, 10, 10);
    expect_all(1);
    account_free(&account);
}

/* A soft interrupt that two interrupts come into, one in the other, while a task runs: each has its own time. */
TEST(test_who_nested_interrupts_are_untangled)
{
    static const struct time_span spans[] = {{1000 * US, 2000 * US}};

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
    account_end(&account, false);
    expect(TRACE_VECTOR, 0, 2, 1, 20, 20);
    expect(TRACE_IRQ, 0, 24, 2, 45, 40);
    expect(TRACE_SOFTIRQ, 0, 3, 1, 140, 140);
    expect(TRACE_TASK, 7, 0, 1, 295, 295);
    expect(INTERFERER_UNSEEN, 0, 0, 1, 500, 500);
    assert_string_equal(interferer(TRACE_IRQ, 0, 24)->task.name, "virtio0");
    expect_all(5);
    account_free(&account);
}

/* PREEMPT_RT: a task is taken off the CPU in a soft interrupt, and goes on with it later. */
TEST(test_who_a_task_keeps_its_soft_interrupt)
{
    static const struct time_span spans[] = {{1000 * US, 1500 * US}};

    begin(spans, COUNT(spans));
    add(1000, TRACE_SWITCH, 7, 0);
    add_named(1100, TRACE_ENTER, TRACE_SOFTIRQ, 3, "");
    add(1150, TRACE_SWITCH, 8, 0);
    add(1250, TRACE_SWITCH, 7, 0);
    add_named(1300, TRACE_LEAVE, TRACE_SOFTIRQ, 3, "");
    add(1500, TRACE_SWITCH, SELF, 0);
    account_end(&account, false);
    expect(TRACE_TASK, 7, 0, 2, 300, 200);
    expect(TRACE_SOFTIRQ, 0, 3, 2, 100, 50);
    expect(TRACE_TASK, 8, 0, 1, 100, 100);
    account_free(&account);
}

/* A work item that sleeps in its middle, and the time of its thread around it. */
TEST(test_who_work_items_are_told_from_their_thread)
{
    static const struct time_span spans[] = {{1000 * US, 1500 * US}};

    begin(spans, COUNT(spans));
    add(1000, TRACE_SWITCH, 7, 0);
    add_work(1010, 7, 0xabc);
    add(1060, TRACE_SWITCH, 8, 0);
    add(1100, TRACE_SWITCH, 7, 0);
    add_work(1130, 7, 0);
    add(1135, TRACE_SWITCH, SELF, 0);
    account_end(&account, false);
    expect_work(TRACE_TASK, 7, 0, 0xabc, 2, 80, 50);
    expect(TRACE_TASK, 7, 0, 2, 15, 10);
    expect(TRACE_TASK, 8, 0, 1, 40, 40);
    account_free(&account);
}

/* Deeper than anything is: what does not fit is counted with what it interrupts, and nothing is overwritten. */
TEST(test_who_depth_is_limited)
{
    static const struct time_span spans[] = {{1000 * US, 1500 * US}};

    begin(spans, COUNT(spans));
    for (unsigned i = 0; i < 3 * ACCOUNT_DEPTH; i++)
        add_named(1000 + i, TRACE_ENTER, TRACE_IRQ, i, "");
    add(1400, TRACE_SWITCH, SELF, 0);
    for (unsigned i = 3 * ACCOUNT_DEPTH; i-- > 0;)
        add_named(1400, TRACE_LEAVE, TRACE_IRQ, i, "");
    account_end(&account, false);
    uint64_t sum = 0;
    for (size_t i = 0; i < account.n_pieces; i++)
        sum += account.pieces[i].ns;
    assert_int_equal(sum, 500 * US);
    account_free(&account);
}

/* A BH workqueue runs its work items in a soft interrupt of any task. */
TEST(test_who_work_items_in_a_soft_interrupt_are_not_the_tasks)
{
    static const struct time_span spans[] = {{1000 * US, 1500 * US}};

    begin(spans, COUNT(spans));
    add(1000, TRACE_SWITCH, 7, 0);
    add_named(1100, TRACE_ENTER, TRACE_SOFTIRQ, 6, "");
    add_work(1110, 7, 0xabc);
    add_named(1120, TRACE_ENTER, TRACE_IRQ, 24, "");
    add_named(1125, TRACE_LEAVE, TRACE_IRQ, 24, "");
    add_work(1150, 7, 0);
    add_named(1170, TRACE_LEAVE, TRACE_SOFTIRQ, 6, "");
    add(1200, TRACE_SWITCH, SELF, 0);
    account_end(&account, false);
    expect_work(TRACE_SOFTIRQ, 0, 6, 0xabc, 1, 35, 35);
    expect(TRACE_SOFTIRQ, 0, 6, 1, 30, 30);
    expect(TRACE_TASK, 7, 0, 1, 130, 130);
    account_free(&account);
}

/* What had the CPU after records were lost is nobody's: the account ends with the last record before. */
TEST(test_who_lost_records_end_the_account)
{
    static const struct time_span spans[] = {{1000 * US, 1500 * US}};

    begin(spans, COUNT(spans));
    add(1000, TRACE_SWITCH, 7, 0);
    add_named(1100, TRACE_ENTER, TRACE_IRQ, 24, "");
    account_end(&account, true);
    expect(TRACE_TASK, 7, 0, 1, 100, 100);
    expect_all(1);
    assert_true(window.full);
    assert_int_equal(window.time.to, 1100 * US);
    account_free(&account);
}

static void expect_piece(size_t i, uint32_t tid, uint64_t us, uint64_t for_us)
{
    const struct account_piece *piece = &account.pieces[i];

    assert_true(i < account.n_pieces);
    assert_int_equal(piece->from, us * US);
    assert_int_equal(piece->ns, for_us * US);
    assert_int_equal(account.interferers[piece->interferer].id, tid);
}

/* What had the CPU one after the other; the pause between two detours is no piece. */
TEST(test_who_pieces_are_in_order)
{
    static const struct time_span spans[] = {{1100 * US, 1200 * US}, {1300 * US, 1310 * US}};

    begin(spans, COUNT(spans));
    add(1100, TRACE_SWITCH, 7, 0);
    add_named(1120, TRACE_ENTER, TRACE_IRQ, 5, "device");
    add_named(1130, TRACE_LEAVE, TRACE_IRQ, 5, "");
    rename_to(1150, 7, "renamed"); /* does not end the piece */
    add(1200, TRACE_SWITCH, SELF, 0);
    add(1300, TRACE_SWITCH, 8, 0);
    add(1310, TRACE_SWITCH, SELF, 0);
    account_end(&account, false);
    assert_int_equal(account.n_pieces, 4);
    expect_piece(0, 7, 1100, 20);
    expect_piece(1, 5, 1120, 10);
    expect_piece(2, 7, 1130, 70);
    expect_piece(3, 8, 1300, 10);
    account_free(&account);
}

/* --- Names, of all CPUs. --- */

void __wrap_trace_functions_name(struct trace_function *functions, size_t n);
void __wrap_trace_functions_name(struct trace_function *functions, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (functions[i].address == 0xabc)
            (void)snprintf(functions[i].name, TASKS_NAME, "vmstat_update");
}

bool __wrap_tasks_read(uint32_t tid, struct tasks_one *out);
bool __wrap_tasks_read(uint32_t tid, struct tasks_one *out)
{
    *out = (struct tasks_one){.tid = tid};
    if (tid == 1)
        *out = (struct tasks_one){.tid = tid, .cpu_ns = 5, .name = "init"};
    if (tid == 3)
        *out = (struct tasks_one){.tid = tid, .parent = 2, .kernel = true, .name = "kworker/3:0"};
    if (tid == 12)
        *out = (struct tasks_one){.tid = tid, .parent = 1, .name = "a b\033[2J\n\xff"};
    if (tid == 41)
        *out = (struct tasks_one){.tid = tid, .parent = 1, .name = "still_there"};
    if (tid == 50)
        *out = (struct tasks_one){.tid = tid, .parent = (uint32_t)getpid(), .name = "own"};
    return out->name[0] != 0;
}

/* The tasks 60 to 63 are of another control group, but 60 alone still lives; 50 is a child of this process. */
bool __wrap_cgroup_of(const char *task, char *out, size_t size);
bool __wrap_cgroup_of(const char *task, char *out, size_t size)
{
    if (strcmp(task, "self") != 0 && strcmp(task, "60") != 0 && strcmp(task, "12") != 0)
        return false;
    (void)snprintf(out, size, "%s", !strcmp(task, "60") ? "/a b" : "/own");
    return true;
}

static const struct account_line *line_of(const struct account_line *lines, size_t n, const char *kind,
                                          const char *name, const char *work)
{
    for (size_t i = 0; i < n; i++) {
        struct row_params params;
        (void)snprintf(params.text, sizeof(params.text), "%s", lines[i].label);
        row_params_read(&params);
        if (row_param_is(&params, "kind", kind) && row_param_is(&params, "name", name) &&
            (work[0] ? row_param_is(&params, "work", work) : !strstr(lines[i].label, " work=")))
            return &lines[i];
    }
    fail_msg("no line %s %s (%s)", kind, name, work);
    return NULL;
}

static void expect_line(const struct account_line *lines, size_t n, const char *kind, const char *name,
                        const char *work, double us)
{
    assert_true(fabs(line_of(lines, n, kind, name, work)->ns - us * US) < 0.5);
}

static const struct time_span whole[] = {{1000 * US, 2000 * US}};

/* CPU 0: a shell (60) forks three children; one of them runs on CPU 2, and so does what a task of the trial forked on
 * CPU 0. */
static void record_two_cpus(void)
{
    begin(whole, 1);
    rename_to(900, 60, "sh");
    add(1000, TRACE_SWITCH, 60, 0);
    for (uint32_t child = 61; child < 64; child++)
        add(1010, TRACE_FORK, child, 60);
    add(1015, TRACE_FORK, 70, 50);
    add(1020, TRACE_SWITCH, 61, 0);
    add(1100, TRACE_SWITCH, 62, 0);
    add(1150, TRACE_SWITCH, 3, 0);
    add_work(1155, 3, 0xabc);
    add_work(1165, 3, 0);
    add_work(1165, 3, 0xdef);
    add_work(1166, 3, 0);
    add(1170, TRACE_SWITCH, 0, 0);
    add_named(1300, TRACE_ENTER, TRACE_IRQ, 24, "virtio0-input.0");
    add_named(1310, TRACE_LEAVE, TRACE_IRQ, 24, "");
    add_named(1320, TRACE_ENTER, TRACE_IRQ, 25, "virtio0-input.0");
    add_named(1321, TRACE_LEAVE, TRACE_IRQ, 25, "");
    add(1400, TRACE_SWITCH, SELF, 0);
    account_end(&account, false);
    window.cpu = 2;
    window.time = whole[0];
    account_begin(&account, &window);
    add(1000, TRACE_SWITCH, 63, 0);
    add(1200, TRACE_SWITCH, 70, 0);
    add(1500, TRACE_SWITCH, 12, 0);
    add(1600, TRACE_SWITCH, 99, 0);
    add(1607, TRACE_SWITCH, 41, 0);
    add(1610, TRACE_SWITCH, SELF, 0);
    account_end(&account, false);
}

TEST(test_who_names_are_joined_over_cpus)
{
    struct account_line *lines;

    record_two_cpus();
    const size_t n = account_lines(&account, 30, &lines);
    const struct account_line *sh = line_of(lines, n, "task", "sh", "");
    assert_int_equal(n, 12);
    assert_string_equal(sh->label, "kind=task name=sh group=/a_b tasks=4");
    assert_string_equal(line_of(lines, n, "task", "a_b?[2J??", "")->label, "kind=task name=a_b?[2J?? pid=12");
    assert_int_equal(sh->tasks, 4); /* the shell, and its children on both CPUs, which have no names of their own */
    assert_true(sh->n == 4 && sh->ns == 350 * US && sh->max_ns == 200 * US);
    expect_line(lines, n, "unseen", "unseen", "", 600 + 390);
    expect_line(lines, n, others_are_hidden() ? "outside" : "idle", others_are_hidden() ? "outside" : "idle", "",
                230 - 11);
    expect_line(lines, n, "own", "own", "", 300); /* its child has its name */
    expect_line(lines, n, "kthread", "kworker/3:0", "", 9);
    expect_line(lines, n, "kthread", "kworker/3:0", "vmstat_update", 10);
    expect_line(lines, n, "kthread", "kworker/3:0", "work", 1);
    expect_line(lines, n, "task", "a_b?[2J??", "", 100);
    expect_line(lines, n, "task", "pid_99", "", 7);
    expect_line(lines, n, "task", "still_there", "", 3);
    for (size_t i = 1; i < n; i++)
        assert_true(lines[i - 1].ns >= lines[i].ns);
    assert_string_equal(line_of(lines, n, "irq", "virtio0-input.0", "")->label,
                        "kind=irq name=virtio0-input.0 irq=24"); /* has a line of its own */
    free(lines);
    account_free(&account);
}

/* Where nothing was recorded, no CPU is named. */
TEST(test_who_counted_times_have_no_cpu)
{
    static struct interference_watch watch;
    struct cpuset cpus = {{0}};
    struct account_line *lines;

    cpuset_add(&cpus, 1);
    account_begin(&watch.account, &watch.window[1]);
    interference_count(&watch, &cpus);
    assert_true(watch.window[1].time.from == 0 && watch.window[1].time.to > 0);
    const size_t n = account_lines(&watch.account, 5, &lines);
    assert_int_equal(n, 1);
    assert_true(lines[0].ns == 5);
    assert_int_equal(watch.account.pieces[0].cpu, CPUSET_NONE);
    free(lines);
    account_free(&watch.account);
}
