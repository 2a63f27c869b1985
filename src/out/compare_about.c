/* SPDX-License-Identifier: MIT */
/* Prints the header of a comparison, which says what was compared, and the warnings after it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "out/compare.h"

/* Values that are kept of both sides: more than any run has. It limits the work for damaged files. */
#define ENTRIES_MOST 4096u
/* Most values of one setting and side. Two sides that both have so many count as equal: the machines of each side then
 * differ among themselves. */
#define VALUES_MOST     8u
#define PROPERTIES_MOST 4u  /* most values of a property that are listed for a side */
#define SHARES_PCT      5.0 /* least difference of the shares of the core that is mentioned, in percentage points */

/* --- What differs between the sides. --- */

/* Enters a value; "": it is not known. An entry is the number of the side, the name and the value, each ended by
 * '\x1f' but the last. */
static void enter(struct index *entries, size_t s, const char *name, const char *value)
{
    char entry[SETTING_NAME + 64 + SETTING_VALUE];

    (void)snprintf(entry, sizeof(entry), "%zu\x1f%s\x1f%s", s, name, value);
    if (value[0] && entries->n < ENTRIES_MOST)
        (void)index_enter(entries, entry);
}

/* Appends each name whose values differ, up to `most` of them for a side: both sides have values, and not the same.
 * words: what stands between two names, before the values of the base, before those of the other side, and between the
 * values of a side. */
static void put_differences(const struct index *entries, size_t most, const char *const words[4], struct text *out)
{
    const size_t before = out->length;

    for (size_t i = 0; i < entries->n; i++) {
        const char *name = entries->name[i] + 2, *values[2][VALUES_MOST];
        const size_t length = strcspn(name, "\x1f") + 1;
        size_t first = SIZE_MAX, same = 0, n[2] = {0, 0};
        for (size_t k = 0; k < entries->n; k++) {
            const size_t s = entries->name[k][0] == '1';
            if (strncmp(entries->name[k] + 2, name, length) != 0 || n[s] == most)
                continue;
            first = first < k ? first : k;
            values[s][n[s]++] = entries->name[k] + 2 + length;
        }
        for (size_t k = 0; k < n[0] * n[1]; k++)
            same += !strcmp(values[0][k % n[0]], values[1][k / n[0]]);
        if (first != i || !n[0] || !n[1] || (n[0] == n[1] && (same == n[0] || n[0] == VALUES_MOST)))
            continue;
        text_printf(out, "%s%.*s", out->length > before ? words[0] : "", (int)length - 1, name);
        for (size_t s = 0; s < 2; s++)
            for (size_t k = 0; k < n[s]; k++)
                text_printf(out, "%s%s", words[k ? 3 : 1 + s], values[s][k]);
    }
}

static void enter_items(struct index *entries, size_t s, const char *text, bool of_run)
{
    struct setting_items items;

    setting_items_begin(&items, text, of_run);
    while (setting_items_next(&items))
        enter(entries, s, items.name, items.value);
}

/* Adds the kind of pages that a test got. The share of huge pages varies from run to run, so what follows the ':' is
 * cut. */
static void enter_pages(struct index *entries, size_t s, const struct row *row)
{
    size_t length = 0;
    const char *pages = row_param(&row->param, "pages", &length);

    if (!pages || !row->n_samples)
        return;
    char *value = TEXT_LINE("%.*s", (int)(length < 24 ? length : 24), pages);
    value[strcspn(value, ":")] = '\0';
    if (strcmp(value, "huge-advised") != 0) /* written by an earlier version, which did not record the pages given */
        enter(entries, s, TEXT_LINE("%s pages", row->test), value);
}

void compared_put_settings(const struct row_set *base, const struct row_set *changed, struct text *out)
{
    static const char *const words[] = {"; ", " ", " -> ", " or "};
    FREED_BY(index_free) struct index entries = {0};

    for (size_t s = 0; s < 2; s++) {
        const struct row_set *set = s ? changed : base;
        for (size_t i = 0; i < set->n_runs; i++)
            enter_items(&entries, s, set->runs[i]->settings, true);
        for (size_t i = 0; i < set->n; i++) {
            enter_pages(&entries, s, &set->rows[i]);
            enter_items(&entries, s, set->rows[i].scratch_disk, false);
        }
    }
    put_differences(&entries, VALUES_MOST, words, out);
}

/* Appends a line for each property in which the compared rows differ. */
static void put_properties(const struct compared *c, struct text *out)
{
    static const char *const words[] = {"\nDiffers: ", ": ", " against ", ";"};
    FREED_BY(index_free) struct index entries = {0};
    FREED_BY(text_free) struct text lines = {0};
    char value[200];

    for (size_t p = 0; p < PAIR_PROPERTIES; p++)
        for (size_t i = 0; i < 2 * c->n_rows; i++) {
            const struct pair_side *side = &c->row[i / 2].pair->side[i % 2];
            for (size_t k = 0; k < side->n; k++) {
                const char *name = pair_property(p, side->row[k], value, sizeof(value));
                enter(&entries, i % 2, name, value);
            }
        }
    put_differences(&entries, PROPERTIES_MOST, words, &lines);
    if (lines.length)
        text_printf(out, "Differs: %s\n", lines.data);
}

/* --- The header: what was compared. --- */

/* Names a side with the number of its runs (those without a number are one each) and hosts. */
static void put_side(const char *name, const struct row_set *set, struct text *out)
{
    FREED_BY(index_free) struct index ids = {0}, hosts = {0};

    for (size_t i = 0; i < set->n_runs; i++) {
        (void)index_enter(&ids, set->runs[i]->run_id[0] ? set->runs[i]->run_id : TEXT_LINE("(%zu)", i));
        (void)index_enter(&hosts, set->runs[i]->host);
    }
    text_printf(out, "%-5s %zu run%s on ", name, ids.n, PLURAL(ids.n));
    if (hosts.n > 1)
        text_printf(out, "%zu hosts\n", hosts.n);
    else
        text_printf(out, "%s\n", set->runs[0]->host[0] ? set->runs[0]->host : "an unknown host");
}

/* Appends a line for each kind of statistical test that was used. */
static void put_tested(const struct compared *c, struct text *out)
{
    static const char three[] = ", for rows with three or more a side";
    struct stats_running share[2] = {{.n = 0}, {.n = 0}}; /* of rows that were tested in pairs */
    size_t hosts = 0, in_turn = 0, shares = 0, alone = 0, n[TESTED_PAIRS + 1] = {0};

    for (size_t i = 0; i < c->n_rows; i++) {
        const struct compared_row *row = &c->row[i];
        const struct pair_side *side = row->pair->side;
        const bool pairs = row->of->tested == TESTED_PAIRS, samples = pairs && side[0].n == 1;
        hosts += row->by_hosts;
        shares += row->of->share > 0;
        alone += row->raw && row->raw != row->pair;
        in_turn += samples;
        n[row->of->tested] += !row->by_hosts && !samples;
        for (size_t s = 0; pairs && !row->pair->within && s < 2; s++)
            for (size_t k = 0; k < side[s].n; k++)
                if (!isnan(row_core_share(side[s].row[k])))
                    stats_add(&share[s], 100 * row_core_share(side[s].row[k]));
    }
    const bool runs = n[TESTED_RUNS], pairs = n[TESTED_PAIRS], within = n[TESTED_WITHIN];
    const struct {
        bool when;
        const char *text;
    } sentences[] = {
        {hosts, TEXT_LINE("Tested: the means of the hosts%s", runs || within ? three : "")},
        {runs, TEXT_LINE("Tested: the means of the runs%s", hosts || within ? three : "")},
        {hosts || runs,
         "Measured apart: a drift between the sides cannot be told from the change; in turns (A B B A) it can"},
        {pairs, "Tested: pairs of runs as measured, since those of both sides alternate in time"},
        {fabs(share[1].mean - share[0].mean) >= SHARES_PCT,
         TEXT_LINE("The sides had %.0f %% and %.0f %% of the core. They were measured in turns, so the change itself "
                   "may be why",
                   share[0].mean, share[1].mean)},
        {alone, "Metrics with " ROW_ALONE ": without other users of the core, as both sides know it; Raw is the ratio "
                "as measured"},
        {shares, TEXT_LINE("Rows with a Raw ratio%s: figures at the same share of the core; Raw is the ratio as "
                           "measured",
                           alone ? " and without " ROW_ALONE : "")},
        {in_turn, "Tested: pairs of samples, since commands were measured in turns and drift affects all of them "
                  "equally"},
        {within, TEXT_LINE("Not decided%s: the drift between runs cannot be seen in fewer than three runs a side. "
                           "Interval and\n       least change are those within the runs; repeat both sides with "
                           "--runs %u",
                           hosts || runs || pairs || in_turn ? " elsewhere" : "", RUNS_ADVISED)},
        {hosts || in_turn || runs || pairs || within,
         "Least change: the smallest that 80 % of such comparisons would find"},
    };
    for (size_t i = 0; i < COUNT(sentences); i++)
        if (sentences[i].when)
            text_printf(out, "%s\n", sentences[i].text);
}

void compared_put_header(const struct compared *c, struct text *out)
{
    const struct row_set *base = c->pairs->base, *changed = c->pairs->changed;
    FREED_BY(text_free) struct text settings = {0};

    put_side(changed ? "Base" : "Within", base, out);
    if (changed) {
        put_side("New", changed, out);
        put_properties(c, out);
        compared_put_settings(base, changed, &settings);
    } else {
        text_printf(out, "Base  the first row of each test and metric; for `run`, the first command\n");
    }
    if (settings.length)
        text_printf(out, "Settings differ: %s\n", settings.data);
    put_tested(c, out);
    text_append(out, "\n", 1);
}

/* --- Warnings. --- */

#define ARE(n) ((n) == 1 ? " is" : "s are")

void compared_put_warnings(const struct compared *c, struct text *out)
{
    const size_t doubles = c->pairs->doubles, left_out = c->pairs->degraded;
    size_t drifted = 0, unstable = 0, single = 0;
    double worst = 0;

    for (size_t i = 0; i < c->n_rows; i++) {
        const struct compared_row *row = &c->row[i];
        single += row->of->tested == TESTED_NOTHING;
        unstable += row->unstable;
        drifted += row->drift_pct > 0;
        worst = fmax(worst, row->drift_pct);
    }
    const struct {
        size_t n;
        const char *text;
    } warnings[] = {
        {single, TEXT_LINE("%zu row%s not decided: one value does not show %s spread", single, ARE(single),
                           single == 1 ? "its" : "their")},
        {unstable, TEXT_LINE("%zu row%s unstable: %s samples spread by more than --max-rsd (5 %% by default)", unstable,
                             ARE(unstable), unstable == 1 ? "its" : "their")},
        {drifted, TEXT_LINE("the machine drifted during a run, by up to %.1f %%, in %zu row%s", worst, drifted,
                            PLURAL(drifted))},
        {doubles, TEXT_LINE("%zu row%s twice and %s counted once", doubles, doubles == 1 ? " occurs" : "s occur",
                            doubles == 1 ? "is" : "are")},
        {left_out, TEXT_LINE("%zu degraded, skipped or failed row%s left out of %s side", left_out, ARE(left_out),
                             left_out == 1 ? "its" : "their")},
    };
    const size_t before = out->length;
    for (size_t i = 0; i < COUNT(warnings); i++)
        if (warnings[i].n)
            text_printf(out, "%sWarning: %s\n", out->length == before ? "\n" : "", warnings[i].text);
}
