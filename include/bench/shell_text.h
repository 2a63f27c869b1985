/* SPDX-License-Identifier: MIT */
/* The text that the shell tests sort, dump and search. It is generated, is always the same, and has the numbers of
 * lines, words and bytes of the text in UnixBench. */
#ifndef BENCH_SHELL_TEXT_H
#define BENCH_SHELL_TEXT_H

#include <stdint.h>

enum { SHELL_TEXT_LINES = 362, SHELL_TEXT_WORDS = 1200, SHELL_TEXT_BYTES = 8546, SHELL_TEXT_MATCHES = 35 };

/* Writes a text of SHELL_TEXT_BYTES bytes and a terminating NUL. Lines have 1 to 82 bytes (median 18) without their
 * newlines; SHELL_TEXT_MATCHES of them contain "the", always as a word. */
void shell_text(char buf[SHELL_TEXT_BYTES + 1]);

/* Numbers of lines, words and bytes, as wc counts them, in those lines of a text that contain "the". */
struct shell_text_count {
    uint64_t lines, words, bytes;
};
void shell_text_matches(const char *text, struct shell_text_count *out);

#endif
