/* SPDX-License-Identifier: MIT */
/* Sums up the CPU time of other tasks that ran on a benchmark's CPUs, and writes it as the CSV column `culprits`. */
#include "rows/culprits.h"

#include <stdlib.h>
#include <string.h>

#include "rows/text.h"
#include "sys/base.h"

void culprits_add(struct culprits *culprits, const char *name, double ms)
{
    struct culprit *at = culprits->of, *least = at;
    struct culprit one = {.ms = ms};

    text_copy(one.name, sizeof(one.name), name);
    text_sanitize_name(one.name);
    for (; at < culprits->of + culprits->n && strcmp(at->name, one.name) != 0; at++)
        least = at->ms < least->ms ? at : least;
    if (at < culprits->of + culprits->n)
        at->ms += ms;
    else if (culprits->n < CULPRITS_KEPT)
        culprits->of[culprits->n++] = one;
    else {
        culprits_add_rest(culprits, culprits->rest + 1, least->ms < ms ? least->ms : ms);
        *least = least->ms < ms ? one : *least;
    }
}

void culprits_add_rest(struct culprits *culprits, size_t names, double ms)
{
    /* The names are not kept: those of another sample may be the same. */
    culprits->rest = names > culprits->rest ? names : culprits->rest;
    culprits->rest_ms += ms;
}

void culprits_merge(struct culprits *culprits, const struct culprits *more)
{
    for (unsigned i = 0; i < more->n; i++)
        culprits_add(culprits, more->of[i].name, more->of[i].ms);
    culprits_add_rest(culprits, more->rest, more->rest_ms);
    culprits->looked |= more->looked;
    if (more->unrecorded_ms < 0 || culprits->unrecorded_ms < 0)
        culprits->unrecorded_ms = -1;
    else
        culprits->unrecorded_ms += more->unrecorded_ms;
    if (more->why[0])
        text_copy(culprits->why, sizeof(culprits->why), more->why);
}

static int by_time(const void *a, const void *b)
{
    const struct culprit *x = a, *y = b;

    return x->ms != y->ms ? ORDER_OF(y->ms, x->ms) : strcmp(x->name, y->name);
}

void culprits_text(const struct culprits *culprits, char *buf, size_t size)
{
    struct culprits sorted = *culprits;
    FREED_BY(text_free) struct text out = {0};
    double rest_ms = culprits->rest_ms;

    if (sorted.n)
        qsort(sorted.of, sorted.n, sizeof(sorted.of[0]), by_time);
    for (unsigned i = 0; i < sorted.n && i < CULPRITS_TOLD; i++)
        text_printf(&out, "%s%s=%.3f", i ? ";" : "", sorted.of[i].name, sorted.of[i].ms);
    for (unsigned i = CULPRITS_TOLD; i < sorted.n; i++)
        rest_ms += sorted.of[i].ms;
    if (rest_ms > 0)
        text_printf(&out, ";others(%zu)=%.3f",
                    culprits->rest + (sorted.n > CULPRITS_TOLD ? sorted.n - CULPRITS_TOLD : 0), rest_ms);
    if (culprits->looked && !sorted.n && !(culprits->unrecorded_ms < 0))
        text_printf(&out, "nobody=0");
    if (culprits->unrecorded_ms < 0)
        text_printf(&out, "%snot_recorded=all", out.length ? ";" : "");
    else if (culprits->unrecorded_ms > 0)
        text_printf(&out, ";not_recorded=%.3f", culprits->unrecorded_ms);
    if (culprits->why[0])
        text_printf(&out, ";why=%s", culprits->why);
    text_copy(buf, size, out.data && !out.failed ? out.data : "");
}
