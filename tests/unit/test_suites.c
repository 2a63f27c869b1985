/* SPDX-License-Identifier: MIT */
/* Every benchmark and load of every suite, as a plan places it: at least one online CPU has no SCHED_FIFO party that
 * can keep it busy, however many CPUs there are and however copies are bound. */

#include "suite_fixture.h"

#include "bench/experiment.h"
#include "bench/memory.h"
#include "engine/trial.h"
#include "golden_fixture.h"
#include "row_fixture.h"

enum { CPUS_MAX = 4 };

struct seen {
    unsigned items, fifo, given_up;
};

/* Whether the party can keep the CPU busy. Timing threads sleep, as do parties that say so. */
static bool can_take(const struct plan_item *item, const struct trial_slot *slot, unsigned cpu)
{
    const struct placement *placement = &slot->placement;

    const struct party *party = party_in_shm(slot, item->bench, item->load);

    return party->role != ROLE_TIMER && !party->sleeps && placement->policy == SCHED_FIFO &&
           (cpuset_count(&placement->cpus) == 0 || cpuset_has(&placement->cpus, cpu));
}

/* Hall's theorem: all CPUs can be busy at one time unless some set of them has fewer interferers than members. A party
 * whose children are real-time too is an interferer for each CPU that it may use. */
static bool cpu_stays_free(const struct plan_item *item, const struct trial_slot *slots, unsigned n, unsigned cpus)
{
    for (unsigned set = 1; set < 1u << cpus; set++) {
        unsigned members = 0, interferers = 0;
        for (unsigned cpu = 0; cpu < cpus; cpu++)
            members += set >> cpu & 1;
        for (unsigned i = 0; i < n; i++) {
            unsigned takes = 0;
            for (unsigned cpu = 0; cpu < cpus; cpu++)
                takes += (set >> cpu & 1) && can_take(item, &slots[i], cpu);
            bool many = party_in_shm(&slots[i], item->bench, item->load)->children >= CHILDREN_THREADS;
            interferers += many ? takes : takes > 0;
        }
        if (interferers < members)
            return true;
    }
    return false;
}

/* A group is real-time as a whole or not at all, and what was given up says so. */
static void check_group(const struct plan_item *item, const struct trial_slot *slots, unsigned n, struct seen *seen)
{
    unsigned fifo = 0, given_up = 0;

    for (unsigned i = 0; i < n; i++) {
        if (party_in_shm(&slots[i], item->bench, item->load)->role == ROLE_TIMER)
            continue;
        fifo += slots[i].placement.policy == SCHED_FIFO;
        given_up += strstr(slots[i].placement.refused, "SCHED_FIFO left out: ") != NULL;
    }
    assert_true(fifo == 0 || given_up == 0);
    seen->fifo += fifo;
    seen->given_up += given_up;
}

static void check_item(const struct measure *m, const struct plan_item *item, struct seen *seen)
{
    const struct trial_spec spec = {.bench = item->bench,
                                    .params = item->params,
                                    .load = item->load,
                                    .load_params = item->load_params,
                                    .copies = item->copies,
                                    .place = &m->place};
    const unsigned of_bench = item->copies * item->bench->n_parties;
    const unsigned n = of_bench + (item->load ? item->load->n_parties : 0);
    struct trial_slot *slots = calloc(n, sizeof(*slots));

    assert_non_null(slots);
    for (unsigned i = 0; i < n; i++) {
        slots[i].of_load = i >= of_bench;
        slots[i].copy = slots[i].of_load ? 0 : i / item->bench->n_parties;
        slots[i].party = slots[i].of_load ? i - of_bench : i % item->bench->n_parties;
    }
    trial_place(&spec, slots, n);
    if (!cpu_stays_free(item, slots, n, cpuset_count(&m->place.online)))
        fail_msg("%s beside %s, %u copies, --bind %s: SCHED_FIFO on all %u CPUs", item->bench->name,
                 item->load ? item->load->name : "nothing", item->copies, bind_names[m->place.bind],
                 cpuset_count(&m->place.online));
    for (unsigned i = 0; i < of_bench; i += item->bench->n_parties)
        check_group(item, &slots[i], item->bench->n_parties, seen);
    check_group(item, &slots[of_bench], n - of_bench, seen);
    seen->items++;
    free(slots);
}

/* Makes the suite's plan for these words of a command line (NULL ends them) and looks at it. Returns its schedule. */
static enum schedule check_suite(const struct suite *suite, char *const *words, unsigned cpus, enum bind_mode bind,
                                 struct seen *seen)
{
    static char command[] = "true";
    static char *run_words[] = {command};
    struct suite_plan *s = suite_options(suite, words, cpus, bind);

    s->m.operands_given = true; /* every task and test, not only the telling pairs */
    machine_read_memory(&s->m.machine);
    if (suite == &suite_run) {
        s->m.words = run_words;
        s->m.n_words = 1;
    }
    suite_make_plan(s, suite);
    if (s->failed)
        fail_msg("%s: %s", suite->command.name, said.text);
    assert_true(s->plan.n > 0);
    for (size_t i = 0; i < s->plan.n; i++)
        check_item(&s->m, &s->plan.items[i], seen);
    const enum schedule schedule = s->plan.schedule;
    suite_plan_free(s, suite);
    return schedule;
}

static void check_all_suites(unsigned cpus, enum bind_mode bind, struct seen *seen)
{
    static const char *const copies[] = {"1", "2", "3", "4", "9"};
    char *fifo = (char *)"--fifo", *custom = (char *)"-I50000", *load = (char *)"-C50";

    for (size_t i = 0; i < COUNT(copies); i++) {
        char *n = (char *)copies[i], *c = (char *)"-c";
        check_suite(&suite_prime, WORDS(fifo, c, n), cpus, bind, seen);
        check_suite(&suite_stream, WORDS(fifo, c, n), cpus, bind, seen);
        check_suite(&suite_unix, WORDS(fifo, c, n, (char *)"--all-tests"), cpus, bind, seen);
    }
    check_suite(&suite_noise, WORDS(fifo), cpus, bind, seen);
    check_suite(&suite_memory, WORDS(fifo), cpus, bind, seen);
    check_suite(&suite_run, WORDS(fifo), cpus, bind, seen);
    check_suite(&suite_latency, WORDS(fifo, custom, load), cpus, bind, seen);
    check_suite(&suite_latency, WORDS((char *)"-r", custom, load), cpus, bind, seen);
    check_suite(&suite_latency, WORDS(fifo, (char *)"-u", custom, load), cpus, bind, seen);
}

TEST(test_suites_leave_a_cpu_free_of_real_time_work)
{
    static const unsigned cpus[] = {1, 2, CPUS_MAX};

    for (size_t i = 0; i < COUNT(cpus); i++)
        for (int bind = BIND_ONE; bind <= BIND_NONE; bind++) {
            struct seen seen = {0};
            check_all_suites(cpus[i], (enum bind_mode)bind, &seen);
            assert_true(seen.items > 200);
            assert_true(seen.given_up > 0);
            assert_true(cpus[i] > 1 ? seen.fifo > 0 : seen.fifo == 0);
        }
}

/* Threads that only sleep and wake are real-time on every CPU, but loads beside them are not. */
TEST(test_suites_wakeup_is_real_time_on_all_cpus)
{
    static const unsigned cpus[] = {1, 2, CPUS_MAX};

    for (size_t i = 0; i < COUNT(cpus); i++) {
        struct seen seen = {0};
        check_suite(&suite_wakeup, WORDS((char *)"-w", (char *)"none,burn,compile"), cpus[i], BIND_ONE, &seen);
        assert_int_equal(seen.items, 3);
        assert_int_equal(seen.given_up, 0);
        assert_int_equal(seen.fifo, 3 * cpus[i]);
    }
}

/* Only as many are left out as necessary. Tasks of several threads may fill all their CPUs: here they have one. */
TEST(test_suites_keep_real_time_for_a_single_copy)
{
    struct seen seen = {0};

    check_suite(&suite_unix, WORDS((char *)"--fifo", (char *)"-c1", (char *)"--all-tests"), CPUS_MAX, BIND_ONE, &seen);
    check_suite(&suite_latency, WORDS((char *)"--fifo", (char *)"-u", (char *)"-I50000", (char *)"-C50"), CPUS_MAX,
                BIND_ONE, &seen);
    check_suite(&suite_run, WORDS((char *)"--fifo"), CPUS_MAX, BIND_ONE, &seen);
    assert_true(seen.fifo >= seen.items);
    assert_int_equal(seen.given_up, 0);
}

/* Bad seconds of the machine affect all tests equally; the original takes all passes of a test before the next one. */
TEST(test_suites_unix_takes_turns_but_for_the_classic_protocol)
{
    struct seen seen = {0};

    assert_int_equal(check_suite(&suite_unix, WORDS((char *)"-c1"), 2, BIND_ONE, &seen), SCHEDULE_INTERLEAVED);
    assert_int_equal(check_suite(&suite_unix, WORDS((char *)"--classic"), 2, BIND_ONE, &seen), SCHEDULE_SEQUENCE);
}

static struct suite_plan *thesis_plan(const struct suite *suite)
{
    struct suite_plan *s = suite_options(suite, WORDS(NULL), 2, BIND_ONE);

    s->m.preset = PRESET_THESIS;
    assert_int_equal(option_defaults(s->m.tables, s->m.n_tables, PRESET_THESIS, &said), 0);
    suite_make_plan(s, suite);
    assert_int_equal(s->failed, 0);
    assert_int_equal(s->plan.n, 10);
    return s;
}

/* The limits and sizes of its pictures, and no other suite. */
TEST(test_suites_of_the_thesis)
{
    struct suite_plan *prime = thesis_plan(&suite_prime), *stream = thesis_plan(&suite_stream);

    for (uint64_t i = 0; i < 10; i++) {
        const struct prime_params *p = prime->plan.items[i].params;
        const struct array_params *a = stream->plan.items[i].params;
        assert_true(stream->plan.items[i].bench == &bench_array && a->elements == 25u << i && p->limit == 10 + 4 * i);
        assert_true(a->experiments == 1000000 && p->experiments == 1000000);
        assert_int_equal(prime->plan.items[i].sampling.max_samples, 5);
    }
    for (size_t i = 0; suite_list[i]; i++)
        assert_int_equal(suite_list[i]->seconds[PRESET_THESIS] > 0,
                         suite_list[i] == &suite_prime || suite_list[i] == &suite_stream);
    suite_plan_free(prime, &suite_prime);
    suite_plan_free(stream, &suite_stream);
}

/* --- What suites make of their rows. --- */

/* In a session without a CSV; a line for each row that is added. */
static void expect_conclusion(const struct suite *suite, const struct row *rows, size_t n, const char *expected)
{
    static struct measure m;
    struct text out = {0};
    struct error error;

    memset(&m, 0, sizeof(m));
    m.csv = csv_open(&(const struct csv_target){.none = true}, &error, &error);
    for (size_t i = 0; i < n; i++)
        measure_put_row(&m, &rows[i]);
    procfs_root = "/nowhere";
    suite->conclude(&m);
    for (const struct row *row = m.rows + n; row < m.rows + m.n_rows; row++)
        text_printf(&out, "%s/%s %s %s: %g %s %s, %s, CPU %s, %llu copies, %s %g, status %d '%s'\n", row->suite,
                    row->test, row->metric, row->load, row->value, row->unit, row->better, row->param.text, row->cpus,
                    (unsigned long long)row->copies, row->policy, row->rt_priority, row->status, row->reason);
    for (size_t i = 0; i < m.n_rows; i++)
        row_free(&m.rows[i]);
    free(m.rows);
    assert_int_equal(csv_close(m.csv), 0);
    expect_golden(&out, expected);
}

/* The latest is that of the second CPU, the 99.9th percentile of the last; where none is known there is no worst. */
TEST(test_suites_wakeup_worst_cpu_beside_each_load)
{
    static const struct {
        const char *load, *metric, *cpu;
        double max, p999;
        enum row_status status;
    } seen[] = {{"none", "latency", "0", 10, 7, ROW_OK},         {"none", "missed", "0", 99, 99, ROW_FAILED},
                {"none", "latency", "1", 30, NAN, ROW_UNSTABLE}, {"none", "latency", "3", 20, 9, ROW_DEGRADED},
                {"burn", "latency", "0", NAN, NAN, ROW_OK},      {"ring", "latency", "0", 5, 5, ROW_OK},
                {"ring", "latency", "1", 5, NAN, ROW_SKIPPED},   {"none", "latency", "4", 29, 8, ROW_OK}};
    struct row_run run;
    struct row rows[COUNT(seen)];

    row_run_init(&run);
    for (size_t i = 0; i < COUNT(seen); i++) {
        rows[i] = ROW(&run, 1, .suite = "wakeup", .test = "wakeup", .load = seen[i].load, .metric = seen[i].metric,
                      .param = "interval_us=250 stop_at_us=100", .unit = "ns", .cpus = seen[i].cpu, .policy = "fifo");
        rows[i].stats.max = seen[i].max;
        rows[i].stats.p999 = seen[i].p999;
        rows[i].status = seen[i].status;
        rows[i].copies = 3 + i;
        rows[i].rt_priority = 80 + (double)i;
        text_copy(rows[i].reason, sizeof(rows[i].reason), seen[i].cpu);
    }
    expect_conclusion(&suite_wakeup, rows, COUNT(rows),
                      "wakeup/worst latency_max none: 30 ns lower, interval_us=250 worst_cpu=1, CPU , 5 copies, fifo "
                      "82, status 1 '1'\n"
                      "wakeup/worst latency_p999 none: 9 ns lower, interval_us=250 worst_cpu=3, CPU , 6 copies, fifo "
                      "83, status 2 '3'\n"
                      "wakeup/worst latency_max ring: 5 ns lower, interval_us=250 worst_cpu=0, CPU , 8 copies, fifo "
                      "85, status 0 '0'\n"
                      "wakeup/worst latency_p999 ring: 5 ns lower, interval_us=250 worst_cpu=0, CPU , 8 copies, fifo "
                      "85, status 0 '0'\n");
}

/* Two levels and a slope of loads in huge pages; caches are not known. */
TEST(test_suites_memory_levels)
{
    static const double ns[] = {1, 1.01, 1.02, 7, 9, 30, 31, 32};
    struct row_run run;
    struct row rows[2 * COUNT(ns)];

    row_run_init(&run);
    for (size_t i = 0; i < 2 * COUNT(ns); i++) {
        char param[64];
        (void)snprintf(param, sizeof(param), "chase=%s set=%u", i % 2 ? "huge" : "small", 4096u << i / 2);
        rows[i] = ROW(&run, i % 2 ? ns[i / 2] : 500, .suite = "memory", .test = "latency", .metric = "latency",
                      .param = param, .unit = "ns", .cpus = "2");
    }
    expect_conclusion(
        &suite_memory, rows, COUNT(rows),
        "memory/levels level : 1.01 ns lower, level=level 1 up_to=16384, CPU 2, 1 copies,  nan, status 0 ''\n"
        "memory/levels level : 31 ns lower, level=level 2 up_to=524288, CPU 2, 1 copies,  nan, status 0 ''\n");
}
