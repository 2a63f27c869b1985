/* SPDX-License-Identifier: MIT */
/* Memory that is allocated, touched, moved and freed, again and again. */
#include "load/load.h"

#include <sys/mman.h>

/* Then the load counts as running with less memory: far below the engine's limit for getting ready. */
#define PATIENCE_NS 15000000000u

/* 0 when less than the reserve is available. */
static uint64_t less_spare(uint64_t available, uint64_t total)
{
    const uint64_t spare = larger(total / 20, MEMLOAD_LEAST_SPARE);

    return available > spare ? available - spare : 0;
}

uint64_t memload_room(void)
{
    uint64_t of_group = less_spare(cgroup_memory_available(), cgroup_memory_limit());
    struct machine machine = {0};

    machine_read_memory(&machine); /* machine_read() reads files of each CPU: too slow for each piece */
    return smaller(less_spare(machine.memory_available_bytes, machine.memory_total_bytes), of_group);
}

/* The last piece may be smaller. */
static size_t piece_bytes(const struct load_params *params, size_t number)
{
    return (size_t)smaller(params->memory_bytes - (uint64_t)number * MEMLOAD_PIECE_BYTES, MEMLOAD_PIECE_BYTES);
}

static void count_moved(struct party_context *context, size_t bytes)
{
    struct memload *m = context->state;

    load_add(context, LOAD_MOVED, (double)bytes);
    load_count_cpu(context, &m->due_ns);
}

static void prove(struct party_context *context)
{
    struct memload *m = context->state;

    party_proved(context);
    m->proved = true;
}

static void touch_piece(struct party_context *context, char *piece, size_t bytes)
{
    const struct memload *m = context->state;

    for (size_t at = 0; at < bytes && !party_stopped(context);) {
        const size_t end = (size_t)smaller(bytes, at + MEMLOAD_STEP_BYTES), begin = at;
        for (; at < end; at += m->page_bytes)
            *(volatile size_t *)(piece + at) = at ^ (size_t)piece;
        count_moved(context, end - begin);
        if (clock_raw_ns() - m->start_ns >= m->patience_ns)
            prove(context);
    }
}

static void move_piece(struct party_context *context, char *to, const char *from, size_t bytes)
{
    for (size_t at = 0; at < bytes && !party_stopped(context); at += MEMLOAD_STEP_BYTES) {
        const size_t part = (size_t)smaller(bytes - at, MEMLOAD_STEP_BYTES);
        memmove(to + at, from + at, part);
        count_moved(context, part);
    }
}

/* As many as memory allows. Returns 0, or the errno of mmap. */
static int grow(struct party_context *context)
{
    const struct load_params *params = context->params;
    struct memload *m = context->state;

    while (m->n < m->max && !party_stopped(context)) {
        size_t bytes = piece_bytes(params, m->n);
        if (params->memory_spare && m->room_bytes() < bytes)
            return 0;
        void *piece = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED)
            return errno;
        m->pieces[m->n++] = piece;
        touch_piece(context, piece, bytes);
    }
    return 0;
}

static void free_all(struct party_context *context)
{
    struct memload *m = context->state;

    for (; m->n; m->n--)
        munmap(m->pieces[m->n - 1], piece_bytes(context->params, m->n - 1));
}

static int setup(struct party_context *context)
{
    const struct load_params *params = context->params;
    struct memload *m = context->state;
    uint64_t max = params->memory_bytes / MEMLOAD_PIECE_BYTES + (params->memory_bytes % MEMLOAD_PIECE_BYTES != 0);

    if (max <= SIZE_MAX / sizeof(*m->pieces)) {
        m->max = (size_t)max;
        m->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
        m->patience_ns = PATIENCE_NS;
        m->room_bytes = memload_room;
        m->pieces = calloc(m->max, sizeof(*m->pieces));
    }
    return m->pieces ? 0 : party_fail(context, "out of memory");
}

static int run(struct party_context *context)
{
    const struct load_params *params = context->params;
    struct memload *m = context->state;

    m->start_ns = clock_raw_ns();
    for (;;) {
        int error = grow(context);
        if (party_stopped(context))
            return 0;
        if (!m->n && !m->proved && error)
            return party_fail(context, "cannot allocate memory: mmap: %s", strerror(error));
        if (!m->n && !m->proved)
            return party_fail(context, "memory is short: too little could be taken without harm to the machine");
        if (m->n < m->max)
            party_degraded(context, "memload holds %s of %s: memory is short%s%s",
                           TEXT_BYTES((uint64_t)m->n * MEMLOAD_PIECE_BYTES), TEXT_BYTES(params->memory_bytes),
                           error ? ": mmap: " : "", error ? strerror(error) : "");
        prove(context);
        if (!m->n) /* other programs took the memory; it may be freed again */
            clock_sleep_ns(LOAD_REFRESH_NS);
        for (size_t i = m->n; i-- > 1;)
            move_piece(context, m->pieces[i], m->pieces[i - 1], piece_bytes(context->params, i));
        free_all(context);
    }
}

static void teardown(struct party_context *context)
{
    struct memload *m = context->state;

    free_all(context);
    free(m->pieces);
}

static void describe(const void *params, struct row_params *out)
{
    load_describe_size(out, "memory", ((const struct load_params *)params)->memory_bytes);
}

const struct load load_memload = {
    LOAD("memload", "memory allocated, touched, moved and freed"),
    BENCH_PARTY(LOAD_PARTY("memload"), .state_size = sizeof(struct memload), .setup = setup, .run = run,
                .teardown = teardown),
    .least = {[LOAD_MOVED] = 64 << 20},
    .describe = describe,
};
