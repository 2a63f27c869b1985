/* SPDX-License-Identifier: MIT */
/* Formats the plan's duration for the output's header, and prints a line of progress on a terminal while measuring. */
#include "cmd/cmd.h"

#define EVERY_NS 200000000u

/* The planned duration weighs as much as the pace seen over this share of the run. */
#define TRUST 0.2
/* By which the time left may rise at once. */
#define RISE 1.2

/* --- The plan. --- */

/* To two digits; below a second not at all. */
static uint64_t progress_round(uint64_t ns)
{
    static const uint64_t units[] = {UINT64_C(3600000000000), UINT64_C(60000000000), 1000000000};

    for (size_t i = 0; i < COUNT(units); i++)
        if (ns >= units[i]) {
            const uint64_t step = ns < 10 * units[i] ? units[i] / 10 : units[i];
            return (ns + step / 2) / step * step;
        }
    return ns;
}

void progress_time(const struct plan_time *time, struct text *out)
{
    const char *least = TEXT_DURATION(progress_round(time->least_ns));
    const char *most = TEXT_DURATION(progress_round(time->most_ns));

    if (time->unknown && !time->least_ns)
        text_printf(out, "as long as the work takes");
    else if (time->unknown)
        text_printf(out, "at least %s", least);
    else if (time->most_ns <= time->least_ns + time->least_ns / 4)
        text_printf(out, "about %s", most);
    else if (!time->least_ns)
        text_printf(out, "at most about %s", most);
    else
        text_printf(out, "%s to %s", least, most);
}

void progress_plan(const struct plan *plan, const struct plan_time *time, struct text *out)
{
    struct range samples = {UINT64_MAX, 0}, length = samples;
    bool more = false;
    size_t n = 0;

    for (size_t i = 0; i < plan->n; i++) {
        const struct sampling *s = &plan->items[i].sampling;
        if (plan->items[i].skip)
            continue;
        range_add(&samples, s->min_samples);
        range_add(&length, s->time_ns);
        more |= s->max_samples != s->min_samples;
        n++;
    }
    text_printf(out, "%zu measurement%s", n, PLURAL(n));
    if (n) {
        text_printf(out, ", %" PRIu64 " sample%s%s", samples.least, PLURAL(samples.least),
                    more || samples.least != samples.most ? " or more" : "");
        if (length.most && length.least == length.most)
            text_printf(out, " of %s", TEXT_DURATION(length.most));
        text_printf(out, "%s, ", n == 1 ? "" : " each");
        progress_time(time, out);
    }
}

/* --- Progress. --- */

bool progress_wanted(void)
{
    struct stat st;

    return isatty(2) && (fstat(1, &st) || !S_ISFIFO(st.st_mode));
}

double progress_left(double done, double elapsed_s, double planned_s, double before_s)
{
    double left = -1;

    if (planned_s > 0)
        left = (1 - done) * planned_s * (elapsed_s + TRUST * planned_s) / (done * planned_s + TRUST * planned_s);
    else if (done > 0.02)
        left = elapsed_s * (1 - done) / done;
    return before_s > 1 && left > RISE * before_s ? RISE * before_s : left;
}

static void put_line(const struct progress *p, double left_s, const char *more)
{
    message_hint("\r\033[K%s%s%s", p->line, left_s >= 0 ? TEXT_LINE(", %.0f s left", left_s) : "", more);
}

void progress_show(void *context, const struct plan_item *item, uint64_t sample, double done)
{
    struct progress *p = context;
    const uint64_t now = clock_raw_ns();
    const double all = p->before + p->weight * done;
    const char *suite = item->bench->suite, *test = item->test ? item->test : item->bench->name;
    const bool named = strcmp(suite, test);

    TEXT_PRINT(p->line, "%s%s%s%s%s, sample %" PRIu64 ": %.0f %%", suite, named ? " " : "", named ? test : "",
               item->load ? " beside " : "", item->load ? item->load->name : "", sample + 1, 100 * all);
    p->left_s = progress_left(all, (double)(now - p->began_ns) * 1e-9, p->planned_s, p->left_s);
    if (now - p->shown_ns < EVERY_NS && item == p->item)
        return;
    p->item = item;
    p->shown_ns = now;
    put_line(p, p->left_s, "");
}

void progress_elapsed(void *context, const struct trial *trial, uint64_t elapsed_ns)
{
    struct progress *p = context;
    const double elapsed_s = (double)elapsed_ns * 1e-9;
    FREED_BY(text_free) struct text so_far = {0};

    if (trial->spec.bench->put_so_far)
        trial->spec.bench->put_so_far(trial, &so_far);
    p->shown_ns = clock_raw_ns();
    put_line(p,
             p->left_s > elapsed_s ? p->left_s - elapsed_s
             : p->left_s < 0       ? -1
                                   : 0,
             TEXT_LINE(" (running for %.0f s%s)", elapsed_s, so_far.length ? so_far.data : ""));
}

void progress_clear(const struct progress *progress)
{
    if (progress->shown_ns)
        message_hint("\r\033[K");
}
