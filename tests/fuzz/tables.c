/* SPDX-License-Identifier: MIT */
/* Runs any command in the made-up world: exit status and output. */
#include "tables.h"

#include "cmd/cmd.h"

#define WORDS_MAX 16

int tables_run(const char *const *words)
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
