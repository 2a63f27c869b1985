/* SPDX-License-Identifier: MIT */
/* The options --require and --requirements of commands that measure, and of compare. */
#ifndef CMD_REQUIRE_H
#define CMD_REQUIRE_H

#include "analysis/require.h"
#include "engine/option.h"
#include "rows/rows.h"

struct require_options {
    char require[4096], requirements[1024];
};

#define REQUIRE_ROWS(struct_)                                                                                          \
    {OPTION("require", 0, struct_, require.require,                                                                    \
            "exit 4 unless the figure is below VALUE (<, <=, > or >=): 'noise/detour.max<20us'"),                      \
     .type = OPTION_LINES, .value_name = "TEST/METRIC<VALUE"},                                                         \
    {                                                                                                                  \
        OPTION("requirements", 0, struct_, require.requirements,                                                       \
               "the same for each line of FILE; '#' begins a comment"),                                                \
            OPTION_WORD("FILE")                                                                                        \
    }

/* Adds the requirements of --require and --requirements to the set; set->names must list what may be required. Returns
 * 0, or EXIT_USAGE with a line on standard error. */
int require_read(const char *command, const struct require_options *options, struct requirements *set);
/* Reads the requirements of --require and --requirements into the set, and judges the rows by them. Returns the same as
 * require_read(). The caller frees the set with requirements_free(), also after a failure. */
int require_rows(const char *command, const struct require_options *options, const struct row_set *rows,
                 struct requirements *set);

/* Returns whether --require or --requirements was given. */
bool require_given(const struct require_options *options);

#endif
