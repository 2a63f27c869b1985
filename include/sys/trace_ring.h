/* SPDX-License-Identifier: MIT */
/* Records what runs on a CPU, by a ring buffer that the kernel fills with perf events: context switches, and interrupts
 * and work items where their tracepoints are known. The ring is read after the recording, so that no reader runs
 * meanwhile. */
#ifndef SYS_TRACE_RING_H
#define SYS_TRACE_RING_H

#include <stdbool.h>

#include "sys/trace_events.h"

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
