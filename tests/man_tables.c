/* SPDX-License-Identifier: MIT */
/* Prints the program's tables for man_pages.py, which compares the man pages with them: lines of fields between tabs.
 */

#include "cmd/unix.h"

static const struct bench *bench_of(const struct suite *suite, const char *test)
{
    for (size_t t = 0; suite == &suite_unix && unix_test_at(t).name; t++)
        if (!strcmp(unix_test_at(t).name, test))
            return unix_test_at(t).bench;
    for (size_t b = 0; bench_list[b]; b++)
        if (!strcmp(bench_list[b]->suite, suite->command.name) && !strcmp(bench_list[b]->name, test))
            return bench_list[b];
    return NULL;
}

/* The operands of a command: unit, baseline and title of a test, and the tests that it selects. */
static void put_operands(const struct command *command)
{
    const struct operands *operands = command_operands(command);
    struct operand_word word;

    for (size_t i = 0; operands->kind == OPERANDS_WORDS && operands->word(command, i, &word); i++) {
        static struct measure m;
        const struct bench *bench = command->suite ? bench_of(command->suite, word.name) : NULL;
        const struct metric *headline = bench ? bench_metric(bench, 0) : NULL;
        for (unsigned k = 1; bench && k < bench->n_metrics && !headline->headline; k++)
            headline = bench_metric(bench, k);
        printf("operand\t%s\t%s\t%s\t", command->name, word.name, bench ? bench->title : "");
        memset(m.selected, 0, sizeof(m.selected));
        if (command->suite == &suite_unix)
            (void)suite_unix.select(&m, word.name);
        double baseline = headline ? headline->baseline : 0;
        for (size_t t = 0; command->suite == &suite_unix && unix_test_at(t).name; t++)
            if (!strcmp(unix_test_at(t).name, word.name) && !(unix_test_at(t).groups & UNIX_INDEX_STABLE))
                baseline = 0;
        printf("%s", headline ? headline->unit : "");
        if (baseline > 0)
            printf(", %g", baseline);
        printf("\t");
        for (size_t t = 0; command->suite == &suite_unix && unix_test_at(t).name; t++)
            if (m.selected[t])
                printf("%s, ", unix_test_at(t).name);
        printf("\n");
    }
}

static bool is_timed(const struct suite *suite)
{
    const struct suite_options *o = suite->options;

    while ((o->rows || o->bench) && o->rows != measure_timed_rows)
        o++;
    return o->rows;
}

/* For each preset the cells of the page's table; before them when a test of fixed length stops. */
static void put_sampling(const struct bench *bench, bool timed)
{
    char cap[32], each[32];

    text_duration(bench->sampling[0].max_ns, cap, sizeof(cap));
    printf("sampling\t%s\t%s\t%s", bench->suite, bench->name, bench->sampling[0].time_ns ? cap : "");
    for (unsigned p = 0; p < PRESET_COUNT; p++) {
        const struct sampling *s = &bench->sampling[p];
        const unsigned long long least = s->min_samples, most = s->max_samples;
        text_duration(s->time_ns, each, sizeof(each));
        text_duration(s->max_ns, cap, sizeof(cap));
        printf("\t%llu", least);
        if (!most)
            printf(" or more");
        else if (least < most)
            printf(" to %llu", most);
        printf("%s%s", timed ? " Ta " : "", timed ? each : "");
        if (most && least >= most)
            printf(" Ta \\- Ta \\-");
        else
            printf(" Ta %s Ta %g %%", cap, s->precision_pct);
    }
    printf("\n");
}

static void put_metrics(const struct bench *bench)
{
    static const char *const values[] = {
        [VALUE_MEAN] = "mean", [VALUE_MEDIAN] = "median", [VALUE_MIN] = "minimum", [VALUE_MAX] = "maximum"};

    for (unsigned m = 0; m < bench->n_metrics; m++) {
        const struct metric *metric = bench_metric(bench, m);
        printf("metric\t%s\t%s\t%s\t%s\t%s, %s\n", bench->suite, bench->name, metric->id,
               metric->unit ? metric->unit : "ticks", metric->better[0] ? metric->better : "\\-",
               values[metric->value]);
    }
}

int main(void)
{
    static const char *const types[] = {
        [COLUMN_TEXT] = "text",   [COLUMN_UINT] = "whole number",   [COLUMN_REAL] = "number",
        [COLUMN_STATUS] = "text", [COLUMN_SCHEMA] = "whole number", [COLUMN_SAMPLES] = "list",
        [COLUMN_HIST] = "pairs",  [COLUMN_SERIES] = "pairs",        [COLUMN_CAUSES] = "text",
    };
    const struct metrics *metrics = metrics_table();

    for (size_t i = 0; i < row_n_columns; i++)
        printf("column\t%s Pq %s\n", row_columns[i].name, types[row_columns[i].type]);
    for (int status = 0; strcmp(row_status_name((enum row_status)status), "unknown") != 0; status++)
        printf("status\t%s\n", row_status_name((enum row_status)status));
    for (size_t c = 0; command_list[c]; c++) {
        put_operands(command_list[c]);
        if (!command_list[c]->suite)
            continue;
        printf("suite\t%s\n", command_list[c]->name);
        for (size_t b = 0; bench_list[b]; b++)
            if (!strcmp(bench_list[b]->suite, command_list[c]->name)) {
                put_sampling(bench_list[b], is_timed(command_list[c]->suite));
                put_metrics(bench_list[b]);
            }
    }
    /* Of rows that are made of rows. */
    for (size_t t = 0; t < metrics->n_made; t++)
        for (size_t m = 0; m < metrics->made[t].n; m++)
            printf("made\t%s\t%s\t%s\t%s\t%s\n", metrics->made[t].suite, metrics->made[t].name,
                   metrics->made[t].metric[m].id, metrics->made[t].metric[m].unit,
                   metrics->made[t].metric[m].better[0] ? metrics->made[t].metric[m].better : "\\-");
    return 0;
}
