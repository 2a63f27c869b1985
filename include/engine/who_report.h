/* SPDX-License-Identifier: MIT */
/* Names what took the time of CPUs: an account of each CPU (engine/who.h) made into a report, and the reports of
 * several CPUs joined. */
#ifndef ENGINE_WHO_REPORT_H
#define ENGINE_WHO_REPORT_H

#include "engine/who.h"
#include "sys/cpuset.h"
#include "sys/tasks.h"

/* A taker as it leaves the worker. */
struct who_entry {
    uint8_t kind;    /* enum who_kind */
    uint8_t kernel;  /* a kernel thread */
    uint32_t tid;    /* of a task */
    uint64_t number; /* as in struct who_taker */
    uint64_t n, ns, max_ns;
    char name[TRACE_NAME_SIZE]; /* "" when not known */
    float cell[WHO_CELLS];
};
#define WHO_ENTRIES 48u
/* The name of a task that one CPU recorded, or that the task had before the window; it may have run on other CPUs, and
 * it may have ended. */
struct who_name {
    uint32_t tid;
    uint8_t kernel; /* a kernel thread */
    char name[16];
};
#define WHO_NAMES 256u
struct who_report {
    uint64_t observed_ns, lost_ns; /* length of the window; time of the detours in it */
    uint64_t records_lost;
    uint32_t cpu, n;
    uint32_t counted; /* nothing could be recorded: CPU times of the machine's tasks, counts of the interrupts */
    uint32_t n_names;
    uint64_t stopped_ns,
        begun_ns; /* the detour that ended the run: its length (0: none did), its start in the window */
    uint32_t n_pieces;
    uint32_t outside; /* of another PID namespace than the first: tasks without number need not be idle */
    struct who_entry entry[WHO_ENTRIES];
    struct who_name named[WHO_NAMES];
    struct who_piece piece[WHO_PIECES]; /* from: since the window's start; taker: index of its entry */
};

/* One row's worth: what has the same name on all CPUs. */
struct who_line {
    char kind[12], name[48], work[TRACE_NAME_SIZE];
    uint32_t tid, tasks; /* a task; how many have the name */
    uint64_t number;
    double n, ns, max_ns;
    float cell[WHO_CELLS];
    uint64_t entries; /* bits: which entries of the first report have the name */
    struct cpuset cpus;
};
/* Joins the reports of all CPUs by name, the most time first. Work items get the names of their functions in this
 * machine's kernel. The caller frees *lines. Returns their number; 0 when out of memory. */
size_t who_join(const struct who_report *const *reports, size_t n, struct who_line **lines);

/* Returns whether the process is in a PID namespace of its own: the kernel then records tasks of others without their
 * number, as it does the idle task. */
bool who_others_are_hidden(void);

/* Fills an empty report with the takers that took most; the last entry is the sum of the others. before: the tasks
 * before the window. counts: returns false for takers to leave out; NULL: none. */
void who_report_fill(const struct who *who, const struct tasks_times *before,
                     bool (*counts)(const void *context, const struct who_taker *taker), const void *context,
                     struct who_report *report);

#endif
