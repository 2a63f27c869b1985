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

/* What a record says. Its task is the one that was running; `number` and `name` are the
 * record's other fields. */
enum trace_kind {
    TRACE_SWITCH,   /* the task begins to run on the CPU; `name` is its name where a tracepoint tells */
    TRACE_NAME,     /* the task is called `name` from now on */
    TRACE_FORK,     /* the task was made by the task `number` */
    TRACE_ENTER,    /* an interrupt begins */
    TRACE_LEAVE,    /* the interrupt ends */
    TRACE_WORK,     /* the task, a kernel thread, begins a work item: the function at address `number` */
    TRACE_WORK_END, /* the work item ends */
    TRACE_LOST,     /* `number` records before this one were lost */
};

/* What kind of interrupt a record of TRACE_ENTER or TRACE_LEAVE is about. */
enum trace_source {
    TRACE_IRQ,     /* device interrupt, by the handler of the interrupt line `number` */
    TRACE_SOFTIRQ, /* soft interrupt `number` */
    TRACE_VECTOR,  /* an interrupt that comes from the CPU itself (timer) or from another CPU */
};

struct trace_event {
    uint32_t id;
    uint8_t kind, source;
    uint16_t vector; /* for a TRACE_VECTOR: the value of `number` in its records */
    /* Position and size, in the raw data of a record of this event, of its number and of its name (in 4 bytes
     * an offset and a length; otherwise the name itself); size 0: the data have none. */
    uint16_t number_at, number_size, name_at, name_size;
    char name[TRACE_NAME_SIZE]; /* name of a TRACE_VECTOR; "" otherwise */
};

struct trace_events {
    struct trace_event of[TRACE_EVENTS_MAX];
    size_t n;
    int error; /* -errno of reading tracefs when n is 0; otherwise 0 */
};

/* Reads the tracepoints below `directory`, where tracefs is mounted. interrupts: text of /proc/interrupts; some rare
 * interrupts of x86 CPUs are left out if none has happened since boot, because the kernel takes up to 40 ms to switch
 * each tracepoint off. NULL: none are left out. */
void trace_events_read(const char *directory, const char *interrupts, struct trace_events *out);

/* As trace_events_read(), in the usual places where tracefs is mounted; where it is not, a child process mounts it in a
 * mount namespace of its own, which ends with the child. */
void trace_events_find(struct trace_events *out);

/* Returns the name that /proc/softirqs has for a soft interrupt: "NET_RX"; NULL when it has none. */
const char *trace_softirq_name(uint64_t number);

struct trace_record {
    uint64_t ns; /* time of the record, CLOCK_MONOTONIC_RAW */
    uint64_t number;
    uint32_t tid;         /* thread ID of the task; 0: the idle task, or one of another PID namespace */
    uint8_t kind, source; /* enum trace_kind, enum trace_source */
    char name[TRACE_NAME_SIZE];
};

/* Interprets one record of a ring, of `size` bytes. Returns false when it is not one of enum trace_kind, or is
 * damaged. */
bool trace_record_read(const void *bytes, size_t size, const struct trace_events *events, struct trace_record *out);

struct trace_ring {
    int fd[TRACE_EVENTS_MAX + 2];
    size_t n;
    void *memory;   /* mapping of the ring: a page with its head and tail, then the ring itself */
    size_t bytes;   /* size of the ring without that page */
    bool last;      /* a full ring loses its oldest records, not the new ones */
    uint64_t begun; /* position at which trace_ring_start() began */
    size_t used;    /* set by trace_ring_stop(): bytes that were recorded */
    uint64_t *at;   /* with `last`: positions of the records that were not read yet, the newest first */
    size_t n_at;
    const struct trace_events *events;
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

/* Takes the next record out of the stopped ring. Returns false when there is none. */
bool trace_ring_next(struct trace_ring *ring, struct trace_record *out);

/* Returns whether the stopped ring may have been too full for another record. The kernel itself reports lost records
 * only with the next record that it can store. */
bool trace_ring_is_full(const struct trace_ring *ring);

/* Returns a text that says what trace_ring_open() needs, after it failed with that error. The text may be in buf. */
const char *trace_ring_why(int error, char *buf, size_t size);

#endif
