/* SPDX-License-Identifier: MIT */
/* Common parts of the fuzz targets. A target is one file fuzz_NAME.c, which is given bytes and runs a part of jitbench
 * on them: libFuzzer runs it (clang), or replay.c does (any compiler). Nothing of the machine is touched: files,
 * folders, standard output and error are those of world.c, in memory. */
#ifndef FUZZ_H
#define FUZZ_H

#include "rows/text.h"

/* 0, or -1 for an input that a corpus need not keep. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process with a line that says what does not hold, as a crash. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__, NULL, 0))
/* The same, and shows the text for which the condition is false. */
#define FUZZ_CHECK_OF(condition, text_, length_) \
    ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__, text_, length_))
void fuzz_fail(const char *what, const char *file, int line, const char *text, size_t length) __attribute__((noreturn));

/* A copy that ends where its allocation ends, so that a read beyond it is seen. The caller frees. */
char *fuzz_string(const uint8_t *data, size_t size);

/* --- The world: calls of the C library are answered from here between world_enter() and world_leave(). --- */

/* No files; nothing was printed. */
void world_reset(void);
/* A file with these bytes, which stay the caller's until world_reset(). */
void world_put(const char *path, const void *data, size_t size);
void world_enter(void);
void world_leave(void);
/* Text written to standard output and error since world_reset(), terminated. */
extern struct text world_out, world_err;
/* Returns the contents of a file, including one that the program made; NULL when there is none. */
const char *world_get(const char *path, size_t *size);

/* --- Whether a text is well formed; where it is not, *at is how far it is. --- */

bool wellformed_json(const char *text, size_t length, size_t *at);
/* A page of `jitbench report`: tags are of the few kinds that it writes, closed in order, attributes are in quotes, and
 * text is UTF-8 without control characters in which '<' and '&' are escaped. */
bool wellformed_html(const char *text, size_t length, size_t *at);
bool wellformed_utf8(const char *text, size_t length);
/* Printable UTF-8 in lines, each with its end. */
bool wellformed_lines(const char *text, size_t length, size_t *at);

#endif
