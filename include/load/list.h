/* SPDX-License-Identifier: MIT */
/* The only registry of loads: a new one is a file of its own and a line here. */
#ifndef LOAD_LIST_H
#define LOAD_LIST_H

#include "engine/engine.h"

/* In the order of tables. The descriptor of NAME is load_NAME. */
#define LOADS(ENTRY) \
    ENTRY(none) \
    ENTRY(video) \
    ENTRY(x) \
    ENTRY(burn) \
    ENTRY(write) \
    ENTRY(read) \
    ENTRY(ring) \
    ENTRY(compile) \
    ENTRY(memload) \
    ENTRY(hack) \
    ENTRY(burn2) \
    ENTRY(storm) \
    ENTRY(mixed) \
    ENTRY(cmd) \
    ENTRY(custom)

#define LOAD_DECLARE(name) extern const struct load load_##name;
LOADS(LOAD_DECLARE)

#define LOAD_ONE(name) +1
enum { N_LOADS = LOADS(LOAD_ONE) };

/* Both end with NULL. */
extern const char *const load_names[];
extern const struct load *const load_list[];

#endif
