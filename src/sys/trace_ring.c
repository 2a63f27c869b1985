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

#include "sys/perf_event.h"
#include "sys/procfs.h"

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

#define RING_LEAST  ((size_t)16 << 10)
#define RECORD_MOST 4096u /* size of the buffer for a record; records of the events opened here are shorter */

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
    out->number = event->number_size ? number_at(raw + event->number_at, event->number_size) : event->vector;
    copy_name(out->name, event->name, sizeof(event->name));
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

static int open_event(uint32_t type, uint64_t config, unsigned cpu)
{
    const bool tracepoint = type == PERF_EVENT_TRACEPOINT;
    const struct perf_event event = {.type = type,
                                     .size = PERF_EVENT_SIZE_CLOCK,
                                     .config = config,
                                     .sample_period = tracepoint,
                                     .sample_type = SAMPLE_TID | SAMPLE_TIME | (tracepoint ? SAMPLE_RAW : 0),
                                     .disabled = 1,
                                     .comm = !tracepoint,
                                     .task = !tracepoint,
                                     .sample_id_all = 1,
                                     .use_clockid = 1,
                                     .context_switch = !tracepoint,
                                     .watermark = 1,
                                     .wakeup_events = INT32_MAX, /* no process waits for data in the ring */
                                     .clockid = CLOCK_MONOTONIC_RAW};

    return perf_open(&event, -1, (int)cpu);
}

int trace_ring_open(struct trace_ring *ring, unsigned cpu, const struct trace_events *events, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int fd = open_event(PERF_EVENT_SOFTWARE, PERF_EVENT_DUMMY, cpu), error = 0;

    *ring = (struct trace_ring){.events = events, .memory = MAP_FAILED};
    if (fd < 0)
        return fd;
    ring->fd[ring->n++] = fd;
    for (ring->bytes = 2 * bytes; ring->memory == MAP_FAILED && ring->bytes > RING_LEAST;) {
        ring->bytes /= 2;
        ring->memory = mmap(NULL, page + ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = -errno;
    }
    if (ring->memory == MAP_FAILED) {
        trace_ring_close(ring);
        return error;
    }
    for (size_t i = 0; i < events->n; i++) {
        fd = open_event(PERF_EVENT_TRACEPOINT, events->of[i].id, cpu);
        if (fd >= 0 && ioctl(fd, IOC_SET_OUTPUT, ring->fd[0]) == 0)
            ring->fd[ring->n++] = fd;
        else if (fd >= 0)
            (void)close(fd);
    }
    return 0;
}

void trace_ring_close(struct trace_ring *ring)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (ring->memory != MAP_FAILED && ring->n)
        (void)munmap(ring->memory, page + ring->bytes);
    while (ring->n)
        (void)close(ring->fd[--ring->n]);
    ring->memory = MAP_FAILED;
}

void trace_ring_start(struct trace_ring *ring)
{
    for (size_t i = ring->n; i-- > 0;)
        (void)ioctl(ring->fd[i], IOC_ENABLE, 0);
}

void trace_ring_stop(struct trace_ring *ring)
{
    for (size_t i = 0; i < ring->n; i++)
        (void)ioctl(ring->fd[i], IOC_DISABLE, 0);
}

static uint64_t *head_of(const struct trace_ring *ring)
{
    return (uint64_t *)(void *)((char *)ring->memory + HEAD_AT);
}

bool trace_ring_is_full(const struct trace_ring *ring)
{
    const uint64_t *ends = head_of(ring);

    return __atomic_load_n(&ends[0], __ATOMIC_ACQUIRE) - ends[1] > ring->bytes - RECORD_MOST;
}

void trace_ring_drop(struct trace_ring *ring)
{
    uint64_t *ends = head_of(ring);
    const uint64_t head = __atomic_load_n(&ends[0], __ATOMIC_ACQUIRE);

    __atomic_store_n(&ends[1], ring->mark, __ATOMIC_RELEASE);
    ring->mark = head;
}

/* Copies size bytes at position `from` out of the ring; they may continue at its beginning. */
static void copy_out(const struct trace_ring *ring, uint64_t from, void *to, size_t size)
{
    const char *data = (const char *)ring->memory + sysconf(_SC_PAGESIZE);
    const size_t at = (size_t)(from & (ring->bytes - 1)), first = size < ring->bytes - at ? size : ring->bytes - at;

    memcpy(to, data + at, first);
    memcpy((char *)to + first, data, size - first);
}

bool trace_ring_next(struct trace_ring *ring, struct trace_record *out)
{
    uint64_t *ends = head_of(ring);
    char bytes[RECORD_MOST];
    struct header header;

    for (;;) {
        const uint64_t head = __atomic_load_n(&ends[0], __ATOMIC_ACQUIRE), tail = ends[1];
        if (head - tail < sizeof(header))
            return false;
        copy_out(ring, tail, &header, sizeof(header));
        if (header.size < sizeof(header) || header.size > head - tail)
            return false;
        const bool fits = header.size <= sizeof(bytes);
        if (fits)
            copy_out(ring, tail, bytes, header.size);
        __atomic_store_n(&ends[1], tail + header.size, __ATOMIC_RELEASE);
        if (fits && trace_record_read(bytes, header.size, ring->events, out))
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
           : error == -EINVAL ? "the kernel is older than 4.3: its perf events do not tell context switches"
                              : buf;
}
