/* SPDX-License-Identifier: MIT */
/* One process writes 512 bytes into a pipe and reads them back. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "bench/unix.h"

#define BLOCK 512u

struct state {
    uint64_t out[BLOCK / sizeof(uint64_t)], in[BLOCK / sizeof(uint64_t)]; /* the first word is a sequence number */
    int fd[2];
};

static int setup(struct party_context *context)
{
    struct state *state = context->state;

    if (pipe2(state->fd, O_CLOEXEC)) {
        state->fd[0] = state->fd[1] = -1;
        return party_fail(context, "cannot make a pipe: %s", strerror(errno));
    }
    for (size_t i = 0; i < BLOCK / sizeof(uint64_t); i++)
        state->out[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    return 0;
}

static int work(struct party_context *context, uint64_t count)
{
    struct state *state = context->state;
    const int from = state->fd[0], to = state->fd[1];

    for (uint64_t i = 0; i < count; i++) {
        state->out[0]++;
        if (write(to, state->out, BLOCK) != BLOCK || read(from, state->in, BLOCK) != BLOCK)
            return party_fail(context, "cannot write %u bytes to the pipe or read them back: %s", BLOCK,
                              strerror(errno));
        if (state->in[0] != state->out[0])
            return party_fail(context, "self-check failed: the block read from the pipe is not the block written");
    }
    return 0;
}

static int verify(struct party_context *context)
{
    const struct state *state = context->state;

    checks_add(context->recorder[UNIX_CHECKS], "blocks written and not read", (double)(state->out[0] - state->in[0]), 0,
               0);
    checks_add(context->recorder[UNIX_CHECKS], "last block is as written", memcmp(state->in, state->out, BLOCK) ? 0 : 1,
               1, 0);
    return 0;
}

static void teardown(struct party_context *context)
{
    const struct state *state = context->state;

    for (int i = 0; i < 2; i++)
        if (state->fd[i] >= 0)
            close(state->fd[i]);
}

static const struct party parties[] = {
    {UNIX_MEASURED("pipe"), .state_size = sizeof(struct state), .setup = setup, .work = work, .verify = verify,
     .teardown = teardown},
};

const struct bench bench_pipe = {
    UNIX_BENCH("pipe", "Pipe Throughput", parties, UNIX_METRICS("lps", 1, 12440)),
    .groups = UNIX_INDEX | UNIX_PROCESS | UNIX_OLDSYSTEM | UNIX_CORE_BOUND,
    .sampling = UNIX_SHORT_SAMPLING,
    .place = unix_place,
    .describe = unix_describe,
};
