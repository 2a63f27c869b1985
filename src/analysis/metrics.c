/* SPDX-License-Identifier: MIT */
/* Looks up the table of metrics, which the benchmarks define. */
#include "analysis/analysis.h"

/* Columns of a command line. */
#define LINE_MOST 60

static const struct metrics none;

static const struct metrics *table_of(const struct metrics *metrics)
{
    return metrics ? metrics : &none;
}

static const struct metrics_metric *metric_of(const struct metrics_test *test, const char *id)
{
    for (size_t m = 0; m < test->n; m++)
        if (!strcmp(test->metric[m].id, id))
            return &test->metric[m];
    return NULL;
}

const struct metrics_test *metrics_test(const struct metrics *metrics, const char *suite, const char *test)
{
    const struct metrics *table = table_of(metrics);

    for (size_t t = 0; t < table->n_tests; t++)
        if (!strcmp(table->test[t].suite, suite) &&
            (table->test[t].named_by_user || !strcmp(table->test[t].name, test)))
            return &table->test[t];
    return NULL;
}

/* Otherwise the metric of the first test of the suite that has it: a test may be a variant. */
static const struct metrics_metric *find_metric(const struct metrics *metrics, const struct row *row)
{
    const struct metrics *table = table_of(metrics);
    const struct metrics_test *test = metrics_test(metrics, row->suite, row->test);
    const struct metrics_metric *found = test ? metric_of(test, row->metric) : NULL;

    for (size_t t = 0; t < table->n_tests && !found; t++)
        if (!strcmp(table->test[t].suite, row->suite))
            found = metric_of(&table->test[t], row->metric);
    return found;
}

const char *metrics_test_title(const struct metrics *metrics, const char *suite, const char *test)
{
    const struct metrics_test *found = metrics_test(metrics, suite, test);

    return found && !found->named_by_user ? found->title : test;
}

const char *metrics_title(const struct metrics *metrics, const struct row *row)
{
    const struct metrics_metric *metric = find_metric(metrics, row);

    return metric && metric->title ? metric->title : row->metric;
}

const char *metrics_suite_title(const struct metrics *metrics, const char *suite)
{
    const struct metrics *table = table_of(metrics);

    for (size_t s = 0; s < table->n_suites; s++)
        if (!strcmp(table->suite[s].name, suite))
            return table->suite[s].title;
    return "";
}

bool metrics_row_per_cpu(const struct metrics *metrics, const struct row *row)
{
    const struct metrics_test *test = metrics_test(metrics, row->suite, row->test);

    return test && test->row_per_cpu;
}

void metrics_put_place(const struct metrics *metrics, const struct row *row, struct text *out)
{
    static const char *const telling[] = {"limit", "elements", "stores",    "set",     "level",    "from",
                                          "to",    "copy",     "from_node", "to_node", "pause_ns", "cpus"};
    const char *protocol = ROW_PROTOCOL(&row->param), *line = row_command_line(&row->param);
    size_t told = 0;

    text_printf(out, "%s%s%s%s", row->load[0] ? ", " : "", row->load, protocol[0] ? ", " : "", protocol);
    for (size_t i = 0; i < COUNT(telling); i++) {
        const char *word = ROW_PARAM(&row->param, telling[i]);
        if (word[0])
            text_printf(out, ", %s %s", telling[i], word);
        told += word[0] != 0;
    }
    if (line)
        text_printf(out, ", %.*s", (int)text_break(line, LINE_MOST), line);
    else if (!told && !row->load[0] && !metrics_suite_title(metrics, row->suite)[0] && row->param.n)
        text_printf(out, ", %s", row->param.text);
    if (row->cpus[0] && metrics_row_per_cpu(metrics, row))
        text_printf(out, ", CPU %s", row->cpus);
    else if (row->copies > 1)
        text_printf(out, ", %" PRIu64 " copies", row->copies);
}

static bool is_compared(const struct metrics *metrics, const struct row *row, const char *id)
{
    const struct metrics *table = table_of(metrics);
    bool known = false;

    for (size_t t = 0; t < table->n_tests; t++) {
        if (strcmp(table->test[t].suite, row->suite))
            continue;
        const struct metrics_metric *metric = metric_of(&table->test[t], id);
        if (metric && metric->headline)
            /* what a load did is the price of what its task got */
            return metric->better[0] || (!strcmp(id, "load_rate") && strcmp(row->test, "alone") != 0);
        known = known || metric;
    }
    return !known && row->better[0];
}

bool metrics_is_compared(const struct metrics *metrics, const struct row *row)
{
    return !row_is_alone(row) && is_compared(metrics, row, row->metric);
}

bool metrics_is_compared_alone(const struct metrics *metrics, const struct row *row)
{
    char id[sizeof(row->metric)];

    TEXT_PRINT(id, "%.*s", (int)row_is_alone(row), row->metric);
    return id[0] && is_compared(metrics, row, id);
}

void metrics_mark_headlines(const struct metrics *metrics, struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct metrics_metric *metric = find_metric(metrics, &rows[i]);
        const struct metrics_test *test = metrics_test(metrics, rows[i].suite, rows[i].test);
        const bool known = test && test->n && !test->named_by_user;
        rows[i].headline =
            metric ? metric->headline : !known && (i == 0 || !row_same_measurement(&rows[i], &rows[i - 1]));
    }
}
