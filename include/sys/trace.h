/* SPDX-License-Identifier: MIT */
/* Records what runs on a CPU, by a ring buffer that the kernel fills with perf events: context switches, and
 * interrupts, soft interrupts and work items where tracefs tells the IDs and data formats of their tracepoints. The
 * ring is read after the recording, so that no reader runs meanwhile. */
#ifndef SYS_TRACE_H
#define SYS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_NAME_SIZE  32u
#define TRACE_EVENTS_MAX 48u

/* --- Tracepoints. --- */

/* What a record says. Its task is the one that was running; `number` and `name` are the record's other fields. */
enum trace_kind {
    TRACE_SWITCH, /* the task begins to run on the CPU; `name` is its name where a tracepoint tells */
    TRACE_NAME,   /* the task is called `name` from now on */
    TRACE_FORK,   /* the task was made by the task `number` */
    TRACE_ENTER,  /* an interrupt or a work item begins */
    TRACE_LEAVE,  /* it ends */
};

/* What a record of TRACE_ENTER or TRACE_LEAVE is about; TRACE_TASK for the others. */
enum trace_source {
    TRACE_TASK,
    TRACE_IRQ,     /* device interrupt, by the handler of the interrupt line `number` */
    TRACE_SOFTIRQ, /* soft interrupt `number` */
    TRACE_VECTOR,  /* an interrupt that comes from the CPU itself (timer) or from another CPU */
    TRACE_WORK,    /* work item of a kernel thread: the function at address `number`, 0 at its end */
};

struct trace_event {
    uint32_t id;
    uint8_t kind, source;
    uint16_t vector; /* for a TRACE_VECTOR: the value of `number` in its records */
    /* Position and size, in the raw data of a record of this event, of its number and of its name (in 4 bytes
     * an offset and a length; otherwise the name itself); size 0: the data have none. */
    uint16_t number_at, number_size, name_at, name_size;
    const char *name; /* of a TRACE_VECTOR; otherwise NULL */
};

struct trace_events {
    struct trace_event of[TRACE_EVENTS_MAX];
    size_t n;
    int error; /* -errno of reading tracefs when n is 0; otherwise 0 */
};

/* Reads the tracepoints below `directory`, where tracefs is mounted. */
void trace_events_read(const char *directory, struct trace_events *out);

/* As trace_events_read(), where tracefs is usually mounted; where it is not, it is mounted meanwhile without a path
 * (Linux 5.2). */
void trace_events_find(struct trace_events *out);

struct trace_function {
    uint64_t address;
    char name[TRACE_NAME_SIZE];
};
/* Finds the names of n of the kernel's functions by their addresses (/proc/kallsyms); a name stays "" where the kernel
 * does not tell. */
void trace_functions_name(struct trace_function *functions, size_t n);

/* --- Rings. --- */

struct trace_record {
    uint64_t ns; /* time of the record, CLOCK_MONOTONIC_RAW */
    uint64_t number;
    uint32_t tid;         /* thread ID of the task; 0: the idle task, or one of another PID namespace */
    uint8_t kind, source; /* enum trace_kind, enum trace_source */
    char name[TRACE_NAME_SIZE];
};

struct trace_ring {
    const struct trace_events *events;
    int fd[TRACE_EVENTS_MAX + 2];
    size_t n;
    void *memory;   /* mapping of the ring: a page with its head and tail, then the ring itself */
    size_t bytes;   /* size of the ring without that page */
    bool last;      /* a full ring loses its oldest records, not the new ones */
    uint64_t begun; /* position at which trace_ring_start() began */
    /* Set by trace_ring_stop(). */
    size_t used;                 /* bytes that were recorded */
    bool full;                   /* records may have been lost after the last one */
    uint64_t *at;                /* positions of the recorded records, as they stand in the ring */
    size_t n_at, next, capacity; /* next: of the records in order of time */
};

/* Opens the ring of a CPU, unless it is open in that way, not recording yet, with this number of bytes (a power of two,
 * at least a page; fewer where the kernel allows no more). last: when it is full, new records replace the oldest ones
 * (Linux 4.7). Tracepoints that the kernel refuses are left out. Returns 0, or -errno when not even context switches
 * can be recorded. The events must stay valid while the ring is open. */
int trace_ring_open(struct trace_ring *ring, unsigned cpu, const struct trace_events *events, size_t bytes, bool last);
void trace_ring_close(struct trace_ring *ring);
/* Empties the ring and begins to record. */
void trace_ring_start(struct trace_ring *ring);
void trace_ring_stop(struct trace_ring *ring);

/* Interprets the record of a ring at the start of `size` bytes, at least 8. Returns false when it is not one of enum
 * trace_kind, is longer, or is damaged. */
bool trace_record_read(const void *bytes, size_t size, const struct trace_events *events, struct trace_record *out);

/* Takes the next record out of the stopped ring. Returns false when there is none. */
bool trace_ring_next(struct trace_ring *ring, struct trace_record *out);

/* Returns a text that says what trace_ring_open() needs, after it failed with that error. The text may be in buf. */
const char *trace_ring_why(int error, char *buf, size_t size);

#endif
