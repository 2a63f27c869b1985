/* SPDX-License-Identifier: MIT */
/* The suites that `all` runs, and the tables that prime and stream share. */
#ifndef CMD_SUITES_H
#define CMD_SUITES_H

#include "analysis/metrics.h"
#include "cmd/measure.h"

/* In the order in which `all` runs them: quiet suites before noisy ones. Ends with NULL. */
extern const struct suite *const suite_list[];

extern const struct suite suite_noise, suite_prime, suite_stream, suite_unix, suite_latency, suite_run;
extern const struct command command_noise, command_prime, command_stream, command_unix, command_latency, command_all,
    command_help_, command_list_, command_version, command_check, command_tune, command_untune, command_project,
    command_fleet, command_completion, command_export, command_init, command_report, command_run, command_compare,
    command_show;

/* Returns the title of a test of suite unix; NULL for another name. */
const char *unix_title(const char *test);

/* Returns the table of metrics of all benchmarks. Ends the program when memory runs out. */
const struct metrics *metrics_table(void);

/* Layouts of very short experiments: a line for each run as the original prints it, and the runs together. */
enum { EXPERIMENT_COLUMNS = 10 };
extern const struct table_column cmd_experiment_columns[EXPERIMENT_COLUMNS];

/* Of rank 6, and so left out first, are also those before them that the plan determines. */
#define EXPERIMENT_SUMMARY_COLUMNS                                                                                     \
    {.heading = "Median", .metric = "cycles", .field = TABLE_MEDIAN, .decimals = 1},                                   \
        {.heading = "ns", .metric = "time", .field = TABLE_MEDIAN, .decimals = 1, .rank = 2},                          \
        {.heading = "Mean", .metric = "cycles", .field = TABLE_MEAN, .decimals = 2, .rank = 1},                        \
        {.heading = "+-95%", .metric = "cycles", .field = TABLE_CI95_HALF, .decimals = 2, .rank = 1},                  \
        {.heading = "+-90%run", .metric = "cycles_ci90", .field = TABLE_VALUE, .decimals = 3, .rank = 6},              \
        {.heading = "SD", .metric = "cycles", .field = TABLE_SD, .decimals = 1, .rank = 4},                            \
        {.heading = "Min", .metric = "cycles", .field = TABLE_MIN},                                                    \
        {.heading = "P99", .metric = "cycles", .field = TABLE_P99},                                                    \
        {.heading = "P99.9", .metric = "cycles", .field = TABLE_P999, .rank = 3},                                      \
        {.heading = "Max", .metric = "cycles", .field = TABLE_MAX},                                                    \
        {.heading = "Max us", .metric = "time", .field = TABLE_MAX, .decimals = 1, .scale = 1e-3, .rank = 6},          \
        {.heading = "Core %", .metric = "cycles", .field = TABLE_CORE, .optional = 1},                                 \
    {                                                                                                                  \
        .heading = "Alone", .metric = "cycles_alone", .field = TABLE_VALUE, .decimals = 1, .optional = 1               \
    }

#define EXPERIMENT_SHARE_COLUMNS                                                                                       \
    {.heading = ">400 mean", .metric = "delayed_400", .field = TABLE_VALUE, .decimals = 3, .rank = 1},                 \
        {.heading = ">2000 mean", .metric = "delayed_2000", .field = TABLE_VALUE, .decimals = 3, .rank = 1},           \
        {.heading = ">400 median", .metric = "delayed_400_median", .field = TABLE_VALUE, .decimals = 3},               \
        {.heading = ">2000 median", .metric = "delayed_2000_median", .field = TABLE_VALUE, .decimals = 3},             \
        {.heading = ">400 min", .metric = "delayed_400_min", .field = TABLE_VALUE, .decimals = 3},                     \
    {                                                                                                                  \
        .heading = ">2000 min", .metric = "delayed_2000_min", .field = TABLE_VALUE, .decimals = 3                      \
    }

struct experiment_tables {
    const char *test, *run_title, *key_heading, *key;
    struct table_layout summary, share;
};
void cmd_print_experiments(const struct table_rows *rows, const struct experiment_tables *tables, struct text *out);

#endif
