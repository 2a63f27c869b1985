/* SPDX-License-Identifier: MIT */
/* Pipe-based context switching: a number goes to another process through a pipe and comes back through a second one.
 * Each side checks that it is the next number. The halves sit on one CPU, on two, or where the kernel puts them. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/unix_kernel.h"
#include "engine/text.h"

enum { PARTY_ASKER, PARTY_ANSWERER, N_HALVES };
enum { PIPE_THERE, PIPE_BACK, N_PIPES };

#define WARM_NS  20000000u
#define SLICE_NS 10000000u
/* Ends the warm-up. */
#define END_NUMBER UINT64_MAX
/* When a half is lost, its own reason, or the signal that killed it, is to reach the parent before ours. */
#define GRIEF_NS 500000000u

struct asker {
    uint64_t sent;
    uint64_t count; /* of a slice; follows the rate, which depends on where the kernel puts the halves */
};

static int keep_ends(struct party_context *context, int from, int to)
{
    /* The end of file comes when the last writer is gone, so nobody keeps an end that it does not use. */
    (void)close(context->pipes[from][1]);
    (void)close(context->pipes[to][0]);
    /* A half that is gone is an error of write(), not a signal. */
    return signal(SIGPIPE, SIG_IGN) == SIG_ERR ? party_fail(context, "cannot ignore SIGPIPE") : 0;
}

static int lost(struct party_context *context, const char *what, ssize_t n)
{
    int error = n < 0 ? errno : 0;

    clock_sleep_ns(GRIEF_NS);
    return party_fail(context, "the other half is gone: %s: %s", what, error ? strerror(error) : "end of file");
}

static int ask(struct party_context *context, uint64_t number)
{
    uint64_t answer;

    ssize_t n = write(context->pipes[PIPE_THERE][1], &number, sizeof(number));
    if (n != sizeof(number))
        return lost(context, "write", n);
    n = read(context->pipes[PIPE_BACK][0], &answer, sizeof(answer));
    if (n != sizeof(answer))
        return lost(context, "read", n);
    if (answer != number)
        return party_fail(context, "self-check failed: number %llu came back as %llu", (unsigned long long)number,
                          (unsigned long long)answer);
    return 0;
}

static int ask_many(struct party_context *context, struct asker *asker)
{
    for (uint64_t i = 0; i < asker->count; i++)
        if (ask(context, asker->sent++))
            return -1;
    return 0;
}

static void fit_count(struct asker *asker, uint64_t took_ns)
{
    double fit = (double)asker->count * SLICE_NS / (double)(took_ns ? took_ns : 1);
    double most = (double)asker->count * 4;

    asker->count = fit < 1 ? 1 : (uint64_t)(fit < most ? fit : most);
}

/* The engine's warm-up has no partner, so this one is made of both setups: until a slice's worth of counts is known. */
static int asker_setup(struct party_context *context)
{
    struct asker *asker = context->state = calloc(1, sizeof(*asker));
    uint64_t start = clock_raw_ns(), from = start, now = start;

    if (!asker)
        return party_fail(context, "out of memory");
    if (keep_ends(context, PIPE_BACK, PIPE_THERE))
        return -1;
    for (asker->count = 16; now - start < WARM_NS; from = now) {
        if (ask_many(context, asker))
            return -1;
        now = clock_raw_ns();
        fit_count(asker, now - from);
    }
    asker->sent = 0;
    return ask(context, END_NUMBER);
}

static int asker_run(struct party_context *context)
{
    struct slices *slices = context->recorder[UNIX_SLICES];
    struct asker *asker = context->state;

    for (uint64_t from = clock_raw_ns(); !party_stopped(context);) {
        uint64_t count = asker->count;
        if (ask_many(context, asker))
            return -1;
        uint64_t to = clock_raw_ns();
        slices_add(slices, count, from, to);
        fit_count(asker, to - from);
        from = to;
    }
    return 0;
}

static void asker_teardown(struct party_context *context)
{
    (void)close(context->pipes[PIPE_THERE][1]); /* the answerer's end of file */
    (void)close(context->pipes[PIPE_BACK][0]);
    free(context->state);
    context->state = NULL;
}

/* Until the end of file or END_NUMBER. */
static int answer(struct party_context *context)
{
    uint64_t number;

    for (uint64_t expected = 0;; expected++) {
        ssize_t n = read(context->pipes[PIPE_THERE][0], &number, sizeof(number));
        if (n == 0)
            return 0;
        if (n != sizeof(number))
            return lost(context, "read", n);
        if (number != expected && number != END_NUMBER)
            return party_fail(context, "self-check failed: number %llu came, not %llu", (unsigned long long)number,
                              (unsigned long long)expected);
        n = write(context->pipes[PIPE_BACK][1], &number, sizeof(number));
        if (n != sizeof(number))
            return lost(context, "write", n);
        if (number == END_NUMBER)
            return 0;
    }
}

/* An end of file this early has its reason in the asker, who is the one to say so. */
static int answerer_setup(struct party_context *context)
{
    return keep_ends(context, PIPE_THERE, PIPE_BACK) ? -1 : answer(context);
}

static void place(const void *params, const struct place_request *request, unsigned party, unsigned copy,
                  unsigned copies, struct placement *placement)
{
    const struct unix_params *p = params;
    size_t at = copy % request->n_order;

    if (p->halves == HALVES_FREE) {
        unix_place_range(params, request, party, copy, copies, placement);
        return;
    }
    place_copy(request, copy, copies, false, placement);
    placement->bind = BIND_ONE;
    if (p->halves == HALVES_TWO && party == PARTY_ANSWERER) {
        if (request->n_order < 2)
            text_copy(placement->refused, sizeof(placement->refused),
                      "both halves on one CPU: no second CPU is allowed");
        at = (at + 1) % request->n_order;
    }
    cpuset_clear(&placement->cpus);
    cpuset_add(&placement->cpus, request->order[at]);
}

static void describe(const void *params, const struct clock_info *clock, char *buf, size_t size)
{
    static const char *const halves[] = {"halves=free", "halves=same", "halves=two"};
    const struct unix_params *p = params;

    (void)clock;
    unix_describe(halves[p->halves], buf, size);
}

static const struct party parties[N_HALVES] = {
    [PARTY_ASKER] = {.name = "context1",
                     .role = ROLE_MEASURED,
                     .kind = PARTY_PROCESS,
                     .stop = STOP_FLAG,
                     UNIX_RECORDERS,
                     .setup = asker_setup,
                     .run = asker_run,
                     .teardown = asker_teardown},
    [PARTY_ANSWERER] = {.name = "partner",
                        .role = ROLE_PARTNER,
                        .kind = PARTY_PROCESS,
                        .stop = STOP_SELF,
                        .setup = answerer_setup,
                        .run = answer},
};

static const struct metric metrics[UNIX_N_METRICS] = UNIX_METRICS("lps", 1, 4000);

const struct bench bench_context1 = {
    UNIX_KERNEL_BENCH("context1", "Pipe-based Context Switching"),
    .parties = parties,
    .n_parties = N_HALVES,
    .n_pipes = N_PIPES,
    .metrics = metrics,
    .sampling = UNIX_SHORT_SAMPLING,
    .describe = describe,
    .place = place,
};
