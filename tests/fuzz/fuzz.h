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

/* --- Commands and readers, run in the world. --- */

/* A way to run a command: its words, which end with NULL. */
typedef const char *const way[8];
/* Runs `jitbench WORD...` and returns its exit status, which is one that jitbench has: 0, 1 with a line on standard
 * error, 2 likewise, or 4. What it says on standard error is printable text in lines. */
int run_way(way words);
/* Runs the way that the first byte says on the files a.csv (the bytes behind it), folder/a.csv (the same) and b.csv
 * (what follows a byte 0x1e; without it the same). Returns the exit status, -1 where there is no first byte. */
int run_one_of(const way *ways, size_t n, const uint8_t *data, size_t size);
/* Fails unless standard output is printable text in lines. */
void check_printed(void);

/* Reads the description of the machine, its counters, load and frequency, and every setting: looked at, described,
 * planned, written, and restored. */
void readers_run(bool settings);

/* --- Whether a text is well formed; where it is not, *at is how far it is. --- */

bool wellformed_json(const char *text, size_t length, size_t *at);
/* A page of `jitbench report`: tags are of the few kinds that it writes, closed in order, attributes are in quotes, and
 * text is UTF-8 without control characters in which '<' and '&' are escaped. */
bool wellformed_html(const char *text, size_t length, size_t *at);
bool wellformed_utf8(const char *text, size_t length);
/* Printable UTF-8 in lines, each with its end. */
bool wellformed_lines(const char *text, size_t length, size_t *at);

#endif
