/* SPDX-License-Identifier: MIT */
/* Colours of statuses and verdicts, on terminals only. */
#include "out/out.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHOICE_AUTO, CHOICE_ALWAYS, CHOICE_NEVER };
const char *const color_choices[] = {"auto", "always", "never", NULL};

bool color_wanted(int choice, int fd)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    if (choice != CHOICE_AUTO)
        return choice == CHOICE_ALWAYS;
    return isatty(fd) && !(no_color && no_color[0]) && !(term && !strcmp(term, "dumb"));
}

void color_put(struct text *out, enum color color, const char *s, size_t length)
{
    static const char *const begin[] = {
        [COLOR_NONE] = "", [COLOR_GREEN] = "\033[32m", [COLOR_YELLOW] = "\033[33m", [COLOR_RED] = "\033[31m"};
    const bool colored = out->color && color != COLOR_NONE && color < COLOR_KEY && length > 0;

    text_printf(out, "%s%.*s%s", colored ? begin[color] : "", (int)length, s, colored ? "\033[0m" : "");
}

enum color color_of_status(enum row_status status)
{
    return status == ROW_FAILED                               ? COLOR_RED
           : status == ROW_UNSTABLE || status == ROW_DEGRADED ? COLOR_YELLOW
                                                              : COLOR_NONE;
}
