/* SPDX-License-Identifier: MIT */
/* Waiting on a word of shared memory, across processes. */
#ifndef SYS_FUTEX_H
#define SYS_FUTEX_H

#include <stdint.h>

/* Sleeps while *word is value. May also return early (signals), so callers check the word again. */
void futex_wait(uint32_t *word, uint32_t value);
/* Wakes all waiters. */
void futex_wake_all(uint32_t *word);

#endif
