/* SPDX-License-Identifier: MIT */
/* The ring of a chase: each line once, in an order that no prefetcher follows. */

#include "bench/memory.h"
#include "memory_fixture.h"

#define LINES 4096u

/* --- A machine that is made up here: its clock goes on by a step at each reading, and memory is where a test says.
 * Off, it is this one. --- */

static struct {
    bool on;
    uint64_t now_ns, step_ns;
    unsigned readings;
    uintptr_t address; /* of the next mapping; 0: there is no memory */
    char log[512];
} made;

static uint64_t made_clock(void)
{
    if (!made.on)
        return clock_raw_ns();
    made.readings++;
    return made.now_ns += made.step_ns;
}

static void *made_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
    if (!made.on)
        return mmap(at, size, prot, flags, fd, offset);
    text_add(made.log, sizeof(made.log), "map %zx", size);
    return made.address ? (char *)made.address : (char *)MAP_FAILED;
}

static int made_munmap(void *at, size_t size)
{
    if (!made.on)
        return munmap(at, size);
    text_add(made.log, sizeof(made.log), ", unmap %zx at %zx", size, (size_t)at);
    return 0;
}

static int made_madvise(void *at, size_t size, int advice)
{
    if (!made.on)
        return madvise(at, size, advice);
    text_add(made.log, sizeof(made.log), ", %s %zx at %zx",
             advice == MADV_HUGEPAGE     ? "huge"
             : advice == MADV_NOHUGEPAGE ? "small"
                                         : "other",
             size, (size_t)at);
    return 0;
}

static void made_core_slice(struct core_meter *core, double count, double cost, uint64_t start_ns)
{
    assert_null(core);
    text_add(made.log, sizeof(made.log), "%g in %g from %llu", count, cost, (unsigned long long)start_ns);
}

static int made_huge_pages_read(const void *const *addresses, size_t n, struct huge_pages *out)
{
    text_add(made.log, sizeof(made.log), "%zu address %zx", n, (size_t)addresses[0]);
    *out = (struct huge_pages){0};
    return 0;
}

/* The same source, on that machine. */
#define clock_raw_ns    made_clock
#define mmap            made_mmap
#define munmap          made_munmap
#define madvise         made_madvise
#define core_slice      made_core_slice
#define huge_pages_read made_huge_pages_read
#include "../../src/bench/chase.c"
#undef clock_raw_ns
#undef mmap
#undef munmap
#undef madvise
#undef core_slice
#undef huge_pages_read

static void make(struct chase *chase, enum chase_pages pages, uint64_t seed)
{
    assert_int_equal(chase_map(chase, LINES * CHASE_LINE, pages), 0);
    assert_int_equal(chase_link(chase, seed), 0);
}

static void unmap(struct chase *chase)
{
    assert_int_equal(munmap(chase->set, chase->map_bytes), 0);
}

static size_t line_of(const struct chase *chase, const void *at)
{
    const size_t offset = (size_t)((const char *)at - chase->set);

    assert_true(offset % CHASE_LINE == 0 && offset < chase->bytes);
    return offset / CHASE_LINE;
}

/* Follows the ring once round. Returns how many steps lead to one of the two neighbouring lines on either side, and in
 * *pages how often the page changes. */
static size_t follow(const struct chase *chase, size_t *pages)
{
    static bool seen[LINES];
    const size_t of_page = (size_t)sysconf(_SC_PAGESIZE) / CHASE_LINE;
    const void *at = chase->at;
    size_t near = 0;

    *pages = 0;
    for (size_t i = 0; i < LINES; i++)
        seen[i] = false;
    for (size_t i = 0; i < LINES; i++) {
        const size_t line = line_of(chase, at);
        at = *(void *const *)at;
        const size_t next = line_of(chase, at), distance = next > line ? next - line : line - next;
        assert_false(seen[line]);
        seen[line] = true;
        near += distance <= 2;
        *pages += line / of_page != next / of_page;
    }
    assert_ptr_equal(at, chase->at);
    return near;
}

/* At random 4 of 4,095 steps are that short. */
TEST(test_chase_visits_each_line_once_at_random)
{
    struct chase chase;
    size_t pages;

    for (int kind = CHASE_SMALL; kind <= CHASE_HUGE; kind++) {
        make(&chase, (enum chase_pages)kind, 1);
        assert_true(follow(&chase, &pages) < 20);
        assert_true(pages > LINES / 2);
        unmap(&chase);
    }
}

/* One page after the other, and within a page of 64 lines 4 of 63 steps are short at random. */
TEST(test_chase_in_page_stays_in_the_page)
{
    struct chase chase;
    size_t pages;

    make(&chase, CHASE_IN_PAGE, 1);
    assert_true(follow(&chase, &pages) < LINES / 8);
    assert_int_equal(pages, chase.bytes / (size_t)sysconf(_SC_PAGESIZE));
    unmap(&chase);
}

/* Every second line, and 16 KiB after 16 KiB. */
TEST(test_chase_links_blocks)
{
    enum { STRIDE = 2 * CHASE_LINE, BLOCK = 16384, PER_BLOCK = BLOCK / STRIDE };
    static bool seen[LINES];
    struct chase chase;
    size_t near = 0;

    assert_int_equal(chase_map(&chase, LINES * CHASE_LINE, CHASE_HUGE), 0);
    assert_int_equal(chase_link_blocks(&chase, 1, STRIDE, BLOCK), 0);
    const void *at = chase.at;
    for (size_t i = 0; i < LINES / 2; i++) {
        const size_t line = line_of(&chase, at);
        assert_int_equal(line % 2, 0);
        assert_int_equal(line / 2 / PER_BLOCK, i / PER_BLOCK);
        assert_false(seen[line]);
        seen[line] = true;
        at = *(void *const *)at;
        near += line_of(&chase, at) == line + 2;
    }
    assert_ptr_equal(at, chase.at);
    assert_true(near < LINES / 32);
    unmap(&chase);
}

/* The slices' times of a load: 1, 2 and 9 ns. */
TEST(test_chase_median)
{
    struct slices *slices = calloc(1, sizeof(*slices) + 4 * sizeof(slices->slice[0]));

    assert_non_null(slices);
    slices->capacity = 4;
    slices->stride = 1;
    assert_true(!(chase_median_ns(slices) > 0));
    slices_add(slices, 100, 0, 900);
    slices_add(slices, 100, 900, 1000);
    slices_add(slices, 200, 1000, 1400);
    assert_true(chase_median_ns(slices) == 2);
    allocations_before_refusal = 0;
    assert_true(!(chase_median_ns(slices) >= 0));
    allocations_before_refusal = UINT_MAX;
    free(slices);
}

static void machine_of(uint64_t step_ns, uintptr_t address)
{
    memset(&made, 0, sizeof(made));
    made.on = true;
    made.step_ns = step_ns;
    made.address = address;
}

/* Working sets in huge pages begin at a multiple of 2 MiB and have whole ones; what else was mapped is given back. */
TEST(test_chase_maps_whole_pages_of_its_kind)
{
    static const struct {
        size_t bytes;
        enum chase_pages pages;
        uintptr_t address, set;
        size_t lines_bytes, map_bytes;
        const char *log;
    } cases[] = {
        {0x300000, CHASE_HUGE, 0x10300000, 0x10400000, 0x300000, 0x400000,
         "map 600000, unmap 100000 at 10300000, unmap 100000 at 10800000, huge 400000 at 10400000"},
        {0x200001, CHASE_HUGE, 0x10400000, 0x10400000, 0x200000, 0x400000,
         "map 600000, unmap 200000 at 10800000, huge 400000 at 10400000"},
        {0x200000, CHASE_HUGE, 0x105ff000, 0x10600000, 0x200000, 0x200000,
         "map 400000, unmap 1000 at 105ff000, unmap 1ff000 at 10800000, huge 200000 at 10600000"},
        {0x3007f, CHASE_SMALL, 0x105ff000, 0x105ff000, 0x30040, 0x3007f, "map 3007f, small 3007f at 105ff000"},
        {0x30000, CHASE_IN_PAGE, 0x105ff000, 0x105ff000, 0x30000, 0x30000, "map 30000, small 30000 at 105ff000"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct chase chase;
        machine_of(0, cases[i].address);
        assert_int_equal(chase_map(&chase, cases[i].bytes, cases[i].pages), 0);
        assert_string_equal(made.log, cases[i].log);
        assert_int_equal((uintptr_t)chase.set, cases[i].set);
        assert_int_equal(chase.bytes, cases[i].lines_bytes);
        assert_int_equal(chase.map_bytes, cases[i].map_bytes);
        assert_int_equal(chase.pages, cases[i].pages);
        assert_null(chase.at);
        machine_of(0, 0);
        assert_int_equal(chase_map(&chase, cases[i].bytes, cases[i].pages), -1);
        assert_null(chase.set);
    }
    made.on = false;
}

/* 4,096 loads at a time, until each line was read or 25 ms have passed; a reading of the clock is a step after the one
 * before. Of loads that take a step for 4,096, so many take 1.5 ms, and at least 16. */
TEST(test_chase_warms_up_for_one_round)
{
    static const struct {
        size_t lines;
        uint64_t step_ns;
        unsigned readings;
        uint64_t loads;
    } cases[] = {
        {LINES, 1000000, 3, 6160},      /* 6,144 loads, and 16 */
        {LINES - 1, 1000000, 3, 6160},  /* no less */
        {LINES + 1, 1000000, 6, 6160},  /* twice, with a look at the time between */
        {3 * LINES, 1000000, 9, 6160},  /* three times */
        {3 * LINES, 10000000, 4, 624},  /* 614.4 loads; 30 ms are too long */
        {3 * LINES, 8000000, 7, 784},   /* 768 loads; 24 ms are not */
        {LINES, 0, 3, 6144000016},      /* no time at all is a nanosecond */
        {LINES, 10000000000000, 3, 16}, /* not one load in that time */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct chase chase;
        made.on = false;
        assert_int_equal(chase_map(&chase, cases[i].lines * CHASE_LINE, CHASE_SMALL), 0);
        assert_int_equal(chase_link(&chase, 1), 0);
        machine_of(cases[i].step_ns, 0);
        const uint64_t loads = chase_warm_up(&chase);
        assert_true(loads == cases[i].loads);
        assert_int_equal(made.readings, cases[i].readings);
        made.on = false;
        unmap(&chase);
    }
}

TEST(test_chase_slice_is_timed)
{
    struct slices *slices = calloc(1, sizeof(*slices) + 2 * sizeof(slices->slice[0]));
    struct chase chase;

    assert_non_null(slices);
    slices->capacity = 2;
    slices->stride = 1;
    make(&chase, CHASE_SMALL, 3);
    void *const start = chase.at;
    machine_of(500, 0);
    chase_slice(&chase, LINES, slices, NULL);
    assert_ptr_equal(chase.at, start);
    assert_int_equal(slices->n, 1);
    assert_true(slices->slice[0].count == LINES);
    assert_true(slices->slice[0].start_ns == 500 && slices->slice[0].end_ns == 1000);
    assert_string_equal(made.log, "4096 in 500 from 500");
    made.on = false;
    unmap(&chase);
    free(slices);
}

static int link_one(void)
{
    struct chase chase;

    if (chase_map(&chase, LINES * CHASE_LINE, CHASE_SMALL))
        return -1;
    const int error = chase_link(&chase, 1);
    unmap(&chase);
    return error;
}

TEST(test_chase_without_memory)
{
    assert_int_equal(memory_needed(link_one), 1);
}
