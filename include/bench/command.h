/* SPDX-License-Identifier: MIT */
/* Any program as a benchmark: executed from an argument vector, timed from its exec to its end. */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/list.h"
#include "engine/bench.h"
#include "rows/text.h"

/* Size of a command line as it is shown in a row's param, in bytes. */
#define COMMAND_LINE_SIZE 256

/* Parameters of the command line that were given by --parameter-list and --parameter-scan. */
#define COMMAND_PARAMETERS_MAX 4u
#define COMMAND_PARAMETER_NAME 32u

struct command_params {
    /* Parameters set by the command line's options. */
    uint64_t warmup, timeout_ns;
    char prepare[4096], input[1024], keep_output[1024], name[1024], separator[64], fail_on[32];
    char setup[4096], cleanup[4096], reference[64], lists[4096], scans[1024], step[32];
    bool shell, ignore_failure, clean_env, show_output, aa;
    /* Parameters that the suite derives from them, for one command. */
    bool fixed_layout, again; /* again: the second of two of one command (aa) */
    uint64_t planned;         /* blocks A B B A that fit into the time; 0: not known, or the number of runs is fixed */
    double margin;            /* logarithm of the ratio to the first command that --fail-on is about */
    int image_fd; /* shared memory, inherited by the workers; command_pack()'s bytes start at image_offset */
    size_t image_offset, image_size;
    size_t setup_offset, setup_size, cleanup_offset, cleanup_size; /* as a command, before the image; size 0: none */
    int fds[3]; /* inherited; become the command's 0, 1 and 2; -1: the file input, or /dev/null */
    char line[COMMAND_LINE_SIZE], prepare_line[80], input_line[80]; /* as shown: quoted and shortened */
    struct {
        char key[COMMAND_PARAMETER_NAME + 2], value[48]; /* "{n}", and as shown; key "": none */
    } parameter[COMMAND_PARAMETERS_MAX];
};

/* The programs, arguments and environment that a worker executes. Lists end with NULL. */
struct command_image {
    const char *path, *prepare_path; /* prepare_path "": no prepare command */
    char *const *argv, *const *prepare, *const *env;
};

/* Appends the image to out as bytes. */
void command_pack(const struct command_image *image, struct text *out);
/* Sets the pointers of image to point into bytes made by command_pack(). One NULL precedes env, as room for one more
 * variable. Returns the block that holds the lists, which the caller frees after use of the image; NULL when out of
 * memory or when the bytes were not made by command_pack(). */
void *command_unpack(const char *data, size_t size, struct command_image *image);

enum {
    COMMAND_WALL,
    COMMAND_USER,
    COMMAND_SYSTEM,
    COMMAND_MAX_RSS,
    COMMAND_EXIT_CODE,
    COMMAND_START_SPREAD,
    COMMAND_END_SPREAD,
    COMMAND_N_METRICS
};

#endif
