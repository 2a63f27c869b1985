/* SPDX-License-Identifier: MIT */
/* Makes names of output files from templates. */
#include "out/names.h"

#include <string.h>

#include "rows/text.h"
#include "sys/fail.h"

/* Writes the time in the form for file names: "2026-01-31T23:59:59Z" becomes "20260131T235959Z". */
static void compact_utc(const char *utc, char *buf, size_t size)
{
    size_t n = 0;

    for (; *utc && n + 1 < size; utc++)
        if (*utc != '-' && *utc != ':')
            buf[n++] = *utc;
    buf[n] = 0;
}

/* Copies a text for use in a file name: other than plain characters become '_', and an empty text becomes "unknown". */
static void word_of(const char *from, char *to, size_t size)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

    text_copy(to, size, from[0] ? from : "unknown");
    for (char *c = to; *c; c++)
        if (!strchr(allowed, *c))
            *c = '_';
    if (to[0] == '.')
        to[0] = '_'; /* neither a hidden file nor the parent directory */
}

/* Appends the replacement of the letter after '%'. Returns false when the letter is not known. */
static bool take_letter(char letter, const struct row_run *run, struct text *out)
{
    char utc[32], word[128];

    compact_utc(run->utc, utc, sizeof(utc));
    const char *value = letter == 'h'   ? run->host
                        : letter == 'j' ? run->job
                        : letter == 'r' ? run->rank
                        : letter == 't' ? utc
                                        : NULL;
    if (letter == '%') {
        text_append(out, "%", 1);
        return true;
    }
    if (!value)
        return false;
    word_of(value, word, sizeof(word));
    text_append(out, word, strlen(word));
    return true;
}

/* Inserts the rank: "r.csv" of rank 3 becomes "r-3.csv". */
static void put_rank(struct text *name, const char *rank)
{
    struct text with = {0};
    const char *base = strrchr(name->data, '/'), *ending = strrchr(base ? base + 1 : name->data, '.');
    size_t stem = ending && ending != (base ? base + 1 : name->data) ? (size_t)(ending - name->data) : name->length;

    text_append(&with, name->data, stem);
    text_printf(&with, "-%s", rank);
    text_append(&with, name->data + stem, name->length - stem);
    text_free(name);
    *name = with;
}

int names_expand(const char *option, const char *template, const struct row_run *run, int alone, char *name,
                 size_t size, char *error, size_t error_size)
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
            return fail_because(-1, error, error_size,
                                "%s '%.200s': after '%%' stands h (host), j (job), r (rank), t (time) or %%", option,
                                template);
    }
    if (!out.failed && out.length && !ranked && !alone && run->rank[0])
        put_rank(&out, run->rank);
    if (out.failed || out.length >= size)
        return fail_because(-1, error, error_size, "%s '%.200s': the name is too long (at most %zu bytes)", option,
                            template, size - 1);
    text_copy(name, size, out.data ? out.data : "");
    return 0;
}
