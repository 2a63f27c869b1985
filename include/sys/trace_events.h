/* SPDX-License-Identifier: MIT */
/* Finds the IDs and data formats of the kernel's tracepoints for context switches, interrupts, soft interrupts and work
 * items, from tracefs. */
#ifndef SYS_TRACE_EVENTS_H
#define SYS_TRACE_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#define TRACE_NAME_SIZE  32u
#define TRACE_EVENTS_MAX 48u

/* What a record of the trace (sys/trace_ring.h) says. Its task is the one that was running; `number` and `name` are the
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

#endif
