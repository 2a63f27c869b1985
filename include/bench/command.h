/* SPDX-License-Identifier: MIT */
/* Any program as a benchmark: executed from an argument vector, timed from its exec to its end. */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"
#include "engine/text.h"

/* What a row's param shows of a command line. */
#define COMMAND_LINE_SIZE 256

struct command_params {
    /* The options. */
    uint64_t warmup, timeout_ns;
    char prepare[4096], input[1024], keep_output[1024], name[1024], separator[64];
    bool shell, ignore_failure, clean_env, show_output;
    /* What the suite makes of them, for one command. */
    bool fixed_layout;
    int image_fd; /* shared memory, inherited by the workers, with what command_pack() wrote at image_offset */
    size_t image_offset, image_size;
    int fds[3]; /* inherited; what the command gets as 0, 1 and 2; -1: the file input, or /dev/null */
    char line[COMMAND_LINE_SIZE], prepare_line[80], input_line[80]; /* as shown: quoted and shortened */
};

/* What a worker has to execute. Lists end with NULL. */
struct command_image {
    const char *path, *prepare_path; /* prepare_path "": nothing to prepare */
    char *const *argv, *const *prepare, *const *env;
};

/* Appends it as bytes. */
void command_pack(const struct command_image *image, struct text *out);
/* Pointers into those bytes, with one NULL (room for a variable more) in front of env. Returns the block that holds the
 * lists, which the caller frees after the image; NULL when out of memory or the bytes are none of command_pack(). */
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

extern const struct bench bench_command;

#endif
