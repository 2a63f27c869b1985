/* SPDX-License-Identifier: MIT */
/* Result rows: the table of the CSV's columns; init, copy and free of a row; the words of param. */
#include "rows/row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows/text.h"

const char *const load_count_names[LOAD_COUNTS] = {
    [LOAD_CPU] = "load_cpu_s",           [LOAD_WRITTEN] = "load_written",
    [LOAD_READ] = "load_read",           [LOAD_DISK_WRITTEN] = "load_disk_written",
    [LOAD_DISK_READ] = "load_disk_read", [LOAD_WAKEUPS] = "load_wakeups",
    [LOAD_MOVED] = "load_moved",         [LOAD_BURSTS] = "load_bursts",
};

#define RUN(type, name)                                                                                                \
    {                                                                                                                  \
#name, type, 1, offsetof(struct row_run, name), sizeof(((struct row_run *)0)->name)                            \
    }
#define ROW(type, name)                                                                                                \
    {                                                                                                                  \
#name, type, 0, offsetof(struct row, name), sizeof(((struct row *)0)->name)                                    \
    }
#define STATS(type, name)                                                                                              \
    {                                                                                                                  \
#name, type, 0, offsetof(struct row, stats.name), sizeof(((struct row *)0)->stats.name)                        \
    }
#define RUN_TEXT(name)   RUN(COLUMN_TEXT, name)
#define ROW_TEXT(name)   ROW(COLUMN_TEXT, name)
#define ROW_REAL(name)   ROW(COLUMN_REAL, name)
#define STATS_REAL(name) STATS(COLUMN_REAL, name)

const struct row_column row_columns[] = {
    {"schema", COLUMN_SCHEMA, 0, 0, 0},
    RUN_TEXT(run_id),
    RUN_TEXT(utc),
    RUN_TEXT(host),
    RUN_TEXT(job),
    RUN_TEXT(rank),
    RUN_TEXT(kernel),
    RUN_TEXT(arch),
    RUN_TEXT(cpu_model),
    RUN(COLUMN_UINT, cpus_online),
    RUN_TEXT(build),
    RUN_TEXT(libc),
    RUN_TEXT(settings),
    ROW_TEXT(suite),
    ROW_TEXT(test),
    ROW_TEXT(load),
    ROW_TEXT(param),
    ROW(COLUMN_UINT, copies),
    ROW_TEXT(metric),
    ROW_TEXT(unit),
    ROW_TEXT(better),
    STATS(COLUMN_UINT, n),
    ROW_REAL(value),
    STATS_REAL(mean),
    STATS_REAL(sd),
    STATS_REAL(rsd_pct),
    STATS_REAL(ci95_lo),
    STATS_REAL(ci95_hi),
    STATS_REAL(min),
    STATS_REAL(median),
    STATS_REAL(mad),
    STATS_REAL(p90),
    STATS_REAL(p99),
    STATS_REAL(p999),
    STATS_REAL(max),
    ROW_REAL(index),
    ROW(COLUMN_STATUS, status),
    ROW_TEXT(reason),
    ROW_TEXT(policy),
    ROW_REAL(rt_priority),
    ROW_REAL(nice),
    ROW_TEXT(cpus),
    ROW_TEXT(bind),
    ROW_TEXT(layout),
    ROW_TEXT(scratch_fs),
    ROW_REAL(wall_s),
    ROW_REAL(cpu_s),
    ROW_REAL(ctx_voluntary),
    ROW_REAL(ctx_involuntary),
    ROW_REAL(migrations),
    ROW_REAL(faults_minor),
    ROW_REAL(faults_major),
    ROW_REAL(run_delay_ms),
    ROW_REAL(irqs),
    ROW_REAL(softirqs),
    ROW_REAL(steal_ms),
    ROW_TEXT(causes),
    ROW_REAL(freq_khz),
    ROW_TEXT(timer_latency_held),
    RUN(COLUMN_REAL, start_late_us),
    RUN_TEXT(comment),
    {"samples", COLUMN_SAMPLES, 0, offsetof(struct row, samples), 0},
    {"hist", COLUMN_HIST, 0, offsetof(struct row, hist), 0},
    {"series", COLUMN_SERIES, 0, offsetof(struct row, series), 0},
    ROW_TEXT(scratch_disk),
    ROW(COLUMN_UINT, item),
    ROW_TEXT(core_share),
    ROW_REAL(core_mhz),
    ROW_REAL(explained_pct),
};
const size_t row_n_columns = sizeof row_columns / sizeof row_columns[0];

const char *row_status_name(enum row_status status)
{
    switch (status) {
    case ROW_OK:
        return "ok";
    case ROW_UNSTABLE:
        return "unstable";
    case ROW_DEGRADED:
        return "degraded";
    case ROW_SKIPPED:
        return "skipped";
    case ROW_FAILED:
        return "failed";
    }
    return "unknown";
}

void row_run_init(struct row_run *run)
{
    memset(run, 0, sizeof *run);
    run->start_late_us = NAN;
}

bool row_reason_repeats(const char *reason, const char *said)
{
    size_t length = strlen(said);

    return !strncmp(reason, said, length) && (!reason[length] || reason[length] == ';');
}

void row_init(struct row *row, const struct row_run *run)
{
    memset(row, 0, sizeof *row);
    row->run = run;
    for (size_t i = 0; i < row_n_columns; i++) {
        const struct row_column *column = &row_columns[i];
        if (column->type == COLUMN_REAL && !column->in_run)
            *(double *)(void *)((char *)row + column->offset) = NAN;
    }
}

void row_free(struct row *row)
{
    free(row->samples);
    free(row->hist);
    free(row->series);
    row->samples = NULL;
    row->hist = NULL;
    row->series = NULL;
    row->n_samples = row->n_hist = row->n_series = 0;
}

/* Returns a copy of an array: NULL with *failed set when out of memory; NULL alone when there is nothing to copy. */
static void *duplicate(const void *data, size_t n, size_t size, int *failed)
{
    void *copy;
    if (n == 0)
        return NULL;
    copy = n <= SIZE_MAX / size ? malloc(n * size) : NULL;
    if (copy == NULL)
        *failed = 1;
    else
        memcpy(copy, data, n * size);
    return copy;
}

int row_copy(struct row *to, const struct row *from)
{
    int failed = 0;
    *to = *from;
    to->samples = duplicate(from->samples, from->n_samples, sizeof *from->samples, &failed);
    to->hist = duplicate(from->hist, from->n_hist, sizeof *from->hist, &failed);
    to->series = duplicate(from->series, from->n_series, sizeof *from->series, &failed);
    if (!failed)
        return 0;
    row_free(to);
    row_init(to, from->run);
    return -1;
}

/* Returns whether the user's own words begin at this word: a command line with its input and preparation, which may
 * contain any text. */
static bool begins_command(const char *word)
{
    static const char *const names[] = {"input=", "prepare=", "command="};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strncmp(word, names[i], strlen(names[i])))
            return true;
    return false;
}

const char *row_command(const char *param)
{
    for (const char *at = param + strspn(param, " "); *at; at += strspn(at, " ")) {
        if (begins_command(at))
            return at;
        at += strcspn(at, " ");
    }
    return NULL;
}

/* Returns the end of a word that is quoted as words_quote() does: plain, \', 'in quotes', or $'in these'. */
static const char *skip_quoted(const char *at)
{
    while (*at && *at != ' ') {
        const bool escapes = at[0] == '$' && at[1] == '\'';
        if (at[0] == '\\' && at[1]) {
            at += 2;
            continue;
        }
        at += escapes;
        if (*at != '\'') {
            at++;
            continue;
        }
        for (at++; *at && *at != '\''; at++)
            at += escapes && at[0] == '\\' && at[1];
        at += *at == '\'';
    }
    return at;
}

const char *row_command_line(const char *param)
{
    static const char name[] = "command=";

    for (const char *at = row_command(param); at && *at; at += strspn(at, " ")) {
        if (!strncmp(at, name, strlen(name)))
            return at + strlen(name);
        at = skip_quoted(at);
    }
    return NULL;
}

static const char *param_value(const char *param, const char *key, size_t *length)
{
    size_t n = strlen(key);

    for (const char *word = param; *word; word += strspn(word, " ")) {
        size_t end = strcspn(word, " ");
        if (end > n && word[n] == '=' && !memcmp(word, key, n)) {
            *length = end - n - 1;
            return word + n + 1;
        }
        if (begins_command(word))
            return NULL;
        word += end;
    }
    return NULL;
}

const char *row_param(const struct row *row, const char *key, size_t *length)
{
    return param_value(row->param, key, length);
}

const struct row *row_alone_of(const struct row *rows, size_t n, const struct row *row)
{
    char metric[sizeof(row->metric) + 8];

    (void)snprintf(metric, sizeof(metric), "%s_alone", row->metric);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(rows[i].metric, metric) && !strcmp(rows[i].test, row->test) && rows[i].copies == row->copies &&
            !strcmp(rows[i].param, row->param) && !strcmp(rows[i].cpus, row->cpus))
            return &rows[i];
    return NULL;
}

void row_protocol(const char *param, char buf[ROW_PROTOCOL_SIZE])
{
    size_t length = 0;
    const char *protocol = param_value(param, "protocol", &length);

    buf[0] = '\0';
    if (protocol)
        (void)snprintf(buf, ROW_PROTOCOL_SIZE, "%.*s protocol", (int)(length < 16 ? length : 16), protocol);
}

enum row_word row_word_kind(const char *param, const char *word, size_t length)
{
    static const struct {
        const char *name;
        enum row_word kind;
    } words[] = {
        {"timer", ROW_WORD_BESIDE},         {"load", ROW_WORD_BESIDE},     {"control", ROW_WORD_BESIDE},
        {"linkage", ROW_WORD_BUILD},        {"libc", ROW_WORD_BUILD},      {"resident", ROW_WORD_BUILD},
        {"flags", ROW_WORD_BUILD},          {"kernel", ROW_WORD_CPU},      {"stores", ROW_WORD_CPU},
        {"array_bytes", ROW_WORD_CPU},      {"repetitions", ROW_WORD_CPU}, {"clock", ROW_WORD_CPU},
        {"loops_per_ms", ROW_WORD_OUTCOME}, {"pages", ROW_WORD_OUTCOME},   {"relation", ROW_WORD_CPU},
    };
    const char *equals = memchr(word, '=', length);
    size_t name = equals ? (size_t)(equals - word) : length;

    const char *command = row_command(param);

    if (command && command <= word)
        return ROW_WORD_WORK;
    for (size_t i = 0; i < LOAD_COUNTS; i++)
        if (strlen(load_count_names[i]) == name && !memcmp(word, load_count_names[i], name))
            return ROW_WORD_OUTCOME;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].name) == name && !memcmp(word, words[i].name, name))
            return words[i].kind;
    return ROW_WORD_WORK;
}

const char *row_next_word(const char *param, const char **at, enum row_word kind, size_t *length)
{
    for (const char *word = *at + strspn(*at, " "); *word; word += strspn(word, " ")) {
        *length = strcspn(word, " ");
        *at = word + *length;
        if (row_word_kind(param, word, *length) == kind)
            return word;
        word = *at;
    }
    *at += strlen(*at);
    return NULL;
}

static bool fields_equal(const struct row_column *column, const void *a, const void *b)
{
    if (column->type == COLUMN_TEXT)
        return !strcmp(a, b);
    if (column->type == COLUMN_UINT)
        return *(const uint64_t *)a == *(const uint64_t *)b;
    const double x = *(const double *)a, y = *(const double *)b;
    return isnan(x) || isnan(y) ? isnan(x) && isnan(y) : !(x < y || x > y);
}

bool row_run_equal(const struct row_run *a, const struct row_run *b)
{
    for (size_t i = 0; i < row_n_columns; i++) {
        const struct row_column *column = &row_columns[i];
        if (column->in_run && !fields_equal(column, (const char *)a + column->offset, (const char *)b + column->offset))
            return false;
    }
    return true;
}

static void sanitize_texts(void *of, int in_run)
{
    for (size_t i = 0; i < row_n_columns; i++)
        if (row_columns[i].type == COLUMN_TEXT && row_columns[i].in_run == in_run)
            text_sanitize((char *)of + row_columns[i].offset);
}

void row_sanitize(struct row *row)
{
    sanitize_texts(row, 0);
}

void row_run_sanitize(struct row_run *run)
{
    sanitize_texts(run, 1);
}

/* Returns where the user's own words begin in a field; NULL when it has none. */
static const char *user_words(const struct row_column *column, const char *field)
{
    static const char *const names[] = {"comment", "test", "load"};

    if (!strcmp(column->name, "param"))
        return row_command(field);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(column->name, names[i]))
            return field;
    return NULL;
}

void row_text_to_csv(const struct row_column *column, char *field)
{
    if (!strchr(field, ','))
        return;
    const char *end = user_words(column, field), *from = field;
    const bool blanks = !strcmp(column->name, "settings");
    char *to = field;

    for (; *from && from != end; from++) {
        if (*from != ',')
            *to++ = *from;
        else if (!blanks)
            *to++ = ';';
        else if (from[1] != ' ')
            *to++ = ' ';
    }
    memmove(to, from, strlen(from) + 1);
}

void row_text_from_csv(const struct row_column *column, char *field)
{
    if (strcmp(column->name, "cpus") != 0) {
        row_text_to_csv(column, field);
        return;
    }
    for (char *at = field; (at = strchr(at, ';')); at++)
        *at = ',';
}

void row_free_describe(uint64_t free_slices, uint64_t slices, char *buf, size_t size)
{
    (void)snprintf(buf, size, "the core was free in %" PRIu64 " of %" PRIu64 " slices", free_slices, slices);
}

bool row_free_slices(const char *reason, uint64_t *free_slices, uint64_t *slices)
{
    const char *words = strstr(reason, "the core was free in ");

    return words && sscanf(words, "the core was free in %" SCNu64 " of %" SCNu64 " slices", free_slices, slices) == 2 &&
           *slices > 0;
}
