/* SPDX-License-Identifier: MIT */
/* Calls a benchmark's callbacks in the test's own process, as a worker would: no engine, no time limit. */
#ifndef BENCH_FIXTURE_H
#define BENCH_FIXTURE_H

#include "plan_fixture.h"

#include "engine/trial.h"

struct fixture_party {
    struct party_context context;
    const struct party *party;
    struct trial_head *head; /* with one slot: party_barrier() wants them */
    char reason[240];
};

static inline void fixture_party_begin(struct fixture_party *p, const struct bench *bench, const void *params)
{
    memset(p, 0, sizeof(*p));
    p->party = &bench->parties[0];
    p->head = calloc(1, sizeof(*p->head) + sizeof(p->head->slot[0]));
    assert_non_null(p->head);
    p->context = (struct party_context){.bench = bench,
                                        .params = params,
                                        .copies = 1,
                                        .clock = CLOCK_KIND_GETTIME,
                                        .series_fd = -1,
                                        .reason = p->reason,
                                        .reason_size = sizeof(p->reason),
                                        .head = p->head,
                                        .slot = p->head->slot,
                                        .baton = &p->head->slot[0].baton};
    for (unsigned i = 0; i < p->party->n_recorders; i++) {
        const struct recorder_spec spec = party_recorder(p->party, i, params);
        p->context.recorder[i] = malloc(recorder_size(&spec));
        assert_non_null(p->context.recorder[i]);
        recorder_init(&spec, p->context.recorder[i]);
    }
    assert_int_equal(party_make_state(&p->context, p->party), 0);
}

static inline void fixture_party_end(struct fixture_party *p)
{
    if (p->party->teardown)
        p->party->teardown(&p->context);
    if (p->party->state_size)
        free(p->context.state);
    for (unsigned i = 0; i < p->party->n_recorders; i++)
        free(p->context.recorder[i]);
    free(p->head);
}

/* One trial of the benchmark with real workers, into rows. Returns the worst status. */
static inline int fixture_one_trial(const struct bench *bench, const void *params, unsigned copies,
                                    struct fixture_rows *rows)
{
    static struct place_request place;
    static struct core_session no_probe;
    struct plan_run how = fixture_run(&place, rows);
    struct plan plan = {0};

    how.place = &place;
    how.core = &no_probe; /* rows of figures with the core free are there, and empty */
    struct plan_item *item = plan_add(&plan, bench, params);
    assert_non_null(item);
    item->copies = copies;
    item->sampling = (struct sampling){.min_samples = 1, .max_samples = 1};
    int status = plan_execute(&plan, &how);
    fixture_assert_no_children();
    plan_free(&plan);
    if (status != ROW_OK && rows->n)
        print_error("%s\n", rows->row[0].reason);
    return status;
}

static inline void fixture_assert_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.17g is not %.17g", got, expected);
}

/* A file without a name, for what is written to a descriptor. */
static inline int fixture_file(void)
{
    char path[] = "/tmp/jitbench_test_XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    return fd;
}

/* Whole, terminated; the caller frees it. */
static inline char *fixture_read_file(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1);

    assert_non_null(text);
    assert_int_equal(pread(fd, text, (size_t)size, 0), size);
    return text;
}

#endif
