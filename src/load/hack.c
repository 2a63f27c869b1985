/* SPDX-License-Identifier: MIT */
/* Groups of threads that send each other messages without end. Method: hackbench by Rusty Russell (2001), as
 * documented: 20 senders and 20 receivers in a group, and a socket pair for each receiver. */
#include <sys/socket.h>

#include "load/load.h"

/* In a round each sender sends each receiver MESSAGES. */
#define RECEIVERS     20u
#define MEMBERS       (2 * RECEIVERS)
#define MESSAGES      100u
#define MESSAGE_BYTES 100u

struct group {
    int pair[RECEIVERS][2]; /* senders use the first end */
};

/* One thread's, in a cache line of its own. received may wrap: the main thread adds its increase since `counted`. */
struct member {
    struct hack *hack;
    const struct group *group;
    unsigned number; /* senders follow the receivers */
    uint32_t received, counted;
} __attribute__((aligned(64)));

struct hack {
    struct threads threads;
    struct group *groups;
    size_t n, capacity;
    struct member *members;
    uint32_t error; /* of the first thread that failed */
};

/* Whether a whole message was moved: none (EPIPE) after shutdown() of the pair. */
static bool move_message(int fd, char *message, bool sends)
{
    ssize_t n;

    while ((n = sends ? send(fd, message, MESSAGE_BYTES, MSG_NOSIGNAL)
                      : recv(fd, message, MESSAGE_BYTES, MSG_WAITALL)) != MESSAGE_BYTES) {
        if (n >= 0)
            errno = EPIPE;
        if (errno != EINTR)
            return false;
    }
    return true;
}

static bool send_round(const struct group *group)
{
    char message[MESSAGE_BYTES] = {0};

    for (unsigned i = 0; i < MESSAGES; i++)
        for (unsigned r = 0; r < RECEIVERS; r++)
            if (!move_message(group->pair[r][0], message, true))
                return false;
    return true;
}

static void receive_all(struct hack *hack, int fd, uint32_t *count)
{
    char message[MESSAGE_BYTES];
    bool first = true;

    for (uint32_t received = 1; move_message(fd, message, false); received++) {
        __atomic_store_n(count, received, __ATOMIC_RELAXED);
        if (first)
            threads_at_work(&hack->threads);
        first = false;
    }
}

static void *member_main(void *argument)
{
    struct member *member = argument;
    struct hack *hack = member->hack;
    uint32_t none = 0; /* later errors are consequences of the first */

    if (!threads_wait(&hack->threads))
        return NULL;
    if (member->number < RECEIVERS) {
        receive_all(hack, member->group->pair[member->number][1], &member->received);
    } else {
        threads_at_work(&hack->threads);
        while (send_round(member->group)) {
        }
    }
    if (!threads_ended(&hack->threads))
        __atomic_compare_exchange_n(&hack->error, &none, (uint32_t)errno, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return NULL;
}

static void close_pairs(const struct group *group, unsigned n)
{
    for (unsigned i = 0; i < 2 * n; i++)
        close(group->pair[i / 2][i % 2]);
}

/* All or none. Returns 0 or errno. */
static int open_group(struct group *group)
{
    for (unsigned i = 0; i < RECEIVERS; i++)
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, group->pair[i])) {
            int error = errno;
            close_pairs(group, i);
            return error;
        }
    return 0;
}

static int open_groups(struct party_context *context, struct hack *hack, uint64_t wanted)
{
    const char *which;
    int error = 0;

    while (hack->n < wanted && !error) {
        const bool room = GROW_ARRAY(hack->groups, hack->capacity, hack->n);
        error = room ? open_group(&hack->groups[hack->n]) : ENOMEM;
        hack->n += !error;
    }
    if (!error)
        return 0;
    which = error == EMFILE ? " (RLIMIT_NOFILE)" : error == ENFILE ? " (fs.file-max)" : "";
    if (!hack->n)
        return party_fail(context, "cannot make the socket pairs of a group: %s%s", strerror(error), which);
    party_degraded(context, "hack: %zu of %" PRIu64 " groups: %s%s", hack->n, wanted, strerror(error), which);
    return 0;
}

static int make_members(struct party_context *context, struct hack *hack)
{
    size_t n = hack->n * MEMBERS;

    hack->members = threads_memory(n, sizeof(*hack->members));
    if (!hack->members)
        return party_fail(context, "out of memory");
    for (size_t i = 0; i < n; i++)
        hack->members[i] =
            (struct member){.hack = hack, .group = &hack->groups[i / MEMBERS], .number = (unsigned)(i % MEMBERS)};
    return 0;
}

static int setup(struct party_context *context)
{
    const struct load_params *params = context->params;
    struct hack *hack = context->state;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    return open_groups(context, hack, params->groups) ? -1 : make_members(context, hack);
}

static uint32_t count_received(struct hack *hack)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < hack->n * MEMBERS; i++) {
        struct member *member = &hack->members[i];
        uint32_t received = __atomic_load_n(&member->received, __ATOMIC_RELAXED);
        sum += received - member->counted;
        member->counted = received;
    }
    return sum;
}

static int run(struct party_context *context)
{
    struct hack *hack = context->state;
    uint64_t due_ns = 0;
    uint32_t error;

    if (threads_start(&hack->threads, context, hack->n * MEMBERS, member_main, hack->members, sizeof(*hack->members)))
        return -1;
    while (!party_stopped(context)) {
        clock_sleep_ns(LOAD_REFRESH_NS);
        load_add(context, LOAD_WAKEUPS, count_received(hack));
        load_count_cpu(context, &due_ns);
        if ((error = __atomic_load_n(&hack->error, __ATOMIC_RELAXED)))
            return party_fail(context, "a message was lost: %s", strerror((int)error));
        if (threads_complete(&hack->threads))
            party_proved(context);
    }
    return 0;
}

static void teardown(struct party_context *context)
{
    struct hack *hack = context->state;

    threads_end(&hack->threads);
    for (size_t i = 0; i < hack->n; i++)
        for (unsigned r = 0; r < RECEIVERS; r++)
            shutdown(hack->groups[i].pair[r][0], SHUT_RDWR);
    threads_join(&hack->threads);
    for (size_t i = 0; i < hack->n; i++)
        close_pairs(&hack->groups[i], RECEIVERS);
    free(hack->groups);
    free(hack->members);
}

static void describe(const void *params, struct row_params *out)
{
    row_param_count(out, PARAM_WORK, "groups", ((const struct load_params *)params)->groups);
}

const struct load load_hack = {
    LOAD("hack", "groups of 40 threads that send each other messages"),
    .only_named = true, /* can exhaust the machine's memory */
    BENCH_PARTY(LOAD_PARTY("hack"), .state_size = sizeof(struct hack), .setup = setup, .run = run,
                .teardown = teardown),
    .least = {[LOAD_WAKEUPS] = 1000},
    .describe = describe,
};
