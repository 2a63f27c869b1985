/* SPDX-License-Identifier: MIT */
/* Links the ring, and times walks on it. */
#include <sys/mman.h>

#include "bench/memory.h"

/* A huge page with pages of 4 KiB; larger ones are left to the kernel. */
#define HUGE_BYTES ((size_t)2 << 20)

/* One round through most machines' caches. */
#define WARM_NS 25000000u
/* Between two clock readings in the warm-up. */
#define WARM_LOADS 4096u

const char *const chase_names[] = {"small", "huge", "in-page", NULL};

int chase_map(struct chase *chase, size_t bytes, enum chase_pages pages)
{
    const size_t whole = pages == CHASE_HUGE ? (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES : bytes;

    *chase = (struct chase){.bytes = bytes / CHASE_LINE * CHASE_LINE, .pages = pages};
    const size_t room = pages == CHASE_HUGE ? whole + HUGE_BYTES : whole; /* room for alignment */
    char *map = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return -1;
    const size_t before = pages == CHASE_HUGE ? (HUGE_BYTES - (uintptr_t)map % HUGE_BYTES) % HUGE_BYTES : 0;
    if (before)
        munmap(map, before);
    if (room - before > whole)
        munmap(map + before + whole, room - before - whole);
    chase->set = map + before;
    chase->map_bytes = whole;
    madvise(chase->set, whole, pages == CHASE_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return 0;
}

/* n lines, stride bytes apart from `first`, to a ring in random order (the shuffle of Fisher and Yates). order:
 * scratch for n numbers; seed: generator's state. Returns the last line, which leads to the first. */
static void *link_lines(char *first, size_t stride, uint32_t *order, size_t n, uint64_t *seed)
{
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    for (size_t i = n - 1; i > 0; i--) {
        size_t other = (size_t)(stats_random(seed) % (i + 1));
        uint32_t line = order[i];
        order[i] = order[other];
        order[other] = line;
    }
    for (size_t i = 0; i < n; i++)
        *(void **)(first + (size_t)order[i] * stride) = first + (size_t)order[(i + 1) % n] * stride;
    return first + (size_t)order[n - 1] * stride;
}

int chase_link_blocks(struct chase *chase, uint64_t seed, size_t stride, size_t block)
{
    const size_t lines = chase->bytes / stride, part = block / stride < lines ? block / stride : lines;
    FREED uint32_t *order = malloc(part * sizeof(*order));
    void *start = NULL, **before = &start;

    if (!order)
        return -1;
    for (size_t done = 0; done < lines; done += part) {
        const size_t n = lines - done < part ? lines - done : part;
        void **last = link_lines(chase->set + done * stride, stride, order, n, &seed);
        *before = *last; /* the block before leads to this first line; at first, sets start */
        before = last;
    }
    *before = start;
    chase->at = start;
    return 0;
}

int chase_link(struct chase *chase, uint64_t seed)
{
    const size_t block = chase->pages == CHASE_IN_PAGE ? (size_t)sysconf(_SC_PAGESIZE) : chase->bytes;

    return chase_link_blocks(chase, seed, CHASE_LINE, block);
}

/* Not inlined: the test of its machine code sees only the loads. */
__attribute__((noinline)) void chase_walk(struct chase *chase, uint64_t loads)
{
    void *p = chase->at;

    for (uint64_t i = 0; i < loads / CHASE_UNROLLED; i++) {
#define CHASE_LOAD p = *(void **)p;
#define CHASE_FOUR CHASE_LOAD CHASE_LOAD CHASE_LOAD CHASE_LOAD
        CHASE_FOUR CHASE_FOUR CHASE_FOUR CHASE_FOUR
    }
    chase->at = p;
}

uint64_t chase_warm_up(struct chase *chase)
{
    const uint64_t lines = chase->bytes / CHASE_LINE, start = clock_raw_ns();
    uint64_t took, loads = 0;

    do {
        const uint64_t begin = clock_raw_ns();
        chase_walk(chase, WARM_LOADS);
        took = clock_raw_ns() - begin;
        loads += WARM_LOADS;
    } while (loads < lines && clock_raw_ns() - start < WARM_NS);
    const double fit = (double)WARM_LOADS * CORE_SLICE_NS / (double)(took ? took : 1);
    return ((uint64_t)fit / CHASE_UNROLLED + 1) * CHASE_UNROLLED;
}

void chase_slice(struct chase *chase, uint64_t loads, struct slices *slices, struct core_meter *core)
{
    const uint64_t start = clock_raw_ns();
    chase_walk(chase, loads);
    const uint64_t end = clock_raw_ns();

    slices_add(slices, loads, start, end);
    core_slice(core, (double)loads, (double)(end - start), start);
}

int chase_verify(struct party_context *context)
{
    const struct chase *chase = context->state;

    if (chase->set)
        pages_record((const void *const[]){chase->set}, 1, context->recorder[CHASE_RECORDER]);
    return 0;
}

double chase_median_ns(const struct slices *slices)
{
    FREED double *ns = malloc((slices->n + 1) * sizeof(*ns));

    for (size_t i = 0; ns && i < slices->n; i++)
        ns[i] = slice_ns(&slices->slice[i]);
    return ns ? stats_median(ns, slices->n) : NAN;
}

void *pages_map(size_t bytes, int advice)
{
    const int reserved = advice == PAGES_RESERVED ? MAP_HUGETLB : 0;
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | reserved, -1, 0);

    if (map == MAP_FAILED)
        return NULL;
    if (!reserved)
        madvise(map, bytes, advice);
    return map;
}

void pages_record(const void *const *addresses, size_t n, double numbers[N_PAGES])
{
    struct huge_pages pages;

    if (huge_pages_read(addresses, n, &pages))
        return;
    numbers[PAGES_KNOWN] = 1;
    numbers[PAGES_HUGE] = (double)pages.huge_bytes;
    numbers[PAGES_POSSIBLE] = (double)pages.possible_bytes;
}

void pages_enter(struct results *results, unsigned group, const double numbers[N_PAGES])
{
    if (numbers[PAGES_KNOWN] > 0)
        results_pages(results, group, numbers[PAGES_HUGE], numbers[PAGES_POSSIBLE]);
}
