/* SPDX-License-Identifier: MIT */
/* Prints what noise costs work on many ranks: slow-downs by host, step and number of ranks, and the costly detours. */
#include "out/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows/csv.h"

/* Number of hosts shown without -v, the slowest ones. */
#define SHOWN_MOST 10u
/* Number of rows shown in the cost table. */
#define CAUSES_SHOWN 12u

/* --- The table. --- */

static void put_line(const struct projection *p, const char *name, const struct detours_host *host,
                     const double *slowdown, int width, struct text *out)
{
    char step[32];

    for (size_t s = 0; s < p->n_steps; s++) {
        text_duration((uint64_t)p->step_ns[s], step, sizeof(step));
        text_printf(out, "%-*.*s  ", width, width, s ? "" : name);
        if (s)
            text_printf(out, "%-5s  %6s", "", "");
        else
            text_printf(out, "%-5s  %6.3f", detours_used(host) == &host->noise ? "noise" : "prime",
                        detours_lost_pct(host));
        text_printf(out, "  %7s", step);
        for (size_t r = 0; r < p->n_ranks; r++)
            text_printf(out, "  %8.*f", slowdown[s * p->n_ranks + r] < 100 ? 3 : 1, slowdown[s * p->n_ranks + r]);
        text_printf(out, "\n");
    }
}

/* Returns the worst slow-down over the steps, at the highest number of ranks. */
static double worst_of(const struct projection *p, size_t host)
{
    double worst = 0;

    for (size_t s = 0; s < p->n_steps; s++)
        worst = fmax(worst, projection_slowdown(p, host)[(s + 1) * p->n_ranks - 1]);
    return worst;
}

struct ranked {
    double worst;
    size_t host;
};

static int by_worst(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->worst < y->worst ? 1 : x->worst > y->worst ? -1 : (x->host > y->host) - (x->host < y->host);
}

static void put_hosts(const struct projection *p, bool every, int width, struct text *out)
{
    struct ranked *order = calloc(p->n + 1, sizeof(*order));
    size_t shown = every || p->n < SHOWN_MOST ? p->n : SHOWN_MOST;

    if (!order) {
        out->failed = 1;
        return;
    }
    for (size_t h = 0; h < p->n; h++)
        order[h] = (struct ranked){worst_of(p, h), h};
    qsort(order, p->n, sizeof(*order), by_worst);
    for (size_t i = 0; i < shown; i++)
        put_line(p, p->hosts[order[i].host]->name, p->hosts[order[i].host], projection_slowdown(p, order[i].host),
                 width, out);
    if (shown < p->n)
        text_printf(out, "(%zu more hosts, which slow down less: -v shows them)\n", p->n - shown);
    free(order);
}

static void put_table(const struct projection *p, bool every, struct text *out)
{
    int width = 4;

    for (size_t h = 0; h < p->n; h++)
        if ((int)strlen(p->hosts[h]->name) > width)
            width = (int)strlen(p->hosts[h]->name);
    width = width > 24 ? 24 : width;
    text_printf(
        out,
        "Slowdown (1.00: no noise) of a step that ends in a barrier, by number of ranks\n%-*s  From   Lost %%     Step",
        width, "Host");
    for (size_t r = 0; r < p->n_ranks; r++)
        text_printf(out, "  %8.0f", p->ranks[r]);
    text_printf(out, "\n");
    if (p->n > 1)
        put_line(p, "all", p->all, projection_slowdown(p, p->n), width, out);
    put_hosts(p, every, width, out);
}

/* --- Costs. --- */

static void put_cost(const struct projection *p, const struct projection_cost *cost, const double *with,
                     struct text *out)
{
    text_printf(out, "%-15s  %-11s  %10.3f  %7.4f", projection_decade(cost), projection_cause(cost), cost->per_s,
                cost->lost_pct);
    for (size_t s = 0; s < p->n_steps; s++)
        text_printf(out, "  %8.3f -> %7.3f", with[(s + 1) * p->n_ranks - 1], cost->without[s]);
    text_printf(out, "\n");
}

static void put_cost_heading(const struct projection *p, struct text *out)
{
    char step[32];

    text_printf(out, "\nWhat costs most: %.0f ranks with these detours, and without them\n%-15s  %-11s  %10s  %7s",
                p->ranks[p->n_ranks - 1], "Length", "Cause", "Detours/s", "Lost %");
    for (size_t s = 0; s < p->n_steps; s++) {
        text_duration((uint64_t)p->step_ns[s], step, sizeof(step));
        text_printf(out, "  %14s %5s", "steps of", step);
    }
    text_printf(out, "\n");
}

static void put_costs(const struct projection *p, struct text *out)
{
    struct projection_cost costs[PROJECTION_COSTS];
    size_t n;

    if (projection_costs(p, costs, &n)) {
        out->failed = 1;
        return;
    }
    if (n)
        put_cost_heading(p, out);
    for (size_t i = 0; i < n && i < CAUSES_SHOWN; i++)
        put_cost(p, &costs[i], projection_slowdown(p, p->n), out);
}

/* Prints that events rarer than once in the measured time are not in the data. */
static void put_limits(const struct projection *p, struct text *out)
{
    char observed[32];

    text_duration((uint64_t)detours_work_ns(p->all), observed, sizeof(observed));
    text_printf(out,
                "\n"
                "Computed from %s of one CPU's time%s, for independent ranks. Detours that are rarer than that are not "
                "included.\n",
                observed, p->n > 1 ? " on all hosts" : "");
}

void scale_put(const struct projection *p, bool every, struct text *out)
{
    put_table(p, every, out);
    put_costs(p, out);
    put_limits(p, out);
}

/* --- The CSV. --- */

static void put_csv_rows(const struct projection *p, const char *name, const struct detours_host *host,
                         const double *slowdown, struct text *out)
{
    for (size_t s = 0; s < p->n_steps; s++)
        for (size_t r = 0; r < p->n_ranks; r++) {
            csv_text(out, name);
            text_printf(out, ",%s,%.17g,%.17g,%.17g,%.17g,%.17g\r\n",
                        detours_used(host) == &host->noise ? "noise" : "prime", detours_work_ns(host) * 1e-9,
                        detours_lost_pct(host), p->step_ns[s], p->ranks[r], slowdown[s * p->n_ranks + r]);
        }
}

void scale_put_csv(const struct projection *p, struct text *out)
{
    text_printf(out, "host,source,work_s,lost_pct,step_ns,ranks,slowdown\r\n");
    for (size_t h = 0; h < p->n; h++)
        put_csv_rows(p, p->hosts[h]->name, p->hosts[h], projection_slowdown(p, h), out);
    if (p->n > 1)
        put_csv_rows(p, "", p->all, projection_slowdown(p, p->n), out);
}
