/* SPDX-License-Identifier: MIT */
/* The command line of a measuring command: its option tables, its tests, and the placement. */
#include "cmd/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cpus.h"
#include "cmd/measure.h"
#include "cmd/quiet.h"
#include "sys/task.h"

size_t measure_tables(const struct command *command, struct option_table *tables)
{
    const size_t n = measure_suite_tables(command->suite, NULL, NULL, tables);

    measure_table(command->suite, NULL, &tables[n]);
    return n + 1;
}

/* --- The command line. --- */

bool measure_given(const struct measure *m, const char *name)
{
    return option_given(m->tables, m->n_tables, name);
}

bool measure_test(const struct suite *suite, size_t i, struct operand_word *out)
{
    if (suite->test)
        return suite->test(i, out);
    *out = (struct operand_word){.name = suite->tests ? suite->tests[i] : NULL};
    return out->name;
}

/* Marks the tests that an operand names. Returns -1 when it is unknown. */
static int select_test(struct measure *m, const struct suite *suite, const char *operand)
{
    struct operand_word word;

    if (suite->select)
        return suite->select(m, operand);
    for (size_t t = 0; measure_test(suite, t, &word); t++)
        if (!strcasecmp(word.name, operand)) {
            m->selected[t] = true;
            return 0;
        }
    return -1;
}

static int select_tests(struct session *s, const char *const *operands, int n)
{
    const struct suite *suite = s->command->suite;

    for (size_t t = 0; t < TESTS_MAX; t++)
        s->m.selected[t] = n == 0;
    s->m.operands_given = n > 0;
    s->m.of_all = !suite;
    if (n && (!suite || (!suite->test && !suite->tests)))
        return session_fail(s,
                            suite && suite->commands ? "the command follows '--', but '%.80s' is given before it"
                                                     : "takes no operands, but '%.80s' was given",
                            operands[0]);
    for (int i = 0; i < n; i++)
        if (select_test(&s->m, suite, operands[i]))
            return command_unknown_operand(s->command, operands[i]);
    return 0;
}

/* Cuts off the words after the first "--", which are not parsed. Returns the number of words before it. */
static int cut_words(struct session *s, int argc, char **argv)
{
    int n = 1;

    if (!s->command->suite || !s->command->suite->commands)
        return argc;
    while (n < argc && strcmp(argv[n], "--") != 0)
        n++;
    if (n < argc) {
        s->m.words = argv + n + 1;
        s->m.n_words = (size_t)(argc - n - 1);
    }
    return n;
}

int session_parse(struct session *s, int argc, char **argv)
{
    struct measure *m = &s->m;
    char error[512];

    argc = cut_words(s, argc, argv);
    measure_table(s->command->suite, &m->options, &m->tables[0]);
    m->n_tables = 1 + measure_suite_tables(s->command->suite, s->options[0], &m->options, &m->tables[1]);
    FREED_BY(memory_free) const char **operands = memory_get((size_t)argc + 1, sizeof(*operands));
    int n = option_parse(argc, argv, m->tables, m->n_tables, operands, error, sizeof(error));
    if (n < 0)
        return session_usage_error(s, error);
    m->preset = m->options.quick ? PRESET_QUICK : m->options.classic ? PRESET_CLASSIC : PRESET_DEFAULT;
    if (m->options.help)
        return command_print_help(s->command, s->command) ? EXIT_ROW_FAILED : -1;
    const int status = select_tests(s, operands, n);
    if (status)
        return status;
    if (m->options.quick && m->options.classic)
        return session_usage_error(s, "--quick and --classic exclude each other");
    if ((m->options.no_csv || m->options.no_file) && measure_given(m, "output"))
        return session_usage_error(s, "--no-csv and --output exclude each other");
    if (option_defaults(m->tables, m->n_tables, m->preset, error, sizeof(error)))
        return session_usage_error(s, error);
    m->options.no_csv |= m->options.no_file;
    return 0;
}

int session_default_options(struct session *s, size_t i)
{
    struct option_table tables[TABLES_MAX];
    char error[512];
    const size_t n = measure_own_tables(s->suites[i], s->options[i], tables);
    if (option_defaults(tables, n, s->m.preset, error, sizeof(error)))
        return session_usage_error(s, error);
    return 0;
}

/* --- Placement. --- */

static int resolve_cpus(struct session *s)
{
    struct measure *m = &s->m;
    struct cpuset *cpus = &m->place.cpus, usable;
    char error[512], list[256];

    m->place.online = m->machine.online;
    if (!measure_given(m, "cpus") || m->options.cpus.choice >= 0) {
        /* --cpus all and --cpus quiet include isolated CPUs, which are missing in the affinity mask. */
        if (measure_given(m, "cpus"))
            cpus_allowed(&m->machine.online, cpus);
        else
            cpus_of_mask(&m->machine.online, cpus);
        if (!cpuset_count(&m->place.online))
            m->place.online = *cpus;
        return 0;
    }
    *cpus = m->options.cpus.set;
    if (!cpuset_count(&m->place.online))
        (void)task_get_affinity(&m->place.online);
    if (cpus_check_online(cpus, &m->place.online, error, sizeof(error)))
        return session_usage_error(s, error);
    if (!cpus_usable(cpus, &usable)) {
        (void)cpuset_format_cut(&usable, list, sizeof(list));
        return session_fail(s, "--cpus: not all of these CPUs are allowed here (allowed: %s)",
                            cpuset_count(&usable) ? list : "none of them");
    }
    return 0;
}

/* --cpus quiet: picks the allowed CPU that loses the least speed at the moment. */
static int pick_quiet(struct session *s)
{
    struct measure *m = &s->m;
    unsigned cpu;

    if (quiet_cpu(&m->place, &m->clock, m->options.core_probe == 0, &cpu, m->quietest, sizeof(m->quietest)))
        return session_fail(s, "--cpus quiet: %s", m->quietest);
    cpuset_clear(&m->place.cpus);
    cpuset_add(&m->place.cpus, cpu);
    m->place.order[0] = cpu;
    m->place.n_order = 1;
    return 0;
}

int session_resolve_place(struct session *s)
{
    struct measure *m = &s->m;
    int status = resolve_cpus(s);

    if (status)
        return status;
    m->place.n_order = machine_cpu_order("", &m->place.cpus, m->place.order, CPUSET_MAX);
    if (!m->place.n_order && cpuset_count(&m->place.cpus))
        memory_out();
    if (measure_given(m, "cpus") && m->options.cpus.choice == CPUS_QUIET && (status = pick_quiet(s)))
        return status;
    m->place.bind = (enum bind_mode)m->options.bind;
    m->place.bind_given = measure_given(m, "bind");
    m->place.nice_given = measure_given(m, "nice");
    m->place.nice = (int)m->options.nice;
    m->place.fifo = m->options.fifo > 0;
    m->place.fifo_priority = (int)m->options.fifo;
    m->place.layout_fixed = m->options.layout == 1;
    return 0;
}
