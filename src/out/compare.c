/* SPDX-License-Identifier: MIT */
/* Prints the result of `jitbench compare` as a table, as Markdown or as CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/compare.h"
#include "out/explain.h"
#include "out/out.h"

/* --- Names. --- */

static bool is_neighbour(const struct row *other, const struct row *row)
{
    return other != row && !strcmp(other->suite, row->suite) && !strcmp(other->test, row->test) &&
           !strcmp(other->load, row->load) && !strcmp(other->metric, row->metric);
}

/* Returns whether the name of the row needs this word of its param, because another row of the same test does not have
 * it. */
static bool tells_apart(const struct compared *c, const struct row *row, const struct row_word *word)
{
    if (word->of->kind == PARAM_OUTCOME || word->of->kind == PARAM_PLACEMENT)
        return false;
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct pair *pair = c->row[i].pair;
        if (is_neighbour(pair->about, row) && !text_has_word_of(pair->about->param.text, word->text, word->length))
            return true;
        if (pair->within && is_neighbour(pair->base[0], row) &&
            !text_has_word_of(pair->base[0]->param.text, word->text, word->length))
            return true;
    }
    return false;
}

static void append_words(struct text *out, const char *words)
{
    if (words[0])
        text_printf(out, "%s%s", out->length ? " " : "", words);
}

/* Appends a text with control characters replaced, because names come from files and go to terminals. */
static void put_clean(const char *s, struct text *out)
{
    const size_t start = out->length;

    text_append(out, s, strlen(s));
    if (!out->failed)
        text_sanitize(out->data + start);
}

/* Appends a word of the parameters. If it holds a command line, leaves out "command=". */
static void put_word(const struct row *row, const struct row_word *word, struct text *name)
{
    const char *line = row_command_line(&row->param), *end = word->text + word->length;
    const char *from = line && word->text < line && line <= end ? line : word->text;

    text_printf(name, " %.*s", (int)(end - from), from);
}

static void put_name(const struct compared *c, const struct pair *pair, const struct row *row, struct text *name)
{
    char protocol[ROW_PROTOCOL_SIZE];
    struct row_word word = {0};

    append_words(name, row->suite);
    if (strcmp(row->suite, row->test) != 0)
        append_words(name, row->test);
    append_words(name, row->load);
    row_protocol(&row->param, protocol);
    if (protocol[0])
        text_printf(name, " (%s)", protocol);
    while (row_next_word(&row->param, &word))
        if (tells_apart(c, row, &word))
            put_word(row, &word, name);
    if (row->copies > 1 || (pair->within && row->copies != pair->about->copies))
        text_printf(name, " x%" PRIu64, row->copies);
    if (pair->by_cpus)
        text_printf(name, " CPU %s", row->cpus);
}

/* Appends the name of a pair of rows. */
static void put_row_name(const struct compared *c, const struct pair *pair, struct text *out)
{
    FREED_BY(text_free) struct text name = {0}, base = {0};

    put_name(c, pair, pair->about, &name);
    if (pair->within) {
        put_name(c, pair, pair->base[0], &base);
        text_printf(&name, " against %s", base.length ? base.data : "");
    }
    if (pair->host[0])
        text_printf(&name, " on %s", pair->host);
    out->failed |= name.failed | base.failed;
    put_clean(name.length ? name.data : "", out);
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
    struct text *ratio = grid_cell(grid, COLOR_NONE);

    text_printf(ratio, c->ratio > 0 ? "%.4f %s" : "-       ", c->ratio, direction_of(c->ratio, better));
    if (isnan(c->low))
        grid_text(grid, "-");
    else
        text_printf(grid_cell(grid, COLOR_NONE), "%.4f .. %.4f", c->low, c->high);
    if (c->p_adjusted < 0.0001)
        grid_text(grid, "<0.0001");
    else
        grid_number(grid, c->p_adjusted, 4);
}

/* Appends "raw -7.1 %, by core share 61 % (base 99 %)": the change as measured over the whole time, if its cause is
 * known. Called for a figure that has not changed when measured with no one else on the core, or when adjusted to the
 * same share of the core. */
static void put_reason_of_raw(const struct compared_row *row, struct text *out)
{
    FREED_BY(text_free) struct text why = {0};

    explain_change(row->raw, &row->of_raw, &why);
    if (why.length)
        text_printf(out, "%sraw %+.1f %%, by %s", out->length ? "; " : "", 100 * (row->of_raw.ratio - 1), why.data);
    out->failed |= why.failed;
}

/* Appends the reason that is printed with a verdict: why the change is in doubt, the least change that would be found,
 * or the causes of the change. row: NULL for a mean. */
static void put_reason_of(const struct compared *all, const struct comparison *c, const struct compared_row *row,
                          double min_effect, struct text *out)
{
    const bool unsure = c->doubt == DOUBT_CHANCE && (c->low > 1 || c->high < 1);

    if (c->tested == TESTED_NOTHING)
        text_printf(out, "one value on a side; repeat with --runs %u", RUNS_ADVISED);
    else if (c->doubt == DOUBT_SMALL)
        text_printf(out, "above %g %%", 100 * min_effect);
    else if (c->doubt == DOUBT_SHARE && c->unlike_rows)
        text_printf(out, "its rows were brought to the same share of the core, and it cannot be");
    else if (c->doubt == DOUBT_SHARE)
        text_printf(out, "the sides had %.0f %% and %.0f %% of the core; measure in turns", 100 * c->raw.share[0],
                    100 * c->raw.share[1]);
    else if (unsure)
        text_printf(out, "not sure, p %.2g after correcting for %zu row%s", c->p_adjusted, all->n_judged,
                    all->n_judged == 1 ? "" : "s");
    if (c->least > 0 && c->doubt != DOUBT_SHARE && (c->change == CHANGE_UNKNOWN || c->doubt == DOUBT_CHANCE))
        text_printf(out, "%sleast change %.*f %%", out->length ? ", " : "", c->least < 0.1 ? 1 : 0, 100 * c->least);
    if (row)
        explain_change(row->pair, c, out);
    if (row && row->raw && (c->change == CHANGE_NONE || c->change == CHANGE_UNKNOWN) && c->doubt != DOUBT_SHARE)
        put_reason_of_raw(row, out);
}

static enum color color_of(enum compared_verdict verdict)
{
    return verdict == VERDICT_FASTER                               ? COLOR_GREEN
           : verdict == VERDICT_SLOWER                             ? COLOR_RED
           : verdict == VERDICT_LOWER || verdict == VERDICT_HIGHER ? COLOR_YELLOW
                                                                   : COLOR_NONE;
}

/* Adds the cell of a verdict. row: NULL for a mean. */
static void put_verdict(const struct compared *all, const struct comparison *c, const struct compared_row *row,
                        double min_effect, struct grid *grid)
{
    const enum compared_verdict verdict = compared_verdict(c, row ? row->pair->about->better : "higher");
    struct text *cell = grid_cell(grid, color_of(verdict));
    FREED_BY(text_free) struct text reason = {0};

    put_reason_of(all, c, row, min_effect, &reason);
    text_printf(cell, "%s", compared_verdict_names[verdict]);
    if (reason.length)
        text_printf(cell, "%s%s", c->doubt == DOUBT_SMALL ? " " : ": ", reason.data);
    cell->failed |= reason.failed;
}

/* --- Tables. --- */

/* Adds the columns of a table. raw: with a column for the ratio as measured. */
static void put_columns(const char *const titles[5], bool raw, struct grid *grid)
{
    const struct grid_column columns[] = {
        {.title = titles[0], .left = true, .wrap = true},
        {.title = titles[1], .left = true},
        {.title = titles[2]},
        {.title = titles[3]},
        {.title = titles[4]},
        {.title = "95 % interval", .rank = 1},
        {.title = "p (Holm)", .rank = 2},
    };

    grid_columns(grid, columns, sizeof(columns) / sizeof(columns[0]));
    grid_columns(grid, &(struct grid_column){.title = "Raw"}, raw);
    grid_columns(grid, &(struct grid_column){.title = "Verdict", .left = true, .wrap = true}, 1);
}

static void print_grid(struct grid *grid, const struct compared_print *how, struct text *out)
{
    doc_table(&(struct doc){.out = out,
                            .format = how->format == COMPARED_MARKDOWN ? DOC_MARKDOWN : DOC_TEXT,
                            .width = how->width},
              grid);
}

static void put_rows(const struct compared *c, const struct compared_print *how, struct text *out)
{
    static const char *const titles[] = {"Test", "Metric", "Base", "New", "Ratio"};
    const bool raw = c->n_raw > 0;
    struct grid grid = {.n_columns = 0};

    put_columns(titles, raw, &grid);
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct pair *pair = c->row[i].pair;
        const struct comparison *comparison = &c->comparison[c->row[i].number];
        put_row_name(c, pair, grid_cell(&grid, COLOR_NONE));
        grid_text(&grid, pair->about->metric);
        grid_value(&grid, comparison->base, pair->about->unit);
        grid_value(&grid, comparison->changed, pair->about->unit);
        put_ratio(comparison, pair->about->better, &grid);
        if (raw)
            grid_number(&grid, c->row[i].raw ? c->row[i].of_raw.ratio : (double)NAN, 4);
        put_verdict(c, comparison, &c->row[i], how->min_effect, &grid);
    }
    print_grid(&grid, how, out);
}

static void put_means(const struct compared *c, const struct compared_print *how, struct text *out)
{
    static const char *const titles[] = {"Suite", "Of", "", "", "Mean"};
    struct grid grid = {.n_columns = 0};

    put_columns(titles, false, &grid);
    for (size_t i = 0; i < c->n_means; i++) {
        const struct compared_mean *mean = &c->mean[i];
        text_printf(grid_cell(&grid, COLOR_NONE), "%s%s%s", mean->suite, mean->host[0] ? " on " : "", mean->host);
        text_printf(grid_cell(&grid, COLOR_NONE), "%zu row%s", mean->rows, mean->rows == 1 ? "" : "s");
        grid_text(&grid, "");
        grid_text(&grid, "");
        put_ratio(&c->comparison[mean->number], "higher", &grid);
        put_verdict(c, &c->comparison[mean->number], NULL, how->min_effect, &grid);
    }
    if (c->n_means)
        text_printf(out, "\nGeometric means of the ratios, inverted where less is better: above 1 is better\n%s",
                    how->format == COMPARED_MARKDOWN ? "\n" : "");
    print_grid(&grid, how, out);
}

/* --- Rows that cannot be compared. --- */

static int compare_reasons(const void *a, const void *b)
{
    return strcmp((*(const struct pair *const *)a)->why, (*(const struct pair *const *)b)->why);
}

#define NAMES_SHOWN 3u

static void put_reason(const struct compared *c, const struct pair *const *pairs, size_t n,
                       const struct compared_print *how, struct text *out)
{
    const size_t shown = how->verbose || n <= NAMES_SHOWN ? n : NAMES_SHOWN;

    text_printf(out, "  %zu row%s, ", n, n == 1 ? "" : "s");
    put_clean(pairs[0]->why, out);
    if (pairs[0]->reason >= 0)
        text_printf(out, " (--across %s compares them)", pair_across_names[pairs[0]->reason]);
    for (size_t i = 0; i < shown; i++) {
        text_printf(out, "%s ", i ? "," : ":");
        put_row_name(c, pairs[i], out);
        text_append(out, " ", 1);
        put_clean(pairs[i]->about->metric, out);
    }
    text_printf(out, "%s\n", shown < n ? ", ..." : "");
}

static void put_apart(const struct compared *c, const struct compared_print *how, struct text *out)
{
    if (!c->n_not_comparable)
        return;
    qsort(c->not_comparable, c->n_not_comparable, sizeof(const struct pair *), compare_reasons);
    text_printf(out, "%s%s\n", c->n_rows ? "\n" : "", "Not comparable");
    for (size_t i = 0, end; i < c->n_not_comparable; i = end) {
        for (end = i; end < c->n_not_comparable && !strcmp(c->not_comparable[end]->why, c->not_comparable[i]->why);
             end++)
            ;
        put_reason(c, c->not_comparable + i, end - i, how, out);
    }
}

static void put_hosts(const struct compared *c, struct text *out)
{
    if (!c->n_hosts)
        return;
    text_printf(out, "\nHosts by the geometric mean of their ratios, above 1 is better\n");
    for (size_t i = 0; i < c->n_hosts; i++) {
        text_append(out, "  ", 2);
        put_clean(c->host[i].host, out);
        text_printf(out, "  %.4f%s\n", c->host[i].ratio, c->host[i].stands_out ? "  stands out" : "");
    }
}

/* --- CSV. --- */

/* Writes the CSV field `against`: the name of the base row when both rows are from the same files, otherwise
 * nothing. */
static void put_against(const struct compared *c, const struct pair *pair, struct text *out)
{
    FREED_BY(text_free) struct text name = {0};

    if (pair && pair->within)
        put_name(c, pair, pair->base[0], &name);
    csv_text(out, name.length ? name.data : "");
}

static void put_real(struct text *out, double value)
{
    text_append(out, ",", 1);
    text_real(out, value);
}

/* Writes the fields of a comparison. row: NULL for a mean. */
static void put_comparison(const struct compared *all, const struct comparison *c, const struct compared_row *row,
                           double min_effect, struct text *out)
{
    static const char *const tested[] = {"", "within", "runs", "pairs"};
    FREED_BY(text_free) struct text reason = {0};
    const double figures[] = {c->base, c->changed, c->ratio, c->low, c->high, c->p_t, c->p_permutation, c->p_adjusted};
    enum compared_verdict v = compared_verdict(c, row ? row->pair->about->better : "higher");

    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        put_real(out, figures[i]);
    text_printf(out, ",%s,%zu,%zu", tested[c->tested], c->n_base, c->n_new);
    put_real(out, 100 * c->least);
    text_printf(out, ",%s,", compared_verdict_names[v]);
    put_reason_of(all, c, row, min_effect, &reason);
    if (reason.length)
        csv_text(out, reason.data);
    text_append(out, ",", 1);
    put_against(all, row ? row->pair : NULL, out);
    const struct comparison *raw = row && row->raw ? &row->of_raw : NULL;
    put_real(out, raw ? raw->base : (double)NAN);
    put_real(out, raw ? raw->changed : (double)NAN);
    put_real(out, raw ? raw->ratio : (double)NAN);
    put_real(out, c->share > 0 ? c->share : (double)NAN);
    put_real(out, c->share > 0 ? c->slope : (double)NAN);
    text_append(out, "\r\n", 2);
    out->failed |= reason.failed;
}

static void put_names(const struct pair *pair, struct text *out)
{
    const struct row *row = pair->about;
    const char *copies = row->copies ? TEXT_LINE("%" PRIu64, row->copies) : "";
    const char *const names[] = {
        row->suite, row->test,   row->load, row->param.text, copies, pair->by_cpus ? row->cpus : "",
        pair->host, row->metric, row->unit, row->better};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        text_append(out, ",", i > 0);
        csv_text(out, names[i]);
    }
}

static void put_csv(const struct compared *c, const struct compared_print *how, struct text *out)
{
    text_printf(out,
                "suite,test,load,param,copies,cpus,host,metric,unit,better,base,new,ratio,ratio_ci95_lo,"
                "ratio_ci95_hi,p_t,p_permutation,p_holm,tested,n_base,n_new,least_change_pct,verdict,reason,against,"
                "raw_base,raw_new,raw_ratio,core_share,core_share_slope\r\n");
    for (size_t i = 0; i < c->n_rows; i++) {
        put_names(c->row[i].pair, out);
        put_comparison(c, &c->comparison[c->row[i].number], &c->row[i], how->min_effect, out);
    }
    for (size_t i = 0; i < c->n_means; i++) {
        csv_text(out, c->mean[i].suite);
        text_printf(out, ",,,,,,");
        csv_text(out, c->mean[i].host);
        text_printf(out, ",geometric_mean,ratio,higher");
        put_comparison(c, &c->comparison[c->mean[i].number], NULL, how->min_effect, out);
    }
    for (size_t i = 0; i < c->n_not_comparable; i++) {
        put_names(c->not_comparable[i], out);
        text_printf(out, ",,,,,,,,,,,,,%s,", compared_verdict_names[VERDICT_APART]);
        csv_text(out, c->not_comparable[i]->why);
        text_append(out, ",", 1);
        put_against(c, c->not_comparable[i], out);
        text_printf(out, ",,,,,\r\n");
    }
}

void compared_put(const struct compared *compared, const struct compared_print *how, struct text *out)
{
    if (how->format == COMPARED_CSV) {
        put_csv(compared, how, out);
        return;
    }
    put_rows(compared, how, out);
    put_means(compared, how, out);
    put_apart(compared, how, out);
    put_hosts(compared, out);
}
