/* SPDX-License-Identifier: MIT */
/* Makes a suite's plan from the words of a command line, for a made-up machine. */
#ifndef SUITE_FIXTURE_H
#define SUITE_FIXTURE_H

#include "engine_fixture.h"
#include "said.h"

#define WORDS(...) \
    (char *const[]) \
    { \
        (char *)"suite", __VA_ARGS__, NULL \
    }

struct suite_plan {
    struct measure m;
    void *options;
    struct plan plan;
    int failed; /* what the suite's plan() returned */
};

/* All of so many CPUs, the highest first. */
static inline void suite_place(struct place_request *place, unsigned cpus, enum bind_mode bind, bool fifo)
{
    memset(place, 0, sizeof(*place));
    for (unsigned cpu = cpus; cpu-- > 0;) {
        cpuset_add(&place->cpus, cpu);
        place->order[place->n_order++] = cpu;
    }
    place->online = place->cpus;
    place->bind = bind;
    place->bind_given = bind != BIND_ONE;
    place->fifo = fifo;
    place->fifo_priority = 50;
}

/* Reads the options from these words (NULL ends them). After the first there are no operands. */
static inline struct suite_plan *suite_options(const struct suite *suite, char *const *words, unsigned cpus,
                                               enum bind_mode bind)
{
    struct suite_plan *s = calloc(1, sizeof(*s));
    const char *operands[16];
    int argc = 0;

    assert_non_null(s);
    struct measure *m = &s->m;
    s->options = calloc(1, suite->options_size ? suite->options_size : 1);
    assert_non_null(s->options);
    s->plan.schedule = suite->schedule;
    while (words[argc])
        argc++;
    m->n_tables = measure_tables(suite, s->options, &m->options, m->tables);
    if (option_parse(argc, words, m->tables, m->n_tables, operands, &said))
        fail_msg("%s: %s", suite->command.name, said.text);
    m->preset = m->options.classic ? PRESET_CLASSIC : m->options.quick ? PRESET_QUICK : PRESET_DEFAULT;
    if (option_defaults(m->tables, m->n_tables, m->preset, &said))
        fail_msg("%s: %s", suite->command.name, said.text);
    for (size_t t = 0; t < TESTS_MAX; t++)
        m->selected[t] = true;
    suite_place(&m->place, cpus, bind, option_given(m->tables, m->n_tables, "fifo"));
    return s;
}

static inline void suite_make_plan(struct suite_plan *s, const struct suite *suite)
{
    s->m.plan = &s->plan;
    s->failed = suite->plan(&s->m, s->options);
}

static inline void suite_plan_free(struct suite_plan *s, const struct suite *suite)
{
    if (suite->end)
        suite->end(s->options, true);
    plan_free(&s->plan);
    free(s->options);
    free(s);
}

#endif
