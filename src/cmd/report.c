/* SPDX-License-Identifier: MIT */
/* jitbench report: makes an HTML page with figures from result files. */

#include "report/report.h"
#include "cmd/cmd.h"

static const struct option rows[] = {
    FILES_OUTPUT_ROWS(
        "write the page to FILE; '-' is standard output. Default: standard output, or on a terminal the first "
        "FILE's name with .html, in the current directory"),
    COMMAND_HELP_ROW,
};

/* A file if standard output is a terminal. */
static void choose_output(const char *first, char *path, size_t size)
{
    const char *name = strrchr(first, '/') ? strrchr(first, '/') + 1 : first;
    size_t length = strlen(name);

    if (!isatty(1)) {
        text_copy(path, size, "-");
        return;
    }
    if (!strcmp(first, "-") || !length || strpbrk(name, "*?[")) {
        name = "jitbench-report";
        length = strlen(name);
    } else if (!strcmp(text_ending(name), ".csv")) {
        length -= 4;
    }
    snprintf(path, size, "%.*s.html", (int)(length < 900 ? length : 900), name);
}

static int report(struct command_call *call)
{
    struct options *options = &call->options;
    FREED_BY(report_free) struct report report = {0};
    struct text out = {0};

    report_begin(&report, metrics_table());
    int status = files_read(call->operands, call->n, false, ROWS_ALL, &report.set);
    if (status)
        return status;
    report_finish(&report);
    if (!options->output[0])
        choose_output(call->operands[0], options->output, sizeof(options->output));
    report_put(&report, &out);
    status = files_write(options->output, options->force, &out);
    if (!status && strcmp(options->output, "-"))
        message_print("Report: %s\n", options->output);
    return status;
}

const struct command command_report = {
    .name = "report",
    .operands = "FILE...",
    .title = "one HTML page with pictures",
    .description = "Makes one HTML page that needs no other file: a summary in words, the machine, figures, and all "
                   "rows. Several runs stand beside each other. An existing file is never overwritten. " FILES_ARE,
    COMMAND_CALLS(report, rows),
    .needs = FILES_NEEDED,
};
