/* SPDX-License-Identifier: MIT */
/* jitbench version: prints the version, compiler, flags and build id of this binary. */
#include "version.h"

#include <stdio.h>

#include "cmd/cmd.h"

void version_build(char *buf, size_t size)
{
    char id[48];

    process_build_id(id, sizeof(id));
    snprintf(buf, size, "%s %s build %.12s", VERSION, VERSION_COMMIT, id[0] ? id : "without id");
}

static int run(const struct command *command, int argc, char **argv)
{
    char id[48], libc[48];
    struct text out = {0};

    (void)argv;
    if (argc > 1)
        return command_complain(command->name, "takes no options or operands", EXIT_USAGE);
    process_build_id(id, sizeof(id));
    process_libc(libc, sizeof(libc));
    text_printf(&out, "jitbench %s\ncommit    %s\ncompiler  %s\nflags     %s\nlibc      %s\nbuild id  %s\n", VERSION,
                VERSION_COMMIT,
#ifdef __clang__
                __VERSION__,
#else
                "gcc " __VERSION__,
#endif
                VERSION_FLAGS, libc, id[0] ? id : "none");
    return command_output(command, 1, true, &out);
}

const struct command command_version = {
    .name = "version",
    .operands = "",
    .title = "prints version, commit, compiler, flags, C library and build id of this program",
    .run = run,
};
