/* SPDX-License-Identifier: MIT */
/* Prints a comparison as a table, as Markdown and as CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/color.h"
#include "out/compare.h"
#include "out/explain.h"
#include "rows/csv.h"
#include "rows/text.h"
#include "rows/units.h"

enum { CELL_TEST, CELL_METRIC, CELL_BASE, CELL_NEW, CELL_RATIO, CELL_INTERVAL, CELL_P, CELL_VERDICT, CELLS };
static const char *const headings[CELLS] = {"Test",  "Metric",        "Base",     "New",
                                            "Ratio", "95 % interval", "p (Holm)", "Verdict"};

struct cells {
    char text[CELLS][512];
    enum compared_verdict verdict;
};

/* --- Names. --- */

static bool is_neighbour(const struct row *other, const struct row *row)
{
    return other != row && !strcmp(other->suite, row->suite) && !strcmp(other->test, row->test) &&
           !strcmp(other->load, row->load) && !strcmp(other->metric, row->metric);
}

/* Returns whether the word is needed in the name, because another row of the same test differs from it only there. */
static bool tells_apart(const struct compared *c, const struct row *row, const char *word, size_t length)
{
    const enum row_word kind = row_word_kind(row->param, word, length);

    if (kind == ROW_WORD_OUTCOME || kind == ROW_WORD_BESIDE)
        return false;
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct pair *pair = c->row[i].pair;
        if (is_neighbour(pair->about, row) && !text_has_word_of(pair->about->param, word, length))
            return true;
        if (pair->within && is_neighbour(pair->base[0], row) && !text_has_word_of(pair->base[0]->param, word, length))
            return true;
    }
    return false;
}

static void append_words(struct text *out, const char *words)
{
    if (words[0])
        text_printf(out, "%s%s", out->length ? " " : "", words);
}

/* Copies a name with control characters replaced, because names come from files and go to terminals. */
static void put_clean(const struct text *text, char *buf, size_t size)
{
    text_copy(buf, size, text->length ? text->data : "");
    text_sanitize(buf);
}

/* Appends a word of param; for a command line without "command=". */
static void put_word(const char *word, size_t length, struct text *name)
{
    static const char command[] = "command=";
    const size_t skipped = strncmp(word, command, sizeof(command) - 1) ? 0 : sizeof(command) - 1;

    text_printf(name, " %.*s", (int)(length - skipped), word + skipped);
}

static void put_name(const struct compared *c, const struct pair *pair, const struct row *row, struct text *name)
{
    char protocol[ROW_PROTOCOL_SIZE];
    size_t length;

    append_words(name, row->suite);
    if (strcmp(row->suite, row->test) != 0)
        append_words(name, row->test);
    append_words(name, row->load);
    row_protocol(row->param, protocol);
    if (protocol[0])
        text_printf(name, " (%s)", protocol);
    for (const char *at = row->param; *at; at += length) {
        at += strspn(at, " ");
        length = strcspn(at, " ");
        if (length && tells_apart(c, row, at, length))
            put_word(at, length, name);
    }
    if (row->copies > 1 || (pair->within && row->copies != pair->about->copies))
        text_printf(name, " x%" PRIu64, row->copies);
    if (pair->by_cpus)
        text_printf(name, " CPU %s", row->cpus);
}

static void name_row(const struct compared *c, const struct pair *pair, char *buf, size_t size)
{
    struct text name = {0};

    put_name(c, pair, pair->about, &name);
    if (pair->within) {
        struct text base = {0};
        put_name(c, pair, pair->base[0], &base);
        text_printf(&name, " against %s", base.length ? base.data : "");
        text_free(&base);
    }
    if (pair->host[0])
        text_printf(&name, " on %s", pair->host);
    put_clean(&name, buf, size);
    text_free(&name);
}

/* --- Cells. --- */

static bool has_samples(const struct pair *pair)
{
    bool all = true;

    for (size_t i = 0; i < pair->n_base; i++)
        all &= pair->base[i]->n_samples > 0;
    for (size_t i = 0; i < pair->n_changed; i++)
        all &= pair->changed[i]->n_samples > 0;
    return all;
}

static void put_p(double p, char *buf, size_t size)
{
    if (isnan(p))
        text_copy(buf, size, "-");
    else
        (void)snprintf(buf, size, p < 0.0001 ? "<0.0001" : "%.4f", p);
}

/* Returns "better" or "worse" for a ratio, as far as known, padded to the same width. */
static const char *direction_of(double ratio, const char *better)
{
    if (!better[0] || !(ratio < 1 || ratio > 1))
        return "      ";
    return (ratio > 1) == !strcmp(better, "higher") ? "better" : "worse ";
}

static void put_value(double value, const char *unit, char *buf, size_t size)
{
    char text[UNITS_SIZE];

    units_value(value, strcmp(unit, "ratio") ? unit : "", text, sizeof(text));
    units_plain(text);
    text_copy(buf, size, text);
}

static void put_figures(const struct comparison *c, const char *unit, const char *better, struct cells *cells)
{
    put_value(c->base, unit, cells->text[CELL_BASE], sizeof(cells->text[0]));
    put_value(c->changed, unit, cells->text[CELL_NEW], sizeof(cells->text[0]));
    text_copy(cells->text[CELL_RATIO], sizeof(cells->text[0]), "-       ");
    text_copy(cells->text[CELL_INTERVAL], sizeof(cells->text[0]), "-");
    if (c->ratio > 0)
        (void)snprintf(cells->text[CELL_RATIO], sizeof(cells->text[0]), "%.4f %s", c->ratio,
                       direction_of(c->ratio, better));
    if (!isnan(c->low))
        (void)snprintf(cells->text[CELL_INTERVAL], sizeof(cells->text[0]), "%.4f .. %.4f", c->low, c->high);
    put_p(c->p_adjusted, cells->text[CELL_P], sizeof(cells->text[0]));
}

/* Appends the reason for a verdict, if there is one: why it is no other verdict, or the causes of the change. pair:
 * NULL for a mean. */
static void put_reason_of(const struct compared *all, const struct comparison *c, const struct pair *pair,
                          double min_effect, struct text *out)
{
    if (c->change == CHANGE_UNKNOWN && pair && !has_samples(pair))
        text_printf(out, "one value on a side; compare three files a side");
    else if (c->change == CHANGE_UNKNOWN)
        text_printf(out, "repeat with --quick --runs 3");
    else if (c->doubt == DOUBT_SMALL)
        text_printf(out, "above %g %%", 100 * min_effect);
    else if (c->doubt == DOUBT_FLOOR && c->base != 0)
        text_printf(out, "above the noise floor of %.1f %%", 100 * c->floor / fabs(c->base));
    else if (c->doubt == DOUBT_FLOOR)
        text_printf(out, "above the noise floor");
    else if (c->doubt == DOUBT_CHANCE && (c->low > 1 || c->high < 1))
        text_printf(out, "not sure, p %.2g after correcting for %zu row%s", c->p_adjusted, all->n_judged,
                    all->n_judged == 1 ? "" : "s");
    else if (pair)
        explain_change(pair, c, out);
}

static void put_verdict(const struct compared *all, const struct comparison *c, enum compared_verdict verdict,
                        const struct pair *pair, double min_effect, struct text *out)
{
    struct text reason = {0};

    put_reason_of(all, c, pair, min_effect, &reason);
    const bool goes_on = c->doubt == DOUBT_SMALL || c->doubt == DOUBT_FLOOR;
    text_printf(out, "%s", compared_verdict_names[verdict]);
    if (reason.length)
        text_printf(out, "%s%s", goes_on ? " " : ": ", reason.data);
    out->failed |= reason.failed;
    text_free(&reason);
}

static void fill_row(const struct compared *c, size_t i, const struct compared_print *how, struct cells *cells)
{
    const struct pair *pair = c->row[i].pair;
    const struct comparison *comparison = &c->comparison[c->row[i].number];
    struct text verdict = {0}, metric = {0};

    name_row(c, pair, cells->text[CELL_TEST], sizeof(cells->text[0]));
    text_printf(&metric, "%s", pair->about->metric);
    put_clean(&metric, cells->text[CELL_METRIC], sizeof(cells->text[0]));
    put_figures(comparison, pair->about->unit, pair->about->better, cells);
    text_sanitize(cells->text[CELL_BASE]);
    text_sanitize(cells->text[CELL_NEW]);
    cells->verdict = compared_verdict(comparison, pair->about->better);
    put_verdict(c, comparison, cells->verdict, pair, how->min_effect, &verdict);
    put_clean(&verdict, cells->text[CELL_VERDICT], sizeof(cells->text[0]));
    text_free(&metric);
    text_free(&verdict);
}

static void fill_mean(const struct compared *c, size_t i, const struct compared_print *how, struct cells *cells)
{
    const struct compared_mean *mean = &c->mean[i];
    const struct comparison *comparison = &c->comparison[mean->number];
    struct text name = {0}, verdict = {0};

    put_figures(comparison, "", "higher", cells);
    text_printf(&name, "%s%s%s", mean->suite, mean->host[0] ? " on " : "", mean->host);
    put_clean(&name, cells->text[CELL_TEST], sizeof(cells->text[0]));
    (void)snprintf(cells->text[CELL_METRIC], sizeof(cells->text[0]), "%zu row%s", mean->rows,
                   mean->rows == 1 ? "" : "s");
    cells->text[CELL_BASE][0] = cells->text[CELL_NEW][0] = '\0';
    cells->verdict = compared_verdict(comparison, "higher");
    put_verdict(c, comparison, cells->verdict, NULL, how->min_effect, &verdict);
    put_clean(&verdict, cells->text[CELL_VERDICT], sizeof(cells->text[0]));
    text_free(&name);
    text_free(&verdict);
}

/* --- Tables. --- */

static size_t columns_of(const char *s)
{
    size_t n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static enum color color_of(enum compared_verdict verdict)
{
    switch (verdict) {
    case VERDICT_FASTER:
        return COLOR_GREEN;
    case VERDICT_SLOWER:
        return COLOR_RED;
    case VERDICT_LOWER:
    case VERDICT_HIGHER:
        return COLOR_YELLOW;
    default:
        return COLOR_NONE;
    }
}

static void put_line(const char *const *text, const size_t *widths, enum color color, struct text *out)
{
    for (size_t i = 0; i < CELLS; i++) {
        const bool left = i == CELL_TEST || i == CELL_METRIC || i == CELL_VERDICT;
        const size_t pad = widths[i] - columns_of(text[i]);
        if (i == CELL_VERDICT) {
            text_append(out, "  ", 2);
            color_put(out, color, text[i], strlen(text[i]));
            continue;
        }
        text_printf(out, "%s%*s%s%*s", i ? "  " : "", left ? 0 : (int)pad, "", text[i], left ? (int)pad : 0, "");
    }
    text_append(out, "\n", 1);
}

static void put_markdown(const char *const *text, struct text *out)
{
    for (size_t i = 0; i < CELLS; i++) {
        text_printf(out, i ? " | " : "| ");
        for (const char *at = text[i]; *at; at++) {
            text_append(out, "\\", *at == '|' || *at == '\\' || *at == '<' || *at == '*' || *at == '_');
            text_append(out, at, 1);
        }
    }
    text_append(out, " |\n", 3);
}

static void put_cells(const struct cells *cells, size_t n, const char *const *heads, const struct compared_print *how,
                      struct text *out)
{
    size_t widths[CELLS] = {0};

    for (size_t c = 0; c < CELLS; c++) {
        widths[c] = columns_of(heads[c]);
        for (size_t i = 0; i < n; i++)
            widths[c] = columns_of(cells[i].text[c]) > widths[c] ? columns_of(cells[i].text[c]) : widths[c];
    }
    if (how->format == COMPARED_MARKDOWN) {
        put_markdown(heads, out);
        text_printf(out, "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n");
    } else {
        put_line(heads, widths, COLOR_NONE, out);
    }
    for (size_t i = 0; i < n; i++) {
        const char *text[CELLS];
        for (size_t c = 0; c < CELLS; c++)
            text[c] = cells[i].text[c];
        if (how->format == COMPARED_MARKDOWN)
            put_markdown(text, out);
        else
            put_line(text, widths, color_of(cells[i].verdict), out);
    }
}

static void put_rows(const struct compared *c, const struct compared_print *how, struct text *out)
{
    struct cells *cells = calloc(c->n_rows + 1, sizeof(*cells));

    for (size_t i = 0; cells && i < c->n_rows; i++)
        fill_row(c, i, how, &cells[i]);
    if (!cells)
        out->failed = 1;
    else if (c->n_rows)
        put_cells(cells, c->n_rows, headings, how, out);
    free(cells);
}

static void put_means(const struct compared *c, const struct compared_print *how, struct text *out)
{
    static const char *const heads[CELLS] = {"Suite", "Of", "", "", "Mean", "95 % interval", "p (Holm)", "Verdict"};
    struct cells *cells = calloc(c->n_means + 1, sizeof(*cells));

    for (size_t i = 0; cells && i < c->n_means; i++)
        fill_mean(c, i, how, &cells[i]);
    if (!cells) {
        out->failed = 1;
    } else if (c->n_means) {
        text_printf(out, "\nGeometric means of the ratios, inverted where less is better: above 1 is better\n%s",
                    how->format == COMPARED_MARKDOWN ? "\n" : "");
        put_cells(cells, c->n_means, heads, how, out);
    }
    free(cells);
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
    struct text why = {0};
    char clean[512];

    text_printf(&why, "%s", pairs[0]->why);
    put_clean(&why, clean, sizeof(clean));
    text_free(&why);
    text_printf(out, "  %zu row%s, %s", n, n == 1 ? "" : "s", clean);
    if (pairs[0]->reason >= 0)
        text_printf(out, " (--across %s compares them)", pair_across_names[pairs[0]->reason]);
    for (size_t i = 0; i < shown; i++) {
        name_row(c, pairs[i], clean, sizeof(clean));
        text_printf(out, "%s %s %s", i ? "," : ":", clean, pairs[i]->about->metric);
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
        struct text name = {0};
        char clean[80];
        text_printf(&name, "%s", c->host[i].host);
        put_clean(&name, clean, sizeof(clean));
        text_free(&name);
        text_printf(out, "  %s  %.4f%s\n", clean, c->host[i].ratio, c->host[i].stands_out ? "  stands out" : "");
    }
}

/* --- CSV. --- */

/* Writes the last field: for rows of the same files, the name of the base. */
static void put_against(const struct compared *c, const struct pair *pair, struct text *out)
{
    struct text name = {0};

    if (pair && pair->within)
        put_name(c, pair, pair->base[0], &name);
    if (name.length)
        csv_text(out, name.data);
    text_append(out, "\r\n", 2);
    text_free(&name);
}

static void put_real(struct text *out, double value)
{
    text_append(out, ",", 1);
    if (isfinite(value))
        text_printf(out, "%.17g", value);
}

static void put_comparison(const struct compared *all, const struct comparison *c, const struct pair *pair,
                           double min_effect, struct text *out)
{
    static const char *const tested[] = {"", "samples", "runs"};
    struct text reason = {0};
    const double figures[] = {c->base, c->changed, c->ratio, c->low, c->high, c->p_welch, c->p_rank, c->p_adjusted};
    enum compared_verdict v = compared_verdict(c, pair ? pair->about->better : "higher");

    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        put_real(out, figures[i]);
    text_printf(out, ",%s,%zu,%zu", tested[c->tested], c->n_base, c->n_new);
    put_real(out, c->tested == TESTED_SAMPLES && c->base != 0 ? 100 * c->floor / fabs(c->base) : (double)NAN);
    text_printf(out, ",%s,", compared_verdict_names[v]);
    put_reason_of(all, c, pair, min_effect, &reason);
    if (reason.length)
        csv_text(out, reason.data);
    text_append(out, ",", 1);
    put_against(all, pair, out);
    out->failed |= reason.failed;
    text_free(&reason);
}

static void put_names(const struct pair *pair, struct text *out)
{
    const struct row *row = pair->about;
    const char *const names[] = {row->suite, row->test, row->load, row->param};

    for (size_t i = 0; i < 4; i++) {
        csv_text(out, names[i]);
        text_append(out, ",", 1);
    }
    if (row->copies)
        text_printf(out, "%" PRIu64, row->copies);
    const char *const more[] = {pair->by_cpus ? row->cpus : "", pair->host, row->metric, row->unit, row->better};
    for (size_t i = 0; i < 5; i++) {
        text_append(out, ",", 1);
        csv_text(out, more[i]);
    }
}

static void put_csv(const struct compared *c, const struct compared_print *how, struct text *out)
{
    text_printf(
        out,
        "suite,test,load,param,copies,cpus,host,metric,unit,better,base,new,ratio,ratio_ci95_lo,"
        "ratio_ci95_hi,p_welch,p_mann_whitney,p_holm,tested,n_base,n_new,noise_floor_pct,verdict,reason,against\r\n");
    for (size_t i = 0; i < c->n_rows; i++) {
        put_names(c->row[i].pair, out);
        put_comparison(c, &c->comparison[c->row[i].number], c->row[i].pair, how->min_effect, out);
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
