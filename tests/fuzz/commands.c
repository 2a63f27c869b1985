/* SPDX-License-Identifier: MIT */
/* Runs any command in the made-up world: exit status and output. */
#include "cmd/cmd.h"
#include "fuzz.h"

#define WORDS_MAX 16

int run_way(way words)
{
    char *argv[WORDS_MAX + 1];
    size_t at;
    int argc = 0;

    while (words[argc] && argc < WORDS_MAX) {
        argv[argc] = fuzz_string((const uint8_t *)words[argc], strlen(words[argc]));
        argc++;
    }
    argv[argc] = NULL;
    const struct command *command = command_find(words[0]);
    FUZZ_CHECK(command != NULL);
    world_enter();
    command_now = command;
    int status = command->run(argc, argv);
    world_leave();
    while (argc)
        free(argv[--argc]);
    FUZZ_CHECK(status == EXIT_DONE || status == EXIT_ROW_FAILED || status == EXIT_USAGE || status == EXIT_FINDING);
    if (status == EXIT_ROW_FAILED || status == EXIT_USAGE)
        FUZZ_CHECK(world_err.length > 0);
    FUZZ_CHECK_OF(wellformed_lines(world_err.data, world_err.length, &at), world_err.data + at, world_err.length - at);
    return status;
}

void check_printed(void)
{
    size_t at;

    FUZZ_CHECK_OF(wellformed_lines(world_out.data, world_out.length, &at), world_out.data + at, world_out.length - at);
}

int run_one_of(const way *ways, size_t n, const uint8_t *data, size_t size)
{
    if (!size)
        return -1;
    const uint8_t *second = memchr(data + 1, 0x1e, size - 1);
    const size_t first = second ? (size_t)(second - data) : size;

    world_reset();
    world_put("a.csv", data + 1, first - 1);
    world_put("folder/a.csv", data + 1, first - 1);
    if (second)
        world_put("b.csv", second + 1, size - first - 1);
    else
        world_put("b.csv", data + 1, size - 1);
    return run_way(ways[data[0] % n]);
}
