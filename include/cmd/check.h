/* SPDX-License-Identifier: MIT */
/* Options and findings of `jitbench check`, shared by its files. */
#ifndef CMD_CHECK_H
#define CMD_CHECK_H

#include "cmd/command.h"
#include "engine/option.h"
#include "settings/settings.h"

#define SETTINGS_MAX 64

struct check_options {
    struct option_cpus cpus;
    char output[1024], fail_on[1024], ignore[1024];
    int color;
    bool json, quiet, force, help;
};

struct checking {
    struct check_options options;
    bool all; /* no items were named */
    struct machine machine;
    struct cpuset bench;
    /* Arrays with an element for each entry of settings_list. */
    bool selected[SETTINGS_MAX];
    bool fails[SETTINGS_MAX]; /* the exit status is 4 if the item disturbs measurements */
    struct setting_state state[SETTINGS_MAX];
};

#define check_fail(...) command_fail("check", EXIT_USAGE, __VA_ARGS__)

/* check_items.c: selects the items to check (those that the operands name, or all if there are none) and applies
 * --fail-on and --ignore. Returns 0, or EXIT_USAGE with a line on standard error. */
int check_select(const struct command *command, struct checking *c, const char *const *operands, size_t n);

/* In check_print.c: */
/* Appends what was found: a table with header and advice; with --quiet only the table; with --json a JSON object. */
void check_put(const struct checking *c, const struct settings_view *view, unsigned width, struct text *out);
void check_put_csv(const struct checking *c, struct text *out);

#endif
