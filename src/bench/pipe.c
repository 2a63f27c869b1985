/* SPDX-License-Identifier: MIT */
/* Pipes: one process writes 512 bytes into a pipe and reads them back; two processes switch by two pipes. */
#include <fcntl.h>

#include "bench/unix.h"

/* --- pipe --- */

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

    fd_close(&state->fd[0]);
    fd_close(&state->fd[1]);
}

const struct bench bench_pipe = {
    UNIX_BENCH("pipe", "Pipe Throughput", "lps", 1, 12440, .state_size = sizeof(struct state), .setup = setup,
               .work = work, .verify = verify, .teardown = teardown),
    .groups = UNIX_INDEX | UNIX_PROCESS | UNIX_OLDSYSTEM | UNIX_CORE_BOUND,
    .sampling = UNIX_SHORT_SAMPLING,
    .place = unix_place,
    .describe = unix_describe,
};

/* --- context1: a number goes to another process and back, and each checks it. --- */

enum { PARTY_ASKER, PARTY_ANSWERER, N_HALVES };
enum { PIPE_THERE, PIPE_BACK, N_PIPES };

/* The other process's reason or signal is to reach the parent first. */
#define PEER_REASON_NS 500000000u

static int close_unused_ends(struct party_context *context, int from, int to)
{
    /* End of file comes only after all writers have closed. */
    close(context->pipes[from][1]);
    close(context->pipes[to][0]);
    /* Writing to a process that has ended is then an error. */
    return signal(SIGPIPE, SIG_IGN) == SIG_ERR ? party_fail(context, "cannot ignore SIGPIPE") : 0;
}

static int lost(struct party_context *context, const char *what, ssize_t n)
{
    int error = n < 0 ? errno : 0;

    clock_sleep_ns(PEER_REASON_NS);
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
        return party_fail(context, "self-check failed: number %" PRIu64 " came back as %" PRIu64, number, answer);
    return 0;
}

static int asker_setup(struct party_context *context)
{
    return close_unused_ends(context, PIPE_BACK, PIPE_THERE);
}

static int asker_work(struct party_context *context, uint64_t count)
{
    uint64_t *sent = context->state;

    for (uint64_t i = 0; i < count; i++)
        if (ask(context, (*sent)++))
            return -1;
    return 0;
}

static void asker_teardown(struct party_context *context)
{
    close(context->pipes[PIPE_THERE][1]); /* the answerer reads the end of file */
    close(context->pipes[PIPE_BACK][0]);
}

static int answerer_setup(struct party_context *context)
{
    return close_unused_ends(context, PIPE_THERE, PIPE_BACK);
}

/* Before the measurement: the warm-up needs answers. If the end of file comes early, the asker reports why. */
static int answerer_run(struct party_context *context)
{
    uint64_t number;

    party_proved(context);
    for (uint64_t expected = 0;; expected++) {
        ssize_t n = read(context->pipes[PIPE_THERE][0], &number, sizeof(number));
        if (n == 0)
            return 0;
        if (n != sizeof(number))
            return lost(context, "read", n);
        if (number != expected)
            return party_fail(context, "self-check failed: got the number %" PRIu64 ", not %" PRIu64, number, expected);
        n = write(context->pipes[PIPE_BACK][1], &number, sizeof(number));
        if (n != sizeof(number))
            return lost(context, "write", n);
    }
}

static void place(const struct place_of *of, struct placement *placement)
{
    const struct unix_params *p = of->params;
    const struct place_request *request = of->request;
    unsigned cpu = request->order[of->copy % request->n_order];

    if (p->halves == HALVES_FREE) {
        unix_place_range(of, placement);
        return;
    }
    if (p->halves == HALVES_TWO && p->pairs.n) {
        const struct cpu_pair *pair = &p->pairs.pair[of->copy % p->pairs.n];
        cpu = of->party == PARTY_ANSWERER ? pair->second : pair->first;
    }
    place_one(request, of->copy, cpu, placement);
    /* Only for the process whose reason the row shows. */
    if (p->halves == HALVES_TWO && !p->pairs.n && of->party == PARTY_ASKER)
        TEXT_SET(placement->refused, "both halves on one CPU: no second CPU is allowed");
}

static void describe(const struct bench_case *of, struct row_params *out)
{
    static const char *const halves[] = {"free", "same", "two"};
    const struct unix_params *p = of->params;
    bool seen[CPU_RELATIONS] = {false};
    char relations[96] = ""; /* of all pairs, each once: "same-cache+same-package" */

    for (size_t i = 0; i < p->pairs.n; i++)
        seen[p->pairs.pair[i].relation] = true;
    for (unsigned r = 0; r < CPU_RELATIONS; r++)
        if (seen[r])
            TEXT_ADD(relations, "%s%s", relations[0] ? "+" : "", cpu_relation_names[r]);
    row_param_add(out, PARAM_WORK, "halves", "%s", halves[p->halves]);
    if (p->pairs_name)
        row_param_add(out, PARAM_WORK, "pairs", "%s", p->pairs_name);
    if (relations[0])
        row_param_add(out, PARAM_CPU, "relation", "%s", relations);
    unix_describe(of, out);
}

static const struct party parties[N_HALVES] = {
    [PARTY_ASKER] = {UNIX_MEASURED("context1"), .state_size = sizeof(uint64_t), .setup = asker_setup,
                     .work = asker_work, .teardown = asker_teardown},
    [PARTY_ANSWERER] =
        {.name = "partner", .role = ROLE_PARTNER, .before_gate = true, .setup = answerer_setup, .run = answerer_run},
};

const struct bench bench_context1 = {
    UNIX_BENCH_OF("context1", "Pipe-based Context Switching", "lps", 1, 4000),
    BENCH_PARTIES(parties),
    .groups = UNIX_INDEX_CLASSIC | UNIX_PROCESS | UNIX_OLDSYSTEM,
    .n_pipes = N_PIPES,
    .switches = true,
    .sampling = UNIX_SHORT_SAMPLING,
    .describe = describe,
    .place = place,
};
