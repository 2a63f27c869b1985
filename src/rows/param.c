/* SPDX-License-Identifier: MIT */
#include "rows/rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows/text.h"

static const char command_key[] = "command";

/* Returns the kind of a parameter from a file, by its key. */
static enum row_param_kind kind_of(const char *key, size_t length)
{
    static const struct {
        const char *key;
        enum row_param_kind kind;
    } kinds[] = {
        {"timer", PARAM_PLACEMENT},    {"load", PARAM_PLACEMENT},    {"control", PARAM_PLACEMENT},
        {"linkage", PARAM_BUILD},      {"libc", PARAM_BUILD},        {"resident", PARAM_BUILD},
        {"flags", PARAM_BUILD},        {"kernel", PARAM_CPU},        {"stores", PARAM_CPU},
        {"array_bytes", PARAM_CPU},    {"repetitions", PARAM_CPU},   {"clock", PARAM_CPU},
        {"relation", PARAM_CPU},       {"pages", PARAM_OUTCOME},     {"loops_per_ms", PARAM_OUTCOME},
        {"periods", PARAM_OUTCOME},    {"input", PARAM_COMMAND},     {"prepare", PARAM_COMMAND},
        {"bytes", PARAM_CPU},          {"cache_set", PARAM_CPU},     {"cache_bytes", PARAM_CPU},
        {"up_to", PARAM_OUTCOME},      {"planned", PARAM_OUTCOME},   {"histogram_us", PARAM_OUTCOME},
        {"stopped_us", PARAM_OUTCOME}, {"worst_cpu", PARAM_OUTCOME}, {"pid", PARAM_OUTCOME},
        {"tasks", PARAM_OUTCOME},      {"names", PARAM_OUTCOME},     {"irq", PARAM_OUTCOME},
        {"source", PARAM_OUTCOME},     {"precision", PARAM_OUTCOME}, {"begun_us", PARAM_OUTCOME},
        {command_key, PARAM_COMMAND},
    };

    if (key[length] != '=')
        return PARAM_WORK;
    if (key[0] == '{') /* "{NAME}" */
        return PARAM_COMMAND;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].key[0] == key[0] && !strncmp(kinds[i].key, key, length) && !kinds[i].key[length])
            return kinds[i].kind;
    for (size_t i = 0; i < LOAD_COUNTS && key[0] == 'l'; i++)
        if (!strncmp(load_count_names[i], key, length) && !load_count_names[i][length])
            return PARAM_OUTCOME;
    return PARAM_WORK;
}

static bool is_key(const struct row_params *params, const struct row_param *param, const char *key)
{
    const size_t length = strlen(key);

    return param->key == length && param->length > length && !memcmp(params->text + param->at, key, length);
}

/* All of the text without '='. */
static size_t key_length(const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);

    return equals ? (size_t)(equals - text) : length;
}

/* Enters a parameter that is in params->text. After the command line, or when the table is full, it is added to the
 * last one. */
static void enter(struct row_params *params, size_t at, size_t length, size_t key, enum row_param_kind kind)
{
    struct row_param *last = params->n ? &params->of[params->n - 1] : NULL;

    if (last && (params->n == ROW_PARAMS_MAX || is_key(params, last, command_key))) {
        last->length = (uint16_t)(at + length - last->at);
        last->kind = last->kind == PARAM_COMMAND ? PARAM_COMMAND : PARAM_WORK;
        return;
    }
    params->of[params->n++] = (struct row_param){.at = (uint16_t)at,
                                                 .length = (uint16_t)length,
                                                 .key = (uint8_t)(key < UINT8_MAX ? key : UINT8_MAX),
                                                 .kind = (uint8_t)kind};
}

/* By ';', so that scripts can split a line at commas. */
static void replace_commas(char *from, const char *end)
{
    while ((from = memchr(from, ',', (size_t)(end - from))))
        *from = ';';
}

/* Cut to the room that is left. */
static void append(struct row_params *params, enum row_param_kind kind, const char *text, size_t length)
{
    const size_t used = strlen(params->text), at = used + (used > 0);

    if (at + 1 >= sizeof(params->text))
        return;
    (void)snprintf(params->text + used, sizeof(params->text) - used, "%s%.*s", used ? " " : "", (int)length, text);
    if (kind != PARAM_COMMAND)
        replace_commas(params->text + at, params->text + strlen(params->text));
    const size_t added = strlen(params->text + at);
    enter(params, at, added, key_length(params->text + at, added), kind);
}

void row_param_add(struct row_params *params, enum row_param_kind kind, const char *key, const char *format, ...)
{
    char text[ROW_PARAM_SIZE];
    va_list arguments;

    const size_t used = (size_t)snprintf(text, sizeof(text), "%s=", key);
    va_start(arguments, format);
    (void)vsnprintf(text + used, sizeof(text) - used, format, arguments);
    va_end(arguments);
    append(params, kind, text, strlen(text));
}

void row_params_append(struct row_params *params, const struct row_params *more)
{
    for (size_t i = 0; i < more->n; i++)
        append(params, (enum row_param_kind)more->of[i].kind, more->text + more->of[i].at, more->of[i].length);
}

/* Returns the end of a word quoted for a shell as words_quote() does: plain, \', 'in quotes', or $'in these'; NULL:
 * a quote is not closed. */
static const char *skip_quoted(const char *at)
{
    while (*at && *at != ' ') {
        const bool escapes = at[0] == '$' && at[1] == '\'';
        if (at[0] == '\\' && at[1]) {
            at += 2;
            continue;
        }
        at += escapes;
        if (*at != '\'') {
            at++;
            continue;
        }
        for (at++; *at && *at != '\''; at++)
            at += escapes && at[0] == '\\' && at[1];
        if (!*at++)
            return NULL;
    }
    return at;
}

void row_params_read(struct row_params *params)
{
    bool command = false;

    params->n = 0;
    for (const char *at = params->text, *next; *at; at = next) {
        while (*at == ' ')
            at++;
        next = strchrnul(at, ' ');
        const size_t key = key_length(at, (size_t)(next - at));
        const enum row_param_kind kind = command ? PARAM_COMMAND : kind_of(at, key);
        command = kind == PARAM_COMMAND;
        if (command && skip_quoted(at)) /* in a damaged file a word with an open quote ends at the blank */
            next = skip_quoted(at);
        if (next > at)
            enter(params, (size_t)(at - params->text), (size_t)(next - at), key, kind);
    }
    const char *end = row_command(params);
    replace_commas(params->text, end ? end : params->text + strlen(params->text));
}

const char *row_param(const struct row_params *params, const char *key, size_t *length)
{
    for (size_t i = 0; i < params->n; i++)
        if (is_key(params, &params->of[i], key)) {
            *length = params->of[i].length - params->of[i].key - 1u;
            return params->text + params->of[i].at + params->of[i].key + 1;
        }
    return NULL;
}

bool row_param_is(const struct row_params *params, const char *key, const char *value)
{
    size_t length;
    const char *found = row_param(params, key, &length);

    return found && length == strlen(value) && !memcmp(found, value, length);
}

double row_param_number(const struct row_params *params, const char *key)
{
    size_t length;
    const char *value = row_param(params, key, &length);

    return value ? strtod(value, NULL) : (double)NAN;
}

size_t row_params_varied(const struct row_params *params, char keys[ROW_VARIED_MAX][ROW_VARIED_SIZE], size_t n)
{
    for (size_t i = 0; i < params->n && n < ROW_VARIED_MAX; i++) {
        const struct row_param *of = &params->of[i];
        const char *text = params->text + of->at;
        size_t known = 0;
        if (of->kind != PARAM_COMMAND || of->key < 3 || of->key >= ROW_VARIED_SIZE || text[0] != '{' ||
            text[of->key - 1] != '}')
            continue;
        text_copy(keys[n], of->key + 1u, text);
        while (strcmp(keys[known], keys[n]) != 0)
            known++;
        n += known == n;
    }
    return n;
}

const char *row_command(const struct row_params *params)
{
    for (size_t i = 0; i < params->n; i++)
        if (params->of[i].kind == PARAM_COMMAND)
            return params->text + params->of[i].at;
    return NULL;
}

const char *row_command_line(const struct row_params *params)
{
    size_t length;

    return row_param(params, command_key, &length);
}

void row_protocol(const struct row_params *params, char buf[ROW_PROTOCOL_SIZE])
{
    size_t length = 0;
    const char *protocol = row_param(params, "protocol", &length);

    buf[0] = '\0';
    if (protocol)
        (void)snprintf(buf, ROW_PROTOCOL_SIZE, "%.*s protocol", (int)(length < 16 ? length : 16), protocol);
}

bool row_next_word(const struct row_params *params, struct row_word *word)
{
    const struct row_param *of = word->of ? word->of : params->of;
    const char *at = word->of ? word->text + word->length : params->text + of->at;

    at += strspn(at, " ");
    if (word->of && at >= params->text + of->at + of->length)
        of++;
    if (of == params->of + params->n)
        return false;
    *word = (struct row_word){.text = at, .length = strcspn(at, " "), .of = of};
    return true;
}
