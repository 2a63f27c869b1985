/* SPDX-License-Identifier: MIT */
/* Finds out who had the CPUs of a trial. The kernel records what runs on each CPU, in the ring buffers of perf events,
 * which stay open from trial to trial, because it takes up to 40 ms to switch a tracepoint off; they are read after the
 * trial. Windows of time are joined with these records, and the time is summed up by name. An interferer is a task, an
 * interrupt, or a work item. */
#ifndef ENGINE_INTERFERENCE_H
#define ENGINE_INTERFERENCE_H

#include "rows/rows.h"
#include "sys/process.h"
#include "sys/trace.h"

/* Maximum depth of a stack of work items and interrupts, with their task. */
#define ACCOUNT_DEPTH 8u
/* Number of lists of interferers; an interferer is in the list of its hash value. */
#define ACCOUNT_LISTS 4096u

/* Kind of the interferer that has the time in which nothing was recorded: entering and leaving the kernel, the
 * hypervisor, the firmware. */
#define INTERFERER_UNSEEN (TRACE_WORK + 1)

struct interferer {
    uint8_t kind;  /* enum trace_source, but for a work item that of its task or soft interrupt */
    uint32_t id;   /* of a task (0: idle, or of another PID namespace), or number of an interrupt */
    uint64_t work; /* address of the function of a work item; 0: none */
    uint32_t next; /* index of the next interferer in the list + 1; 0: none */
    size_t line;   /* index of its line, set by account_lines() */
    /* What is known of a task, with its last name; tid 0: its name only. Of an interrupt: the name. "": none. */
    struct tasks_one task;
    uint64_t named_ns; /* time of the record with the name */
    /* Of a task: itself, and what is nested in it: a work item, interrupts. */
    struct account_frame {
        uint32_t interferer;
        bool counted; /* the interferer has a piece since it got the CPU */
    } frame[ACCOUNT_DEPTH];
    uint8_t depth; /* how many are nested */
};

/* A stretch of time in which one interferer had a CPU. */
struct account_piece {
    uint64_t from, ns;
    uint32_t interferer, cpu;
    bool again; /* the interferer goes on after an interruption, or after time outside of the spans */
};

/* A span of time, in ns of CLOCK_MONOTONIC_RAW. */
struct time_span {
    uint64_t from, to;
};

/* What to account for on one CPU. */
struct account_window {
    unsigned cpu;
    uint32_t self;                 /* thread ID of the task whose lost time is accounted for; 0: none */
    uint64_t self_from;            /* from this time on nothing is seen while that task has the CPU */
    struct time_span time;         /* `to` becomes earlier when the end was not recorded */
    const struct time_span *spans; /* the parts of the window that count, in order of time */
    size_t n_spans;
    bool full; /* the record ends early, as the ring was full */
};

struct account {
    struct interferer *interferers;
    size_t n, capacity;
    uint32_t list[ACCOUNT_LISTS]; /* index of the first interferer of each list + 1; 0: the list is empty */
    struct account_piece *pieces; /* CPU by CPU, in the order of time */
    size_t n_pieces, pieces_capacity;
    bool failed; /* memory ran out */
    /* The next fields are of the CPU whose records are being added. */
    struct account_window *window;
    size_t span;   /* index of the first span that is not accounted for yet */
    uint64_t now;  /* spans are accounted for up to this time */
    uint32_t task; /* the task that runs */
    bool ended;    /* a record from after the window has come, so that the window is complete */
};

/* Begin and end the account of a CPU, for any number of CPUs after each other; account_add() is called for each of its
 * records, in order of time. full: after the last record it is not known what ran. account_free() frees the account; an
 * empty one is all zero. */
void account_begin(struct account *account, struct account_window *window);
void account_add(struct account *account, const struct trace_record *record);
void account_end(struct account *account, bool full);
void account_free(struct account *account);

#define ACCOUNT_NAME 96u

struct account_line {
    /* What the interferers of the line have in common, as parameters of result rows: "kind=task name=sh
     * group=/user.slice pid=12". The group is that of tasks in another control group than this process's. */
    char label[256];
    /* "kworker/0:1(vmstat_update)"; "" for the idle task, tasks of this process or of the trial, and what was not
     * recorded. */
    char culprit[ACCOUNT_NAME];
    uint32_t interferer;            /* index of one of its interferers */
    size_t tasks;                   /* how many interferers */
    double n, ns, max_ns, visit_ns; /* visit_ns: of the last time that it had a CPU */
};

/* Sums up the time by name, and sorts the lines, the longest time first. Work items get the names of their functions in
 * this machine's kernel. Names beyond the first `most` are summed
 * up as one line. The caller frees *lines. Returns the number of lines; 0 also when out of memory (account->failed). */
size_t account_lines(struct account *account, size_t most, struct account_line **lines);

/* Returns whether the process is in a PID namespace of its own: the kernel then records tasks outside of it with ID 0,
 * which is also that of the idle task. */
bool others_are_hidden(void);

/* --- Recording. --- */

struct interference_watch {
    struct trace_events events;
    uint64_t most; /* bytes for the rings of all CPUs */
    /* Bytes a ns of the fullest ring so far; HUGE_VAL: the user says what the rings have. */
    double rate;
    struct trace_ring ring[CPUSET_MAX]; /* ring buffers, by number of the CPU */
    struct cpuset on;                   /* CPUs whose ring buffers recorded the trial */
    int error;                          /* -errno of the last ring buffer that could not be opened */
    /* The next fields belong to the current trial. */
    struct account account;
    struct account_window window[CPUSET_MAX]; /* by number of the CPU, set by whoever reads the records */
    uint64_t begun_ns;
    char why[160]; /* what is not known, set by interference_read() */
};

/* Makes the state for recording, which interference_free() frees. memory: bytes for the ring buffers of all CPUs; 0: as
 * the rate of records needs, but at most 1/16 of `available` bytes. Returns NULL when out of memory. */
struct interference_watch *interference_make(uint64_t memory, uint64_t available);
void interference_free(struct interference_watch *watch);

/* Records what runs on these CPUs during a trial. time_ns: planned length; 0: not known. last: of a trial of any length
 * only the end is wanted, so that full rings lose the oldest records. */
void interference_begin(struct interference_watch *watch, const struct cpuset *cpus, uint64_t time_ns, bool last);
/* Ends the recording. The records stay until the next trial begins. */
void interference_stop(struct interference_watch *watch);

/* Accounts for watch->window of these CPUs from the records, in watch->account. Once a trial. Returns whether CPUs were
 * recorded. */
bool interference_read(struct interference_watch *watch, const struct cpuset *cpus);

/* Where nothing was recorded: accounts for the CPU times that the kernel counted for tasks of the whole machine,
 * without this process and its children, since the trial began, and sets the windows to that time. */
void interference_count(struct interference_watch *watch, const struct cpuset *cpus);

/* Sets out[i], for each of n sets of CPUs, to what others ran on them in a span of time. The caller frees them. */
void interference_tell(struct interference_watch *watch, const struct cpuset *sets, size_t n,
                       const struct time_span *time, struct interference *out);

#endif
