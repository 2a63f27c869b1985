/* SPDX-License-Identifier: MIT */
/* What the files of loads share. */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include "bench/tasks.h"
#include "load/list.h"

/* One struct for all loads: some (compile) consist of processes of several. */

struct load_params {
    struct sim_params sim; /* First: a simulation used as a load reads this struct as a struct sim_params. Has the
                            * CPUs of all loads. */
    char dir[512];         /* scratch directory of write and read */
    uint64_t file_bytes;   /* of write and read */
    uint64_t rate;         /* of write or read, bytes a second; 0: all they can */
    uint64_t threads;      /* of burn and ring */
    uint64_t groups;       /* of hack */
    uint64_t memory_bytes; /* of memload */
    char command[OPTION_REST], program[1024], path[4096];
    bool memory_spare; /* without swap: stop growing when memory runs short */
    bool nice_given;
    int nice, policy;
};

/* place() of all loads: the load's policy and nice value, the CPUs of the measured task. */
void load_place(const struct place_of *of, struct placement *placement);

#define LOAD(name_, title_) \
    .name = name_, .title = title_, .params_size = sizeof(struct load_params), .place = load_place

/* ns between two updates of the counts. */
#define LOAD_REFRESH_NS 20000000u

/* If due, sets *due_ns to LOAD_REFRESH_NS after now_ns. */
bool load_due(uint64_t *due_ns, uint64_t now_ns);
/* If load_due(). */
void load_count_cpu(struct party_context *context, uint64_t *due_ns);

/* In the largest unit that divides them: "256M". */
void load_describe_size(struct row_params *out, const char *key, uint64_t bytes);

/* A scratch file that the loads write and read use past the page cache. */

/* One read or write. A file has whole blocks, at least four. */
#define DISK_BLOCK_BYTES ((size_t)1 << 20)
#define DISK_LEAST_BYTES (4 * DISK_BLOCK_BYTES)
/* Cached data is flushed after so many bytes. The load fails if the disk is full before. */
#define DISK_SYNC_BYTES (8 * DISK_BLOCK_BYTES)

struct disk {
    int fd;
    bool direct;          /* false: O_DIRECT was refused, cached data has to be dropped */
    const char *what;     /* "writes" or "reads" */
    unsigned char *block; /* aligned, of varied bytes */
    uint64_t at_bytes;    /* of the next block */
    uint64_t size_bytes;  /* of the complete file */
    uint64_t moved_bytes; /* in this run */
    uint64_t due_ns;      /* next update of the load's counts, CLOCK_MONOTONIC_RAW */
    uint64_t pace_ns;     /* the next block, at the rate */
    uint64_t start_ns;    /* of the run */
};

/* Writes or reads one block at at_bytes, and advances it; if O_DIRECT is refused only now, through the cache. Returns 0
 * or -errno. */
int disk_move(struct party_context *context, bool writes);
/* Flushes cached data and drops it. Returns 0 or -errno. */
int disk_sync(const struct disk *disk);
/* A full disk, a quota, or a file size limit. */
bool disk_is_full(int error);

/* Updates the counts if due; the count `moved` gets moved_bytes. Those that the kernel does not provide are NAN. */
void disk_count(struct party_context *context, enum load_count moved);

/* Returns why a file system of that name ("tmpfs") is not on a disk, or NULL. */
const char *disk_is_not(const char *fs_name);

/* Whether the file is large enough, by its size and the time spent writing. DISK_FILLED: the size wanted, or
 * DISK_LEAST_BYTES after 10 s; DISK_TOO_SLOW: not even those after 15 s. */
enum disk_fill { DISK_GROWS, DISK_FILLED, DISK_TOO_SLOW };
enum disk_fill disk_fill(uint64_t bytes, uint64_t wanted_bytes, uint64_t elapsed_ns);

/* The load memload, and its guard for machines without swap. */

/* Reserve for the rest of the machine: so many bytes, or 5 % of all memory if more. */
#define MEMLOAD_LEAST_SPARE (UINT64_C(256) << 20)

/* Returns the bytes that may be allocated without touching the reserve, by available memory and control groups; 0
 * also when not known. */
uint64_t memload_room(void);

#define MEMLOAD_PIECE_BYTES ((size_t)16 << 20)
/* Touched or moved between two updates of the counts. */
#define MEMLOAD_STEP_BYTES ((size_t)1 << 20)

struct memload {
    char **pieces;
    size_t n, max;
    size_t page_bytes;
    uint64_t due_ns; /* next update of the count of CPU time */
    uint64_t start_ns;
    uint64_t patience_ns;         /* for filling the memory; then the load counts as running */
    uint64_t (*room_bytes)(void); /* memload_room(), except in tests */
    bool proved;
};

/* Processes that several loads have; macros, because C does not let one constant be copied from another. */

struct burn {
    struct threads threads;
    struct party_context *context;
    uint32_t counting; /* set while a thread updates LOAD_CPU */
    uint64_t due_ns;   /* of the next update */
};
int load_burn_run(struct party_context *context);
void load_burn_teardown(struct party_context *context);
struct ring {
    struct threads threads;
    size_t n;
    struct seat *seats; /* 0 is the main thread's */
};
int load_ring_setup(struct party_context *context);
int load_ring_run(struct party_context *context);
void load_ring_teardown(struct party_context *context);
#define LOAD_RING_PARTY \
    LOAD_PARTY("ring"), .state_size = sizeof(struct ring), .setup = load_ring_setup, .run = load_ring_run, \
                        .teardown = load_ring_teardown

#define LOAD_BURN_PARTY \
    LOAD_PARTY("burn"), .state_size = sizeof(struct burn), .run = load_burn_run, .teardown = load_burn_teardown

#endif
