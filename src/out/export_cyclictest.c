/* SPDX-License-Identifier: MIT */
/* Rows of wakeup as cyclictest's text (-q -h N) and JSON, of noise as oslat's table: each of the first run and load in
 * the files. */
#include <time.h>

#include "out/export.h"
#include "out/out.h"

#define US 1e-3

static const char *refuse(const struct row *row)
{
    if (strcmp(row->suite, "wakeup") || strcmp(row->metric, "latency"))
        return "that are not latencies of suite wakeup";
    return row->n_hist ? NULL : "without a histogram";
}

/* One for each CPU, in the order of their numbers. */
struct cpus {
    const struct row **row;
    size_t n;
    size_t end_us; /* of the histogram */
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

/* end: key of the histogram's end in param; otherwise: where it is missing. */
static void take_cpus(const struct export_rows *rows, const char *end, size_t otherwise, struct cpus *cpus)
{
    const struct row *first = rows->rows[0];
    const double end_us = row_param_number(&first->param, end);

    cpus->row = memory_get(rows->n, sizeof(*cpus->row));
    for (size_t i = 0; i < rows->n; i++)
        if (rows->rows[i]->run == first->run && !strcmp(rows->rows[i]->load, first->load))
            cpus->row[cpus->n++] = rows->rows[i];
        else
            export_leave_out(rows->left_out, "of further runs or loads");
    SORT(cpus->row, cpus->n, by_cpu);
    cpus->end_us = end_us >= 1 && end_us < 1e6 ? (size_t)end_us : otherwise;
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

static double whole(double us)
{
    return isnan(us) ? 0 : floor(us);
}

static void write_text(const struct export_rows *rows, struct text *out)
{
    static const struct {
        const char *name;
        int digits;
    } fields[] = {{"Total:", 9},
                  {"Min Latencies:", 5},
                  {"Avg Latencies:", 5},
                  {"Max Latencies:", 5},
                  {"Histogram Overflows:", 5}};
    FREED_BY(free_cpus) struct cpus cpus = {0};

    take_cpus(rows, "histogram_us", 1, &cpus);
    if (!strcmp(cpus.row[0]->timer_latency_held, "yes"))
        text_printf(out, "# /dev/cpu_dma_latency set to 0us\n");
    text_printf(out, "# Histogram\n");
    for (size_t us = 0; us < cpus.end_us; us++) {
        text_printf(out, "%06zu ", us);
        for (size_t c = 0; c < cpus.n; c++)
            text_printf(out, "%06.0f%s", count_of(&cpus, c, us), c + 1 < cpus.n ? "\t" : "\n");
    }
    for (size_t i = 0; i < COUNT(fields); i++) {
        text_printf(out, "# %s", fields[i].name);
        for (size_t c = 0; c < cpus.n; c++) {
            const struct stats_summary *s = &cpus.row[c]->stats;
            const double of[COUNT(fields)] = {count_of(&cpus, c, cpus.end_us + 1), s->min * US, s->mean * US,
                                              s->max * US, count_of(&cpus, c, cpus.end_us)};
            text_printf(out, " %0*.0f", fields[i].digits, whole(of[i]));
        }
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

/* The names of two members end in a colon. */
static void write_json(const struct export_rows *rows, struct text *out)
{
    const struct row_run *run = rows->rows[0]->run;
    const size_t length = strcspn(run->kernel, " ");
    char release[sizeof(run->kernel)], start[64], end[64];
    FREED_BY(free_cpus) struct cpus cpus = {0};

    take_cpus(rows, "histogram_us", 1, &cpus);
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
        const struct stats_summary *s = &cpus.row[c]->stats;
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
                    whole(s->min * US), whole(s->max * US), isnan(s->mean) ? 0 : s->mean * US,
                    strtol(cpus.row[c]->cpus, NULL, 10), c + 1 < cpus.n ? "," : "");
    }
    text_printf(out, "  }\n}\n");
}

const struct export_format export_cyclictest_json = {
    .wanted = ROWS_HIST,
    .refuse = refuse,
    .write = write_json,
};

/* --- oslat's table. --- */

#define BUCKETS 32 /* as oslat */

static const char *refuse_oslat(const struct row *row)
{
    if (strcmp(row->suite, "noise") || strcmp(row->metric, "detour"))
        return "that are not detours of suite noise";
    return row->n_hist || !row->stats.n ? NULL : "without a histogram";
}

/* Without a detour: the time that was not lost over that of a turn. 0: not known. */
static double turns_of(const struct export_rows *rows, const struct row *row)
{
    const struct row *loop = row_sibling(rows->all, rows->n_all, row, "loop");
    const struct row *lost = row_sibling(rows->all, rows->n_all, row, "lost");
    const struct row *blind = row_sibling(rows->all, rows->n_all, row, "blind");
    const double seen_ns = row->wall_s * 1e9 * (1 - (blind ? blind->value : 0) / 100);

    return loop && lost && loop->value > 0 ? fmax(floor(seen_ns * (1 - lost->value / 100) / loop->value), 0) : 0;
}

static double average_of(const struct row *row, double turns)
{
    double n = turns, sum = turns;

    for (size_t i = 0; i < row->n_hist; i++) {
        n += row->hist[i].value;
        sum += row->hist[i].value * (floor(row->hist[i].at * US) + 1);
    }
    return n > 0 ? sum / n : 0;
}

static void put_line(const char *name, const double *of_cpu, size_t n, int decimals, const char *unit, struct text *out)
{
    text_printf(out, "%12s:\t", name);
    for (size_t c = 0; c < n; c++)
        text_printf(out, " %.*f", decimals, of_cpu[c]);
    text_printf(out, "%s\n", unit);
}

static void write_oslat(const struct export_rows *rows, struct text *out)
{
    static const struct {
        const char *name, *unit;
        int decimals;
    } lines[] = {{"Core", "", 0},         {"Minimum", " (us)", 0}, {"Average", " (us)", 3},
                 {"Maximum", " (us)", 0}, {"Max-Min", " (us)", 0}, {"Duration", " (sec)", 3}};
    FREED_BY(free_cpus) struct cpus cpus = {0};
    bool left_out = false;

    take_cpus(rows, "buckets", BUCKETS, &cpus);
    const size_t n = cpus.n, end = cpus.end_us;
    FREED double *figures = memory_get(COUNT(lines) * n, sizeof(*figures));
    for (size_t c = 0; c < n; c++) { /* oslat counts a turn of less than 1 us as 1 */
        const struct row *row = cpus.row[c];
        const double turns = turns_of(rows, row), least = turns > 0 ? 1 : floor(row->stats.min * US) + 1;
        const double most = row->stats.n ? floor(row->stats.max * US) + 1 : least;
        const double of[COUNT(lines)] = {
            (double)strtol(row->cpus, NULL, 10), least, average_of(row, turns), most, most - least, row->wall_s};
        for (size_t i = 0; i < COUNT(lines); i++)
            figures[i * n + c] = of[i];
        cpus.counts[c] += turns;
        cpus.counts[(end - 1) * n + c] += count_of(&cpus, c, end);
    }
    const bool zero_omit = row_param_is(&cpus.row[0]->param, "zero_omit", "1");
    put_line(lines[0].name, figures, n, 0, "", out);
    for (size_t bucket = 0; bucket < end; bucket++) {
        double all = 0;
        for (size_t c = 0; c < n; c++)
            all += count_of(&cpus, c, bucket);
        if (zero_omit && bucket + 1 < end && !(all > 0)) {
            left_out = true;
            continue;
        }
        text_printf(out, left_out ? "    ...\n" : "");
        left_out = false;
        put_line(TEXT_LINE("%03zu (us)", bucket + 1), &cpus.counts[bucket * n], n, 0,
                 bucket + 1 < end ? "" : " (including overflows)", out);
    }
    for (size_t i = 1; i < COUNT(lines); i++)
        put_line(lines[i].name, &figures[i * n], n, lines[i].decimals, lines[i].unit, out);
}

const struct export_format export_oslat = {
    .wanted = ROWS_HIST,
    .refuse = refuse_oslat,
    .write = write_oslat,
};
