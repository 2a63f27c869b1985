/* SPDX-License-Identifier: MIT */

#include "rows/rows.h"
#include "stats/inference.h"

/* Returns the kind of a parameter from a file, by its key. */
static enum row_param_kind kind_of(const char *key, size_t length)
{
    static const char *const keys[] = {
        [PARAM_CPU] = "kernel stores array_bytes repetitions clock relation bytes cache_set cache_bytes",
        [PARAM_BUILD] = "linkage libc resident flags",
        [PARAM_PLACEMENT] = "timer load control slice_us uclamp load_weight load_limit",
        [PARAM_OUTCOME] =
            "pages loops_per_ms periods up_to planned histogram_us stopped_us worst_cpu pid tasks names irq "
            "source precision begun_us build judge load_rate window",
        [PARAM_COMMAND] = "input prepare command",
    };

    if (key[length] != '=')
        return PARAM_WORK;
    if (key[0] == '{') /* "{NAME}" */
        return PARAM_COMMAND;
    for (size_t kind = 0; kind < COUNT(keys); kind++)
        if (text_has_word_of(keys[kind], key, length))
            return (enum row_param_kind)kind;
    for (size_t i = 0; i < LOAD_COUNTS && key[0] == 'l'; i++)
        if (!strncmp(load_count_names[i], key, length) && !load_count_names[i][length])
            return PARAM_OUTCOME;
    return PARAM_WORK;
}

static bool is_key(const struct row_params *params, const struct row_param *param, const char *key)
{
    const size_t length = strlen(key);

    return param->key == length && param->length > length && !memcmp(params->text + param->at, key, length);
}

/* All of the text without '='. */
static size_t key_length(const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);

    return equals ? (size_t)(equals - text) : length;
}

/* Enters a parameter that is in params->text. After the command line, or when the table is full, it is added to the
 * last one. */
static void enter_param(struct row_params *params, size_t at, size_t length, size_t key, enum row_param_kind kind)
{
    struct row_param *last = params->n ? &params->of[params->n - 1] : NULL;

    if (last && (params->n == ROW_PARAMS_MAX || is_key(params, last, "command"))) {
        last->length = (uint16_t)(at + length - last->at);
        last->kind = last->kind == PARAM_COMMAND ? PARAM_COMMAND : PARAM_WORK;
        return;
    }
    params->of[params->n++] = (struct row_param){.at = (uint16_t)at,
                                                 .length = (uint16_t)length,
                                                 .key = (uint8_t)(key < UINT8_MAX ? key : UINT8_MAX),
                                                 .kind = (uint8_t)kind};
}

/* By ';', so that scripts can split a line at commas. */
static void replace_commas(char *from, const char *end)
{
    while ((from = memchr(from, ',', (size_t)(end - from))))
        *from = ';';
}

/* Cut to the room that is left. */
static void append(struct row_params *params, enum row_param_kind kind, const char *text, size_t length)
{
    const size_t used = strlen(params->text), at = used + (used > 0);

    if (at + 1 >= sizeof(params->text))
        return;
    snprintf(params->text + used, sizeof(params->text) - used, "%s%.*s", used ? " " : "", (int)length, text);
    if (kind != PARAM_COMMAND)
        replace_commas(params->text + at, params->text + strlen(params->text));
    const size_t added = strlen(params->text + at);
    enter_param(params, at, added, key_length(params->text + at, added), kind);
}

void row_param_add(struct row_params *params, enum row_param_kind kind, const char *key, const char *format, ...)
{
    char text[ROW_PARAM_SIZE];
    va_list arguments;

    const size_t used = (size_t)TEXT_PRINT(text, "%s=", key);
    va_start(arguments, format);
    vsnprintf(text + used, sizeof(text) - used, format, arguments);
    va_end(arguments);
    append(params, kind, text, strlen(text));
}

void row_params_append(struct row_params *params, const struct row_params *more)
{
    for (size_t i = 0; i < more->n; i++)
        append(params, (enum row_param_kind)more->of[i].kind, more->text + more->of[i].at, more->of[i].length);
}

/* Returns the end of a word quoted for a shell as words_quote() does: plain, \', 'in quotes', or $'in these'; NULL:
 * a quote is not closed. */
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
        if (!*at++)
            return NULL;
    }
    return at;
}

void row_params_read(struct row_params *params)
{
    bool command = false;

    params->n = 0;
    for (const char *at = params->text, *next; *at; at = next) {
        while (*at == ' ')
            at++;
        next = strchrnul(at, ' ');
        const size_t key = key_length(at, (size_t)(next - at));
        const enum row_param_kind kind = command ? PARAM_COMMAND : kind_of(at, key);
        command = kind == PARAM_COMMAND;
        if (command && skip_quoted(at)) /* in a damaged file a word with an open quote ends at the blank */
            next = skip_quoted(at);
        if (next > at)
            enter_param(params, (size_t)(at - params->text), (size_t)(next - at), key, kind);
    }
    const char *end = row_command(params);
    replace_commas(params->text, end ? end : params->text + strlen(params->text));
}

/* Within params->text; NULL when the key is missing. */
static const char *find_value(const struct row_params *params, const char *key, size_t *length)
{
    for (size_t i = 0; i < params->n; i++)
        if (is_key(params, &params->of[i], key)) {
            *length = params->of[i].length - params->of[i].key - 1u;
            return params->text + params->of[i].at + params->of[i].key + 1;
        }
    return NULL;
}

const char *row_param(const struct row_params *params, const char *key, char buf[ROW_PARAM_SIZE])
{
    size_t length = 0;
    const char *value = find_value(params, key, &length);

    return text_line(buf, ROW_PARAM_SIZE, "%.*s", (int)length, value ? value : "");
}

bool row_param_is(const struct row_params *params, const char *key, const char *value)
{
    size_t length;
    const char *found = find_value(params, key, &length);

    return found && length == strlen(value) && !memcmp(found, value, length);
}

double row_param_number(const struct row_params *params, const char *key)
{
    size_t length;
    const char *value = find_value(params, key, &length);

    return value ? strtod(value, NULL) : NAN;
}

uint64_t row_build(const struct row *row)
{
    const double number = row_param_number(&row->param, "build");

    return number >= 1 && number < 1e6 ? (uint64_t)number : 0;
}

const char *const judged_words[] = {"wall", "user", "instructions", "rss", NULL};
const char *const judged_metrics[] = {"wall", "user", "instructions", "max_rss"};

enum judged_value row_judged(const struct row *row)
{
    enum judged_value judged = JUDGED_RSS;

    while (judged && !row_param_is(&row->param, "judge", judged_words[judged]))
        judged--;
    return judged;
}

size_t row_params_varied(const struct row_params *params, char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE], size_t n)
{
    for (size_t i = 0; i < params->n && n < ROW_VARIED_MAX; i++) {
        const struct row_param *of = &params->of[i];
        const char *text = params->text + of->at;
        size_t known = 0;
        if (of->kind != PARAM_COMMAND || of->key < 3 || of->key >= ROW_VARIED_SIZE || text[0] != '{' ||
            text[of->key - 1] != '}')
            continue;
        text_copy(keys[n], of->key + 1u, text);
        while (strcmp(keys[known], keys[n]))
            known++;
        n += known == n;
    }
    return n;
}

const char *row_command(const struct row_params *params)
{
    for (size_t i = 0; i < params->n; i++)
        if (params->of[i].kind == PARAM_COMMAND)
            return params->text + params->of[i].at;
    return NULL;
}

const char *row_command_line(const struct row_params *params)
{
    size_t length;

    return find_value(params, "command", &length);
}

char *row_protocol(const struct row_params *params, char buf[ROW_PROTOCOL_SIZE])
{
    const char *protocol = ROW_PARAM(params, "protocol");

    return text_line(buf, ROW_PROTOCOL_SIZE, protocol[0] ? "%.16s protocol" : "", protocol);
}

bool row_next_word(const struct row_params *params, struct row_word *word)
{
    const struct row_param *of = word->of ? word->of : params->of;
    const char *at = word->of ? word->text + word->length : params->text + of->at;

    at += strspn(at, " ");
    if (word->of && at >= params->text + of->at + of->length)
        of++;
    if (of == params->of + params->n)
        return false;
    *word = (struct row_word){.text = at, .length = strcspn(at, " "), .of = of};
    return true;
}

/* --- The table of the CSV's columns. --- */

#define SLICE_S 0.0015 /* s between two core probes */

const char *const load_count_names[LOAD_COUNTS] = {
    [LOAD_CPU] = "load_cpu_s",           [LOAD_WRITTEN] = "load_written",
    [LOAD_READ] = "load_read",           [LOAD_DISK_WRITTEN] = "load_disk_written",
    [LOAD_DISK_READ] = "load_disk_read", [LOAD_WAKEUPS] = "load_wakeups",
    [LOAD_MOVED] = "load_moved",         [LOAD_BURSTS] = "load_bursts",
    [LOAD_STARTED] = "load_started",     [LOAD_NUMBERS] = "load_numbers",
    [LOAD_PRINTED] = "load_printed",     [LOAD_PACED] = "load_paced",
};

#define COLUMN(name, type, in_run, of, field) \
    { \
#name, type, in_run, offsetof(of, field), sizeof(((of *)0)->field) \
    }
#define RUN(type, name)   COLUMN(name, type, 1, struct row_run, name)
#define ROW(type, name)   COLUMN(name, type, 0, struct row, name)
#define STATS(type, name) COLUMN(name, type, 0, struct row, stats.name)
#define RUN_TEXT(name)    RUN(COLUMN_TEXT, name)
#define ROW_TEXT(name)    ROW(COLUMN_TEXT, name)
#define ROW_REAL(name)    ROW(COLUMN_REAL, name)
#define STATS_REAL(name)  STATS(COLUMN_REAL, name)

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
    COLUMN(param, COLUMN_TEXT, 0, struct row, param.text),
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
    ROW(COLUMN_CAUSES, causes),
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
    ROW_TEXT(counters),
    ROW_TEXT(culprits),
    RUN(COLUMN_REAL, uptime_s),
    ROW_REAL(temp_begin_c),
    ROW_REAL(temp_end_c),
};
const size_t row_n_columns = COUNT(row_columns);

const char *row_status_name(enum row_status status)
{
    static const char *const names[] = {[ROW_OK] = "ok",
                                        [ROW_UNSTABLE] = "unstable",
                                        [ROW_DEGRADED] = "degraded",
                                        [ROW_SKIPPED] = "skipped",
                                        [ROW_FAILED] = "failed"};

    return (size_t)status < COUNT(names) ? names[status] : "unknown";
}

void row_run_init(struct row_run *run)
{
    *run = (struct row_run){.start_late_us = NAN, .uptime_s = NAN};
}

bool row_reason_repeats(const char *reason, const char *said)
{
    size_t length = strlen(said);

    return !strncmp(reason, said, length) && (!reason[length] || reason[length] == ';');
}

void row_init(struct row *row, const struct row_run *run)
{
    *row = (struct row){.run = run};
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
    row->hist = row->series = NULL;
    row->n_samples = row->n_hist = row->n_series = 0;
}

/* NULL with *failed set when out of memory; NULL alone for nothing. */
static void *duplicate(const void *data, size_t n, size_t size, int *failed)
{
    void *copy = n == 0 ? NULL : calloc(n, size);
    if (copy)
        memcpy(copy, data, n * size);
    *failed |= n > 0 && !copy;
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

bool row_same_measurement(const struct row *a, const struct row *b)
{
    return a->run == b->run && a->item == b->item && a->copies == b->copies && !strcmp(a->suite, b->suite) &&
           !strcmp(a->test, b->test) && !strcmp(a->load, b->load) && !strcmp(a->param.text, b->param.text) &&
           !strcmp(a->cpus, b->cpus);
}

const struct row *row_sibling(const struct row *rows, size_t n, const struct row *row, const char *metric)
{
    const struct row *at = row, *end = rows + n;

    while (at > rows && row_same_measurement(at - 1, row))
        at--;
    for (; at < end && row_same_measurement(at, row); at++)
        if (!strcmp(at->metric, metric))
            return at;
    return NULL;
}

double row_load_share(const struct row *rows, size_t n, const struct row *rate)
{
    const double cpus = row_param_number(&rate->param, "cpus");

    for (const struct row *row = rows; row < rows + n; row++) {
        const double on = row_param_number(&row->param, "cpus");
        if (row->run == rate->run && !strcmp(row->metric, rate->metric) && !strcmp(row->test, "alone") &&
            !strcmp(row->load, rate->load) && (on == cpus || (isnan(on) && isnan(cpus))) && row->value > 0)
            return row->status < ROW_DEGRADED ? 100 * rate->value / row->value : (double)NAN;
    }
    return NAN;
}

size_t row_is_alone(const struct row *row)
{
    const size_t length = strlen(row->metric), end = sizeof(ROW_ALONE) - 1;

    return length > end && !strcmp(row->metric + length - end, ROW_ALONE) ? length - end : 0;
}

bool row_is_alone_of(const struct row *row, const struct row *raw)
{
    const size_t length = row_is_alone(row);

    return length && length == strlen(raw->metric) && !strncmp(row->metric, raw->metric, length) &&
           row_same_measurement(row, raw);
}

double row_core_share(const struct row *row)
{
    char *end;
    const double share = strtod(row->core_share, &end);

    return end > row->core_share && share > 0 && share <= 1 ? share : NAN;
}

double row_core_share_error(const struct row *row)
{
    const double share = row_core_share(row), probes = row->wall_s / SLICE_S;

    /* A probe shows between half of the core and all of it: with this mean, the two ends have the largest variance. */
    return share > 0.5 && probes >= 1 ? sqrt((1 - share) * (share - 0.5) / probes) / share : 0;
}

/* Significance level of the difference between the halves of a run, and the least that counts. */
#define DRIFT_P   0.01
#define DRIFT_PCT 3.0

double row_drift_pct(const struct row *row)
{
    const size_t half = row->n_samples / 2;

    if (half < 4)
        return 0;
    const double *second = row->samples + row->n_samples - half;
    const double before = stats_mean(row->samples, half), pct = 100 * fabs(stats_mean(second, half) / before - 1);
    return inference_welch(row->samples, half, second, half).p < DRIFT_P && pct > DRIFT_PCT ? pct : 0;
}

bool row_is_index(const struct row *row)
{
    return !strcmp(row->test, "index") && !row->n_samples;
}

const struct row *row_alone_of(const struct row *rows, size_t n, const struct row *row)
{
    for (size_t i = 0; i < n; i++)
        if (row_is_alone_of(&rows[i], row))
            return &rows[i];
    return NULL;
}

const struct row_column *row_column(const char *name)
{
    size_t i = 0;

    while (i < row_n_columns && strcmp(row_columns[i].name, name))
        i++;
    return i < row_n_columns ? &row_columns[i] : NULL;
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

void row_text_to_csv(const struct row_column *column, char *field)
{
    text_sanitize(field);
    if (!strchr(field, ',') || text_has_word("comment test load param", column->name))
        return;
    const bool blanks = !strcmp(column->name, "settings");
    char *to = field;

    for (const char *from = field; *from; from++) {
        if (*from != ',')
            *to++ = *from;
        else if (!blanks)
            *to++ = ';';
        else if (from[1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
}

void row_text_from_csv(const struct row_column *column, char *field)
{
    if (column->in_run || column->offset != offsetof(struct row, cpus)) {
        row_text_to_csv(column, field);
        return;
    }
    text_sanitize(field);
    for (char *at = field; (at = strchr(at, ';')); at++)
        *at = ',';
}
