/* SPDX-License-Identifier: MIT */
/* Prints the result of `jitbench compare` as a table, as Markdown or as CSV. */
#include "out/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Names. --- */

/* Returns whether another row of the same metric lacks this word of the row's param. */
static bool lacks_word(const struct row *other, const struct row *row, const struct row_word *word)
{
    return other != row && !strcmp(other->suite, row->suite) && !strcmp(other->test, row->test) &&
           !strcmp(other->load, row->load) && !strcmp(other->metric, row->metric) &&
           !text_has_word_of(other->param.text, word->text, word->length);
}

/* Returns whether the name of the row needs this word of its param. */
static bool tells_apart(const struct compared *c, const struct row *row, const struct row_word *word)
{
    if (word->of->kind == PARAM_OUTCOME || word->of->kind == PARAM_PLACEMENT)
        return false;
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct pair *pair = c->row[i].pair;
        if (lacks_word(pair->about, row, word) || (pair->within && lacks_word(pair->side[0].row[0], row, word)))
            return true;
    }
    return false;
}

/* Appends the name of a row of the pair. */
static void put_name(const struct compared *c, const struct pair *pair, const struct row *row, struct text *out)
{
    const char *line = row_command_line(&row->param);
    char protocol[ROW_PROTOCOL_SIZE];
    struct row_word word = {0};

    text_printf(out, "%s", row->suite);
    if (row->test[0] && strcmp(row->suite, row->test) != 0)
        text_printf(out, " %s", row->test);
    if (row->load[0])
        text_printf(out, " %s", row->load);
    row_protocol(&row->param, protocol);
    if (protocol[0])
        text_printf(out, " (%s)", protocol);
    while (row_next_word(&row->param, &word))
        if (tells_apart(c, row, &word)) {
            const char *end = word.text + word.length; /* without "command=" */
            const char *from = line && word.text < line && line <= end ? line : word.text;
            text_printf(out, " %.*s", (int)(end - from), from);
        }
    if (row->copies > 1 || (pair->within && row->copies != pair->about->copies))
        text_printf(out, " x%" PRIu64, row->copies);
    if (pair->by_cpus)
        text_printf(out, " CPU %s", row->cpus);
}

static void put_pair_name(const struct compared *c, const struct pair *pair, struct text *out)
{
    if (pair->scores)
        text_printf(out, "speed, mean of %s", pair->about->suite);
    else
        put_name(c, pair, pair->about, out);
    if (pair->within) {
        text_printf(out, " against ");
        put_name(c, pair, pair->side[0].row[0], out);
    }
    if (!pair->scores)
        text_printf(out, " %s", pair->about->metric);
    if (pair->host[0])
        text_printf(out, " on %s", pair->host);
}

/* --- Cells. --- */

/* Appends why the change is in doubt, the least change that would be found, or the causes of the change. */
static void put_reason(const struct compared *all, const struct compared_row *row, struct text *out)
{
    const struct comparison *c = row->of;
    FREED_BY(text_free) struct text why_raw = {0};

    if (c->tested == TESTED_NOTHING)
        text_printf(out, "one value on a side; repeat with --runs %u", RUNS_ADVISED);
    else if (c->doubt == DOUBT_SMALL)
        text_printf(out, "above %g %%", 100 * all->min_effect);
    else if (c->doubt == DOUBT_SHARE && c->unlike_rows)
        text_printf(out, "its rows were brought to the same share of the core, and it cannot be");
    else if (c->doubt == DOUBT_SHARE)
        text_printf(out, "the sides had %.0f %% and %.0f %% of the core; measure in turns", 100 * c->raw.share[0],
                    100 * c->raw.share[1]);
    else if (c->doubt == DOUBT_CHANCE && (c->low > 1 || c->high < 1))
        text_printf(out, "not sure, p %.2g after correcting for %zu row%s", c->p_adjusted, all->n_judged,
                    PLURAL(all->n_judged));
    if (c->least > 0 && c->doubt != DOUBT_SHARE && (c->change == CHANGE_UNKNOWN || c->doubt == DOUBT_CHANCE))
        text_printf(out, "%sleast change %.*f %%", out->length ? ", " : "", c->least < 0.1 ? 1 : 0, 100 * c->least);
    explain_change(row->pair, c, out);
    /* What explains the change as measured over the whole time, where there is none with no one else on the core, or
     * at the same share of it. */
    if (row->raw && (c->change == CHANGE_NONE || c->change == CHANGE_UNKNOWN) && c->doubt != DOUBT_SHARE)
        explain_change(row->raw, &row->of_raw, &why_raw);
    if (why_raw.length)
        text_printf(out, "%sraw %+.1f %%, by %s", out->length ? "; " : "", 100 * (row->of_raw.ratio - 1), why_raw.data);
}

/* --- Tables. --- */

#define ASKED           5u
#define UNDECIDED_SHOWN 8u /* without -v */
#define REASONS_SHOWN   3u

/* Rows of a table; title: of a figure that people ask for. */
struct told {
    const struct compared_row *row;
    const char *title;
};

static enum compared_verdict verdict_of(const struct compared_row *row)
{
    return compared_verdict(row->of, row->pair->about->better);
}

static bool is_unstable(const struct pair *pair)
{
    bool any = false;

    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < pair->side[s].n; i++)
            any |= pair->side[s].row[i]->status == ROW_UNSTABLE;
    return any;
}

static void put_rows(const struct compared *c, const struct told *told, size_t n, bool verbose, const struct doc *doc)
{
    static const struct grid_column columns[] = {
        {.title = "Figure", .left = true, .wrap = true},
        {.title = "Base", .optional = true},
        {.title = "New", .optional = true},
        {.title = "Change"},
        {.title = "95 % interval", .optional = true},
        {.title = "Verdict", .left = true, .wrap = true, .optional = true},
    };
    /* faster, slower, lower, higher */
    static const enum color colors[VERDICT_APART + 1] = {COLOR_GREEN, COLOR_RED, COLOR_YELLOW, COLOR_YELLOW};
    struct grid grid = {.n_columns = 0};

    grid_columns(&grid, columns, COUNT(columns));
    for (; n--; told++) {
        const struct comparison *of = told->row->of;
        const struct row *about = told->row->pair->about;
        const enum compared_verdict verdict = verdict_of(told->row);
        const bool higher = !strcmp(about->better, "higher"),
                   equal = !about->better[0] || !(of->ratio < 1 || of->ratio > 1) || verdict == VERDICT_SAME;
        FREED_BY(text_free) struct text reason = {0};
        struct text *cell = grid_cell(&grid, COLOR_NONE);
        if (told->title)
            text_printf(cell, "%s", told->title);
        else
            put_pair_name(c, told->row->pair, cell);
        grid_value(&grid, told->row->mean ? NAN : of->base, about->unit);
        grid_value(&grid, told->row->mean ? NAN : of->changed, about->unit);
        text_printf(grid_cell(&grid, COLOR_NONE), of->ratio > 0 ? "%s%+.1f %%" : "-",
                    equal                       ? ""
                    : (of->ratio > 1) == higher ? "better "
                                                : "worse ",
                    100 * (of->ratio - 1));
        text_printf(grid_cell(&grid, COLOR_NONE), !verbose || isnan(of->low) ? "-" : "%+.1f .. %+.1f %%",
                    100 * (of->low - 1), 100 * (of->high - 1));
        if (verbose || (verdict != VERDICT_SAME && verdict != VERDICT_UNDECIDED))
            put_reason(c, told->row, &reason);
        cell = grid_cell(&grid, colors[verdict]);
        if (verbose || verdict != VERDICT_UNDECIDED)
            text_printf(cell, "%s", compared_verdict_names[verdict]);
        if (reason.length)
            text_printf(cell, "%s%s", of->doubt == DOUBT_SMALL ? " " : ": ", reason.data);
        if (is_unstable(told->row->pair))
            text_printf(cell, "%s", verbose || verdict != VERDICT_UNDECIDED ? "; unstable" : "unstable");
    }
    doc_table(doc, &grid);
}

static bool is_in(const struct told *told, size_t n, const struct compared_row *row)
{
    while (n && told[n - 1].row != row)
        n--;
    return n;
}

/* Takes figures that people ask for, the greatest of each; then, up to five, those with the greatest effect. Returns
 * how many. */
static size_t take_asked(const struct compared *c, struct told *told)
{
    static const char *const asked[ASKED][2] = {{"UNIX index", "unix/index/index"},
                                                {"Memory bandwidth (Triad)", "stream/bandwidth/triad_rate"},
                                                {"Memory latency", "memory/steady/memory_latency"},
                                                {"Time lost, New's worst CPU", "noise/noise/lost"},
                                                {"Latest timer wake-up", "wakeup/worst/latency_max"}};
    size_t n = 0;

    for (size_t a = 0; a < ASKED; a++) {
        const struct compared_row *found = NULL;
        for (const struct compared_row *row = c->row; row < c->row + c->n_rows; row++) {
            const struct row *about = row->pair->about;
            const int length = row_is_alone(about) ? (int)row_is_alone(about) : (int)sizeof(about->metric);
            const char *name = TEXT_LINE("%s/%s/%.*s", about->suite, about->test, length, about->metric);
            if (!strcmp(name, asked[a][1]) && (!found || row->of->changed > found->of->changed))
                found = row;
        }
        if (found)
            told[n++] = (struct told){found, asked[a][0]};
    }
    for (size_t i = 0; i < c->n_rows && n < ASKED; i++)
        if (!is_in(told, n, &c->row[i]))
            told[n++].row = &c->row[i];
    return n;
}

/* Puts the rows and means that changed (verbose: all), and how much the others may have. What was not decided counts if
 * it differs by more than the drift, and than its samples vary. */
static void put_changed(const struct compared *c, bool verbose, struct told *told, size_t asked, const struct doc *doc)
{
    const double drift = compared_drift(c);
    size_t n = asked, larger = 0, same = 0, undecided = 0;
    double most = 0;

    for (const struct compared_row *row = c->row; row < c->row + c->n_rows + c->n_means; row++) {
        const struct comparison *of = row->of;
        const enum compared_verdict verdict = verdict_of(row);
        const bool known = row->mean || of->ratio > 0 || !(of->base < of->changed || of->base > of->changed);
        const bool large = verdict == VERDICT_UNDECIDED && fabs(log(of->ratio)) > log1p(drift) &&
                           !(of->low <= 1 && of->high >= 1) && larger < UNDECIDED_SHOWN;
        if (is_in(told, asked, row))
            continue;
        larger += large;
        if (verbose || !c->pairs->changed || large || !known ||
            (verdict != VERDICT_SAME && verdict != VERDICT_UNDECIDED)) {
            told[n++].row = row;
        } else if (!row->mean) {
            same += verdict == VERDICT_SAME;
            undecided += verdict == VERDICT_UNDECIDED;
            most = verdict == VERDICT_SAME ? fmax(most, fmax(1 - of->low, of->high - 1)) : most;
        }
    }
    if (n > asked)
        doc_gap(doc);
    put_rows(c, told + asked, n - asked, verbose, doc);
    if (same)
        doc_say(doc, "The other %zu: no change above %.*f %% (-v)", same, most < 0.1, 100 * most);
    if (undecided)
        doc_say(doc, "The other %zu are not decided (-v)", undecided);
}

/* --- Rows that cannot be compared. --- */

static int compare_reasons(const void *a, const void *b)
{
    const char *x = (*(const struct pair *const *)a)->why, *y = (*(const struct pair *const *)b)->why;
    const int failed = !strncmp(y, "failed", 6) - !strncmp(x, "failed", 6); /* first */

    return failed ? failed : strcmp(x, y);
}

/* A line for each reason; verbose: all reasons, with the rows. */
static void put_apart(const struct compared *c, bool verbose, const struct doc *doc)
{
    const struct pair *const *pairs = c->not_comparable;
    const size_t n = c->n_not_comparable;
    size_t reasons = 0;

    if (n)
        doc_heading(doc, NULL, "Not comparable");
    qsort(c->not_comparable, n, sizeof(const struct pair *), compare_reasons);
    for (size_t i = 0, end; i < n; i = end) {
        FREED_BY(text_free) struct text line = {0};
        if (++reasons > REASONS_SHOWN && !verbose) {
            doc_say(doc, "%zu more for other reasons (-v)", n - i);
            return;
        }
        for (end = i; end < n && !strcmp(pairs[end]->why, pairs[i]->why); end++)
            ;
        text_printf(&line, "%zu row%s, %s", end - i, PLURAL(end - i), pairs[i]->why);
        if (pairs[i]->reason >= 0)
            text_printf(&line, " (--across %s compares them)", pair_across_names[pairs[i]->reason]);
        for (size_t k = i; k < (verbose ? end : i + 1); k++) {
            text_printf(&line, "%s ", k > i ? "," : ":");
            put_pair_name(c, pairs[k], &line);
        }
        doc_say(doc, "%s%s", line.data, end > i + 1 && !verbose ? ", ..." : "");
    }
}

/* --- CSV. --- */

/* Writes figures, each after a comma. */
static void put_figures(struct text *out, const double *figures, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        text_append(out, ",", 1);
        text_real(out, figures[i]);
    }
}

/* Writes a row or mean. row: NULL if the pair cannot be compared. */
static void put_csv_row(const struct compared *c, const struct pair *pair, const struct compared_row *row,
                        struct text *out)
{
    static const char *const tested[] = {"", "within", "runs", "pairs"};
    FREED_BY(text_free) struct text reason = {0}, against = {0};
    const struct row *about = pair->about;
    const char *copies = about->copies ? TEXT_LINE("%" PRIu64, about->copies) : "";
    const char *cpus = pair->by_cpus ? about->cpus : "";
    const char *const names[] = {about->suite, about->test, about->load,   about->param.text, copies,
                                 cpus,         pair->host,  about->metric, about->unit,       about->better};
    const struct comparison *of = row ? row->of : &comparison_unknown;
    const struct comparison *raw = row && row->raw ? &row->of_raw : &comparison_unknown;
    const double figures[] = {of->base, of->changed, of->ratio,         of->low,
                              of->high, of->p_t,     of->p_permutation, of->p_adjusted};
    const double least = 100 * of->least, last[] = {raw->base, raw->changed, raw->ratio, of->share, of->slope};

    for (size_t i = 0; i < COUNT(names); i++) {
        text_append(out, ",", i > 0);
        csv_text(out, names[i]);
    }
    put_figures(out, figures, COUNT(figures));
    text_printf(out, row ? ",%s,%zu,%zu" : ",,,", tested[of->tested], of->n_base, of->n_new);
    put_figures(out, &least, 1);
    text_printf(out, ",%s,", compared_verdict_names[row ? verdict_of(row) : VERDICT_APART]);
    if (row)
        put_reason(c, row, &reason);
    if (pair->within)
        put_name(c, pair, pair->side[0].row[0], &against);
    csv_text(out, reason.length ? reason.data : pair->why);
    text_append(out, ",", 1);
    csv_text(out, against.length ? against.data : "");
    put_figures(out, last, COUNT(last));
    text_append(out, "\r\n", 2);
}

void compared_put_csv(const struct compared *c, struct text *out)
{
    text_printf(out,
                "suite,test,load,param,copies,cpus,host,metric,unit,better,base,new,ratio,ratio_ci95_lo,"
                "ratio_ci95_hi,p_t,p_permutation,p_holm,tested,n_base,n_new,least_change_pct,verdict,reason,against,"
                "raw_base,raw_new,raw_ratio,core_share,core_share_slope\r\n");
    for (size_t i = 0; i < c->n_rows + c->n_means; i++)
        put_csv_row(c, c->row[i].pair, &c->row[i], out);
    for (size_t i = 0; i < c->n_not_comparable; i++)
        put_csv_row(c, c->not_comparable[i], NULL, out);
}

void compared_put(const struct compared *c, const char *const names[2], bool verbose, bool about, const struct doc *doc)
{
    FREED_BY(memory_free) struct told *told = memory_get(c->n_rows + c->n_means, sizeof(*told));
    const size_t asked = c->pairs->changed && c->n_rows && !c->row[0].pair->host[0] ? take_asked(c, told) : 0;

    if (about)
        compared_put_answer(c, names, doc);
    put_rows(c, told, asked, verbose, doc);
    if (about)
        compared_put_differences(c, verbose, doc);
    put_changed(c, verbose, told, asked, doc);
    put_apart(c, verbose, doc);
    if (c->n_hosts)
        doc_heading(doc, NULL, "Hosts by the geometric mean of their ratios, above 1 is better");
    for (size_t i = 0; i < c->n_hosts; i++)
        doc_say(doc, "  %s  %.4f%s", c->host[i].host, c->host[i].ratio, c->host[i].stands_out ? "  stands out" : "");
    const size_t left_out = about ? c->pairs->degraded + c->pairs->doubles : 0;
    if (left_out)
        doc_gap(doc);
    if (left_out)
        doc_say(doc, "Left out: %zu rows that are degraded, skipped or failed, or occur twice", left_out);
}
