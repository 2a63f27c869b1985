/* SPDX-License-Identifier: MIT */
/* Opens and reads ring buffers of perf events. */
#include "sys/trace_ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sys/base.h"
#include "sys/cpu.h"
#include "sys/process.h"

/* Constants of linux/perf_event.h. */
#define SAMPLE_TID     (1u << 1)
#define SAMPLE_TIME    (1u << 2)
#define SAMPLE_RAW     (1u << 10)
#define IOC_ENABLE     0x2400ul /* _IO('$', 0) */
#define IOC_DISABLE    0x2401ul /* _IO('$', 1) */
#define IOC_SET_OUTPUT 0x2405ul /* _IO('$', 5) */
#define SWITCH_OUT     (1u << 13)
#define HEAD_AT        1024u /* offset of data_head in the first page of the mapping; data_tail follows it */
enum { RECORD_NONE, RECORD_LOST = 2, RECORD_COMM = 3, RECORD_FORK = 7, RECORD_SAMPLE = 9, RECORD_SWITCH_CPU_WIDE = 15 };

#define RECORD_MOST 4096u /* size of the buffer for a record; records of the events opened here are shorter */
#define RECORD_ROOM 256u  /* bytes that suffice for a record of the events opened here */

/* --- Records. --- */

struct header {
    uint32_t type;
    uint16_t misc, size;
};

/* The last field of every record but a sample, and the first one of a sample. */
struct sample_id {
    uint32_t pid, tid;
    uint64_t ns;
};

static uint64_t number_at(const char *at, size_t size)
{
    union {
        uint8_t one;
        uint16_t two;
        uint32_t four;
        uint64_t eight;
    } n = {.eight = 0};

    if (size <= sizeof(n))
        memcpy(&n, at, size);
    return size == 1 ? n.one : size == 2 ? n.two : size == 4 ? n.four : size == 8 ? n.eight : 0;
}

static void copy_name(char to[TRACE_NAME_SIZE], const char *from, size_t most)
{
    const size_t length = strnlen(from, most < TRACE_NAME_SIZE ? most : TRACE_NAME_SIZE - 1);

    memcpy(to, from, length);
    to[length] = '\0';
}

/* Interprets the raw data of a tracepoint's record. Returns false when the event is not one of `events`. */
static bool read_raw(const char *raw, size_t size, const struct trace_events *events, struct trace_record *out)
{
    const struct trace_event *event = events->of, *end = events->of + events->n;
    const uint64_t id = size >= 2 ? number_at(raw, 2) : 0;

    while (event < end && event->id != id)
        event++;
    if (event == end || (size_t)event->number_at + event->number_size > size)
        return false;
    out->kind = event->kind;
    out->source = event->source;
    const uint64_t number = event->number_size ? number_at(raw + event->number_at, event->number_size) : event->vector;
    if (event->kind == TRACE_SWITCH)
        out->tid = (uint32_t)number;
    else
        out->number = number;
    const char *softirq = event->source == TRACE_SOFTIRQ ? trace_softirq_name(number) : NULL;
    copy_name(out->name, softirq ? softirq : event->name, sizeof(event->name));
    if (event->name_size > 4 && (size_t)event->name_at + event->name_size <= size)
        copy_name(out->name, raw + event->name_at, event->name_size);
    if (event->name_size == 4 && (size_t)event->name_at + 4 <= size) {
        const uint64_t location = number_at(raw + event->name_at, 4), at = location & 0xffff, length = location >> 16;
        if (at + length <= size)
            copy_name(out->name, raw + at, length);
    }
    return true;
}

/* Returns how many bytes a record of this type has at least, in addition to its header and struct sample_id. */
static size_t least_length(uint32_t type)
{
    return type == RECORD_SAMPLE ? 4 : type == RECORD_SWITCH_CPU_WIDE ? 8 : type == RECORD_COMM ? 9 : 16;
}

bool trace_record_read(const void *bytes, size_t size, const struct trace_events *events, struct trace_record *out)
{
    struct header header;
    struct sample_id id;
    const char *at = bytes;
    uint32_t raw_size;

    memset(out, 0, sizeof(*out));
    if (size < sizeof(header) + sizeof(id))
        return false;
    memcpy(&header, at, sizeof(header));
    const char *body = at + sizeof(header);
    const size_t length = size - sizeof(header) - sizeof(id);
    memcpy(&id, header.type == RECORD_SAMPLE ? body : at + size - sizeof(id), sizeof(id));
    out->ns = id.ns;
    out->tid = id.tid;
    switch (length < least_length(header.type) ? RECORD_NONE : header.type) {
    case RECORD_SAMPLE:
        body += sizeof(id);
        memcpy(&raw_size, body, sizeof(raw_size));
        return raw_size <= length - sizeof(raw_size) && read_raw(body + sizeof(raw_size), raw_size, events, out);
    case RECORD_SWITCH_CPU_WIDE:
        out->kind = TRACE_SWITCH;
        /* A record of a task that stops running names the next task. */
        out->tid = header.misc & SWITCH_OUT ? (uint32_t)number_at(body + 4, 4) : id.tid;
        return true;
    case RECORD_COMM:
        out->kind = TRACE_NAME;
        out->tid = (uint32_t)number_at(body + 4, 4);
        copy_name(out->name, body + 8, length - 8);
        return true;
    case RECORD_FORK:
        out->kind = TRACE_FORK;
        out->tid = (uint32_t)number_at(body + 8, 4);
        out->number = number_at(body + 12, 4);
        return true;
    case RECORD_LOST:
        out->kind = TRACE_LOST;
        out->number = number_at(body + 8, 8);
        return true;
    default:
        return false;
    }
}

/* --- The ring. --- */

/* Adds a tracepoint to the ring; or (id 0) new tasks and names, or context switches. Returns 0 or -errno. */
static int add_event(struct trace_ring *ring, unsigned cpu, uint64_t id, bool switches)
{
    const struct perf_event event = {.type = id ? PERF_EVENT_TRACEPOINT : PERF_EVENT_SOFTWARE,
                                     .size = PERF_EVENT_SIZE_CLOCK,
                                     .config = id ? id : PERF_EVENT_DUMMY,
                                     .sample_period = id != 0,
                                     .sample_type = SAMPLE_TID | SAMPLE_TIME | (id ? SAMPLE_RAW : 0),
                                     .disabled = 1,
                                     .comm = !id && !switches,
                                     .task = !id && !switches,
                                     .sample_id_all = 1,
                                     .use_clockid = 1,
                                     .context_switch = switches,
                                     .write_backward = ring->last,
                                     .watermark = 1,
                                     .wakeup_events = INT32_MAX, /* no process waits for data in the ring */
                                     .clockid = CLOCK_MONOTONIC_RAW};
    const int fd = perf_open(&event, -1, (int)cpu);

    if (fd < 0)
        return fd;
    if (ring->n && ioctl(fd, IOC_SET_OUTPUT, ring->fd[0])) {
        (void)close(fd);
        return -EINVAL;
    }
    ring->fd[ring->n++] = fd;
    return 0;
}

/* Maps the ring. Returns 0 or -errno. */
static int map_ring(struct trace_ring *ring, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    /* The kernel overwrites the oldest records of a ring that cannot be written here. */
    const int rights = ring->last ? PROT_READ : PROT_READ | PROT_WRITE;

    for (ring->bytes = bytes; ring->bytes >= page; ring->bytes /= 2)
        if ((ring->memory = mmap(NULL, page + ring->bytes, rights, MAP_SHARED, ring->fd[0], 0)) != MAP_FAILED)
            return 0;
    ring->memory = NULL;
    return -errno;
}

int trace_ring_open(struct trace_ring *ring, unsigned cpu, const struct trace_events *events, size_t bytes, bool last)
{
    bool switches = false;

    if (ring->n && ring->bytes >= bytes && ring->last == last)
        return 0;
    trace_ring_close(ring);
    *ring = (struct trace_ring){.events = events, .last = last};
    int error = add_event(ring, cpu, 0, false);
    if (!error)
        error = map_ring(ring, bytes);
    for (size_t i = 0; !error && i < events->n; i++)
        if (add_event(ring, cpu, events->of[i].id, false) == 0)
            switches |= events->of[i].kind == TRACE_SWITCH; /* by their tracepoint, which has the names */
    if (!error && !switches)
        error = add_event(ring, cpu, 0, true);
    if (error)
        trace_ring_close(ring);
    return error;
}

void trace_ring_close(struct trace_ring *ring)
{
    if (ring->memory)
        (void)munmap(ring->memory, (size_t)sysconf(_SC_PAGESIZE) + ring->bytes);
    while (ring->n)
        (void)close(ring->fd[--ring->n]);
    free(ring->at);
    ring->at = NULL;
    ring->memory = NULL;
}

static uint64_t *head_of(const struct trace_ring *ring)
{
    return (uint64_t *)(void *)((char *)ring->memory + HEAD_AT);
}

void trace_ring_start(struct trace_ring *ring)
{
    uint64_t *ends = head_of(ring);

    ring->n_at = 0;
    ring->begun = __atomic_load_n(&ends[0], __ATOMIC_ACQUIRE);
    if (!ring->last)
        __atomic_store_n(&ends[1], ring->begun, __ATOMIC_RELEASE);
    for (size_t i = ring->n; i-- > 0;)
        (void)ioctl(ring->fd[i], IOC_ENABLE, 0);
}

/* Copies size bytes at a position out of the ring; they may continue at its beginning. */
static void copy_out(const struct trace_ring *ring, uint64_t from, void *to, size_t size)
{
    const char *data = (const char *)ring->memory + sysconf(_SC_PAGESIZE);
    const size_t at = (size_t)(from & (ring->bytes - 1)), first = size < ring->bytes - at ? size : ring->bytes - at;

    memcpy(to, data + at, first);
    memcpy((char *)to + first, data, size - first);
}

/* Returns the size of the record at a position, 0 when there is none or it is damaged. */
static size_t record_size(const struct trace_ring *ring, uint64_t at, uint64_t end)
{
    struct header header = {.size = 0};

    if (end - at >= sizeof(header))
        copy_out(ring, at, &header, sizeof(header));
    return header.size >= sizeof(header) && header.size <= end - at ? header.size : 0;
}

void trace_ring_stop(struct trace_ring *ring)
{
    size_t capacity = 0, size;

    for (size_t i = 0; i < ring->n; i++)
        (void)ioctl(ring->fd[i], IOC_DISABLE, 0);
    const uint64_t head = __atomic_load_n(head_of(ring), __ATOMIC_ACQUIRE);
    ring->used = (size_t)(ring->last ? ring->begun - head : head - ring->begun);
    if (!ring->last)
        return;
    /* The newest record comes first: positions are kept, to be read from the last one. */
    const uint64_t end = ring->used < ring->bytes ? ring->begun : head + ring->bytes;
    free(ring->at);
    ring->at = NULL;
    for (uint64_t at = head; (size = record_size(ring, at, end)); at += size) {
        if (!grow_array(&ring->at, &capacity, ring->n_at, sizeof(*ring->at)))
            return;
        ring->at[ring->n_at++] = at;
    }
}

bool trace_ring_is_full(const struct trace_ring *ring)
{
    return !ring->last && ring->used + RECORD_ROOM > ring->bytes;
}

bool trace_ring_next(struct trace_ring *ring, struct trace_record *out)
{
    uint64_t *ends = head_of(ring);
    char bytes[RECORD_MOST];

    for (;;) {
        const uint64_t head = __atomic_load_n(&ends[0], __ATOMIC_ACQUIRE);
        if (ring->last && !ring->n_at)
            return false;
        const uint64_t at = ring->last ? ring->at[--ring->n_at] : ends[1];
        const size_t size = record_size(ring, at, ring->last ? at + ring->bytes : head);
        if (!size)
            return false;
        const bool fits = size <= sizeof(bytes);
        if (fits)
            copy_out(ring, at, bytes, size);
        if (!ring->last)
            __atomic_store_n(&ends[1], at + size, __ATOMIC_RELEASE);
        if (fits && trace_record_read(bytes, size, ring->events, out))
            return true;
    }
}

/* --- Rights. --- */

/* Returns whether the process has CAP_PERFMON or CAP_SYS_ADMIN. */
static bool has_capability(void)
{
    char text[4096], value[32];

    (void)procfs_read("", "/proc/self/status", text, sizeof(text));
    const unsigned long long set = procfs_value(text, "CapEff", value, sizeof(value)) ? strtoull(value, NULL, 16) : 0;
    return set >> 38 & 1 || set >> 21 & 1;
}

const char *trace_ring_why(int error, char *buf, size_t size)
{
    const bool forbidden = error == -EACCES || error == -EPERM;
    char level[24] = "";

    if (forbidden && !has_capability()) {
        (void)procfs_read_line("", "/proc/sys/kernel/perf_event_paranoid", level, sizeof(level));
        (void)snprintf(buf, size, "needs CAP_PERFMON (root) or kernel.perf_event_paranoid=-1%s%s%s",
                       level[0] ? " (it is " : "", level, level[0] ? ")" : "");
        return buf;
    }
    (void)snprintf(buf, size, "perf_event_open: %s", strerror(-error));
    return forbidden          ? "a seccomp filter or a security module forbids perf_event_open"
           : error == -ENOSYS ? "the kernel has no perf_event_open or a filter forbids it"
           : error == -EINVAL
               ? "the kernel is too old for these perf events (4.3; 4.7 for the last moments before a stop)"
               : buf;
}
