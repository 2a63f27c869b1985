/* SPDX-License-Identifier: MIT */
/* Prints the advice of `jitbench check`. */
#include "cmd/cmd.h"

void advice_print(const struct advice *advice, size_t n, size_t width, struct text *out)
{
    const int indent = 13;

    text_printf(out, "%s", n ? "\nWhat to do\n" : "");
    for (size_t i = 0; i < n; i++) {
        const char *about = advice[i].about;
        if (advice[i].command.length) {
            text_printf(out, "%-*s%s\n", indent, about, advice[i].command.data);
            about = "";
        }
        if (advice[i].text.length) {
            text_printf(out, "%-*s", indent, about);
            text_wrap(out, advice[i].text.data, (size_t)indent, width);
        }
        out->failed |= advice[i].command.failed | advice[i].text.failed;
    }
}
