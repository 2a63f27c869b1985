/* SPDX-License-Identifier: MIT */
/* Parses the command line; names may be abbreviated. */
#include "engine/option.h"
#include "engine/option_parts.h"

#include <assert.h>
#include <string.h>

#include "rows/text.h"

struct parser {
    struct option_table *tables;
    size_t n;
    int argc, at;
    char *const *argv;
    char *error;
    size_t error_size;
};

struct place {
    struct option_table *table;
    size_t row;
};

const char *option_name_at(const struct option *row, unsigned index, size_t *length)
{
    const char *p = index ? row->aliases : row->name;

    if (!index) {
        *length = strlen(p);
        return p;
    }
    for (; p; p += strcspn(p, " ")) {
        p += strspn(p, " ");
        if (!*p)
            return NULL;
        if (--index == 0) {
            *length = strcspn(p, " ");
            return p;
        }
    }
    return NULL;
}

/* The first long name that begins with the word (whole: equals it); NULL: none. */
static const char *name_begins(const struct option *row, const char *word, size_t length, bool whole,
                               size_t *name_length)
{
    const char *name;
    for (unsigned i = 0; (name = option_name_at(row, i, name_length)); i++)
        if ((whole ? *name_length == length : *name_length >= length) && memcmp(name, word, length) == 0)
            return name;
    return NULL;
}

static bool name_is(const struct option *row, const char *word, size_t length)
{
    size_t name_length;
    return name_begins(row, word, length, true, &name_length);
}

/* The long name of all tables most similar to the word; "": none. */
static void nearest_name(const struct parser *p, const char *word, char best[NAME_MAX_BYTES])
{
    char candidate[NAME_MAX_BYTES];
    const char *const pair[] = {best, candidate};

    best[0] = '\0';
    for (size_t t = 0; t < p->n; t++)
        for (size_t r = 0; r < p->tables[t].n; r++) {
            const char *name;
            size_t length;
            for (unsigned i = 0; (name = option_name_at(&p->tables[t].rows[r], i, &length)); i++) {
                if (length >= NAME_MAX_BYTES)
                    continue;
                text_copy(candidate, length + 1, name);
                /* best is "" at first, similar to nothing. */
                if (text_nearest(word, pair, 2) == candidate)
                    text_copy(best, NAME_MAX_BYTES, candidate);
            }
        }
}

/* For another program's option, from the first table that has one; NULL: none. */
static const char *hint_of(const struct parser *p, const char *word, size_t length)
{
    const char *hint = NULL;
    for (size_t t = 0; t < p->n && !hint; t++)
        hint = option_foreign_hint(p->tables[t].foreign, word, length);
    return hint;
}

static int unknown_long(const struct parser *p, const char *name, size_t length)
{
    char word[NAME_MAX_BYTES], near[NAME_MAX_BYTES], shown[SHOWN_SIZE];
    const char *hint = hint_of(p, name, length);

    text_copy(word, length < sizeof(word) ? length + 1 : sizeof(word), name);
    (void)fail_because(-1, p->error, p->error_size, "unknown option '--%s'", option_show(word, shown));
    nearest_name(p, word, near);
    if (hint)
        text_add(p->error, p->error_size, "; %s", hint);
    else if (near[0])
        text_add(p->error, p->error_size, "; did you mean '--%s'?", near);
    return -1;
}

static int ambiguous(const struct parser *p, const char *word, size_t length, unsigned matches)
{
    unsigned seen = 0;
    (void)fail_because(-1, p->error, p->error_size, "'--%.*s' could be ", (int)length, word);
    for (size_t t = 0; t < p->n; t++)
        for (size_t r = 0; r < p->tables[t].n; r++) {
            size_t name_length;
            const char *name = name_begins(&p->tables[t].rows[r], word, length, false, &name_length);
            if (!name)
                continue;
            seen++;
            text_add(p->error, p->error_size, "%s--%.*s",
                     seen == 1        ? ""
                     : seen < matches ? ", "
                                      : " or ",
                     (int)name_length, name);
        }
    return -1;
}

static int find_long(const struct parser *p, const char *word, size_t length, struct place *found)
{
    unsigned matches = 0;

    for (size_t t = 0; length && t < p->n; t++)
        for (size_t r = 0; r < p->tables[t].n; r++) {
            const struct option *row = &p->tables[t].rows[r];
            size_t name_length;
            bool exact = name_is(row, word, length);
            if (!exact && !name_begins(row, word, length, false, &name_length))
                continue;
            if (exact || !matches)
                *found = (struct place){&p->tables[t], r};
            if (exact)
                return 0;
            matches++;
        }
    if (!matches)
        return unknown_long(p, word, length);
    return matches == 1 ? 0 : ambiguous(p, word, length, matches);
}

/* Appends a value's words to what is stored so far: `first` (attached to the option; NULL: none), then the next
 * arguments. Returns 0, or -1 with a line in p->error. */
static int take_words(struct parser *p, const struct option *row, const char *first, char *text)
{
    FREED_BY(text_free) struct text all = {0};

    text_printf(&all, "%s", text);
    if (all.length)
        text_append(&all, (const char[]){OPTION_USE_END}, 1);
    for (unsigned i = 0; i < row->words; i++) {
        const char *word = i == 0 && first ? first : p->at + 1 < p->argc ? p->argv[++p->at] : NULL;
        if (!word || strchr(word, OPTION_WORD_END) || strchr(word, OPTION_USE_END))
            return fail_because(-1, p->error, p->error_size, "--%s needs %u words: %s", row->name, row->words,
                                row->value_name);
        text_append(&all, (const char[]){OPTION_WORD_END}, i > 0);
        text_append(&all, word, strlen(word));
    }
    const bool fits = !all.failed && all.length < row->size;
    if (fits)
        text_copy(text, row->size, all.data);
    return fits ? 0 : fail_because(-1, p->error, p->error_size, "--%s: more than %zu bytes", row->name, row->size - 1);
}

/* value: attached ("--name=value") or NULL: then the text `optional`, or the next argument. Returns 0, or -1 with a
 * line in p->error. */
static int take(struct parser *p, struct place found, const char *value, bool shortened)
{
    const struct option *row = &found.table->rows[found.row];
    bool *given = &found.table->given[found.row];

    if (row->words) {
        *given = true;
        return take_words(p, row, value, (char *)found.table->target + row->offset);
    }
    if (!value && row->type != OPTION_FLAG) {
        const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : NULL;
        if (row->optional && !(row->follows && next && next[0] != '-'))
            value = row->optional;
        else if (next)
            value = p->argv[++p->at];
    }
    if (option_set(row, value, found.table->target, *given, p->error, p->error_size))
        return -1;
    *given = true;
    found.table->shortened[found.row] = shortened;
    return 0;
}

static int parse_long(struct parser *p, const char *word)
{
    size_t length = strcspn(word, "=");
    const char *value = word[length] ? word + length + 1 : NULL;
    struct place found;

    if (find_long(p, word, length, &found))
        return -1;
    const struct option *row = &found.table->rows[found.row];
    if (value && row->type == OPTION_FLAG)
        return fail_because(-1, p->error, p->error_size, "--%s takes no value", row->name);
    return take(p, found, value, !name_is(row, word, length));
}

char option_letter(const struct option_table *table, const struct option *row)
{
    return table->taken && row->letter && strchr(table->taken, row->letter) ? 0 : row->letter;
}

static bool find_letter(const struct parser *p, char letter, struct place *found)
{
    for (size_t t = 0; t < p->n; t++)
        for (size_t r = 0; r < p->tables[t].n; r++)
            if (option_letter(&p->tables[t], &p->tables[t].rows[r]) == letter) {
                *found = (struct place){&p->tables[t], r};
                return true;
            }
    return false;
}

/* A whole word after one dash is probably a long name that lacks the second. */
static int unknown_letter(const struct parser *p, const char *argument, const char *at)
{
    char near[NAME_MAX_BYTES] = "", shown[SHOWN_SIZE];

    if (at == argument + 1 && strlen(at) > 2)
        nearest_name(p, at, near);
    if (near[0])
        return fail_because(-1, p->error, p->error_size, "unknown option '%s'; did you mean '--%s'?",
                            option_show(argument, shown), near);
    option_show(at, shown);
    if ((unsigned char)*at < 0x80)
        shown[1] = '\0';
    (void)fail_because(-1, p->error, p->error_size, "unknown option '-%s'", shown);
    const char *hint = hint_of(p, at, 1);
    struct place other;
    if (hint)
        text_add(p->error, p->error_size, "; %s", hint);
    else if (((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')) && find_letter(p, (char)(*at ^ 0x20), &other))
        text_add(p->error, p->error_size, "; did you mean '-%c', --%s?", *at ^ 0x20, other.table->rows[other.row].name);
    return -1;
}

static int parse_letters(struct parser *p, const char *argument)
{
    struct place found;

    for (const char *at = argument + 1; *at; at++) {
        if (!find_letter(p, *at, &found))
            return unknown_letter(p, argument, at);
        bool flag = found.table->rows[found.row].type == OPTION_FLAG;
        if (take(p, found, flag || !at[1] ? NULL : at + 1, false))
            return -1;
        if (!flag)
            break;
    }
    return 0;
}

int option_parse(int argc, char *const argv[], struct option_table *tables, size_t n, const char **operands,
                 char *error, size_t error_size)
{
    struct parser p = {
        .tables = tables, .n = n, .argc = argc, .at = 1, .argv = argv, .error = error, .error_size = error_size};
    int count = 0;
    bool ended = false;

    for (size_t t = 0; t < n; t++)
        assert(tables[t].n <= OPTION_ROWS_MAX);
    for (; p.at < argc; p.at++) {
        const char *argument = argv[p.at];
        int failed = 0;
        if (ended || argument[0] != '-' || !argument[1])
            operands[count++] = argument;
        else if (strcmp(argument, "--") == 0)
            ended = true;
        else
            failed = argument[1] == '-' ? parse_long(&p, argument + 2) : parse_letters(&p, argument);
        if (failed)
            return -1;
    }
    return count;
}

const char *option_preset_of(const struct option_table *table, const struct option *row, enum option_preset preset)
{
    for (const struct option_default *d = table->defaults; d && d->name; d++)
        if (!strcmp(d->name, row->name))
            return preset == PRESET_DEFAULT ? d->value : NULL;
    return row->preset[preset];
}

static const char *place_of(const struct option_table *table, size_t row)
{
    return (const char *)table->target + table->rows[row].offset;
}

/* By any option that stores there. */
static bool is_given(const struct option_table *tables, size_t n, const char *place)
{
    for (size_t t = 0; t < n; t++)
        for (size_t r = 0; r < tables[t].n; r++)
            if (tables[t].given[r] && place_of(&tables[t], r) == place)
                return true;
    return false;
}

int option_defaults(struct option_table *tables, size_t n, enum option_preset preset, char *error, size_t error_size)
{
    char line[512];

    for (size_t t = 0; t < n; t++) {
        struct option_table *table = &tables[t];
        assert(table->n <= OPTION_ROWS_MAX);
        for (size_t r = 0; r < table->n; r++) {
            const struct option *row = &table->rows[r];
            const char *value = option_preset_of(table, row, preset);
            if (is_given(tables, n, place_of(table, r)))
                continue;
            if (!value)
                value = option_preset_of(table, row, PRESET_DEFAULT);
            if (!value)
                memset((char *)table->target + row->offset, 0, row->size);
            else if (option_set(row, value, table->target, false, line, sizeof(line)))
                return fail_because(-1, error, error_size, "default of %s", line);
        }
    }
    return 0;
}

bool option_given(const struct option_table *tables, size_t n, const char *name)
{
    for (size_t t = 0; t < n; t++)
        for (size_t r = 0; r < tables[t].n; r++)
            if (strcmp(tables[t].rows[r].name, name) == 0 && is_given(tables, n, place_of(&tables[t], r)))
                return true;
    return false;
}

/* Returns the option of an argument parsed before, the last one of several letters; NULL: an operand. *separate: the
 * value is the next argument. */
static const struct option *option_of(const struct parser *p, const char *argument, bool *separate)
{
    const size_t length = strcspn(argument, "=");
    const struct option *row = NULL;
    struct place found;

    *separate = false;
    if (argument[0] != '-' || !argument[1])
        return NULL;
    if (argument[1] == '-') {
        row = find_long(p, argument + 2, length - 2, &found) ? NULL : &found.table->rows[found.row];
        *separate = row && !argument[length] && row->type != OPTION_FLAG && !row->optional;
        return row;
    }
    for (const char *at = argument + 1; *at && find_letter(p, *at, &found); at++) {
        row = &found.table->rows[found.row];
        *separate = row->type != OPTION_FLAG && !row->optional && !at[1];
        if (row->type != OPTION_FLAG)
            break;
    }
    return row;
}

int option_without(int argc, char *const argv[], struct option_table *tables, size_t n, const char *const *names,
                   char **kept)
{
    char error[256];
    const struct parser p = {.tables = tables, .n = n, .error = error, .error_size = sizeof(error)};
    int count = 0;

    for (int at = 1; at < argc; at++) {
        bool separate, dropped = false;
        const struct option *row = option_of(&p, argv[at], &separate);
        for (const char *const *name = names; row && *name; name++)
            dropped = dropped || !strcmp(row->name, *name);
        const int words = separate && at + 1 < argc ? 2 : 1;
        for (int i = 0; i < words; i++)
            if (!dropped)
                kept[count++] = argv[at + i];
        at += separate;
    }
    return count;
}
