/* SPDX-License-Identifier: MIT */
/* Prints the result of `jitbench compare` as a table, as Markdown or as CSV. */
#include "out/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Names. --- */

/* Returns whether another row of the same test and metric does not have this word of the row's param. */
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
    put_name(c, pair, pair->about, out);
    if (pair->within) {
        text_printf(out, " against ");
        put_name(c, pair, pair->side[0].row[0], out);
    }
    if (pair->host[0])
        text_printf(out, " on %s", pair->host);
}

/* --- Cells. --- */

/* Returns "better" or "worse" for a ratio, as far as known, padded to the same width. */
static const char *direction_of(double ratio, const char *better)
{
    if (!better[0] || !(ratio < 1 || ratio > 1))
        return "      ";
    return (ratio > 1) == !strcmp(better, "higher") ? "better" : "worse ";
}

/* Adds the cells of the ratio, its interval and p. */
static void put_ratio(const struct comparison *c, const char *better, struct grid *grid)
{
    text_printf(grid_cell(grid, COLOR_NONE), c->ratio > 0 ? "%.4f %s" : "-       ", c->ratio,
                direction_of(c->ratio, better));
    text_printf(grid_cell(grid, COLOR_NONE), isnan(c->low) ? "-" : "%.4f .. %.4f", c->low, c->high);
    if (c->p_adjusted < 0.0001)
        grid_text(grid, "<0.0001");
    else
        grid_number(grid, c->p_adjusted, 4);
}

/* Appends the reason that is printed with a verdict: why the change is in doubt, the least change that would be found,
 * or the causes of the change. */
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

static const char *verdict_name(const struct compared_row *row)
{
    return compared_verdict_names[compared_verdict(row->of, row->pair->about->better)];
}

static void put_verdict(const struct compared *c, const struct compared_row *row, struct grid *grid)
{
    /* faster, slower, lower, higher */
    static const enum color colors[VERDICT_APART + 1] = {COLOR_GREEN, COLOR_RED, COLOR_YELLOW, COLOR_YELLOW};
    struct text *cell = grid_cell(grid, colors[compared_verdict(row->of, row->pair->about->better)]);
    FREED_BY(text_free) struct text reason = {0};

    put_reason(c, row, &reason);
    text_printf(cell, "%s", verdict_name(row));
    if (reason.length)
        text_printf(cell, "%s%s", row->of->doubt == DOUBT_SMALL ? " " : ": ", reason.data);
}

/* --- Tables. --- */

/* Prints n rows, or n means. */
static void put_rows(const struct compared *c, const struct compared_row *rows, size_t n, bool means,
                     const struct doc *doc)
{
    const struct grid_column columns[] = {
        {.title = means ? "Suite" : "Test", .left = true, .wrap = true},
        {.title = means ? "Of" : "Metric", .left = true},
        {.title = "Base", .optional = true},
        {.title = "New", .optional = true},
        {.title = means ? "Mean" : "Ratio"},
        {.title = "95 % interval", .rank = 1},
        {.title = "p (Holm)", .rank = 2},
        {.title = "Raw", .optional = true},
        {.title = "Verdict", .left = true, .wrap = true},
    };
    struct grid grid = {.n_columns = 0};

    grid_columns(&grid, columns, COUNT(columns));
    for (const struct compared_row *row = rows; row < rows + n; row++) {
        const struct row *about = row->pair->about;
        put_pair_name(c, row->pair, grid_cell(&grid, COLOR_NONE));
        if (means) {
            text_printf(grid_cell(&grid, COLOR_NONE), "%zu row%s", row->mean, PLURAL(row->mean));
            grid_text(&grid, "");
            grid_text(&grid, "");
        } else {
            grid_text(&grid, about->metric);
            grid_value(&grid, row->of->base, about->unit);
            grid_value(&grid, row->of->changed, about->unit);
        }
        put_ratio(row->of, about->better, &grid);
        grid_number(&grid, row->raw ? row->of_raw.ratio : (double)NAN, 4);
        put_verdict(c, row, &grid);
    }
    doc_table(doc, &grid);
}

/* --- Rows that cannot be compared. --- */

#define NAMES_SHOWN 3u

static int compare_reasons(const void *a, const void *b)
{
    return strcmp((*(const struct pair *const *)a)->why, (*(const struct pair *const *)b)->why);
}

/* Prints a line for each reason, which names the first rows. */
static void put_apart(const struct compared *c, bool verbose, struct text *out)
{
    const struct pair *const *pairs = c->not_comparable;

    if (!c->n_not_comparable)
        return;
    qsort(c->not_comparable, c->n_not_comparable, sizeof(const struct pair *), compare_reasons);
    text_printf(out, "%sNot comparable\n", c->n_rows ? "\n" : "");
    for (size_t i = 0, end; i < c->n_not_comparable; i = end) {
        for (end = i; end < c->n_not_comparable && !strcmp(pairs[end]->why, pairs[i]->why); end++)
            ;
        const size_t shown = verbose || end - i < NAMES_SHOWN ? end : i + NAMES_SHOWN;
        text_printf(out, "  %zu row%s, %s", end - i, PLURAL(end - i), pairs[i]->why);
        if (pairs[i]->reason >= 0)
            text_printf(out, " (--across %s compares them)", pair_across_names[pairs[i]->reason]);
        for (size_t k = i; k < shown; k++) {
            text_printf(out, "%s ", k > i ? "," : ":");
            put_pair_name(c, pairs[k], out);
            text_printf(out, " %s", pairs[k]->about->metric);
        }
        text_printf(out, "%s\n", shown < end ? ", ..." : "");
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
    text_printf(out, ",%s,", row ? verdict_name(row) : compared_verdict_names[VERDICT_APART]);
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

void compared_put(const struct compared *c, bool verbose, bool about, const struct doc *doc)
{
    struct text *out = doc->out;

    if (about)
        compared_put_header(c, out);
    put_rows(c, c->row, c->n_rows, false, doc);
    if (c->n_means)
        text_printf(out, "\nGeometric means of the ratios, inverted where less is better: above 1 is better\n%s",
                    doc->format == DOC_MARKDOWN ? "\n" : "");
    put_rows(c, c->row + c->n_rows, c->n_means, true, doc);
    put_apart(c, verbose, out);
    if (c->n_hosts)
        text_printf(out, "\nHosts by the geometric mean of their ratios, above 1 is better\n");
    for (size_t i = 0; i < c->n_hosts; i++)
        text_printf(out, "  %s  %.4f%s\n", c->host[i].host, c->host[i].ratio,
                    c->host[i].stands_out ? "  stands out" : "");
    if (about)
        compared_put_warnings(c, out);
}
