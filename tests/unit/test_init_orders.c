/* SPDX-License-Identifier: MIT */
/* Orders of an init: from the kernel's command line and from the arguments. */

#include "../test.h"
#include "cmd/cmd.h"

#define WORDS_MAX 16
#define ARGV(...) ((char *const[]){__VA_ARGS__, NULL})
#define NO_ARGV   ((char *const[]){NULL})

struct result {
    struct init_orders orders;
    const char *words[WORDS_MAX];
    size_t n;
    int failed;
    char error[256];
    char command[256]; /* the argument vector, words in brackets; "" when none could be made */
    char why[256];
};

static void read_orders(const char *line, char *const *argv, struct result *result)
{
    struct option_table table = *command_init.options;
    struct init_command command;
    struct text text = {0}, wrong = {0}, why = {0};
    int argc = 0;

    while (argv[argc])
        argc++;
    memset(result, 0, sizeof(*result));
    struct error error;
    table.target = &result->orders;
    assert_int_equal(option_defaults(&table, 1, PRESET_DEFAULT, &error), 0);
    init_orders_read(line, argc, argv, &result->orders, result->words, &result->n, &wrong);
    result->failed = wrong.length ? -1 : 0;
    text_copy(result->error, sizeof(result->error), wrong.data ? wrong.data : "");
    init_command_make(&result->orders, result->words, result->n, &command, &why);
    text_copy(result->why, sizeof(result->why), why.data ? why.data : "");
    assert_true(command.argv || why.length);
    if (!why.length)
        for (size_t i = 0; command.argv[i]; i++)
            text_printf(&text, "[%s]", command.argv[i]);
    init_command_free(&command);
    text_copy(result->command, sizeof(result->command), text.data ? text.data : "");
    text_free(&text);
    text_free(&wrong);
    text_free(&why);
}

static void expect_command(const char *line, char *const *argv, const char *command)
{
    struct result result;

    read_orders(line, argv, &result);
    assert_int_equal(result.failed, 0);
    assert_string_equal(result.error, "");
    assert_string_equal(result.command, command);
}

TEST(test_init_orders_default)
{
    struct result result;

    read_orders("BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet splash init=/jitbench\n", ARGV("splash"), &result);
    assert_int_equal(result.failed, 0);
    assert_string_equal(result.command, "[jitbench][all]");
    assert_int_equal(result.orders.end, INIT_STAY);
    assert_int_equal(result.orders.tune, 0);
    assert_string_equal(result.orders.out, "");
    expect_command(NULL, NO_ARGV, "[jitbench][all]");
}

TEST(test_init_orders_of_the_kernel_line)
{
    struct result result;

    read_orders("ro jitbench.run=\"prime --quick -m 'two words'\" jitbench.out=/dev/sdb1:/r/ jitbench.end=poweroff "
                "jitbench.scratch=sdb1:/var/tmp "
                "jitbench.tune=yes jitbench.csv=summary jitbench.modules=/modules\n",
                NO_ARGV, &result);
    assert_int_equal(result.failed, 0);
    assert_string_equal(result.command, "[jitbench][prime][--tuned][--no-samples][--quick][-m][two words]");
    assert_string_equal(result.orders.out, "/dev/sdb1:/r/");
    assert_string_equal(result.orders.scratch, "sdb1:/var/tmp");
    assert_string_equal(result.orders.modules, "/modules");
    assert_int_equal(result.orders.end, INIT_POWEROFF);
    /* As GRUB writes it. */
    expect_command("\"jitbench.run=all --quick\" ro", NO_ARGV, "[jitbench][all][--quick]");
    expect_command("jitbench.run=prime jitbench.run=stream", NO_ARGV, "[jitbench][stream]");
}

TEST(test_init_orders_ends)
{
    static const struct {
        const char *line;
        enum init_end end;
    } cases[] = {{"jitbench.end=stay", INIT_STAY},     {"jitbench.end=poweroff", INIT_POWEROFF},
                 {"jitbench.end=reboot", INIT_REBOOT}, {"jitbench.end=shell", INIT_SHELL},
                 {"jitbench.end=halt", INIT_HALT},     {"jitbench.end=halt jitbench.end=reboot", INIT_REBOOT}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct result result;
        read_orders(cases[i].line, NO_ARGV, &result);
        assert_int_equal(result.failed, 0);
        assert_int_equal(result.orders.end, cases[i].end);
    }
}

/* The kernel passes on what it does not know before the "--" too. */
TEST(test_init_orders_words_behind_dashes)
{
    expect_command("quiet splash -- all --quick", ARGV("splash", "all", "--quick"), "[jitbench][all][--quick]");
    expect_command("quiet nosplash check -- prime -i 1", ARGV("nosplash", "check", "prime", "-i", "1"),
                   "[jitbench][prime][-i][1]");
    expect_command("jitbench.run=stream -- prime", ARGV("prime"), "[jitbench][prime]");
    /* A word of the run may stand before the dashes too. */
    expect_command("single -- prime -m single", ARGV("single", "prime", "-m", "single"),
                   "[jitbench][prime][-m][single]");
    /* By exec from a script, nothing of it is in the line. */
    expect_command("quiet splash", ARGV("all", "--quick"), "[jitbench][all][--quick]");
}

static void expect_wrong(const char *line, char *const *argv, const char *error)
{
    struct result result;

    read_orders(line, argv, &result);
    assert_int_equal(result.failed, -1);
    assert_string_equal(result.error, error);
}

TEST(test_init_orders_names_what_is_wrong)
{
    struct result result;

    expect_wrong("jitbench.frob=1", NO_ARGV, "unknown order 'jitbench.frob'");
    expect_wrong("jitbench.", NO_ARGV, "unknown order 'jitbench.'");
    expect_wrong("jitbench.help=yes", NO_ARGV, "unknown order 'jitbench.help'");
    expect_wrong("jitbench.ends=halt", NO_ARGV, "unknown order 'jitbench.ends'; did you mean 'jitbench.end'?");
    expect_wrong("jitbench.end=off", NO_ARGV,
                 "jitbench.end: 'off' is not one of stay, poweroff, reboot, shell or halt");
    expect_wrong("jitbench.tune", NO_ARGV, "jitbench.tune needs a value, not ''");
    /* The other orders are followed. */
    read_orders("jitbench.end=off jitbench.end=halt jitbench.tune=maybe", NO_ARGV, &result);
    assert_int_equal(result.failed, -1);
    assert_non_null(strstr(result.error, "jitbench.end: 'off'"));
    assert_non_null(strstr(result.error, "; jitbench.tune: 'maybe'"));
    assert_int_equal(result.orders.end, INIT_HALT);
}

static void expect_no_command(const char *line, char *const *argv, const char *why)
{
    struct result result;

    read_orders(line, argv, &result);
    assert_string_equal(result.command, "");
    assert_string_equal(result.why, why);
}

TEST(test_init_orders_refuses_commands)
{
    expect_no_command("jitbench.run=al", NO_ARGV, "unknown command 'al'; 'jitbench help' shows them");
    expect_no_command("quiet -- al --quick", ARGV("al", "--quick"), "unknown command 'al'; 'jitbench help' shows them");
    expect_no_command("jitbench.run=/bin/sh", NO_ARGV, "unknown command '/bin/sh'; 'jitbench help' shows them");
    expect_no_command("jitbench.out=/dev/sda1", NO_ARGV, "out must be DEVICE:PATH, as in /dev/sda1:/result.csv");
    expect_no_command("jitbench.out=/dev/sda1 jitbench.run=al", NO_ARGV,
                      "out must be DEVICE:PATH, as in /dev/sda1:/result.csv; unknown command 'al'; 'jitbench help' "
                      "shows them");
    expect_no_command("jitbench.scratch=sda2:/a/../b", NO_ARGV,
                      "scratch must be DEVICE:/DIR, as in /dev/sda1:/var/tmp");
    expect_no_command("jitbench.scratch=sda2 jitbench.out=sda2 jitbench.run=al", NO_ARGV,
                      "out must be DEVICE:PATH, as in /dev/sda1:/result.csv; scratch must be DEVICE:/DIR, as in "
                      "/dev/sda1:/var/tmp; unknown command 'al'; 'jitbench help' shows them");
    expect_no_command("jitbench.run=init", NO_ARGV, "init does not run itself");
    expect_no_command("jitbench.run=\"prime 'x\"", NO_ARGV, "run: a quote is not closed");
    expect_no_command("\"jitbench.run= \"", NO_ARGV, "run: names no command");
    expect_no_command("jitbench.tune=yes jitbench.run=list", NO_ARGV, "tune: 'list' has no --tuned");
    expect_no_command("jitbench.csv=summary jitbench.run=list", NO_ARGV, "csv: 'list' has no --no-samples");
}
