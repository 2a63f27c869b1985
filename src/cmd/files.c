/* SPDX-License-Identifier: MIT */
/* Result files as operands, and texts as files. */
#include "cmd/files.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "engine/signals.h"
#include "engine/text.h"
#include "out/csv.h"

static int complain(const char *command, const char *error, int status)
{
    (void)fprintf(stderr, "jitbench %s: %s\n", command, error);
    return status;
}

int files_read(const char *command, const char *const *paths, size_t n, unsigned wanted, struct row_set *set)
{
    char message[4352], error[4352];
    bool standard_input = false;

    for (size_t i = 0; i < n; i++) {
        if (!strcmp(paths[i], "-") && standard_input)
            return complain(command, "standard input ('-') can be read only once", EXIT_USAGE);
        standard_input = standard_input || !strcmp(paths[i], "-");
        if (row_set_read(set, paths[i], wanted, message, sizeof(message), error, sizeof(error)))
            return complain(command, error, EXIT_USAGE);
        if (message[0])
            (void)complain(command, message, 0);
    }
    return set->n ? 0 : complain(command, "no rows to work on", EXIT_USAGE);
}

int files_write(const char *command, const char *path, struct text *text)
{
    char error[4352];
    bool created = false, standard_output = !strcmp(path, "-");
    int status = 0;

    if (text->failed) {
        text_free(text);
        return complain(command, "out of memory", EXIT_ROW_FAILED);
    }
    int fd = standard_output ? 1 : csv_create(path, &created, error, sizeof(error));
    if (fd < 0) {
        text_free(text);
        return complain(command, error, EXIT_USAGE);
    }
    (void)signal(SIGPIPE, SIG_IGN); /* a reader that has seen enough is no error */
    bool whole = signals_write(fd, text->data, text->length) == text->length;
    text_free(text);
    if (!whole && !(standard_output && errno == EPIPE)) {
        (void)snprintf(error, sizeof(error), "%.4000s cannot be written: %s",
                       standard_output ? "standard output" : path, strerror(errno));
        status = complain(command, error, EXIT_ROW_FAILED);
    }
    if (!standard_output && close(fd) && !status) {
        (void)snprintf(error, sizeof(error), "%.4000s cannot be written: %s", path, strerror(errno));
        status = complain(command, error, EXIT_ROW_FAILED);
    }
    if (status && created)
        (void)unlink(path);
    return status;
}
