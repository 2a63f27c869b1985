/* SPDX-License-Identifier: MIT */
/* The callbacks of a CPU test of `jitbench unix`, called as a worker does: set up, work, verify, tear down. */
#ifndef CPU_FIXTURE_H
#define CPU_FIXTURE_H

#include "fixture.h"

#include "bench/unix.h"

static const struct party *tested; /* set by the test program */

static inline struct party_context started(void)
{
    const struct recorder_spec *spec = &tested->recorders[UNIX_CHECKS];
    struct party_context context;

    memset(&context, 0, sizeof(context));
    context.recorder[UNIX_CHECKS] = malloc(recorder_size(spec));
    assert_non_null(context.recorder[UNIX_CHECKS]);
    recorder_init(spec, context.recorder[UNIX_CHECKS]);
    assert_int_equal(party_make_state(&context, tested), 0);
    if (tested->setup)
        assert_int_equal(tested->setup(&context), 0);
    return context;
}

static inline void ended(struct party_context *context)
{
    free(context->state);
    free(context->recorder[UNIX_CHECKS]);
}

/* Returns the name of the first wrong result, "" when all are right. */
static inline const char *verified(struct party_context *context)
{
    assert_int_equal(tested->verify(context), 0);
    const struct check *wrong = checks_wrong(context->recorder[UNIX_CHECKS]);
    return wrong ? wrong->name : "";
}

#endif
