/* SPDX-License-Identifier: MIT */
/* The shared memory of a trial, as parent and workers see it. For trial.c and worker.c only. */
#ifndef ENGINE_ARENA_H
#define ENGINE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/bench.h"
#include "engine/load.h"
#include "sys/core_probe.h"
#include "sys/scratch.h"
#include "sys/task.h"

#define ARENA_MAGIC     0x6a626172u
#define ARENA_PIPES_MAX 8

/* Where a party stands. Written by the party, read by the parent. */
enum party_state { STATE_STARTING, STATE_READY, STATE_RUNNING, STATE_DONE, STATE_FAILED };

enum gate_state { GATE_CLOSED, GATE_OPEN, GATE_ABORTED };

struct trial_slot {
    uint32_t state;  /* enum party_state */
    bool stands_for; /* another process, of which seen, counters, start_ns, end_ns and last_cpu are */
    bool of_load;    /* party is a number of the load's, not of the benchmark's */
    unsigned party, copy;
    struct placement placement;
    struct placement_seen seen;
    struct task_counters counters;
    uint64_t start_ns, end_ns, expected_ns;
    unsigned last_cpu; /* where it ended; CPUSET_NONE when not known */
    uint64_t khz;      /* of that CPU; read by the parent, since reading may interrupt every CPU of the machine */
    double rate;
    char refused[256], reason[240];
    struct baton baton;
    int pipes[ARENA_PIPES_MAX][2];
    int stop_fd;
    size_t recorder[RECORDERS_MAX]; /* offsets */
    size_t shared;
    struct scratch_note scratch; /* the party's folder */
};

struct trial_head {
    uint32_t magic;
    char build[48];
    size_t size;
    pid_t parent;
    char bench[64], load[64]; /* names; load "": none */
    size_t params_offset, load_params_offset;
    unsigned copies, n_slots;
    uint64_t sample, time_ns;
    enum clock_kind clock;
    struct core_probe core_probe; /* blocks 0: none is taken */
    bool fixed_layout;
    int event_fd, series_fd, arena_fd;
    /* The gate: a futex, then a common moment, so that copies woken one after the other start together. */
    uint32_t gate;
    /* Behind it everybody reads back and counts first; the last to come sets the moment for all. */
    uint32_t arrived, to_arrive, started;
    uint32_t stop, stop_loads;
    uint64_t start_ns, lead_ns;
    uint64_t limit_ns;                             /* the longest that the run may take, for the watchdog */
    uint64_t setup_limit_ns;                       /* and that getting ready may */
    uint32_t barrier_arrived[8], barrier_round[8]; /* by party */
    struct trial_slot slot[];
};

#define ARENA_PARTIES_MAX 8

/* Exit statuses of a worker that has no shared memory to say it in; UNBORN: the C library's, before main(). */
enum { WORKER_NO_FSTAT = 123, WORKER_NO_MMAP, WORKER_ASTRAY, WORKER_UNBORN = 127 };

static inline const struct party *arena_party(const struct trial_slot *slot, const struct bench *bench,
                                              const struct load *load)
{
    return slot->of_load && load ? &load->parties[slot->party] : &bench->parties[slot->party];
}

struct trial_spec;

/* Fills the placement of all slots, whose party, copy and of_load are set. At least one online CPU is left that no FIFO
 * party can keep busy, timing threads aside: a copy that would take the last one runs with the normal policy. */
void arena_place(const struct trial_spec *spec, struct trial_slot *slots, unsigned n);

/* Whether, placed so, parties of the trial can sit on two hardware threads of a core one of which is measured. Only
 * where the machine shows such threads. */
bool arena_shares_core(const struct trial_spec *spec, const struct trial_slot *slots, unsigned n);

/* The worker's side. Runs the process party of the slot and its threads; returns the exit status. load may be NULL. */
int worker_run(struct trial_head *head, unsigned slot, const struct bench *bench, const struct load *load);

/* Removes the folders that parties have left: all of them have ended or are ending. */
void arena_remove_scratch(const struct trial_head *head);

#endif
