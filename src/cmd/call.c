/* SPDX-License-Identifier: MIT */
/* Runs commands that have one table of options. */
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "sys/memory.h"

size_t command_table(const struct command *command, struct option_table *tables)
{
    tables[0] = *command->options;
    return 1;
}

/* Returns the flag of the option --help in the table's target. */
static const bool *help_of(const struct option_table *table)
{
    for (size_t i = 0; i < table->n; i++)
        if (!strcmp(table->rows[i].name, "help"))
            return (const bool *)((const char *)table->target + table->rows[i].offset);
    return NULL;
}

int command_main_with(const struct command *command, int argc, char **argv, const void *context)
{
    FREED_BY(memory_free) const char **operands = memory_get((size_t)argc + 1, sizeof(*operands));
    struct command_call call = {.command = command,
                                .options = memory_get(1, command->options_size),
                                .table = *command->options,
                                .operands = operands,
                                .context = context};

    call.table.target = call.options;
    int status = command_parse(command, &call.table, 1, help_of(&call.table), argc, argv, operands, &call.n);
    if (!status && !call.n && command->needs)
        status = command_complain(command->name, command->needs, EXIT_USAGE);
    if (!status)
        status = command->call(&call);
    free(call.options);
    return status < 0 ? EXIT_DONE : status;
}

int command_main(const struct command *command, int argc, char **argv)
{
    return command_main_with(command, argc, argv, NULL);
}
