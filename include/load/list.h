/* SPDX-License-Identifier: MIT */
/* The list of loads: the only registry. */
#ifndef LOAD_LIST_H
#define LOAD_LIST_H

#include "engine/load.h"

/* Ends with NULL. In the order in which tables show them. */
extern const struct load *const load_list[];

#endif
