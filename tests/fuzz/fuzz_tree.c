/* SPDX-License-Identifier: MIT */
/* A made-up machine as a text like those of tests/trees, a file a line: PATH, tab, content with \n, \t, \\ and \xHH. A
 * range {FIRST-LAST} in a path makes up to 16 files. */

#include "fuzz.h"

#define FILES_MAX 512

static char *contents[FILES_MAX];
static size_t n_contents;

static int hex(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* Adds the text with {} and {FIRST-LAST} as the number. */
static void expand(const char *from, size_t length, long number, struct text *out)
{
    for (size_t i = 0; i < length; i++) {
        const char *end = from[i] == '{' ? memchr(from + i, '}', length - i) : NULL;
        if (end) {
            const bool added = i + 1 < length && (from[i + 1] == '+' || from[i + 1] == '-');
            text_printf(out, "%ld", number + (added ? strtol(from + i + 1, NULL, 10) % 1000 : 0));
            i = (size_t)(end - from);
        } else if (from[i] == '\\' && i + 1 < length) {
            char c = from[++i];
            if (c == 'x' && i + 2 < length && hex(from[i + 1]) >= 0 && hex(from[i + 2]) >= 0) {
                c = (char)(hex(from[i + 1]) * 16 + hex(from[i + 2]));
                i += 2;
            }
            text_append(out, c == 'n' ? "\n" : c == 't' ? "\t" : &c, 1);
        } else {
            text_append(out, from + i, 1);
        }
    }
}

static void put_line(const char *line, size_t length)
{
    const char *tab = memchr(line, '\t', length), *brace = tab ? memchr(line, '{', (size_t)(tab - line)) : NULL;
    long first = 0, last = 0;

    if (!tab || line[0] != '/')
        return;
    if (brace) {
        char *dash;
        first = strtol(brace + 1, &dash, 10);
        last = *dash == '-' ? strtol(dash + 1, NULL, 10) : first;
        first = first < 0 || first > 8191 ? 0 : first;
        last = last < first || last > first + 15 ? first + 15 : last;
    }
    for (long number = first; number <= last && n_contents < FILES_MAX; number++) {
        struct text path = {0}, content = {0};
        expand(line, (size_t)(tab - line), number, &path);
        expand(tab + 1, length - (size_t)(tab + 1 - line), number, &content);
        text_append(&content, "\n", content.length > 0);
        text_append(&content, "", 0);
        text_append(&path, "", 0);
        world_put(path.data, content.data, content.length);
        contents[n_contents++] = content.data;
        text_free(&path);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size);

    world_reset();
    n_contents = 0;
    for (const char *line = text, *end = text + size; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        put_line(line, (size_t)((newline ? newline : end) - line));
        line = newline ? newline + 1 : end;
    }
    world_put("/proc/sys/kernel/random/boot_id", "b\n", 2);
    world_put("/proc/sys/kernel/hostname", "h\n", 2);
    world_put("/run/folder", "", 0);
    readers_run(true);
    world_reset();
    while (n_contents)
        free(contents[--n_contents]);
    free(text);
    return 0;
}
