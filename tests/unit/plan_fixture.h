/* SPDX-License-Identifier: MIT */
/* Fixture of tests that make rows: a run to make them with, and a sink that keeps them. */
#ifndef PLAN_FIXTURE_H
#define PLAN_FIXTURE_H

#include "engine_fixture.h"

enum { ROWS_MAX = 512 };

struct fixture_rows {
    struct row row[ROWS_MAX];
    uint64_t at_ns[ROWS_MAX];
    size_t n;
};

/* A parameter has the kind that it was added with, and has the same when its row is read from a CSV. */
static inline void fixture_check_params(const struct row_params *params)
{
    struct row_params back = *params;

    row_params_read(&back);
    assert_int_equal(back.n, params->n);
    assert_memory_equal(back.of, params->of, params->n * sizeof(params->of[0]));
}

static inline void fixture_put(void *context, const struct row *row)
{
    struct fixture_rows *rows = context;

    fixture_check_params(&row->param);
    if (rows->n == ROWS_MAX || row_copy(&rows->row[rows->n], row))
        abort();
    rows->at_ns[rows->n++] = clock_raw_ns();
}

static inline void fixture_free_rows(struct fixture_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        row_free(&rows->row[i]);
    rows->n = 0;
}

static inline struct plan_run fixture_run(struct place_request *place, struct fixture_rows *rows)
{
    static const struct row_run run = {.host = "here"};
    static struct clock_pair start;

    fixture_place(place);
    clock_pair_read(fixture_clock.kind, &start);
    rows->n = 0;
    return (struct plan_run){.run = &run,
                             .place = place,
                             .clock = &fixture_clock,
                             .clock_start = &start,
                             .series_fd = -1,
                             .max_rsd_pct = 5,
                             .layout_varied = "random stack,heap",
                             .sink = {.put = fixture_put, .context = rows}};
}

/* The first row of that metric (NULL: any) whose param begins so. */
static inline const struct row *fixture_find(const struct fixture_rows *rows, const char *metric, const char *param)
{
    for (size_t i = 0; i < rows->n; i++)
        if ((!metric || !strcmp(rows->row[i].metric, metric)) &&
            !strncmp(rows->row[i].param.text, param, strlen(param)))
            return &rows->row[i];
    fail_msg("no row of %s %s", metric ? metric : "any metric", param);
    return NULL;
}

#endif
