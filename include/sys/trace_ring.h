/* SPDX-License-Identifier: MIT */
/* Records of what runs on a CPU, made by the kernel in a ring of perf events: context switches, and interrupts and work
 * items where their tracepoints are known. The ring is read after the recording, so that no reader runs meanwhile. */
#ifndef SYS_TRACE_RING_H
#define SYS_TRACE_RING_H

#include <stdbool.h>

#include "sys/trace_events.h"

struct trace_record {
    uint64_t ns; /* CLOCK_MONOTONIC_RAW */
    uint64_t number;
    uint32_t tid;         /* the task; 0: idle, or of another PID namespace */
    uint8_t kind, source; /* enum trace_kind, enum trace_source */
    char name[TRACE_NAME_SIZE];
};

/* Interprets one record of a ring, of so many bytes. Returns false when it says nothing of interest. */
bool trace_record_read(const void *bytes, size_t size, const struct trace_events *events, struct trace_record *out);

struct trace_ring {
    int fd[TRACE_EVENTS_MAX + 1];
    size_t n;
    void *memory;  /* a page of the kernel's, then the ring */
    size_t bytes;  /* of the ring */
    uint64_t mark; /* where the ring ended at the last call of trace_ring_drop() */
    const struct trace_events *events;
};

/* Opens the ring of a CPU, switched off, with so many bytes (a power of two; fewer where the kernel allows no more).
 * Tracepoints that are refused are left out. Returns 0, or -errno when not even context switches can be recorded. The
 * events must stay valid. */
int trace_ring_open(struct trace_ring *ring, unsigned cpu, const struct trace_events *events, size_t bytes);
void trace_ring_close(struct trace_ring *ring);
void trace_ring_start(struct trace_ring *ring);
void trace_ring_stop(struct trace_ring *ring);

/* Takes the next record out of the ring. Returns false when there is none. */
bool trace_ring_next(struct trace_ring *ring, struct trace_record *out);

/* Returns whether there may be no room for another record. */
bool trace_ring_is_full(const struct trace_ring *ring);

/* Discards the records that were there at the last call already, to make room. */
void trace_ring_drop(struct trace_ring *ring);

/* Returns what is needed for trace_ring_open() after it failed with that error, in words. */
const char *trace_ring_why(int error, char *buf, size_t size);

#endif
