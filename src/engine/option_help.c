/* SPDX-License-Identifier: MIT */
/* The help of options. */
#include "engine/option_parts.h"

#include <string.h>

#include "engine/option.h"
#include "rows/text.h"

#define HELP_COLUMN_MAX 30
#define HELP_TEXT_MIN   20

static void help_left(const struct option_table *table, const struct option *row, struct text *out)
{
    const char letter = option_letter(table, row);

    if (letter)
        text_printf(out, "  -%c, --%s", letter, row->name);
    else
        text_printf(out, "      --%s", row->name);
    if (row->type != OPTION_FLAG)
        text_printf(out, row->optional ? "[=%s]" : " %s", row->value_name ? row->value_name : "VALUE");
}

/* In the parentheses at the end of an option's help. */
static void help_note(struct text *out, bool *open, const char *before, const char *note)
{
    text_printf(out, "%s%s%s", *open ? "; " : "  (", before, note);
    *open = true;
}

static void help_notes(const struct option_table *table, const struct option *row, struct text *out)
{
    const char *const typed[] = {row->optional, option_preset_of(table, row, PRESET_DEFAULT),
                                 option_preset_of(table, row, PRESET_QUICK),
                                 option_preset_of(table, row, PRESET_CLASSIC)};
    static const char *const before[] = {"without value ", "default ", "--quick ", "--classic "};
    char buf[512];
    bool open = false;

    if (row->type == OPTION_CHOICE || row->type == OPTION_NAMES || row->type == OPTION_FAIL_ON ||
        row->type == OPTION_CPUS)
        option_show_choices(row->type == OPTION_CPUS ? "CPU list" : NULL, row->choices, buf, sizeof(buf));
    else
        option_show_range(row, buf, sizeof(buf));
    if (buf[0])
        help_note(out, &open, "", buf);
    for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
        bool as_default = i > 1 && typed[1] && typed[i] && strcmp(typed[i], typed[1]) == 0;
        if (!typed[i] || as_default)
            continue;
        option_show_value(row, typed[i], buf, sizeof(buf));
        help_note(out, &open, before[i], buf);
    }
    if (open)
        text_append(out, ")", 1);
}

static void help_right(const struct option_table *table, const struct option *row, struct text *out)
{
    const char *name;
    size_t length;

    text_printf(out, "%s", row->help ? row->help : "");
    for (unsigned i = 1; (name = option_name_at(row, i, &length)); i++)
        text_printf(out, "%s--%.*s", i == 1 ? " (also " : ", ", (int)length, name);
    if (option_name_at(row, 1, &length))
        text_append(out, ")", 1);
    help_notes(table, row, out);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A number and its unit ("250 ms") are one word. */
static size_t word_length(const char *words)
{
    size_t length = strcspn(words, " ");
    while (length && is_digit(words[length - 1]) && words[length] && words[length + 1] != ' ' &&
           words[length + 1] != '(' && !is_digit(words[length + 1]))
        length += 1 + strcspn(words + length + 1, " ");
    return length;
}

/* To a line of column characters, wrapped at width; later lines are indented to column. Spaces are preserved. */
static void wrap(const char *words, size_t column, size_t width, struct text *out)
{
    size_t at = column;

    while (*words) {
        size_t gap = strspn(words, " "), length = word_length(words + gap);
        if (at > column && width && at + gap + length > width) {
            text_printf(out, "\n%*s", (int)column, "");
            at = column;
        }
        if (at == column) {
            words += gap;
            gap = 0;
        }
        text_append(out, words, gap + length);
        at += gap + length;
        words += gap + length;
    }
    text_append(out, "\n", 1);
}

static size_t help_column(const struct option_table *table, struct text *scratch)
{
    size_t column = 0;
    for (size_t r = 0; r < table->n; r++) {
        scratch->length = 0;
        help_left(table, &table->rows[r], scratch);
        size_t need = scratch->length + 2;
        if (need > column && need <= HELP_COLUMN_MAX)
            column = need;
    }
    return column ? column : HELP_COLUMN_MAX;
}

void option_help(const struct option_table *table, unsigned width, struct text *out)
{
    FREED_BY(text_free) struct text left = {0}, right = {0};
    size_t column = help_column(table, &left);

    if (width && width < column + HELP_TEXT_MIN)
        width = (unsigned)column + HELP_TEXT_MIN;
    if (table->heading)
        text_printf(out, "%s:\n", table->heading);
    for (size_t r = 0; r < table->n; r++) {
        left.length = right.length = 0;
        help_left(table, &table->rows[r], &left);
        help_right(table, &table->rows[r], &right);
        if (left.failed || right.failed) {
            out->failed = 1;
            break;
        }
        if (left.length + 2 > column)
            text_printf(out, "%s\n%*s", left.data, (int)column, "");
        else
            text_printf(out, "%-*s", (int)column, left.data);
        wrap(right.data, column, width, out);
    }
}
