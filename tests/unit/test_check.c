/* SPDX-License-Identifier: MIT */
/* Advice of check in made-up trees. Runs in the top directory. */
#include "tree_fixture.h"

#include "cmd/cmd.h"

#define ITEMS_MAX 64

static struct machine machine;
static struct cpuset bench;
static struct settings_view view;
static struct setting_state states[ITEMS_MAX];
static bool selected[ITEMS_MAX];
static struct advice advice[ADVICE_MAX];
static size_t n_advice;

/* Looks at the tree and asks for advice; item NULL: about all. */
static void advise(const char *cpus, const char *item)
{
    const struct advice_found found = {.view = &view, .selected = selected, .state = states, .all = !item};
    struct error why;

    machine_read(&machine);
    assert_int_equal(cpuset_parse(cpus, &bench, &why), 0);
    view = (struct settings_view){.machine = &machine, .bench = &bench};
    assert_true(settings_count <= ITEMS_MAX);
    for (size_t i = 0; i < settings_count; i++) {
        setting_look(&settings_list[i], &view, &states[i], NULL);
        selected[i] = !item || !strcmp(settings_list[i].name, item);
    }
    advice_free(advice, n_advice);
    n_advice = advice_make(&found, advice);
}

static int remove_all(void **state)
{
    advice_free(advice, n_advice);
    n_advice = 0;
    return tree_remove(state);
}

static const struct advice *find(const char *about)
{
    for (size_t i = 0; i < n_advice; i++)
        if (!strcmp(advice[i].about, about))
            return &advice[i];
    return NULL;
}

static const char *command_of(const char *about)
{
    const struct advice *found = find(about);

    if (!found)
        fail_msg("no advice about %s", about);
    return found && found->command.data ? found->command.data : "";
}

static void expect_text(const char *about, const char *part)
{
    const struct advice *found = find(about);

    if (!found || !found->text.data || !strstr(found->text.data, part))
        fail_msg("%s does not say '%s' but '%s'", about, part, found && found->text.data ? found->text.data : "");
}

/* --- the line for the kernel --- */

TEST_WITH(test_advice_where_there_is_no_kernel_line, tree_make, remove_all)
{
    tree_unpack("laptop");
    advise("0-3", NULL);
    assert_string_equal(command_of("boot"), "");
    expect_text("boot", "CPU 0 is the boot CPU");
    expect_text("boot", "at most --cpus 1-7.");
    tree_put("/sys/devices/system/cpu/online", "0\n");
    advise("0", NULL);
    assert_string_equal(command_of("boot"), "");
    expect_text("boot", "With one CPU nothing can be kept off it.");
    tree_put("/sys/devices/system/cpu/online", "\n");
    advise("2-3", NULL);
    assert_string_equal(command_of("boot"), "");
    expect_text("boot", "The CPUs of this machine are not known, so there is no line for the kernel.");
}

/* --- the rest --- */

TEST_WITH(test_advice_of_tune, tree_make, remove_all)
{
    tree_unpack("laptop");
    advise("2-3", NULL);
    assert_string_equal(command_of("settings"), "jitbench tune --cpus 2-3");
    expect_text("settings", "as root sets epp, epb, governor, frequency, turbo, irqs, ");
    expect_text("settings", "'jitbench untune' restores them. smt: tune sets it only when it is named");
    advise("2-3", "thp");
    assert_string_equal(command_of("settings"), "jitbench tune --cpus 2-3 thp");
    expect_text("settings", "as root sets thp, and");
    advise("2-3", "smt");
    assert_string_equal(command_of("settings"), "");
    assert_int_equal(strncmp(advice[0].text.data, "smt: tune sets it only", 22), 0);
}

TEST_WITH(test_advice_is_none_where_nothing_is_noisy, tree_make, remove_all)
{
    tree_unpack("server");
    advise("8-15", NULL);
    assert_int_equal(n_advice, 0);
    /* No advice about noisy settings that were not checked. */
    (void)tree_remove(state);
    (void)tree_make(state);
    tree_unpack("laptop");
    advise("2-3", "aslr");
    assert_int_equal(n_advice, 0);
}
