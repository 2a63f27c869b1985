/* SPDX-License-Identifier: MIT */
/* Rings of perf events: made-up records, and, for root, a ring of this machine. */
#include "../refuse.h"
#include "fixture.h"

#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/trace.h"

/* --- Records as linux/perf_event.h has them. --- */

static const struct trace_events events = {
    .n = 4,
    .of = {{.id = 170,
            .kind = TRACE_ENTER,
            .source = TRACE_IRQ,
            .number_at = 8,
            .number_size = 4,
            .name_at = 12,
            .name_size = 4},
           {.id = 90, .kind = TRACE_ENTER, .source = TRACE_VECTOR, .vector = 5, .name = "local_timer"},
           {.id = 89, .kind = TRACE_LEAVE, .source = TRACE_VECTOR, .vector = 5, .name = "local_timer"},
           {.id = 120, .kind = TRACE_ENTER, .source = TRACE_WORK, .number_at = 16, .number_size = 8}}};

static struct {
    char bytes[512];
    size_t size;
} made;

static void put(const void *bytes, size_t size)
{
    memcpy(made.bytes + made.size, bytes, size);
    made.size += size;
}

static void put_32(uint32_t value)
{
    put(&value, sizeof(value));
}

static void put_64(uint64_t value)
{
    put(&value, sizeof(value));
}

static void put_id(uint32_t tid, uint64_t ns)
{
    put_32(1);
    put_32(tid);
    put_64(ns);
}

static void begin(uint32_t type, uint16_t misc)
{
    const uint16_t size = 0;

    made.size = 0;
    put_32(type);
    put(&misc, sizeof(misc));
    put(&size, sizeof(size));
}

static bool read_made(struct trace_record *out)
{
    const uint16_t size = (uint16_t)made.size;

    memcpy(made.bytes + 6, &size, sizeof(size));
    return trace_record_read(made.bytes, sizeof(made.bytes), &events, out);
}

static void put_switch(uint16_t misc, uint32_t other, uint32_t tid, uint64_t ns)
{
    begin(15, misc);
    put_32(1);
    put_32(other);
    put_id(tid, ns);
}

TEST(test_trace_ring_switches_name_the_next_task)
{
    struct trace_record record;

    put_switch(0x2000, 8, 7, 1234);
    assert_true(read_made(&record));
    assert_true(record.kind == TRACE_SWITCH && record.tid == 8 && record.ns == 1234);
    put_switch(0x6000, 9, 7, 1235); /* preempted */
    assert_true(read_made(&record) && record.tid == 9);
    put_switch(0, 7, 8, 1236);
    assert_true(read_made(&record) && record.tid == 8);
}

static void put_sample(uint32_t tid, uint64_t ns, const void *raw, uint32_t size)
{
    begin(9, 0);
    put_id(tid, ns);
    put_32(size);
    put(raw, size);
}

TEST(test_trace_ring_interrupts_have_number_and_name)
{
    struct {
        uint16_t type, rest[3];
        int32_t irq;
        uint16_t name_at, name_size;
        char name[16];
    } irq = {.type = 170, .irq = 24, .name_at = 16, .name_size = 8, .name = "virtio0"};
    struct trace_record record;

    put_sample(7, 99, &irq, sizeof(irq));
    assert_true(read_made(&record));
    assert_true(record.kind == TRACE_ENTER && record.source == TRACE_IRQ && record.number == 24 && record.tid == 7);
    assert_string_equal(record.name, "virtio0");
    irq.name_size = 17; /* beyond the end */
    put_sample(7, 99, &irq, sizeof(irq));
    assert_true(read_made(&record));
    assert_string_equal(record.name, "");
    irq.type = 171; /* of nobody */
    put_sample(7, 99, &irq, sizeof(irq));
    assert_false(read_made(&record));
    irq.type = 170; /* too short for the number */
    put_sample(7, 99, &irq, 10);
    assert_false(read_made(&record));
}

TEST(test_trace_ring_names_and_parents)
{
    struct trace_record record;

    begin(3, 0x2000); /* the name of the task 8, at exec */
    put_32(8);
    put_32(9);
    put("stress\0", 8);
    put_id(9, 50);
    assert_true(read_made(&record));
    assert_true(record.kind == TRACE_NAME && record.tid == 9 && record.ns == 50);
    assert_string_equal(record.name, "stress");
    begin(7, 0);
    put_32(8);
    put_32(1);
    put_32(9);
    put_32(2);
    put_64(51);
    put_id(2, 51);
    assert_true(read_made(&record));
    assert_true(record.kind == TRACE_FORK && record.tid == 9 && record.number == 2);
    begin(4, 0); /* the end of a task */
    put_id(3, 52);
    assert_false(read_made(&record));
}

/* No length makes it read beyond the record: tests run with the address sanitizer, too. */
TEST(test_trace_ring_short_records_are_rejected)
{
    static const uint32_t types[] = {2, 3, 7, 9, 15};
    struct trace_record record;

    for (size_t t = 0; t < COUNT(types); t++)
        for (uint16_t size = 8; size <= 40; size++) {
            begin(types[t], 0);
            char *bytes = malloc(size);
            memcpy(made.bytes + 6, &size, sizeof(size));
            memset(made.bytes + 8, 0xff, 64);
            memcpy(bytes, made.bytes, size);
            (void)trace_record_read(bytes, size, &events, &record);
            assert_false(trace_record_read(bytes, size - 1u, &events, &record));
            free(bytes);
        }
}

/* --- A ring of memory that is not the kernel's. --- */

#define RING 4096u

static struct trace_ring ring;

static int make_ring(void **state)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    ring = (struct trace_ring){.events = &events, .bytes = RING, .memory = calloc(1, page + RING)};
    return ring.memory ? 0 : -1;
}

static int free_ring(void **state)
{
    free(ring.at);
    free(ring.memory);
    return 0;
}

static uint64_t *end_of(unsigned which)
{
    return (uint64_t *)(void *)((char *)ring.memory + 1024) + which;
}

/* Writes what was made as the kernel does. Returns false when there is no room. */
static bool write_made(void)
{
    char *data = (char *)ring.memory + sysconf(_SC_PAGESIZE);
    const uint16_t size = (uint16_t)made.size;

    if (*end_of(0) + size - *end_of(1) > RING)
        return false;
    memcpy(made.bytes + 6, &size, sizeof(size));
    for (size_t i = 0; i < size; i++)
        data[(*end_of(0) + i) % RING] = made.bytes[i];
    *end_of(0) += size;
    return true;
}

/* Records that continue at the beginning of the ring. */
TEST_WITH(test_trace_ring_records_come_in_order, make_ring, free_ring)
{
    struct trace_record record;
    uint64_t written = 0, got = 0;

    for (unsigned round = 0; round < 7; round++) {
        trace_ring_start(&ring);
        for (unsigned i = 0; i < 90; i++) {
            put_switch(0, 7, 8, ++written);
            assert_true(write_made());
        }
        trace_ring_stop(&ring);
        assert_false(ring.full);
        while (trace_ring_next(&ring, &record))
            assert_int_equal(record.ns, ++got);
        assert_int_equal(got, written);
    }
    assert_true(written * 32 > 4 * RING);
}

/* The kernel writes the newest record first, over the oldest ones. */
TEST_WITH(test_trace_ring_that_keeps_the_last_records, make_ring, free_ring)
{
    char *data = (char *)ring.memory + sysconf(_SC_PAGESIZE);
    struct trace_record record;

    for (uint64_t n = 3; n <= 200; n += 197) {
        ring.last = true;
        trace_ring_start(&ring);
        for (uint64_t at = 1; at <= n; at++) {
            put_switch(0, 7, 8, at);
            const uint16_t size = (uint16_t)made.size;
            memcpy(made.bytes + 6, &size, sizeof(size));
            *end_of(0) -= size;
            for (size_t i = 0; i < size; i++)
                data[(*end_of(0) + i) % RING] = made.bytes[i];
        }
        trace_ring_stop(&ring);
        assert_false(ring.full);
        const uint64_t kept = n < RING / made.size ? n : RING / made.size;
        for (uint64_t at = n - kept + 1; at <= n; at++) {
            assert_true(trace_ring_next(&ring, &record));
            assert_int_equal(record.ns, at);
        }
        assert_false(trace_ring_next(&ring, &record));
    }
}

/* A ring of one page: whether it may have been too small is known when it is stopped. Its last records may follow lost
 * ones. */
TEST_WITH(test_trace_ring_that_is_full_says_so, make_ring, free_ring)
{
    struct trace_record record;
    size_t n = 0;

    trace_ring_start(&ring);
    put_switch(0, 7, 8, 1);
    for (unsigned i = 0; i < RING / 2 / made.size; i++)
        assert_true(write_made());
    trace_ring_stop(&ring);
    assert_false(ring.full);
    trace_ring_start(&ring);
    while (write_made())
        ;
    trace_ring_stop(&ring);
    assert_true(ring.full);
    while (trace_ring_next(&ring, &record))
        n++;
    assert_int_equal(n, (RING - 512) / made.size);
}

/* --- Rings of the kernel's. --- */

/* The switches between this task and a pause, with their times; both kinds of ring, also where the tracepoints have
 * gone since their numbers were read. */
TEST(test_trace_ring_of_this_machine)
{
    static const struct trace_events none,
        gone = {.of = {{.id = 0xfffffff, .kind = TRACE_SWITCH}, {.id = 0xffffffe, .kind = TRACE_ENTER}}, .n = 2};
    const struct timespec pause = {.tv_nsec = 2000000};
    struct cpuset cpus, one;
    struct trace_ring real = {.n = 0};
    struct trace_record record;

    assert_int_equal(task_get_affinity(&cpus), 0);
    const unsigned cpu = cpuset_next(&cpus, 0);
    cpuset_clear(&one);
    cpuset_add(&one, cpu);
    assert_int_equal(task_set_affinity(&one), 0);
    for (unsigned kind = 0; kind < 4; kind++) {
        unsigned away = 0, back = 0;
        const int error = trace_ring_open(&real, cpu, kind / 2 ? &gone : &none, 65536, kind % 2);
        if (error) {
            char why[160];
            assert_int_equal(task_set_affinity(&cpus), 0);
            skip_because("no ring here: %s", trace_ring_why(error, why, sizeof(why)));
        }
        uint64_t before = clock_raw_ns();
        trace_ring_start(&real);
        for (unsigned i = 0; i < 5; i++)
            (void)nanosleep(&pause, NULL);
        const uint64_t to = clock_raw_ns();
        trace_ring_stop(&real);
        while (trace_ring_next(&real, &record)) {
            assert_true(record.ns >= before);
            before = record.ns;
            if (record.kind != TRACE_SWITCH || record.ns > to)
                continue;
            away += record.tid != (uint32_t)getpid();
            back += record.tid == (uint32_t)getpid();
        }
        trace_ring_close(&real);
        assert_true(away >= 5 && back >= 5);
    }
    assert_int_equal(task_set_affinity(&cpus), 0);
}

#ifdef SYS_perf_event_open
#endif
