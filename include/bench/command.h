/* SPDX-License-Identifier: MIT */
/* Any program as a benchmark: timed from its exec to its end. */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

#include "bench/list.h"

/* Bytes of a command line in the table; a longer one is shortened. */
#define COMMAND_LINE_SIZE 256

/* Parameters of --parameter-list and --parameter-scan; bytes of a name with its NUL. */
#define COMMAND_PARAMETERS_MAX ROW_VARIED_MAX
#define COMMAND_PARAMETER_NAME (ROW_VARIED_SIZE - 2u) /* {NAME} without braces */

struct command_params {
    /* Options of jitbench run. */
    uint64_t warmup, timeout_ns;
    char prepare[4096], input[1024], keep_output[1024], name[1024], separator[64];
    char setup[4096], cleanup[4096], reference[64], lists[4096], scans[1024], step[32];
    struct fail_on fail_on;
    bool shell, ignore_failure, clean_env, show_output, aa;
    int judge;     /* enum judged_value */
    bool in_place; /* wall-clock time is judged in place of instructions */
    /* Computed from the options, for one of the commands. */
    /* fixed_layout: no address randomisation, environment of constant length; again: the second of --aa's equal
     * commands */
    bool fixed_layout, again;
    unsigned build; /* number of the build of its side; 0: none */
    /* blocks of runs (A B B A for two commands: two runs each) in the time limit; 0: not known, or the number of
     * runs is fixed */
    uint64_t planned;
    /* without a difference, a comparison ends at this half-width, in %, of the ratio's confidence interval */
    double precision_pct;
    /* shared memory that workers inherit; the bytes of command_pack() start at image_offset */
    int image_fd;
    size_t image_offset, image_size;
    /* the setup command, packed before image_offset; size 0: none */
    size_t setup_offset, setup_size;
    int fds[3]; /* the command's 0, 1 and 2, inherited; -1: the file `input`, or /dev/null */
    char line[COMMAND_LINE_SIZE], prepare_line[80], input_line[80]; /* quoted and shortened for the table */
    struct {
        /* key: the name in braces, "{n}"; value: its text for the table. key "": no parameter */
        char key[COMMAND_PARAMETER_NAME + 2], value[48];
    } parameter[COMMAND_PARAMETERS_MAX];
};

/* Programs that a worker starts: a command and its prepare command, as path and argument list, and the environment of
 * both. Lists end with NULL. */
struct command_image {
    const char *path, *prepare_path; /* prepare_path "": none */
    char *const *argv, *const *prepare, *const *env;
};

/* As bytes for command_unpack(). */
void command_pack(const struct command_image *image, struct text *out);
/* Points into bytes made by command_pack(). One NULL precedes env, for one more variable. Returns the block of the
 * lists, which the caller frees; NULL when out of memory, or for other bytes. */
void *command_unpack(const char *data, size_t size, struct command_image *image);

enum {
    COMMAND_WALL,
    COMMAND_USER,
    COMMAND_SYSTEM,
    COMMAND_MAX_RSS,
    COMMAND_EXIT_CODE,
    COMMAND_START_SPREAD,
    COMMAND_END_SPREAD,
    COMMAND_INSTRUCTIONS,
    COMMAND_N_METRICS
};

#endif
