/* SPDX-License-Identifier: MIT */
/* Sums up the CPU time of other tasks that ran on a benchmark's CPUs, and writes it as the CSV column `culprits`. */
#include "rows/interference.h"

#include <stdlib.h>
#include <string.h>

#include "rows/text.h"
#include "sys/base.h"

/* Number of names in the column, besides that of all others. */
#define NAMES_TOLD 5u

void shares_add(struct shares *shares, const char *name, double amount)
{
    shares->failed |= !grow_array(&shares->of, &shares->capacity, shares->n, sizeof(*shares->of));
    if (shares->failed)
        return;
    text_copy(shares->of[shares->n].name, sizeof(shares->of->name), name);
    shares->of[shares->n++].amount = amount;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct share *)a)->name, ((const struct share *)b)->name);
}

static int by_amount(const void *a, const void *b)
{
    const struct share *x = a, *y = b;

    return x->amount != y->amount ? ORDER_OF(y->amount, x->amount) : by_name(a, b);
}

void shares_sort(struct shares *shares)
{
    size_t n = 0;

    if (!shares->n)
        return;
    qsort(shares->of, shares->n, sizeof(*shares->of), by_name);
    for (size_t i = 1; i < shares->n; i++)
        if (by_name(&shares->of[n], &shares->of[i]) == 0)
            shares->of[n].amount += shares->of[i].amount;
        else
            shares->of[++n] = shares->of[i];
    shares->n = n + 1;
    qsort(shares->of, shares->n, sizeof(*shares->of), by_amount);
}

void shares_free(struct shares *shares)
{
    free(shares->of);
}

void interference_merge(struct interference *sum, const struct interference *more)
{
    for (size_t i = 0; i < more->taken.n; i++)
        shares_add(&sum->taken, more->taken.of[i].name, more->taken.of[i].amount);
    shares_sort(&sum->taken);
    sum->looked |= more->looked;
    if (more->unrecorded_ms < 0 || sum->unrecorded_ms < 0 || sum->taken.failed || more->taken.failed)
        sum->unrecorded_ms = -1;
    else
        sum->unrecorded_ms += more->unrecorded_ms;
    if (more->why[0])
        text_copy(sum->why, sizeof(sum->why), more->why);
}

void interference_text(const struct interference *interference, char *buf, size_t size)
{
    const struct shares *taken = &interference->taken;
    FREED_BY(text_free) struct text out = {0};
    double rest_ms = 0;

    for (size_t i = 0; i < taken->n; i++)
        if (i < NAMES_TOLD)
            text_printf(&out, "%s%s=%.3f", i ? ";" : "", taken->of[i].name, taken->of[i].amount);
        else
            rest_ms += taken->of[i].amount;
    if (taken->n > NAMES_TOLD)
        text_printf(&out, ";others(%zu)=%.3f", taken->n - NAMES_TOLD, rest_ms);
    if (interference->looked && !taken->n && !(interference->unrecorded_ms < 0))
        text_printf(&out, "nobody=0");
    if (interference->unrecorded_ms < 0)
        text_printf(&out, "%snot_recorded=all", out.length ? ";" : "");
    else if (interference->unrecorded_ms > 0)
        text_printf(&out, ";not_recorded=%.3f", interference->unrecorded_ms);
    if (interference->why[0])
        text_printf(&out, ";why=%s", interference->why);
    text_copy(buf, size, out.data && !out.failed ? out.data : "");
}
