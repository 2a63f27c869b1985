/* SPDX-License-Identifier: MIT */
/* Joins the records of what ran on a CPU with the detours of a task on it: how much of their time each task and
 * interrupt took. Pure: records and times are passed in, no system call is made. */
#ifndef ENGINE_WHO_H
#define ENGINE_WHO_H

#include "sys/trace_ring.h"

/* Most takers that are told apart; the rest are one. */
#define WHO_TAKERS 16384u
/* Number of equal parts of the window for which each taker's time is recorded. */
#define WHO_CELLS 100u
/* Most interrupts within interrupts. */
#define WHO_DEPTH 16u

enum who_kind {
    WHO_TASK,
    WHO_IRQ,     /* an interrupt line's handler */
    WHO_SOFTIRQ, /* a soft interrupt */
    WHO_VECTOR,  /* an interrupt of the CPU itself or from another CPU */
    WHO_UNSEEN,  /* nothing was recorded: entering and leaving the kernel, the hypervisor, the firmware */
    WHO_OTHERS,  /* those above WHO_TAKERS */
    WHO_KINDS
};

struct who_taker {
    uint8_t kind;           /* enum who_kind */
    uint32_t tid;           /* of a task; 0: idle, or of another PID namespace */
    uint64_t number;        /* of an interrupt; address of the function of a task's work item, 0: none */
    uint64_t n, ns, max_ns; /* how often it had the CPU, without what interrupted it: times, their sum, the longest */
    char name[TRACE_NAME_SIZE]; /* of a task without work item: as last recorded; "" when not */
    /* The next fields are set for tasks without work item only. */
    uint32_t parent;   /* task that made it; 0: it was there before */
    uint32_t softirq;  /* 1 + the soft interrupt that it was taken off the CPU in; 0: none */
    uint64_t function; /* of its present work item */
};

/* Part of a detour in which one taker had the CPU. */
struct who_piece {
    uint64_t from, ns;
    size_t taker;
};
/* Number of pieces that are kept: the first half of them, and the last half. */
#define WHO_PIECES 512u

/* Times in CLOCK_MONOTONIC_RAW. */
struct who_span {
    uint64_t from, to;
};

struct who {
    uint32_t self;                /* the task whose losses are accounted for */
    uint64_t from, to;            /* the window; `to` becomes earlier where its end was not recorded */
    const struct who_span *spans; /* when it lost the CPU, in order */
    size_t n_spans, span;         /* span: the next one */
    uint64_t now, lost;           /* time of the last record; number of records that were lost */
    uint64_t length;              /* of the window as planned */
    float (*cell)[WHO_CELLS];     /* by taker: ns in each part of the window */
    struct who_taker *takers;
    size_t n;
    uint32_t *slot; /* hash table of takers, + 1 */
    /* Places of pieces: who_piece(). */
    struct who_piece piece[WHO_PIECES];
    size_t n_pieces;
    /* Stack of what has the CPU: a task, then the interrupts within each other. */
    struct who_frame {
        size_t taker;
        uint64_t ns; /* in spans, since it began */
    } frame[WHO_DEPTH];
    unsigned depth;
    bool whole; /* a record after the window has come */
    struct who_place {
        uint64_t ns;
        size_t taker;
    } * order; /* set by who_end(): the takers, the longest sum first */
    size_t n_order;
};

/* Prepares the account of a window in which the task `self` loses the CPU in these spans, which must stay valid.
 * Returns 0, or -1 when out of memory. who_free() frees it in both cases. */
int who_begin(struct who *who, uint32_t self, const struct who_span *window, const struct who_span *spans, size_t n);
/* Adds the records of the CPU in their order. */
void who_add(struct who *who, const struct trace_record *record);
/* Ends the account: sets `order`, without takers that had no time. */
void who_end(struct who *who);
void who_free(struct who *who);

/* Returns piece number i of n_pieces; NULL when it was not kept. */
const struct who_piece *who_piece(const struct who *who, size_t i);

/* Returns the taker that stands for the task without its work items; NULL when there is none. */
const struct who_taker *who_task(const struct who *who, uint32_t tid);

#endif
