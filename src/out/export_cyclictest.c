/* SPDX-License-Identifier: MIT */
/* Exports the rows of suite wakeup as cyclictest prints them: as its text with -q -h N, and as its JSON. Both contain
 * one run with one load: the first ones in the files. */
#include <math.h>
#include <time.h>

#include "out/export.h"
#include "out/out.h"
#include "sys/base.h"

#define US 1e-3

static const char *refuse(const struct row *row)
{
    if (strcmp(row->suite, "wakeup") != 0 || strcmp(row->metric, "latency") != 0)
        return "that are not latencies of suite wakeup";
    return row->n_hist ? NULL : "without a histogram";
}

/* One for each CPU, in the order of their numbers. */
struct cpus {
    const struct row **row;
    size_t n;
    size_t end_us; /* the histogram's end in us */
    /* counts[us * n + cpu]: wake-ups with a latency of so many whole us; for end_us those beyond, for end_us + 1 the
     * sum of the others */
    double *counts;
};

static int by_cpu(const void *a, const void *b)
{
    const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
    const long cpu = strtol(x->cpus, NULL, 10), other = strtol(y->cpus, NULL, 10);

    return ORDER_OF(cpu, other);
}

static void take_cpus(const struct export_rows *rows, struct cpus *cpus)
{
    const struct row *first = rows->rows[0];
    const double end_us = row_param_number(&first->param, "histogram_us");

    cpus->row = memory_get(rows->n, sizeof(const struct row *));
    for (size_t i = 0; i < rows->n; i++)
        if (rows->rows[i]->run == first->run && !strcmp(rows->rows[i]->load, first->load) &&
            !strcmp(rows->rows[i]->param.text, first->param.text))
            cpus->row[cpus->n++] = rows->rows[i];
        else
            export_leave_out(rows->left_out, "of further runs or loads");
    qsort(cpus->row, cpus->n, sizeof(const struct row *), by_cpu);
    cpus->end_us = end_us >= 1 && end_us < 1e6 ? (size_t)end_us : 1;
    cpus->counts = memory_get((cpus->end_us + 2) * cpus->n, sizeof(*cpus->counts));
    for (size_t c = 0; c < cpus->n; c++)
        for (size_t i = 0; i < cpus->row[c]->n_hist; i++) {
            const double us = floor(cpus->row[c]->hist[i].at * US), n = cpus->row[c]->hist[i].value;
            const bool inside = us >= 0 && us < (double)cpus->end_us;
            cpus->counts[(inside ? (size_t)us : cpus->end_us) * cpus->n + c] += n;
            cpus->counts[(cpus->end_us + 1) * cpus->n + c] += inside ? n : 0;
        }
}

static void free_cpus(const struct cpus *cpus)
{
    free(cpus->row);
    free(cpus->counts);
}

static double count_of(const struct cpus *cpus, size_t cpu, size_t us)
{
    return cpus->counts[us * cpus->n + cpu];
}

/* --- The text. --- */

enum field { TOTAL, MIN, AVG, MAX, OVERFLOWS, N_FIELDS };

static double field_of(const struct cpus *cpus, size_t cpu, enum field field)
{
    const struct stats_summary *s = &cpus->row[cpu]->stats;
    const double values[] = {[TOTAL] = count_of(cpus, cpu, cpus->end_us + 1),
                             [MIN] = s->min * US,
                             [AVG] = s->mean * US,
                             [MAX] = s->max * US,
                             [OVERFLOWS] = count_of(cpus, cpu, cpus->end_us)};

    return isnan(values[field]) ? 0 : floor(values[field]);
}

static void write_text(const struct export_rows *rows, struct text *out)
{
    static const struct {
        const char *name;
        int digits;
    } fields[N_FIELDS] = {{"Total:", 9},
                          {"Min Latencies:", 5},
                          {"Avg Latencies:", 5},
                          {"Max Latencies:", 5},
                          {"Histogram Overflows:", 5}};
    FREED_BY(free_cpus) struct cpus cpus = {.n = 0};

    take_cpus(rows, &cpus);
    if (!strcmp(cpus.row[0]->timer_latency_held, "yes"))
        text_printf(out, "# /dev/cpu_dma_latency set to 0us\n");
    text_printf(out, "# Histogram\n");
    for (size_t us = 0; us < cpus.end_us; us++) {
        text_printf(out, "%06zu ", us);
        for (size_t c = 0; c < cpus.n; c++)
            text_printf(out, "%06.0f%s", count_of(&cpus, c, us), c + 1 < cpus.n ? "\t" : "\n");
    }
    for (size_t i = 0; i < N_FIELDS; i++) {
        text_printf(out, "# %s", fields[i].name);
        for (size_t c = 0; c < cpus.n; c++)
            text_printf(out, " %0*.0f", fields[i].digits, field_of(&cpus, c, (enum field)i));
        text_printf(out, "\n");
    }
    text_printf(out, "# Histogram Overflow at cycle number:\n");
    for (size_t c = 0; c < cpus.n; c++) {
        text_printf(out, "# Thread %zu:", c);
        if (count_of(&cpus, c, cpus.end_us) > 0)
            text_printf(out, " # %05.0f others", count_of(&cpus, c, cpus.end_us));
        text_printf(out, "\n");
    }
    text_printf(out, "\n");
}

const struct export_format export_cyclictest = {
    .wanted = ROWS_HIST,
    .refuse = refuse,
    .write = write_text,
};

/* --- The JSON. --- */

static const char *mail_time(const char *utc, double later_s, char buf[64])
{
    struct tm t = {0};

    buf[0] = '\0';
    if (strptime(utc, "%Y-%m-%dT%H:%M:%SZ", &t)) {
        const time_t at = timegm(&t) + (time_t)(later_s >= 0 ? later_s : 0);
        if (gmtime_r(&at, &t))
            strftime(buf, 64, "%a, %d %b %Y %H:%M:%S +0000", &t);
    }
    return buf;
}

/* Writes the JSON of cyclictest, in which the names of two members end in a colon. */
static void write_json(const struct export_rows *rows, struct text *out)
{
    const struct row_run *run = rows->rows[0]->run;
    const size_t length = strcspn(run->kernel, " ");
    char release[sizeof(run->kernel)], start[64], end[64];
    FREED_BY(free_cpus) struct cpus cpus = {.n = 0};

    take_cpus(rows, &cpus);
    text_copy(release, length + 1, run->kernel);
    json_put(out,
             "{\n  \"file_version\": 1,\n  \"cmdline:\": \"jitbench wakeup\",\n  \"rt_test_version:\": %s,\n"
             "  \"start_time\": %s,\n  \"end_time\": %s,\n  \"return_code\": 0,\n  \"sysinfo\": {\n"
             "    \"sysname\": \"Linux\",\n    \"nodename\": %s,\n    \"release\": %s,\n    \"version\": %s,\n"
             "    \"machine\": %s,\n    \"realtime\": %c\n  },\n  \"num_threads\": %zu,\n"
             "  \"resolution_in_ns\": 0,\n  \"thread\": {\n",
             run->build, mail_time(run->utc, 0, start), mail_time(run->utc, cpus.row[0]->wall_s, end), run->host,
             release, run->kernel + length + (run->kernel[length] == ' '), run->arch,
             strstr(run->kernel, "PREEMPT_RT") ? '1' : '0', cpus.n);
    for (size_t c = 0; c < cpus.n; c++) {
        const double mean = cpus.row[c]->stats.mean;
        const char *between = "";
        text_printf(out, "    \"%zu\": {\n      \"histogram\": {", c);
        for (size_t us = 0; us < cpus.end_us; us++)
            if (count_of(&cpus, c, us) > 0) {
                text_printf(out, "%s\n        \"%zu\": %.0f", between, us, count_of(&cpus, c, us));
                between = ",";
            }
        text_printf(out, "%s      },\n      \"cycles\": %.0f,\n", between[0] ? "\n" : "",
                    count_of(&cpus, c, cpus.end_us + 1) + count_of(&cpus, c, cpus.end_us));
        text_printf(out,
                    "      \"min\": %.0f,\n      \"max\": %.0f,\n      \"avg\": %.2f,\n      \"cpu\": %ld,\n"
                    "      \"node\": -1\n    }%s\n",
                    field_of(&cpus, c, MIN), field_of(&cpus, c, MAX), isnan(mean) ? 0 : mean * US,
                    strtol(cpus.row[c]->cpus, NULL, 10), c + 1 < cpus.n ? "," : "");
    }
    text_printf(out, "  }\n}\n");
}

const struct export_format export_cyclictest_json = {
    .wanted = ROWS_HIST,
    .refuse = refuse,
    .write = write_json,
};
