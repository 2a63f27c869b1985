/* SPDX-License-Identifier: MIT */
/* Selects the items (settings) that `jitbench check` looks at, and those for which it exits with status 4. */
#include <stdio.h>
#include <string.h>

#include "cmd/check.h"
#include "rows/text.h"

static int unknown_item(const char *option, const char *word)
{
    const char *names[SETTINGS_MAX];
    FREED_BY(text_free) struct text message = {0};

    for (size_t i = 0; i < settings_count; i++)
        names[i] = settings_list[i].name;
    const char *nearest = text_nearest(word, names, settings_count);
    text_printf(&message, "--%s: '%.79s' is not an item%s%s%s (known: ", option, word,
                nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    for (size_t i = 0; i < settings_count; i++)
        text_printf(&message, "%s%s", i ? ", " : "", names[i]);
    text_printf(&message, ")");
    return check_fail("%s", message.failed ? "out of memory" : message.data);
}

/* Marks the items in the value, a comma-separated list, which it splits. Returns 0 or EXIT_USAGE. */
static int mark_items(const char *option, char *value, bool *marked)
{
    for (char *word; (word = strsep(&value, ",")) && (*word || value);) {
        const struct setting *setting = setting_find(word);
        if (!setting)
            return unknown_item(option, word);
        marked[setting - settings_list] = true;
    }
    return 0;
}

/* Applies --fail-on and --ignore to the selected items. Returns 0 or EXIT_USAGE. */
static int apply_lists(struct checking *c)
{
    bool fail_on[SETTINGS_MAX] = {false}, ignore[SETTINGS_MAX] = {false};
    size_t left = 0;
    int status = mark_items("fail-on", c->options.fail_on, fail_on);

    if (!status)
        status = mark_items("ignore", c->options.ignore, ignore);
    for (size_t i = 0; i < settings_count && !status; i++) {
        c->selected[i] &= !ignore[i];
        left += c->selected[i];
        c->fails[i] = c->options.fail_on[0] ? fail_on[i] : c->selected[i];
        if (c->fails[i] && !c->selected[i])
            status = check_fail("--fail-on: '%s' is not among the items that are checked", settings_list[i].name);
    }
    return status || left ? status : check_fail("--ignore leaves no item to check");
}

int check_select(const struct command *command, struct checking *c, const char *const *operands, size_t n)
{
    c->all = n == 0;
    for (size_t i = 0; i < settings_count; i++)
        c->selected[i] = n == 0;
    const int status = command_mark_settings(command, operands, n, c->selected);
    return status ? status : apply_lists(c);
}
