/* SPDX-License-Identifier: MIT */
/* Waiting on a word of shared memory, between processes. */
#ifndef SYS_FUTEX_H
#define SYS_FUTEX_H

#include <stdint.h>

/* Sleeps while *word is value; returns also without reason (signals), so callers look at the word again. */
void futex_wait(uint32_t *word, uint32_t value);
/* Wakes all who wait. */
void futex_wake_all(uint32_t *word);

#endif
