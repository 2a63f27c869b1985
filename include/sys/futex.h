/* SPDX-License-Identifier: MIT */
/* Waits for a change of a word in memory that processes and threads share. */
#ifndef SYS_FUTEX_H
#define SYS_FUTEX_H

#include <stdint.h>

/* Sleeps while *word has this value; may return early, so callers check the word again. */
void futex_wait(uint32_t *word, uint32_t value);
void futex_wake_all(uint32_t *word);

#endif
