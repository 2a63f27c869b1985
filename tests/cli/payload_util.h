/* SPDX-License-Identifier: MIT */
/* Running programs from tests that look at what is measured: the payload and the values in the CSV. */
#ifndef CLI_PAYLOAD_UTIL_H
#define CLI_PAYLOAD_UTIL_H

#include <stdbool.h>
#include <stddef.h>

/* Set up once a test program, by payload_setup(): absolute paths. */
extern char payload_program[4096]; /* $JITBENCH, else ./jitbench */
extern char payload_top[4096];     /* the folder of the sources: where the tests are started */
extern char payload_scratch[4096]; /* a folder of our own under $TMPDIR or /tmp */

/* For GROUP(). The teardown removes the scratch directory. */
int payload_setup(void **state);
int payload_teardown(void **state);

/* Runs argv (NULL at its end, looked up in PATH) in the folder dir (NULL: the scratch directory) without standard
 * input. Standard output goes to the file out of the scratch directory (NULL: nowhere). Make's variables are not handed
 * on. Returns the exit status, 128+N when ended by signal N, -1 when it could not be run. */
int payload_run(const char *dir, const char *out, const char *const *argv);
#define PAYLOAD_RUN(dir, out, ...) payload_run(dir, out, (const char *const[]){__VA_ARGS__, NULL})

/* True when PATH has this program. */
bool payload_has(const char *name);
/* Skips the test when it has not. */
void payload_need(const char *name);

/* A whole file of the scratch directory, terminated, to be freed by the caller; NULL when it cannot be read. */
char *payload_read(const char *name);

/* The highest CPU this process may use, as a number in words; CPUs from the top are the quieter ones. which counts
 * down from there: 0 is the highest. False when there are not so many. */
bool payload_cpu(unsigned which, char *buf, size_t size);

/* A clean place for the CSV: removes the file of the scratch directory. */
void payload_remove(const char *name);

#endif
