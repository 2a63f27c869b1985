/* SPDX-License-Identifier: MIT */
/* Finds out who took the time that a task lost on a CPU: joins the spans in which the task did not run with the
 * kernel's records of what ran on the CPU. A taker is a task, an interrupt, or a work item of a kernel thread. Records
 * and times are passed in; nothing is read from the system. */
#ifndef ENGINE_WHO_H
#define ENGINE_WHO_H

#include "sys/trace_ring.h"

/* Maximum number of takers (tasks, interrupts, work items) that are told apart; the others are counted as one. */
#define WHO_TAKERS 16384u
/* Number of equal parts of the observed time, for each of which every taker's CPU time is recorded. */
#define WHO_CELLS 100u
/* Maximum depth of a stack of nested interrupts, with the task below them. */
#define WHO_DEPTH 16u

enum who_kind {
    WHO_TASK,
    WHO_IRQ,     /* the handler of an interrupt line */
    WHO_SOFTIRQ, /* a soft interrupt */
    WHO_VECTOR,  /* an interrupt that the CPU raised itself or another CPU sent, such as its timer's */
    WHO_UNSEEN,  /* nothing was recorded: entering and leaving the kernel, the hypervisor, the firmware */
    WHO_OTHERS,  /* all tasks, interrupts and work items beyond the first WHO_TAKERS */
    WHO_KINDS
};

struct who_taker {
    uint8_t kind;           /* enum who_kind */
    uint32_t tid;           /* thread ID of a task; 0: the idle task, or a task of another PID namespace */
    uint64_t number;        /* number of an interrupt; for a work item of a task, address of its function; 0: none */
    uint64_t n, ns, max_ns; /* how often the taker had the CPU, and for how long in all and at most, not counting
                             * interrupts meanwhile */
    char name[TRACE_NAME_SIZE]; /* name of an interrupt, as first recorded, or of a task without work item, as last
                                 * recorded; "": not recorded */
    /* The next fields are set for tasks without work item only. */
    uint32_t parent;   /* thread ID of the task that created this one; 0: not recorded */
    uint32_t softirq;  /* 1 + number of the soft interrupt in which the task was taken off the CPU; 0: none */
    uint64_t function; /* address of the function of the task's current work item; 0: none */
};

/* Part of the lost time in which one taker (a task, interrupt or work item) had the CPU. */
struct who_piece {
    uint64_t from, ns;
    size_t taker;
};
/* Number of pieces of lost time that are kept: one half are the first ones, the other half the last ones. */
#define WHO_PIECES 512u

/* A span of time, in ns of CLOCK_MONOTONIC_RAW. */
struct who_span {
    uint64_t from, to;
};

struct who {
    uint32_t self;                /* thread ID of the task whose lost time is accounted for */
    uint64_t from, to;            /* the observed time (the window); `to` becomes earlier when the end was not
                                   * recorded */
    const struct who_span *spans; /* when the task `self` did not have the CPU, in order of time */
    size_t n_spans, span;         /* span: index of the first span that is not accounted for yet */
    uint64_t now, lost;           /* spans are accounted for up to this time; number of trace records lost */
    uint64_t length;              /* planned length of the window in ns */
    float (*cell)[WHO_CELLS];     /* by taker: CPU time in ns in each part of the window */
    struct who_taker *takers;
    size_t n;
    uint32_t *slot; /* hash table: index of a taker + 1; 0: empty */
    /* The pieces of lost time that are kept; who_piece() finds them by their numbers. */
    struct who_piece piece[WHO_PIECES];
    size_t n_pieces;
    /* Stack of what has the CPU: a task, then the interrupts, each nested in the one before. */
    struct who_frame {
        size_t taker;
        uint64_t ns; /* lost time that the taker has had since it got the CPU */
    } frame[WHO_DEPTH];
    unsigned depth;
    bool whole; /* a record from after the window has come, so that the window is complete */
    struct who_place {
        uint64_t ns;
        size_t taker;
    } * order; /* set by who_end(): the takers, sorted by their time, the longest first */
    size_t n_order;
};

/* Prepares to account for the n spans of the window in which the task `self` did not have the CPU. The spans must stay
 * valid. Returns 0, or -1 when out of memory. who_free() frees the account in both cases. */
int who_begin(struct who *who, uint32_t self, const struct who_span *window, const struct who_span *spans, size_t n);
/* Adds a trace record of the CPU. Records have to be added in order of time. */
void who_add(struct who *who, const struct trace_record *record);
/* Ends the account after the last record, and sets `order`, which leaves out takers that had no time. */
void who_end(struct who *who);
void who_free(struct who *who);

/* Returns piece number i of the n_pieces pieces of lost time; NULL when it was not kept. */
const struct who_piece *who_piece(const struct who *who, size_t i);

/* Returns the entry of a task, which has its name and the time outside of work items; NULL when it was not recorded. */
const struct who_taker *who_task(const struct who *who, uint32_t tid);

#endif
