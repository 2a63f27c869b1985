/* SPDX-License-Identifier: MIT */
/* Lists the settings in which the runs of two sides differ. */
#include "analysis/compare_settings.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/machine.h"

/* Largest number of settings that are compared: more than any run has. It limits the work for damaged files. */
#define NAMES_MOST 256u
/* Most values kept for one setting and side. Two sides that both reach this number count as equal: the machines of each
 * side then differ among themselves. */
#define VALUES_MOST 8u

struct values {
    char value[VALUES_MOST][SETTING_VALUE];
    size_t n;
};

struct named {
    char name[SETTING_NAME + 56];
    struct values side[2];
};

struct diff {
    struct named *named;
    size_t n;
};

static struct named *find(struct diff *d, const char *name)
{
    for (size_t i = 0; i < d->n; i++)
        if (!strcmp(d->named[i].name, name))
            return &d->named[i];
    if (d->n == NAMES_MOST)
        return NULL;
    text_copy(d->named[d->n].name, sizeof(d->named[d->n].name), name);
    return &d->named[d->n++];
}

static bool has(const struct values *values, const char *value)
{
    for (size_t i = 0; i < values->n; i++)
        if (!strcmp(values->value[i], value))
            return true;
    return false;
}

static void enter(struct diff *d, bool changed, const char *name, const char *value)
{
    struct named *named = find(d, name);
    struct values *values = named ? &named->side[changed] : NULL;

    if (!values || has(values, value) || values->n == VALUES_MOST)
        return;
    text_copy(values->value[values->n++], SETTING_VALUE, value);
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

static bool differs(const struct named *named)
{
    const struct values *base = &named->side[0], *changed = &named->side[1];
    const bool many = base->n == VALUES_MOST && changed->n == VALUES_MOST;
    bool same = base->n == changed->n;

    for (size_t i = 0; i < base->n && same && !many; i++)
        same = has(changed, base->value[i]);
    return base->n && changed->n && !same;
}

static void put_values(const struct values *values, struct text *out)
{
    for (size_t i = 0; i < values->n; i++)
        text_printf(out, "%s%s", i ? " or " : "", values->value[i]);
}

void settings_diff(const struct row_set *base, const struct row_set *changed, struct text *out)
{
    struct diff d = {.named = calloc(NAMES_MOST, sizeof(*d.named))};
    bool any = false;

    if (d.named) {
        enter_side(&d, false, base);
        enter_side(&d, true, changed);
    }
    for (size_t i = 0; i < d.n; i++) {
        if (!differs(&d.named[i]))
            continue;
        text_printf(out, "%s%s ", any ? "; " : "", d.named[i].name);
        put_values(&d.named[i].side[0], out);
        text_printf(out, " -> ");
        put_values(&d.named[i].side[1], out);
        any = true;
    }
    if (!d.named)
        out->failed = 1;
    free(d.named);
}
