/* SPDX-License-Identifier: MIT */
/* Reports which tasks and interrupts took the time of a CPU, with their names, from the account of the CPU
 * (engine/who.h), and joins the reports of several CPUs. */
#ifndef ENGINE_WHO_REPORT_H
#define ENGINE_WHO_REPORT_H

#include "engine/who.h"
#include "sys/cpuset.h"
#include "sys/tasks.h"

/* Entry of a report: a task, interrupt or work item that took CPU time, with its name. */
struct who_entry {
    uint8_t kind;    /* enum who_kind */
    uint8_t kernel;  /* a kernel thread */
    uint32_t tid;    /* thread ID of a task */
    uint64_t number; /* number of an interrupt, or address of the function of a work item, as in struct who_taker */
    uint64_t n, ns, max_ns;
    char name[TRACE_NAME_SIZE]; /* "" when not known */
    float cell[WHO_CELLS];
};
#define WHO_ENTRIES 48u
/* Name of a task, as recorded on this CPU or read before the window of time that is reported. The task may have run on
 * other CPUs, and it may have ended. */
struct who_name {
    uint32_t tid;
    uint8_t kernel; /* a kernel thread */
    char name[16];
};
#define WHO_NAMES 256u
struct who_report {
    uint64_t observed_ns, lost_ns; /* length of the window of time that is reported; time that the observed task lost in
                                    * it */
    uint64_t records_lost;
    uint32_t cpu, n;
    uint32_t counted; /* no trace could be recorded: the entries are CPU times of the machine's tasks and counts of the
                       * interrupts */
    uint32_t n_names;
    uint64_t stopped_ns,
        begun_ns; /* lost time so long that it ended the run: length (0: none did), start in the window */
    uint32_t n_pieces;
    uint32_t outside; /* the process is in a PID namespace of its own: tasks with ID 0 need not be the idle task */
    struct who_entry entry[WHO_ENTRIES];
    struct who_name named[WHO_NAMES];
    struct who_piece piece[WHO_PIECES]; /* from: since the start of the window; taker: index in entry */
};

/* Sum of the entries of all CPUs that have the same kind and name. */
struct who_line {
    char kind[12], name[48], work[TRACE_NAME_SIZE];
    uint32_t tid, tasks; /* thread ID of one of the tasks with this name; how many tasks have it */
    uint64_t number;
    double n, ns, max_ns;
    float cell[WHO_CELLS];
    uint64_t entries; /* bit mask: entries of the first report that have the name */
    struct cpuset cpus;
};
/* Sums up the entries of the reports of n CPUs by name, and sorts the lines by time, the longest first. Work items get
 * the names of their functions in this machine's kernel. The caller frees *lines. Returns the number of lines; 0 when
 * out of memory. */
size_t who_join(const struct who_report *const *reports, size_t n, struct who_line **lines);

/* Returns whether the process is in a PID namespace of its own: the kernel then records tasks outside of it with ID 0,
 * which is also that of the idle task. */
bool who_others_are_hidden(void);

/* Fills an empty report with the tasks, interrupts and work items that took the most time; when there are too many the
 * last entry is the sum of the others. before: tasks of the machine and their names before the window. counts(context,
 * taker): returns false for what is to be left out; NULL: nothing is. */
void who_report_fill(const struct who *who, const struct tasks_times *before,
                     bool (*counts)(const void *context, const struct who_taker *taker), const void *context,
                     struct who_report *report);

#endif
