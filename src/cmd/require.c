/* SPDX-License-Identifier: MIT */
/* Reads --require and --requirements. */
#include "cmd/cmd.h"

#include <string.h>

static int complain(const char *command, const char *option, const char *value, const char *why)
{
    return command_fail(command, EXIT_USAGE, "--%s '%.1000s': %s", option, value, why);
}

static int read_lines(const char *command, const char *path, struct requirements *set)
{
    const char *why;
    char error[500];
    FREED_BY(memory_free) char *text = text_file_read(path, true, &why);

    if (!text) {
        const int status = complain(command, "requirements", path, why);
        return signals_pending() ? 128 + signals_pending() : status;
    }
    const int failed = requirements_add_lines(set, text, error, sizeof(error));
    return failed ? complain(command, "requirements", path, error) : 0;
}

int require_read(const char *command, const struct require_options *options, struct requirements *set)
{
    char error[500], one[sizeof(options->require)];
    int status = 0;

    for (const char *at = options->require; *at && !status; at += strcspn(at, "\n"), at += *at == '\n') {
        const size_t length = strcspn(at, "\n");
        memcpy(one, at, length);
        one[length] = '\0';
        if (requirements_add(set, one, error, sizeof(error)))
            status = complain(command, "require", one, error);
    }
    return status || !options->requirements[0] ? status : read_lines(command, options->requirements, set);
}

int require_rows(const char *command, const struct require_options *options, const struct row_set *rows,
                 struct requirements *set)
{
    FREED_BY(memory_free) struct require_name *names = memory_get(rows->n, sizeof(*names));

    for (size_t i = 0; i < rows->n; i++)
        names[i] =
            (struct require_name){rows->rows[i].suite, rows->rows[i].test, rows->rows[i].metric, rows->rows[i].unit};
    *set = (struct requirements){
        .metrics = metrics_table(), .names = names, .n_names = rows->n, .several_runs = rows->n_runs > 1};
    const int status = require_read(command, options, set);
    for (size_t i = 0; i < rows->n && !status; i++)
        requirements_row(set, &rows->rows[i]);
    return status;
}

bool require_given(const struct require_options *options)
{
    return options->require[0] || options->requirements[0];
}
