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

static void expect_only(const char *const *about, size_t n)
{
    assert_int_equal(n_advice, n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(advice[i].about, about[i]);
}

/* --- the line for the kernel --- */

TEST_WITH(test_advice_of_the_kernel_line_has_the_machines_values, tree_make, remove_all)
{
    tree_unpack("laptop");
    advise("2-3", NULL);
    assert_string_equal(command_of("boot"), "isolcpus=managed_irq,domain,2-3 nohz_full=2-3 intel_pstate=passive "
                                            "rcu_nocbs=2-3 irqaffinity=0-1,4-7");
    expect_text("boot", "goes on the kernel's command line and replaces");
    expect_text("boot", "mitigations=off would make system calls and faults cheaper, but the machine unsafe");
}

/* The board's kernel 5.10 has no nohz_full; 5.5 had no managed_irq. */
TEST_WITH(test_advice_of_the_kernel_line_goes_by_the_kernel, tree_make, remove_all)
{
    tree_unpack("board");
    advise("4-5", NULL);
    assert_string_equal(command_of("boot"), "isolcpus=managed_irq,domain,4-5 rcu_nocbs=4-5 irqaffinity=0-3");
    tree_put("/proc/sys/kernel/osrelease", "5.5.9\n");
    advise("4-5", NULL);
    assert_string_equal(command_of("boot"), "isolcpus=4-5 rcu_nocbs=4-5 irqaffinity=0-3");
}

/* Booted with the line, what it is for is ok, and there is no such advice any more. */
TEST_WITH(test_advice_of_the_kernel_line_makes_it_ok, tree_make, remove_all)
{
    static const char *const made_ok[] = {"isolated",  "nohz_full",    "nohz_pstate",
                                          "rcu_nocbs", "kthread_cpus", "irqaffinity"};

    tree_unpack("laptop");
    advise("2-3", NULL);
    tree_put("/proc/cmdline", command_of("boot"));
    /* As the kernel and the driver would show it. */
    tree_put("/sys/devices/system/cpu/isolated", "2-3\n");
    tree_put("/sys/devices/system/cpu/nohz_full", "2-3\n");
    tree_put("/sys/devices/system/cpu/intel_pstate/status", "passive\n");
    advise("2-3", NULL);
    assert_null(find("boot"));
    for (size_t i = 0; i < sizeof(made_ok) / sizeof(made_ok[0]); i++)
        assert_int_equal(states[setting_find(made_ok[i]) - settings_list].verdict, SETTING_OK);
}

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

TEST_WITH(test_advice_of_services, tree_make, remove_all)
{
    tree_unpack("laptop");
    tree_put("/proc/800/comm", "updatedb.plocat\n");
    tree_put("/proc/801/comm", "apt-get\n");
    advise("2-3", NULL);
    assert_string_equal(command_of("services"),
                        "systemctl stop irqbalance cron thermald plocate-updatedb.timer plocate-updatedb.service");
    expect_text("services", "or until 'systemctl start'. apt-get: wait until it ends");
    advise("2-3", "irqbalance");
    assert_string_equal(command_of("services"), "systemctl stop irqbalance");
    /* Without systemd there are no timers, so a program that one had started is ended by hand. */
    tree_put("/proc/1/comm", "init\n");
    advise("2-3", NULL);
    assert_string_equal(command_of("services"), "service irqbalance stop; service cron stop; service thermald stop");
    expect_text("services", "apt-get, updatedb.plocat: wait until they end");
    tree_put("/run/systemd/system/x", "");
    advise("2-3", NULL);
    assert_int_equal(strncmp(command_of("services"), "systemctl stop ", 15), 0);
}

TEST_WITH(test_advice_on_bare_metal, tree_make, remove_all)
{
    static const char *const all[] = {"settings", "boot", "services", "single-user", "firmware"};

    tree_unpack("laptop");
    advise("2-3", NULL);
    expect_only(all, 5);
    assert_string_equal(command_of("single-user"), "systemd.unit=rescue.target");
    expect_text("single-user", "'systemctl isolate rescue.target' does the same without a boot");
    expect_text("firmware", "turbo or core boost (off)");
    tree_put("/proc/1/comm", "init\n");
    advise("2-3", NULL);
    assert_string_equal(command_of("single-user"), "1");
    expect_text("single-user", "'telinit 1'");
}

TEST_WITH(test_advice_in_a_container_and_a_virtual_machine, tree_make, remove_all)
{
    static const char *const container[] = {"settings", "boot", "host"};
    static const char *const guest[] = {"settings", "boot", "services", "single-user", "host"};

    tree_unpack("container");
    advise("2-3", NULL);
    expect_only(container, 3);
    expect_text("boot", "goes on the kernel's command line of the host and replaces");
    expect_text("host", "This is a container.");
    expect_text("host", "This is a virtual machine.");
    (void)tree_remove(state);
    (void)tree_make(state);
    tree_unpack("laptop");
    tree_put("/proc/cpuinfo", "flags\t\t: fpu hypervisor\n");
    advise("2-3", NULL);
    expect_only(guest, 5);
    assert_null(strstr(find("host")->text.data, "container"));
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

TEST_WITH(test_advice_printed_keeps_commands_whole, tree_make, remove_all)
{
    struct text out = {0};
    size_t longest = 0;

    tree_unpack("laptop");
    advise("2-3", NULL);
    advice_print(advice, 0, 72, &out);
    assert_int_equal(out.length, 0);
    advice_print(advice, n_advice, 72, &out);
    assert_int_equal(strncmp(out.data, "\nWhat to do\nsettings     jitbench tune --cpus 2-3\n             as root", 70),
                     0);
    assert_non_null(strstr(out.data,
                           "\nboot         isolcpus=managed_irq,domain,2-3 nohz_full=2-3 intel_pstate=passive "
                           "rcu_nocbs=2-3 irqaffinity=0-1,4-7\n             goes on "));
    for (const char *line = out.data; *line; line += strcspn(line, "\n") + 1)
        if (!strstr(line, "isolcpus=") || strstr(line, "isolcpus=") > line + strcspn(line, "\n"))
            longest = strcspn(line, "\n") > longest ? strcspn(line, "\n") : longest;
    assert_true(longest <= 72 && longest > 60);
    text_free(&out);
}
