/* SPDX-License-Identifier: MIT */
/* The text that the shell tests sort, dump and search: generated, always the same, with UnixBench's numbers of
 * lines, words and bytes. */
#ifndef BENCH_SHELL_TEXT_H
#define BENCH_SHELL_TEXT_H

#include <stdint.h>

enum { SHELL_TEXT_LINES = 362, SHELL_TEXT_WORDS = 1200, SHELL_TEXT_BYTES = 8546, SHELL_TEXT_MATCHES = 35 };

/* SHELL_TEXT_BYTES and a NUL. Lines have 1 to 82 bytes (median 18) without newlines; SHELL_TEXT_MATCHES have "the",
 * always as a word. */
void shell_text(char buf[SHELL_TEXT_BYTES + 1]);

/* As wc counts in a text's lines with "the". */
struct shell_text_count {
    uint64_t lines, words, bytes;
};
void shell_text_matches(const char *text, struct shell_text_count *out);

#endif
