/* SPDX-License-Identifier: MIT */
/* Makes names of output files from templates. */
#include "out/out.h"

/* Other than plain characters become '_', an empty text "unknown"; a time loses separators, a kernel its build. */
static bool take_letter(char letter, const struct row_run *run, struct text *out)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const char *value = letter == 'h'   ? run->host
                        : letter == 'j' ? run->job
                        : letter == 'k' ? run->kernel
                        : letter == 'r' ? run->rank
                        : letter == 't' ? run->utc
                        : letter == '%' ? "%"
                                        : NULL;

    if (!value)
        return false;
    if (!value[0])
        value = "unknown";
    for (const char *c = value; *c && (letter != 'k' || *c != ' '); c++)
        if (letter != 't' || !strchr("-:", *c)) /* a '.' at the start could make a hidden file, or ".." */
            text_append(out, letter == '%' || (strchr(plain, *c) && (c > value || *c != '.')) ? c : "_", 1);
    return true;
}

int names_expand(const char *option, const char *template, const struct row_run *run, int alone, char *name,
                 size_t size, struct error *error)
{
    FREED_BY(text_free) struct text out = {0};
    bool ranked = false;

    text_append(&out, "", 0);
    for (const char *c = template; *c; c++) {
        if (*c != '%') {
            text_append(&out, c, 1);
            continue;
        }
        ranked = ranked || c[1] == 'r';
        if (!take_letter(*++c, run, &out))
            return error_set(error,
                             "%s '%.200s': after '%%' stands h (host), j (job), k (kernel), r (rank), t (time) or %%",
                             option, template);
    }
    if (!out.failed && out.length && !ranked && !alone && run->rank[0]) { /* "r.csv" of rank 3 becomes "r-3.csv" */
        struct text plain = out;
        const char *ending = text_ending(plain.data);
        out = (struct text){0};
        text_printf(&out, "%.*s-%s%s", (int)(ending - plain.data), plain.data, run->rank, ending);
        text_free(&plain);
    }
    if (out.failed || out.length >= size)
        return error_set(error, "%s '%.200s': the name is too long (at most %zu bytes)", option, template, size - 1);
    text_copy(name, size, out.data ? out.data : "");
    return 0;
}
