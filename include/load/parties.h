/* SPDX-License-Identifier: MIT */
/* Initialisers of parties (processes) that several loads have: macros, because C does not allow to copy one constant
 * from another. */
#ifndef LOAD_PARTIES_H
#define LOAD_PARTIES_H

#include "engine/load.h"
#include "load/disk.h"
#include "load/run.h"

/* Initialises the members that the process of every load sets. */
#define LOAD_PARTY(name_) .name = name_, .role = ROLE_LOAD, .stop = STOP_KILL, .before_gate = true, LOAD_RECORDERS

/* State of the process that runs the threads of burn. */
struct burn {
    struct threads threads;
    struct party_context *context;
    uint32_t counting; /* set while a thread updates the count of CPU time (LOAD_CPU) */
    uint64_t due_ns;   /* time of the next update of LOAD_CPU; used by the thread that updates */
};
int load_burn_run(struct party_context *context);
void load_burn_teardown(struct party_context *context);
#define LOAD_BURN_PARTY                                                                                                \
    {                                                                                                                  \
        LOAD_PARTY("burn"), .state_size = sizeof(struct burn), .run = load_burn_run, .teardown = load_burn_teardown    \
    }

int load_write_setup(struct party_context *context);
int load_write_run(struct party_context *context);
#define LOAD_WRITE_PARTY                                                                                               \
    {                                                                                                                  \
        LOAD_PARTY("write"), .state_size = sizeof(struct disk), .setup = load_write_setup, .run = load_write_run,      \
                             .teardown = disk_teardown                                                                 \
    }

int load_read_setup(struct party_context *context);
int load_read_run(struct party_context *context);
#define LOAD_READ_PARTY                                                                                                \
    {                                                                                                                  \
        LOAD_PARTY("read"), .state_size = sizeof(struct disk), .setup = load_read_setup, .run = load_read_run,         \
                            .teardown = disk_teardown                                                                  \
    }

#endif
