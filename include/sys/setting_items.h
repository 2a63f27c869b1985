/* SPDX-License-Identifier: MIT */
/* The CSV columns settings and scratch_disk: items "name=value" separated by ';'. Values contain no comma, semicolon
 * or space: '+' separates elements of lists, '_' replaces a space; in the item cmdline (the kernel's command line)
 * '|' separates words. */
#ifndef SYS_SETTING_ITEMS_H
#define SYS_SETTING_ITEMS_H

#include <stdbool.h>
#include <stddef.h>

#define SETTING_NAME  64
#define SETTING_VALUE 512
/* Could not be read: treated like a missing item. */
#define SETTING_UNKNOWN_VALUE "-"

/* Appends an item; characters that would damage the list are replaced. A value longer than `most` bytes (less than
 * SETTING_VALUE) is cut to that and ends in '~' and a checksum of the whole. An item without a value is left out,
 * and so is one that does not fit, since half a value could be read as another. */
void setting_items_add(char *buf, size_t size, const char *name, const char *value, size_t most);

/* Files of older versions had spaces and commas in values, and both settings of transparent huge pages in one item:
 * name and value are returned in today's form. */
struct setting_items {
    const char *at;
    bool any, has_cmdline, of_run;
    char name[SETTING_NAME], value[SETTING_VALUE];
};
/* of_run: the column settings, not scratch_disk. There, items without an item cmdline mean that no word of the
 * kernel's command line affects speed or noise; the iterator then ends with an item cmdline that says so. */
void setting_items_begin(struct setting_items *items, const char *text, bool of_run);
/* Returns false at the end. Skips items without a name or a known value. */
bool setting_items_next(struct setting_items *items);

#endif
