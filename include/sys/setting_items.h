/* SPDX-License-Identifier: MIT */
/* The form of the columns settings and scratch_disk: items "name=value" with ';' between. No value holds a comma, a
 * semicolon or a blank: lists have '+' between their parts, a blank is '_', and in cmdline '|' stands between words. */
#ifndef SYS_SETTING_ITEMS_H
#define SYS_SETTING_ITEMS_H

#include <stdbool.h>
#include <stddef.h>

#define SETTING_NAME  64
#define SETTING_VALUE 512

/* Appends an item to the text in buf. A value that is longer than `most` bytes (less than SETTING_VALUE) is cut and
 * ends in '~' and a checksum of the whole. An item that has no room is left out, so that nobody takes half of a value
 * for another value; so is one without a value. */
void setting_items_add(char *buf, size_t size, const char *name, const char *value, size_t most);

/* Reads items one after the other. Files of earlier versions had blanks and commas in values, and both settings of
 * transparent huge pages in one item: name and value come in today's form. */
struct setting_items {
    const char *at;
    bool any, has_cmdline, of_run;
    char name[SETTING_NAME], value[SETTING_VALUE];
};
/* of_run: text is a column settings. When it has items but no cmdline, none of the words of the kernel's command line
 * bore on speed or noise; a last item cmdline says so. */
void setting_items_begin(struct setting_items *items, const char *text, bool of_run);
/* False at the end. Items without a name or value are skipped. */
bool setting_items_next(struct setting_items *items);

#endif
