/* SPDX-License-Identifier: MIT */
/* The files of both sides of jitbench compare. */
#include "cmd/compare_sides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/files.h"
#include "sys/memory.h"

#define complain(...) command_fail("compare", EXIT_USAGE, __VA_ARGS__)

/* The operands of the two sides; separated is true if "--" stood between them. */
struct sides {
    size_t n_base;
    bool separated;
};

/* Finds the `--` between the sides; options may be on both. Returns the number of arguments before it: argc when there
 * is none. */
static int find_separator(int argc, char *const *argv)
{
    int at = 1;

    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    return at;
}

int sides_main(const struct command *command, int argc, char **argv)
{
    memory_exits(command->name);
    const int at = find_separator(argc, argv);
    struct sides sides = {.separated = at < argc};
    FREED_BY(memory_free) char **args = memory_get((size_t)argc + 1, sizeof(*args));
    FREED_BY(memory_free) const char **files = memory_get((size_t)argc + 1, sizeof(*files));
    FREED_BY(memory_free) void *ignored = memory_get(1, command->options_size);
    struct option_table table = *command->options;
    char error[512];
    int n = 0;

    for (int i = 0; i < argc; i++)
        if (i != at)
            args[n++] = argv[i];
    table.target = ignored;
    if (find_separator(n, args) < n)
        return complain("'--' is given once, between the files from before and those from after");
    const int before = option_parse(at, argv, &table, 1, files, error, sizeof(error));
    sides.n_base = (size_t)before;
    return before < 0 ? complain("%s", error) : command_main_with(command, n, args, &sides);
}

int sides_split(const struct command_call *call, bool within, bool one, size_t *n_base)
{
    const struct sides *sides = call->context;

    *n_base = sides->separated ? sides->n_base : 1;
    if (within) {
        if (sides->separated || call->n == 0)
            return complain("--within takes one or more files, without '--'");
        *n_base = call->n;
        return 0;
    }
    if (one && !sides->separated && call->n == 1)
        return 0;
    if (!sides->separated && call->n > 2)
        return complain("%zu files: put '--' between those before and those after (BASE... -- NEW...)", call->n);
    if (call->n < 2 || *n_base == 0 || *n_base == call->n)
        return complain("needs a file before and a file after (BASE NEW, or BASE... -- NEW...)");
    return 0;
}

int sides_read(const struct command_call *call, size_t n_base, struct row_set *base, struct row_set *changed)
{
    size_t inputs = 0;

    for (size_t i = 0; i < call->n; i++)
        inputs += !strcmp(call->operands[i], "-");
    if (inputs > 1)
        return complain("standard input ('-') can be read only once");
    int status = files_read("compare", call->operands, n_base, ROWS_SAMPLES | ROWS_CAUSES, base);
    if (!status && call->n > n_base)
        status = files_read("compare", call->operands + n_base, call->n - n_base, ROWS_SAMPLES | ROWS_CAUSES, changed);
    row_set_sanitize(base);
    row_set_sanitize(changed);
    return status;
}
