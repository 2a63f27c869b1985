/* SPDX-License-Identifier: MIT */
/* Numbers of the kernel's tracepoints for interrupts, soft interrupts and work items, from tracefs. */
#ifndef SYS_TRACE_EVENTS_H
#define SYS_TRACE_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#define TRACE_NAME_SIZE  32u
#define TRACE_EVENTS_MAX 48u

/* Kind of a record. The task of a record is the one that was running. */
enum trace_kind {
    TRACE_SWITCH,   /* the task begins to run */
    TRACE_NAME,     /* the task is called `name` from now on */
    TRACE_FORK,     /* the task was made by the task `number` */
    TRACE_ENTER,    /* an interrupt begins */
    TRACE_LEAVE,    /* it ends */
    TRACE_WORK,     /* the task, a kernel thread, begins a work item: the function at address `number` */
    TRACE_WORK_END, /* it ends */
    TRACE_LOST,     /* `number` records before this one were lost */
};

/* Kind of an interrupt. */
enum trace_source {
    TRACE_IRQ,     /* handler of the interrupt line `number` */
    TRACE_SOFTIRQ, /* soft interrupt `number` */
    TRACE_VECTOR,  /* interrupt of the CPU itself or from another CPU */
};

struct trace_event {
    uint32_t id;
    uint8_t kind, source;
    uint16_t vector; /* number of a TRACE_VECTOR */
    /* Position in the event's raw data of number and name (an offset and a length); size 0: there is none. */
    uint16_t number_at, number_size, name_at, name_size;
    char name[TRACE_NAME_SIZE]; /* for TRACE_VECTOR; "" otherwise */
};

struct trace_events {
    struct trace_event of[TRACE_EVENTS_MAX];
    size_t n;
    int error; /* -errno when there are none */
};

/* Reads the events below the directory where tracefs is mounted. interrupts: text of /proc/interrupts; rare interrupts
 * of x86 CPUs that have not come since boot by it are left out, because the kernel takes up to 40 ms to switch each
 * tracepoint off. NULL: none are left out. */
void trace_events_read(const char *directory, const char *interrupts, struct trace_events *out);

/* The same where it is mounted; where it is not, a child process mounts it in a mount namespace of its own, which ends
 * with the child. */
void trace_events_find(struct trace_events *out);

/* Returns the usual name of a soft interrupt: "NET_RX"; NULL when it has none. */
const char *trace_softirq_name(uint64_t number);

#endif
