/* SPDX-License-Identifier: MIT */
/* Values and ranges in messages and help. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/option_parts.h"
#include "rows/text.h"

const char *option_show(const char *value, char shown[SHOWN_SIZE])
{
    const size_t room = SHOWN_SIZE - sizeof("...");
    size_t n = 0;

    for (; n < room && value[n]; n++)
        shown[n] = (unsigned char)value[n] < ' ' || value[n] == 127 ? '?' : value[n];
    shown[n] = '\0';
    if (value[n]) {
        while (n && ((unsigned char)value[n] & 0xc0) == 0x80)
            n--;
        memcpy(shown + n, "...", sizeof("..."));
    }
    return shown;
}

void option_show_number(enum option_type type, double value, char *buf, size_t size)
{
    static const struct {
        double size;
        const char *suffix;
    } scales[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "K"}, {1, ""}};
    uint64_t whole = value <= 0 ? 0 : value < TWO_TO_64 ? (uint64_t)value : UINT64_MAX;
    size_t i = type == OPTION_INT ? sizeof(scales) / sizeof(scales[0]) - 1 : 0;

    while (scales[i].size > 1 && (value < scales[i].size || fmod(value, scales[i].size) > 0))
        i++;
    if (type == OPTION_DURATION || type == OPTION_DURATION_US)
        text_duration(whole, buf, size);
    else if (type == OPTION_SIZE)
        text_bytes(whole, buf, size);
    else if (type == OPTION_PERCENT || type == OPTION_FAIL_ON)
        (void)snprintf(buf, size, "%g %%", value);
    else
        (void)snprintf(buf, size, "%.0f%s", value / scales[i].size, scales[i].suffix);
}

bool option_has_range(const struct option *row)
{
    return row->min < 0 || row->min > 0 || row->max < 0 || row->max > 0;
}

void option_show_range(const struct option *row, char *buf, size_t size)
{
    char low[64], high[64];

    option_show_number(row->type, row->min, low, sizeof(low));
    option_show_number(row->type, row->max, high, sizeof(high));
    buf[0] = '\0';
    if (option_has_range(row))
        (void)snprintf(buf, size, "%s to %s", low, high);
}

void option_show_choices(const char *first, const char *const *choices, char *buf, size_t size)
{
    text_copy(buf, size, first ? first : "");
    for (size_t i = 0; choices && choices[i]; i++)
        text_add(buf, size, "%s%s", !buf[0] ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
}

const char *option_foreign_hint(const struct option_foreign *list, const char *word, size_t length)
{
    for (; list && list->word; list++)
        if (strlen(list->word) == length && !memcmp(list->word, word, length))
            return list->hint;
    return NULL;
}
