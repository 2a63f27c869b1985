/* SPDX-License-Identifier: MIT */
/* Lists the settings in which the runs of two sides differ. */
#include "analysis/compare_settings.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sys/base.h"
#include "sys/machine.h"

/* Values that are kept of a side: more than any run has. It limits the work for damaged files. */
#define ENTRIES_MOST 2048u
/* Most values of one setting and side. Two sides that both have so many count as equal: the machines of each side then
 * differ among themselves. */
#define VALUES_MOST 8u

/* Names of settings; of each side "name\x1fvalue". */
struct diff {
    struct index names, side[2];
};

static void free_diff(struct diff *d)
{
    index_free(&d->names);
    index_free(&d->side[0]);
    index_free(&d->side[1]);
}

static void enter(struct diff *d, bool changed, const char *name, const char *value)
{
    char entry[SETTING_NAME + 64 + SETTING_VALUE];

    if (d->side[changed].n == ENTRIES_MOST)
        return;
    (void)snprintf(entry, sizeof(entry), "%s\x1f%s", name, value);
    (void)index_enter(&d->names, name);
    (void)index_enter(&d->side[changed], entry);
}

static void enter_items(struct diff *d, bool changed, const char *text, bool of_run)
{
    char name[SETTING_NAME + 8];
    struct setting_items items;

    setting_items_begin(&items, text, of_run);
    while (setting_items_next(&items)) {
        (void)snprintf(name, sizeof(name), "%s%s", of_run ? "" : "scratch_", items.name);
        enter(d, changed, name, items.value);
    }
}

/* Adds the kind of pages that a test got. The share of huge pages varies from run to run, so what follows the ':' is
 * cut. */
static void enter_pages(struct diff *d, bool changed, const struct row *row)
{
    char name[SETTING_NAME], value[32];
    size_t length = 0;
    const char *pages = row_param(&row->param, "pages", &length);

    if (!pages || !row->n_samples)
        return;
    (void)snprintf(name, sizeof(name), "%s pages", row->test);
    (void)snprintf(value, sizeof(value), "%.*s", (int)(length < 24 ? length : 24), pages);
    value[strcspn(value, ":")] = '\0';
    if (strcmp(value, "huge-advised") != 0) /* written by an earlier version, which did not record the pages given */
        enter(d, changed, name, value);
}

static void enter_side(struct diff *d, bool changed, const struct row_set *set)
{
    const char *last = "";

    for (size_t i = 0; i < set->n_runs; i++)
        enter_items(d, changed, set->runs[i]->settings, true);
    for (size_t i = 0; i < set->n; i++) {
        const struct row *row = &set->rows[i];
        enter_pages(d, changed, row);
        if (strcmp(row->scratch_disk, last) != 0)
            enter_items(d, changed, row->scratch_disk, false);
        last = row->scratch_disk;
    }
}

/* Sets the different values of a setting on one side, at most VALUES_MOST. Returns their number. */
static size_t values_of(const struct index *side, const char *name, const char *values[VALUES_MOST])
{
    const size_t length = strlen(name);
    size_t n = 0;

    for (size_t i = 0; i < side->n && n < VALUES_MOST; i++)
        if (!strncmp(side->name[i], name, length) && side->name[i][length] == '\x1f')
            values[n++] = side->name[i] + length + 1;
    return n;
}

static bool same_values(const char *const *a, const char *const *b, size_t n)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            found += !strcmp(a[i], b[k]);
    return found == n || n == VALUES_MOST;
}

void settings_diff(const struct row_set *base, const struct row_set *changed, struct text *out)
{
    FREED_BY(free_diff) struct diff d = {.names = {.n = 0}};
    const char *values[2][VALUES_MOST];
    bool any = false;

    enter_side(&d, false, base);
    enter_side(&d, true, changed);
    for (size_t i = 0; i < d.names.n; i++) {
        const size_t n[] = {values_of(&d.side[0], d.names.name[i], values[0]),
                            values_of(&d.side[1], d.names.name[i], values[1])};
        if (!n[0] || !n[1] || (n[0] == n[1] && same_values(values[0], values[1], n[0])))
            continue;
        text_printf(out, "%s%s", any ? "; " : "", d.names.name[i]);
        for (unsigned side = 0; side < 2; side++)
            for (size_t k = 0; k < n[side]; k++)
                text_printf(out, "%s%s", k ? " or " : side ? " -> " : " ", values[side][k]);
        any = true;
    }
}
