/* SPDX-License-Identifier: MIT */
#include "sys/machine.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CHECKSUM_LENGTH 9 /* '~' and 8 hexadecimal digits */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static char plain(char c, char blank)
{
    if (c == ',' || c == ';')
        return '+';
    if (c == '"')
        return '\'';
    if (is_blank(c))
        return blank;
    return (unsigned char)c < ' ' ? '_' : (unsigned char)c > '~' ? '?' : c;
}

/* Writes at most `most` bytes (below SETTING_VALUE). A value in the columns' form stays as it is. The checksum is
 * FNV-1a. */
static void write_value(const char *name, const char *value, size_t length, size_t most, char *out)
{
    const char blank = strcmp(name, "cmdline") ? '_' : '|';
    uint32_t sum = 2166136261u;
    size_t n = 0;

    for (size_t i = 0; i < length; i++, n++) {
        const char c = plain(value[i], blank);
        sum = (sum ^ (unsigned char)c) * 16777619u;
        if (n < most)
            out[n] = c;
        if (c == '+' || c == ':')
            while (i + 1 < length && is_blank(value[i + 1]))
                i++;
    }
    out[n < most ? n : most] = '\0';
    if (n > most)
        snprintf(out + most - CHECKSUM_LENGTH, CHECKSUM_LENGTH + 1, "~%08x", (unsigned)sum);
}

void setting_items_add(char *buf, size_t size, const char *name, const char *value, size_t most)
{
    const size_t at = strlen(buf);
    char text[SETTING_VALUE], key[SETTING_NAME];

    write_value("", name, strlen(name), sizeof(key) - 1, key);
    for (char *c = key; (c = strchr(c, '='));)
        *c = '_';
    write_value(name, value, strlen(value), most, text);
    const size_t need = (at > 0) + strlen(key) + 1 + strlen(text);
    if (text[0] && at + need < size)
        snprintf(buf + at, size - at, "%s%s=%s", at ? ";" : "", key, text);
}

void setting_items_begin(struct setting_items *items, const char *text, bool of_run)
{
    *items = (struct setting_items){.at = text, .of_run = of_run};
}

/* Older versions: "thp=enabled madvise, defrag never". The second half is read as an item of its own. */
static const char old_thp[] = "thp=enabled ", old_defrag[] = "defrag ";

static bool begins_with(const char *text, size_t length, const char *with)
{
    return length > strlen(with) && !memcmp(text, with, strlen(with));
}

static bool take_item(struct setting_items *items, const char *item, size_t length)
{
    const char *equals = memchr(item, '=', length);
    const char *name = item, *value = equals ? equals + 1 : item + length;
    size_t name_length = equals ? (size_t)(equals - item) : 0;

    if (begins_with(item, length, old_thp))
        value = item + strlen(old_thp);
    if (!equals && begins_with(item, length, old_defrag)) {
        name = "thp_defrag";
        name_length = strlen(name);
        value = item + strlen(old_defrag);
    }
    if (!name_length || name_length >= SETTING_NAME || value == item + length)
        return false;
    memcpy(items->name, name, name_length);
    items->name[name_length] = '\0';
    write_value(items->name, value, (size_t)(item + length - value), SETTING_VALUE - 1, items->value);
    return strcmp(items->value, SETTING_UNKNOWN_VALUE) != 0;
}

bool setting_items_next(struct setting_items *items)
{
    while (*items->at) {
        const char *item = items->at;
        size_t length = strcspn(item, ";");
        if (begins_with(item, length, old_thp) && memchr(item, ',', length))
            length = strcspn(item, ",");
        items->at = item + length + (item[length] != '\0');
        if (item[length] == ',')
            items->at += strspn(items->at, " ");
        items->any = true;
        if (!take_item(items, item, length))
            continue;
        items->has_cmdline = items->has_cmdline || !strcmp(items->name, "cmdline");
        return true;
    }
    if (!items->of_run || !items->any || items->has_cmdline)
        return false;
    items->has_cmdline = true;
    snprintf(items->name, sizeof(items->name), "cmdline");
    snprintf(items->value, sizeof(items->value), "(nothing that matters)");
    return true;
}
