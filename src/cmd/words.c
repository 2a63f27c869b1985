/* SPDX-License-Identifier: MIT */
/* Joins, quotes and shortens words of command lines. */
#include "cmd/words.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sys/command_line.h"

void words_first(const char *line, char *buf)
{
    char *to = buf;

    line += strspn(line, " \t\n");
    if (words_take(&line, &to, true))
        buf[0] = '\0';
}

/* --- Quoting and shortening. --- */

static bool is_unprintable(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("@%+=:,./_-", c));
}

static void quote_unprintable(const char *word, struct text *out)
{
    text_printf(out, "$'");
    for (; *word; word++) {
        if (*word == '\n' || *word == '\t')
            text_printf(out, "\\%c", *word == '\n' ? 'n' : 't');
        else if (is_unprintable(*word))
            text_printf(out, "\\x%02x", (unsigned)(unsigned char)*word);
        else
            text_printf(out, "%s%c", *word == '\'' || *word == '\\' ? "\\" : "", *word);
    }
    text_printf(out, "'");
}

static void quote_word(const char *word, struct text *out)
{
    bool plain = word[0] != 0, printable = true;

    for (const char *c = word; *c; c++) {
        plain = plain && is_plain(*c);
        printable = printable && !is_unprintable(*c);
    }
    if (!printable) {
        quote_unprintable(word, out);
    } else if (plain) {
        text_append(out, word, strlen(word));
    } else {
        text_append(out, "'", 1);
        for (; *word; word++)
            text_append(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
        text_append(out, "'", 1);
    }
}

void words_quote(char *const *words, size_t n, struct text *out)
{
    for (size_t i = 0; i < n; i++) {
        text_append(out, " ", i > 0);
        quote_word(words[i], out);
    }
}

void words_join(char *const *words, size_t n, struct text *out)
{
    for (size_t i = 0; i < n; i++) {
        text_append(out, " ", i > 0);
        text_append(out, words[i], strlen(words[i]));
    }
}

static uint32_t fnv_1a(const char *s)
{
    uint32_t hash = 2166136261u;

    for (; *s; s++)
        hash = (hash ^ (unsigned char)*s) * 16777619u;
    return hash;
}

void words_shorten(const char *line, char *buf, size_t size)
{
    size_t kept = size - sizeof("...#01234567");

    if (strlen(line) < size) {
        text_copy(buf, size, line);
        return;
    }
    while (kept > 0 && ((unsigned char)line[kept] & 0xc0) == 0x80)
        kept--;
    (void)snprintf(buf, size, "%.*s...#%08x", (int)kept, line, (unsigned)fnv_1a(line));
}
