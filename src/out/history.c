/* SPDX-License-Identifier: MIT */
/* Prints the result of `jitbench history`: a line for each change, in the order of time. */
#include "out/out.h"

#define SETTINGS_SHOWN 5u

char *history_name(const struct history *h, size_t result, char *buf, size_t size)
{
    const struct gather_result *of = &h->gather.result[h->result[result].result];
    const char *name = FLEET_NAME(of, false);
    bool same = false;

    for (size_t i = 0; i < h->n_results && !same; i++)
        same = i != result && !strcmp(name, FLEET_NAME(&h->gather.result[h->result[i].result], false));
    return text_line(buf, size, "%s%s%s%s%s", name, same ? " [" : "", same ? of->work : "", same ? "]" : "",
                     gather_judged(&h->gather, h->result[result].result) != h->result[result].result ? ", core free"
                                                                                                     : "");
}

bool history_is_recent(const struct history *h, const struct history_change *change, size_t recent)
{
    return !recent || change->run + recent >= h->n_runs;
}

/* Without its seconds. */
static void put_time(const char *utc, struct text *out)
{
    text_printf(out, "%.10s %.5s", utc, utc + 11);
}

static void put_percent(double share, struct grid *grid)
{
    struct text *cell = grid_cell(grid, COLOR_NONE);

    if (isfinite(share))
        text_printf(cell, "%+.1f", 100 * share);
    else
        text_printf(cell, "-");
}

/* steady: the result has its level in all runs. */
static void put_change(const struct history *h, const struct history_change *c, bool steady, struct grid *grid)
{
    const char *unit = h->gather.result[h->result[c->result].result].unit;
    const struct history_run *run = &h->run[c->run];

    put_time(run->utc, grid_cell(grid, COLOR_NONE));
    text_printf(grid_cell(grid, COLOR_NONE), "%zu", c->run + 1);
    grid_text(grid, HISTORY_NAME(h, c->result));
    grid_value(grid, c->before, unit);
    grid_value(grid, c->after, unit);
    put_percent(c->effect, grid);
    put_percent(c->low, grid);
    put_percent(c->high, grid);
    text_printf(grid_cell(grid, steady     ? COLOR_NONE
                                : c->worse ? COLOR_RED
                                           : COLOR_GREEN),
                "%s",
                steady     ? "same"
                : c->worse ? "WORSE"
                           : "BETTER");
    grid_text(grid, steady ? "" : run->comment);
}

/* Settings that changed around the run. */
static void put_changed_settings(const struct history *h, const struct history_change *c, struct grid *grid)
{
    FREED_BY(text_free) struct text list = {0};
    const char *before, *after;
    size_t setting = 0, n = 0;

    for (; history_next_setting(h, c, &setting, &before, &after); n++)
        if (n < SETTINGS_SHOWN)
            text_printf(&list, "%s%s: %.80s -> %.80s", n ? "; " : "", h->gather.settings.name[setting - 1], before,
                        after);
    if (n > SETTINGS_SHOWN)
        text_printf(&list, "; and %zu more", n - SETTINGS_SHOWN);
    if (n)
        text_printf(grid_note(grid), "changed around run %zu: %s", c->run + 1, list.data);
}

void history_put_table(const struct history *h, size_t recent, bool verbose, const struct doc *doc)
{
    static const struct grid_column columns[] = {
        {"Since", .left = true},
        {"Run", .rank = 2},
        {"Figure", .left = true, .wrap = true},
        {.title = "Before"},
        {.title = "After"},
        {.title = "Change %"},
        {"From %", .rank = 1, .optional = true},
        {"To %", .rank = 1, .optional = true},
        {"Verdict", .left = true},
        {"Comment", .left = true, .wrap = true, .optional = true},
    };
    struct grid grid = {.html = doc->format == DOC_HTML};

    GRID_COLUMNS(&grid, columns);
    for (size_t i = 0; i < h->n_changes; i++) {
        const struct history_change *c = &h->change[i];
        if (!history_is_recent(h, c, recent))
            continue;
        put_change(h, c, false, &grid);
        if (i + 1 == h->n_changes || c[1].run != c->run)
            put_changed_settings(h, c, &grid);
    }
    for (size_t k = 0; verbose && k < h->n_results; k++) {
        const struct history_result *f = &h->result[k];
        const struct history_change none = {.result = k,
                                            .run = h->point[f->first].run,
                                            .before = history_level(h, k),
                                            .after = NAN,
                                            .effect = NAN,
                                            .low = NAN,
                                            .high = NAN};
        if (!f->n_changes)
            put_change(h, &none, true, &grid);
    }
    doc_table(doc, &grid);
}

void history_put_summary(const struct history *h, size_t recent, const struct doc *doc)
{
    FREED_BY(text_free) struct text line = {0};
    size_t shown = 0;

    for (size_t i = 0; i < h->n_changes; i++)
        shown += history_is_recent(h, &h->change[i], recent);
    text_printf(&line, "%zu run%s of %s", h->n_runs, PLURAL(h->n_runs), h->machine);
    if (h->n_runs) {
        text_printf(&line, ", ");
        put_time(h->run[0].utc, &line);
        text_printf(&line, " to ");
        put_time(h->run[h->n_runs - 1].utc, &line);
    }
    text_printf(&line, ": %zu figure%s judged%s%s%s, %zu change%s found", h->n_results, PLURAL(h->n_results),
                h->gather.stat ? " by the column '" : "", h->gather.stat ? h->gather.stat->name : "",
                h->gather.stat ? "'" : "", h->n_changes, PLURAL(h->n_changes));
    if (recent)
        text_printf(&line, ", %zu of them in the last %zu runs", shown, recent);
    doc_say(doc, "%s.", line.data ? line.data : "");
    if (h->n_results)
        doc_say(doc,
                "Changes below %g %% are left out. Chance alone finds one in 1 of %.0f histories of independent runs "
                "without any change.",
                100 * h->least_effect, 1 / HISTORY_ALPHA);
    if (h->n_short)
        doc_say(doc, "Too few runs for any change to be found: %zu figure%s.", h->n_short, PLURAL(h->n_short));
}
