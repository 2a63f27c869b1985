/* SPDX-License-Identifier: MIT */
/* Any program as a benchmark: executed from an argument vector, timed from its exec to its end. */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/list.h"
#include "engine/bench.h"
#include "rows/param.h"
#include "rows/text.h"

/* Size in bytes of the text of a command line in the result table. A longer command line is shortened. */
#define COMMAND_LINE_SIZE 256

/* Limits of --parameter-list and --parameter-scan: number of parameters, and bytes of a parameter's name with its
 * NUL. */
#define COMMAND_PARAMETERS_MAX ROW_VARIED_MAX
#define COMMAND_PARAMETER_NAME (ROW_VARIED_SIZE - 2u) /* without the two braces of {NAME} */

struct command_params {
    /* Values of the options of jitbench run. */
    uint64_t warmup, timeout_ns;
    char prepare[4096], input[1024], keep_output[1024], name[1024], separator[64];
    char setup[4096], cleanup[4096], reference[64], lists[4096], scans[1024], step[32];
    struct fail_on fail_on;
    bool shell, ignore_failure, clean_env, show_output, aa;
    /* Values that jitbench run computes from the options, for one of the commands. */
    /* fixed_layout: address randomisation is off, and the environment has a constant length; again: this is the second
     * of the two commands of --aa, which are equal */
    bool fixed_layout, again;
    /* number of blocks of runs (in the order A B B A for two commands: each command runs twice) that fit into the time
     * limit; 0: not known, or the number of runs is fixed */
    uint64_t planned;
    /* a comparison that has found no difference ends early when the half-width of the confidence interval of the ratio
     * is at most this many % */
    double precision_pct;
    /* descriptor of shared memory, which the worker processes that start the commands inherit; the bytes written by
     * command_pack() start at image_offset */
    int image_fd;
    size_t image_offset, image_size;
    /* the setup and cleanup commands, packed in the shared memory of image_fd, before image_offset; size 0: none */
    size_t setup_offset, setup_size, cleanup_offset, cleanup_size;
    int fds[3]; /* inherited descriptors that become the command's 0, 1 and 2; -1: the file `input`, or /dev/null */
    char line[COMMAND_LINE_SIZE], prepare_line[80], input_line[80]; /* texts for the table: quoted and shortened */
    struct {
        /* key: the name in braces, such as "{n}"; value: its text for the table. key "": no parameter */
        char key[COMMAND_PARAMETER_NAME + 2], value[48];
    } parameter[COMMAND_PARAMETERS_MAX];
};

/* What a worker process starts: a command and its prepare command, each as path and argument list, and the environment
 * of both. Lists end with NULL. */
struct command_image {
    const char *path, *prepare_path; /* prepare_path "": no prepare command */
    char *const *argv, *const *prepare, *const *env;
};

/* Appends the image to out, as bytes that command_unpack() reads. */
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
