/* SPDX-License-Identifier: MIT */
/* Prints the comparison of the commands of `jitbench run`. */
#include "out/compare_commands.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define IN_TIMES 2.0 /* from here on "takes 2.00 times as long" instead of "100 % slower" */

static void put_name(const struct row *row, const struct row *other, struct text *out)
{
    text_printf(out, "%s", row->test);
    if (row->copies > 1)
        text_printf(out, " x%" PRIu64, row->copies);
    /* Commands of the same name are distinguished by their command lines. */
    if (other && !strcmp(row->test, other->test) && row_command_line(&row->param))
        text_printf(out, " (%s)", row_command_line(&row->param));
}

/* Appends "is 3.0 % slower than A, -2.0 to 8.0 %", or for large ratios "takes 9.81 times as long as A, 9.70 to
 * 9.92". */
static void put_size(const struct row *row, const struct row *base, const struct comparison *c, struct text *out)
{
    const bool slower = c->ratio >= 1, in_times = c->ratio >= IN_TIMES || c->ratio <= 1 / IN_TIMES;
    const double low = slower ? c->low - 1 : 1 - c->high, high = slower ? c->high - 1 : 1 - c->low;

    put_name(row, base, out);
    if (in_times)
        text_printf(out, " takes %.3g times as long as ", c->ratio);
    else
        text_printf(out, " is %.1f %% %s than ", 100 * fabs(c->ratio - 1), slower ? "slower" : "faster");
    put_name(base, row, out);
    if (isnan(c->low))
        return;
    if (in_times)
        text_printf(out, ", %.3g to %.3g", c->low, c->high);
    else
        text_printf(out, ", %.1f to %.1f %%", 100 * low, 100 * high);
}

void run_put_verdicts(const struct row *rows, size_t n, const struct comparison *compared, struct text *out)
{
    for (size_t i = 0; i < n; i++) {
        const struct comparison *c = &compared[i];
        if (!(c->ratio > 0))
            continue;
        put_size(&rows[i], run_base(rows, n, &rows[i]), c, out);
        if (c->change == CHANGE_UNKNOWN)
            text_printf(out, ": not judged, repeat with --runs 10\n");
        else if (c->change != CHANGE_NONE)
            text_printf(out, ": difference seen (p %s%.2g)\n", c->p_adjusted < 0.0001 ? "< " : "",
                        fmax(c->p_adjusted, 0.0001));
        else if (c->doubt == DOUBT_SMALL)
            text_printf(out, ": no difference above %g %%\n", 100 * COMPARE_COMMANDS_LEAST);
        else
            text_printf(out, ": no difference seen (p %.2g)\n", c->p_adjusted);
    }
}
