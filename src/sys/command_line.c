/* SPDX-License-Identifier: MIT */
#include "sys/process.h"

#define SPACE " \t\n\r\v\f"

static int words_begin(struct words *words, size_t length)
{
    *words = (struct words){.text = malloc(length + 1), .word = calloc(length / 2 + 2, sizeof(*words->word))};
    if (words->text && words->word)
        return 0;
    words_free(words);
    return -ENOMEM;
}

void words_free(struct words *words)
{
    free(words->text);
    free(words->word);
    *words = (struct words){.text = NULL};
}

/* Copies a word without the quotes around it or its value. Returns the byte after the copy. */
static char *unquote(const char *word, size_t length, char *to)
{
    const char *end = word + length;
    bool whole = word[0] == '"';
    const char *equals = memchr(word, '=', length);
    bool value = equals && equals + 1 < end && equals[1] == '"';

    word += whole;
    if (end > word && end[-1] == '"' && (whole || (value && end - 1 > equals + 1)))
        end--;
    for (; word < end; word++)
        if (!value || word != equals + 1)
            *to++ = *word;
    *to++ = '\0';
    return to;
}

int words_of_kernel(const char *line, struct words *words)
{
    if (words_begin(words, strlen(line)))
        return -ENOMEM;
    char *to = words->text;
    for (line += strspn(line, SPACE); *line; line += strspn(line, SPACE)) {
        bool quoted = false;
        size_t length = 0;
        for (; line[length] && (quoted || !is_space(line[length])); length++)
            quoted ^= line[length] == '"';
        words->word[words->n++] = to;
        to = unquote(line, length, to);
        line += length;
    }
    return 0;
}

const char *words_take(const char **at, char **to, bool escapes)
{
    const char *in = *at;
    char *out = *to, quote = 0;

    for (; *in && (quote || !is_space(*in)); in++) {
        if (quote ? *in == quote : *in == '\'' || *in == '"') {
            quote = quote ? 0 : *in;
            continue;
        }
        if (escapes && *in == '\\' && quote != '\'' && !*++in)
            return "ends with a backslash";
        *out++ = *in;
    }
    *out++ = 0;
    *at = in;
    *to = out;
    return quote ? "a quote is not closed" : NULL;
}

const char *words_of_command(const char *line, bool escapes, struct words *words)
{
    if (words_begin(words, strlen(line)))
        return "out of memory";
    char *to = words->text;
    for (line += strspn(line, SPACE); *line; line += strspn(line, SPACE)) {
        words->word[words->n++] = to;
        const char *wrong = words_take(&line, &to, escapes);
        if (wrong) {
            words_free(words);
            return wrong;
        }
    }
    return NULL;
}
