/* SPDX-License-Identifier: MIT */
/* Format of the columns settings and scratch_disk: items "name=value" separated by ';'. Values contain no comma,
 * semicolon or space: '+' separates the parts of lists, '_' replaces a space, and in cmdline '|' separates words. */
#ifndef SYS_SETTING_ITEMS_H
#define SYS_SETTING_ITEMS_H

#include <stdbool.h>
#include <stddef.h>

#define SETTING_NAME  64
#define SETTING_VALUE 512

/* Appends an item to the text in buf. A value longer than `most` bytes (less than SETTING_VALUE) is cut and ends in
 * '~' and a checksum of the whole. An item that does not fit is left out, since half a value could be read as
 * another value; so is an item without a value. */
void setting_items_add(char *buf, size_t size, const char *name, const char *value, size_t most);

/* Iterator over items. Older files had spaces and commas in values, and both settings of transparent huge pages in
 * one item: name and value are returned in today's form. */
struct setting_items {
    const char *at;
    bool any, has_cmdline, of_run;
    char name[SETTING_NAME], value[SETTING_VALUE];
};
/* Starts to read the items of text. of_run: text is a column settings, not scratch_disk. If it has items but no
 * cmdline, no word of the kernel's command line affected speed or noise; a final item cmdline is then returned to say
 * so. */
void setting_items_begin(struct setting_items *items, const char *text, bool of_run);
/* Returns false at the end. Skips items without a name or value. */
bool setting_items_next(struct setting_items *items);

#endif
