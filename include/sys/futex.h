/* SPDX-License-Identifier: MIT */
/* Lets processes and threads wait for a change of a word in shared memory. */
#ifndef SYS_FUTEX_H
#define SYS_FUTEX_H

#include <stdint.h>

/* Sleeps while *word has this value. May also return early (signals), so callers check the word again. */
void futex_wait(uint32_t *word, uint32_t value);
/* Wakes all processes and threads that sleep in futex_wait() on this word. */
void futex_wake_all(uint32_t *word);

#endif
