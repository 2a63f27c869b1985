/* SPDX-License-Identifier: MIT */
/* The suites that `all` runs, and the tables that prime and stream share. */
#ifndef CMD_SUITES_H
#define CMD_SUITES_H

#include "analysis/metrics.h"
#include "cmd/measure.h"

/* The suites of `all` in the order in which it runs them: quiet suites before noisy ones. Ends with NULL. */
extern const struct suite *const suite_list[];

extern const struct suite suite_noise, suite_wakeup, suite_prime, suite_memory, suite_stream, suite_unix, suite_latency,
    suite_run;
extern const struct command command_noise, command_wakeup, command_prime, command_memory, command_stream, command_unix,
    command_latency, command_all, command_help_, command_list_, command_version, command_check, command_tune,
    command_untune, command_project, command_fleet, command_completion, command_complete, command_export,
    command_history, command_init, command_report, command_run, command_compare, command_show;

/* Returns the table of metrics of all benchmarks. Ends the program when memory runs out. */
const struct metrics *metrics_table(void);

/* Describes the tables of a test whose runs time a very short experiment many times (prime, and array of stream): a
 * line for each run as the original program prints it, a summary of all runs, and the time lost in delays. */
struct experiment_tables {
    const char *test, *run_title, *summary_title;
    struct table_column key;          /* first column */
    const struct table_column *extra; /* further columns of the summary */
    size_t n_extra;
};
void cmd_print_experiments(const struct table_rows *rows, const struct experiment_tables *tables, struct text *out);

#endif
