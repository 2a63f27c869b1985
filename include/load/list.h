/* SPDX-License-Identifier: MIT */
/* The list of loads: the only registry. */
#ifndef LOAD_LIST_H
#define LOAD_LIST_H

#include "engine/load.h"

/* All loads, in the order in which tables show them. Ends with NULL. */
extern const struct load *const load_list[];

#endif
