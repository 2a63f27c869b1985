/* SPDX-License-Identifier: MIT */
/* jitbench: finds the command that the first argument names, and calls it. */

#include "bench/tasks.h"
#include "cmd/cmd.h"
#include "load/list.h"

/* Twice what the commands needed when they were tried with less and less. */
#define STACK_NEEDED (256u << 10)

/* Opens /dev/null for each standard descriptor that is closed, so that a file opened later does not get its number. It
 * is opened in the wrong direction, so that using it is still an error (EBADF). */
static void open_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY);
}

/* Reports that the program does not run with rights that its file gives it (set-user-ID and others): it runs other
 * programs and writes files as the user says, which must not happen with the rights of another user. Returns the exit
 * status. */
static int refuse_rights(void)
{
    static const char line[] = "jitbench: refuses to run with rights that its file gives it (set-user-ID, set-group-ID "
                               "or file capabilities)\n";

    (void)!write(2, line, sizeof(line) - 1);
    return 2;
}

static bool has_stack(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_NEEDED;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "help";

    if (process_has_rights_of_file())
        return refuse_rights();
    launch_main(argc, argv);
    trial_worker_main(argc, argv, bench_list, load_list);
    if (!has_stack()) {
        static const char line[] = "jitbench: the stack is limited to less than 256 KiB (ulimit -s)\n";
        (void)!write(2, line, sizeof(line) - 1);
        return 1;
    }
    open_standard_descriptors();
    process_init();
    (void)signal(SIGPIPE, SIG_IGN); /* EPIPE and EFBIG are handled where they occur */
    (void)signal(SIGXFSZ, SIG_IGN);
    if (strcmp(word, "init") && init_chosen(argv[0]))
        return init_boot(argc, argv);
    nagios_begin(argc, argv);
    if (!strcmp(word, "--help") || !strcmp(word, "-h"))
        word = "help";
    if (!strcmp(word, "--version") || !strcmp(word, "-V"))
        word = "version";
    const struct command *command = command_find(word);
    if (!command)
        return nagios_end(command_unknown_command(word));
    command_now = command;
    if (argc > 2 && !command->options && command->run != measure_main &&
        (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"))) {
        command_now = &command_help_;
        return command_print_help(command);
    }
    const int status = command->run(argc > 1 ? argc - 1 : 1, argc > 1 ? argv + 1 : argv);
    return nagios_end(!status && message_lost() ? EXIT_ROW_FAILED : status);
}
