/* SPDX-License-Identifier: MIT */
/* Processes that several loads have; macros, because C does not let one constant be copied from another. */
#ifndef LOAD_PARTIES_H
#define LOAD_PARTIES_H

#include "engine/load.h"
#include "load/disk.h"
#include "load/run.h"

#define LOAD_PARTY(name_) .name = name_, .role = ROLE_LOAD, .stop = STOP_KILL, .before_gate = true, LOAD_RECORDERS

struct burn {
    struct threads threads;
    struct party_context *context;
    uint32_t counting; /* set while a thread updates LOAD_CPU */
    uint64_t due_ns;   /* of the next update */
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
