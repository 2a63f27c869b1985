/* SPDX-License-Identifier: MIT */
/* Reads requirements and judges rows by them. */
#include "analysis/analysis.h"

#define BLANKS " \t\r\n"

/* In lists; rows have the clock's own unit, cycles or ns. */
#define TICKS "ticks"

/* --- Errors. --- */

/* Proposes the most similar known name; `list`: text when none is. Returns -1. */
static int propose_name(const char *what, const char *word, const struct index *known, const char *list,
                        struct error *error)
{
    const char *nearest = text_nearest(word, (const char *const *)known->name, known->n);

    return nearest ? error_set(error, "unknown %s '%s'; did you mean '%s'?", what, word, nearest)
                   : error_set(error, "unknown %s '%s'; %s", what, word, list);
}

/* --- Names. --- */

static const char in_list[] = "'jitbench list --metrics' shows them";

struct found {
    const struct requirement *r;
    const char *unit; /* NULL: the clock's */
    bool test, measured, metric;
    struct index *tests, *metrics;
};

static void look_at_metric(struct found *f, const char *id, const char *unit)
{
    index_enter(f->metrics, id);
    if (f->metric || strcmp(id, f->r->metric))
        return;
    f->metric = true;
    f->unit = unit;
}

/* Of a variant, which has none of its own, at those of all tests of its suite. */
static void look_at_metrics(struct found *f, const struct metrics *metrics, const struct metrics_test *test)
{
    for (size_t m = 0; m < test->n; m++)
        look_at_metric(f, test->metric[m].id, test->metric[m].unit);
    for (size_t t = 0; t < metrics->n_tests && !test->n; t++)
        if (metrics->test[t].n && !strcmp(metrics->test[t].suite, test->suite))
            look_at_metrics(f, metrics, &metrics->test[t]);
}

static void look_at_tests(struct found *f, const struct metrics *metrics, const struct metrics_test *tests, size_t n)
{
    for (size_t t = 0; t < n; t++) {
        if (tests[t].named_by_user)
            continue;
        index_enter(f->tests, tests[t].name);
        if (strcmp(tests[t].name, f->r->test))
            continue;
        f->test = true;
        look_at_metrics(f, metrics, &tests[t]);
    }
}

static void look_at_names(struct found *f, const struct requirements *set)
{
    for (size_t i = 0; i < set->n_names; i++) {
        const struct require_name *name = &set->names[i];
        index_enter(f->tests, name->test);
        if (strcmp(name->test, f->r->test))
            continue;
        const struct metrics_test *test = metrics_test(set->metrics, name->suite, name->test);
        f->test = f->measured = true;
        if (name->metric)
            look_at_metric(f, name->metric, name->unit);
        else if (test)
            look_at_metrics(f, set->metrics, test);
    }
}

/* --- Units. --- */

static const char *unit_of_stat(const struct row_column *stat, const char *unit)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): find_stat() has set it */
    if (stat->type == COLUMN_UINT || !strcmp(stat->name, "index"))
        return "";
    return strcmp(stat->name, "rsd_pct") ? unit : "%";
}

static bool limit_factor(const struct requirement *r, const char *unit, double *factor)
{
    const char *typed = strcmp(r->limit_unit, TICKS) ? r->limit_unit : "";

    return units_factor(typed, unit_of_stat(r->stat, unit), factor);
}

static int check_unit(const struct requirements *set, const struct requirement *r, const char *unit,
                      struct error *error)
{
    static const char *const of_clocks[] = {"cycles", "ns"};
    const char *known = unit ? unit : set->clock_unit;
    double factor;

    if (unit && !strcmp(r->limit_unit, TICKS))
        return error_set(error, "'%s' is no unit of this figure, which is in %s", TICKS, unit);
    if (known ? limit_factor(r, known, &factor)
              : limit_factor(r, of_clocks[0], &factor) || limit_factor(r, of_clocks[1], &factor)) {
        known = unit_of_stat(r->stat, known ? known : TICKS);
        if (!set->figures && !r->limit_unit[0] && text_has_word("ns us ms kHz MHz KBps MB/s KiB MiB", known))
            TEXT_PRINT(error->text, "%.15g is taken as %s", r->limit, known);
        return 0;
    }
    known = unit_of_stat(r->stat, known ? known : TICKS);
    return error_set(error, "'%s' is no unit of this figure, which is %s%s", r->limit_unit,
                     known[0] ? "in " : "a number", known);
}

static int check_names(const struct requirements *set, const struct requirement *r, struct error *error)
{
    FREED_BY(index_free) struct index tests = {0}, metrics = {0};
    struct found f = {.r = r, .tests = &tests, .metrics = &metrics};
    char what[sizeof(r->test) + 32];

    look_at_tests(&f, set->metrics, set->metrics->test, set->metrics->n_tests);
    look_at_tests(&f, set->metrics, set->metrics->made, set->metrics->n_made);
    look_at_names(&f, set);
    if (!f.test)
        return propose_name("test", r->test, &tests, in_list, error);
    if (set->names_only && !f.measured)
        return error_set(error, "test '%s' is not measured by this command line", r->test);
    if (f.metric)
        return check_unit(set, r, f.unit, error);
    TEXT_PRINT(what, "metric of test '%s':", r->test);
    return propose_name(what, r->metric, &metrics, in_list, error);
}

/* --- Reading. --- */

/* Returns false when it is empty or too long without the blanks around it. */
static bool trim(const char *from, size_t length, char *to, size_t size)
{
    const size_t before = strspn(from, BLANKS);

    if (before >= length)
        return false;
    from += before;
    length -= before;
    while (strchr(BLANKS, from[length - 1]))
        length--;
    if (length >= size)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

/* Among the CSV's columns from "n" to "index". */
static int find_stat(struct requirement *r, const char *name, struct error *error)
{
    FREED_BY(index_free) struct index stats = {0};
    char list[160] = "one of";
    bool inside = false;

    for (size_t i = 0; i < row_n_columns && row_columns[i].type != COLUMN_STATUS; i++) {
        inside = inside || !strcmp(row_columns[i].name, "n");
        if (!inside)
            continue;
        if (!strcmp(row_columns[i].name, name)) {
            r->stat = &row_columns[i];
            return 0;
        }
        index_enter(&stats, row_columns[i].name);
        TEXT_ADD(list, " %s", row_columns[i].name);
    }
    return propose_name("statistic", name, &stats, list, error);
}

static int read_figure(struct requirement *r, const char *text, size_t length, struct error *error)
{
    char figure[sizeof(r->text)], metric[sizeof(r->text)];

    if (!trim(text, length, figure, sizeof(figure)))
        return error_set(error, "TEST/METRIC is missing before the operator");
    const char *slash = strrchr(figure, '/');
    if (!slash || !trim(figure, (size_t)(slash - figure), r->test, sizeof(r->test)) ||
        !trim(slash + 1, strlen(slash + 1), metric, sizeof(metric)))
        return error_set(error, "'%s' is not TEST/METRIC or TEST/METRIC.STAT", figure);
    char *dot = strchr(metric, '.');
    if (dot)
        *dot = '\0';
    TEXT_SET(r->metric, metric);
    return find_stat(r, dot ? dot + 1 : "value", error);
}

static int read_limit(struct requirement *r, const char *text, struct error *error)
{
    char limit[sizeof(r->text)], *end;

    if (!trim(text, strlen(text), limit, sizeof(limit)))
        return error_set(error, "the value is missing after the operator");
    /* strtod() alone would accept names and hexadecimal numbers */
    const char *digits = limit + (limit[0] == '-');
    const bool number = strspn(digits + (digits[0] == '.'), "0123456789") > 0 && (digits[1] | 0x20) != 'x';
    r->limit = strtod(limit, &end);
    if (!number || !isfinite(r->limit))
        return error_set(error, "'%s' is no number", limit);
    end += strspn(end, BLANKS);
    if (strlen(end) >= sizeof(r->limit_unit))
        return error_set(error, "'%s' is no unit", end);
    TEXT_SET(r->limit_unit, end);
    return 0;
}

static int read_requirement(struct requirement *r, const char *text, bool figure, struct error *error)
{
    const char *op = NULL;

    if (!trim(text, strlen(text), r->text, sizeof(r->text)))
        return text[strspn(text, BLANKS)] ? error_set(error, "longer than %zu bytes", sizeof(r->text) - 1)
                                          : error_set(error, "is empty");
    r->value = r->limit_of_row = NAN;
    if (figure)
        return read_figure(r, r->text, strlen(r->text), error);
    for (const char *at = r->text; *at; at++)
        if (*at == '<' || *at == '>')
            op = at; /* the last one: names of commands may contain others */
    if (!op)
        return error_set(error, "has no <, <=, > or >=");
    r->below = *op == '<';
    r->or_equal = op[1] == '=';
    if (read_figure(r, r->text, (size_t)(op - r->text), error))
        return -1;
    return read_limit(r, op + 1 + r->or_equal, error);
}

int requirements_add(struct requirements *set, const char *text, struct error *error)
{
    MEMORY_GROW(set->of, set->capacity, set->n);
    struct requirement *r = &set->of[set->n];

    *r = (struct requirement){.text = ""};
    error->text[0] = '\0';
    if (read_requirement(r, text, set->figures, error) || check_names(set, r, error))
        return -1;
    set->n++;
    return 0;
}

int requirements_add_lines(struct requirements *set, const char *lines, struct error *error)
{
    const size_t before = set->n;
    char line[4 * sizeof(set->of->text)];
    struct error why;

    error->text[0] = '\0';
    for (size_t number = 1; *lines; number++) {
        const size_t length = strcspn(lines, "\n"), used = strcspn(lines, "#\n");
        if (used >= sizeof(line))
            return error_set(error, "line %zu: longer than %zu bytes", number, sizeof(line) - 1);
        text_copy(line, used + 1, lines);
        why.text[0] = '\0';
        if (line[strspn(line, BLANKS)] && requirements_add(set, line, &why))
            return error_set(error, "line %zu: %s", number, why.text);
        if (why.text[0])
            TEXT_ADD(error->text, "%sline %zu: %s", error->text[0] ? "; " : "", number, why.text);
        lines += length + (lines[length] == '\n');
    }
    return set->n > before ? 0 : error_set(error, "there is no requirement in it");
}

void requirements_free(struct requirements *set)
{
    free(set->of);
    *set = (struct requirements){.metrics = set->metrics};
}

/* --- Judging. --- */

static void explain_unknown(const struct requirement *r, const struct row *row, char *why, size_t size)
{
    static const struct {
        const char *name;
        unsigned least;
    } needs[] = {{"sd", 2}, {"rsd_pct", 2}, {"ci95_lo", 5}, {"ci95_hi", 5}, {"p90", 10}, {"p99", 100}, {"p999", 1000}};

    snprintf(why, size, "%s is not known", r->stat->name);
    for (size_t i = 0; i < COUNT(needs); i++)
        if (!strcmp(needs[i].name, r->stat->name) && row->stats.n > 0 && row->stats.n < needs[i].least)
            snprintf(why, size, "%s needs %u values, and there %s %" PRIu64, needs[i].name, needs[i].least,
                     row->stats.n == 1 ? "is" : "are", row->stats.n);
    if (row->reason[0])
        text_copy(why, size, row->reason);
    if (row->status >= ROW_SKIPPED)
        snprintf(why, size, "%s%s%.200s", row_status_name(row->status), row->reason[0] ? ": " : "", row->reason);
}

/* On the wrong side of the limit; negative on the right side. */
static double excess(const struct requirement *r, double value, double limit)
{
    return r->below ? value - limit : limit - value;
}

static void judge_row(struct requirement *r, const struct row *row, const struct requirements *set)
{
    FREED_BY(text_free) struct text where = {0};
    const void *at = row_field(row, r->stat);
    const double value = row->status >= ROW_SKIPPED     ? NAN
                         : r->stat->type == COLUMN_UINT ? (double)*(const uint64_t *)at
                                                        : *(const double *)at;
    double factor = 1;
    char why[sizeof(r->reason)] = "";

    r->n_rows++;
    if (set->figures)
        r->below = strcmp(row->better, "higher");
    if (isnan(value))
        explain_unknown(r, row, why, sizeof(why));
    else if (!limit_factor(r, row->unit, &factor))
        TEXT_PRINT(why, "the row is in %s", row->unit);
    if (why[0]) {
        if (!r->reason[0])
            TEXT_SET(r->reason, why);
        r->n_failed++;
        return;
    }
    const double over = excess(r, value, r->limit * factor);
    r->n_failed += over > 0 || (!r->or_equal && !(over < 0));
    if (over <= excess(r, r->value, r->limit_of_row))
        return;
    r->value = value;
    r->limit_of_row = r->limit * factor;
    TEXT_SET(r->unit, unit_of_stat(r->stat, row->unit));
    metrics_put_place(set->metrics, row, &where);
    if (set->several_runs && row->run && row->run->host[0])
        text_printf(&where, ", %s", row->run->host);
    TEXT_SET(r->where, where.length ? where.data + 2 : "");
}

void requirements_row(struct requirements *set, const struct row *row)
{
    for (size_t i = 0; i < set->n; i++) {
        struct requirement *r = &set->of[i];
        if (strcmp(r->test, row->test))
            continue;
        r->measured = true;
        /* a test that did not run has one row, whatever its metric */
        if (row->status >= ROW_SKIPPED || !strcmp(row->metric, r->metric))
            judge_row(r, row, set);
    }
}

bool requirement_met(const struct requirement *requirement)
{
    return requirement->n_rows && !requirement->n_failed;
}

size_t requirements_failed(const struct requirements *set)
{
    size_t n = 0;

    for (size_t i = 0; i < set->n; i++)
        n += !requirement_met(&set->of[i]);
    return n;
}

const char *requirement_unknown(const struct requirement *requirement)
{
    if (requirement->reason[0] || requirement->n_rows)
        return requirement->reason;
    return requirement->measured ? "the test has no row of this metric" : "the test was not measured";
}
