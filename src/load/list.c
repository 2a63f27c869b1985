/* SPDX-License-Identifier: MIT */
#include "load/list.h"

#define ADDRESS(name) &load_##name,
const struct load *const load_list[] = {LOADS(ADDRESS) NULL};

#define NAME(name) #name,
const char *const load_names[] = {LOADS(NAME) NULL};
