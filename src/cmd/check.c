/* SPDX-License-Identifier: MIT */
/* jitbench check: finds what disturbs measurements on this machine. Changes nothing. */
#include <string.h>

#include "cmd/check.h"
#include "cmd/cpus.h"
#include "cmd/files.h"
#include "cmd/suites.h"
#include "out/color.h"
#include "rows/text.h"
#include "sys/clock.h"
#include "sys/memory.h"
#include "sys/signals.h"

#define WIDTH      100u
#define WIDTH_MOST 200u
/* Time in ns between two readings of counters that may be rising. */
#define MOMENT_NS 100000000u

static const struct option rows[] = {
    {OPTION("cpus", 0, struct check_options, cpus,
            "CPUs to measure on; default: the isolated CPUs, or all but the boot CPU; quiet: the CPU that loses the "
            "least speed now"),
     .type = OPTION_CPUS, .value_name = "LIST|all|quiet", .choices = cpus_choices},
    {OPTION("output", 'o', struct check_options, output,
            "CSV file; '-' is standard output, and the table goes to standard error"),
     OPTION_WORD("FILE|-")},
    {OPTION("json", 0, struct check_options, json, "print JSON to standard output in place of the table")},
    {OPTION("fail-on", 0, struct check_options, fail_on,
            "exit with status 4 only if one of these items is noisy; default: any item that is checked"),
     OPTION_WORD("ITEM,...")},
    {OPTION("ignore", 0, struct check_options, ignore, "leave these out"), OPTION_WORD("ITEM,...")},
    FILES_FORCE_ROW(struct check_options),
    COLOR_ROW(struct check_options),
    {OPTION("quiet", 'q', struct check_options, quiet, "print only the table: no header, summary or advice")},
    COMMAND_HELP_ROW(struct check_options),
};

static void moment(void)
{
    clock_sleep_ns(MOMENT_NS);
}

static int look(const struct command *command, struct checking *c)
{
    const struct settings_view view = {.root = "", .machine = &c->machine, .bench = &c->bench, .moment = moment};
    const char *path = c->options.output;
    const int out_fd = !strcmp(path, "-") ? 2 : 1;
    int status = 0;
    bool failing = false;
    struct files_output csv;
    struct text out = {0};

    /* The CSV is opened before any setting is checked, so that a wrong file name is reported at once. */
    if (path[0] && (status = files_begin("check", path, c->options.force, &csv)))
        return status;
    for (size_t i = 0; i < settings_count; i++)
        if (c->selected[i]) {
            setting_look(&settings_list[i], &view, &c->state[i]);
            failing |= c->fails[i] && c->state[i].verdict == SETTING_NOISY;
        }
    out.color = color_wanted(c->options.color, out_fd);
    check_put(c, &view, command_width(out_fd, WIDTH, WIDTH_MOST), &out);
    if (command_output(command, out_fd, !path[0], &out))
        status = EXIT_ROW_FAILED;
    if (path[0]) {
        check_put_csv(c, &out);
        files_put(&csv, &out);
        text_free(&out);
        status = files_end(&csv) ? EXIT_ROW_FAILED : status;
    }
    return status ? status : failing ? EXIT_FINDING : EXIT_DONE;
}

static int check(const struct command_call *call)
{
    FREED_BY(memory_free) struct checking *c = memory_get(1, sizeof(*c));
    char error[512];

    if (settings_count > SETTINGS_MAX)
        memory_out();
    /* a closed pipe must not end the program, and a signal must not end it while it searches for a quiet CPU */
    signals_init();
    c->options = *(const struct check_options *)call->options;
    const int status = check_select(call->command, c, call->operands, call->n);
    if (status)
        return status;
    if (c->options.json && !strcmp(c->options.output, "-"))
        return check_fail("--json and -o - both want standard output");
    machine_read("", &c->machine);
    if (cpus_bench(option_given(&call->table, 1, "cpus") ? &c->options.cpus : NULL, &c->machine, &c->bench, error,
                   sizeof(error)))
        return check_fail("%s", error);
    return look(call->command, c);
}

const struct command command_check = {
    .name = "check",
    .operands = "[ITEM...]",
    .title = "lists the settings that disturb measurements on this machine, and how to set them",
    .description =
        "Checks the settings of the machine that disturb measurements. For each it prints the present value, the good "
        "value, what a bad value costs and how to set it, and then advice for the noisy ones, with the kernel command "
        "line for the CPUs to measure on. Without names it checks all items. It changes nothing.",
    COMMAND_CALLS(check, struct check_options, rows, .heading = "Options of check"),
    .takes = &setting_names,
};
