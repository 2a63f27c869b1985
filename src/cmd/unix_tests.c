/* SPDX-License-Identifier: MIT */
/* The tests of jitbench unix, and the names by which a user selects them. */
#include <string.h>

#include "bench/list.h"
#include "cmd/suites.h"
#include "cmd/unix.h"

/* Tests that run a benchmark of another name; unix_test_at() returns them after the test of that name. */
static const struct unix_test variants[] = {
    {"context1-same", "Pipe-based Context Switching (one CPU)", &bench_context1,
     UNIX_INDEX_STABLE | UNIX_PROCESS | UNIX_OLDSYSTEM, NULL, HALVES_SAME},
    {"context1-two", "Pipe-based Context Switching (two CPUs)", &bench_context1, UNIX_PROCESS, NULL, HALVES_TWO},
};

static const struct {
    const char *name;
    unsigned groups;
    bool of_index; /* the group has only the tests of the protocol's index */
    bool old;      /* UnixBench's name for the previous group */
} groups[] = {
    {"index", UNIX_INDEX, true, false},
    {"system", UNIX_INDEX, true, true},
    {"cpu", UNIX_CPU, false, false},
    {"file", UNIX_FILES, false, false},
    {"fs", UNIX_FILES, false, true},
    {"process", UNIX_PROCESS, false, false},
    {"arith", UNIX_ARITH, false, false},
    {"arithmetic", UNIX_ARITH, false, true},
    {"shell", UNIX_SHELL, false, false},
    {"misc", UNIX_MISC, false, false},
    {"oldsystem", UNIX_OLDSYSTEM, true, false},
};
enum { N_GROUPS = sizeof(groups) / sizeof(groups[0]) };

struct unix_test unix_test_at(size_t t)
{
    for (size_t b = 0; bench_list[b]; b++) {
        const struct bench *bench = bench_list[b];
        if (strcmp(bench->suite, "unix") != 0)
            continue;
        if (t-- == 0)
            return (struct unix_test){bench->name, bench->title, bench, bench->groups, bench->old_names, HALVES_FREE};
        for (size_t v = 0; v < sizeof(variants) / sizeof(variants[0]); v++)
            if (variants[v].bench == bench && t-- == 0)
                return variants[v];
    }
    return (struct unix_test){.name = NULL};
}

struct unix_test unix_test_of(const char *name)
{
    struct unix_test test;

    for (size_t t = 0; (test = unix_test_at(t)).name && strcmp(test.name, name) != 0; t++) {
    }
    return test;
}

static bool is_old_name(const struct unix_test *test, const char *operand)
{
    for (size_t i = 0; test->old_names && test->old_names[i]; i++)
        if (!strcmp(test->old_names[i], operand))
            return true;
    return false;
}

int unix_select(struct measure *m, const char *operand)
{
    const struct unix_protocol *protocol = unix_protocol_of(m);
    struct unix_test test;
    int found = -1;

    for (size_t t = 0; (test = unix_test_at(t)).name; t++) {
        bool selected = !strcmp(test.name, operand) || is_old_name(&test, operand);
        for (size_t g = 0; g < N_GROUPS; g++)
            selected |= !strcmp(groups[g].name, operand) && (test.groups & groups[g].groups) &&
                        (!groups[g].of_index || unix_in_index(protocol, &test));
        m->selected[t] |= selected;
        found = selected ? 0 : found;
    }
    return found;
}

bool unix_word(size_t i, struct operand_word *out)
{
    struct unix_test test;

    for (size_t t = 0; (test = unix_test_at(t)).name; t++)
        if (i-- == 0) {
            *out = (struct operand_word){.name = test.name, .help = test.title};
            return true;
        }
    if (i < N_GROUPS) {
        *out = (struct operand_word){
            .name = groups[i].name, .help = groups[i].old ? NULL : "group of tests", .old = groups[i].old};
        return true;
    }
    i -= N_GROUPS;
    for (size_t t = 0; (test = unix_test_at(t)).name; t++)
        for (size_t k = 0; test.old_names && test.old_names[k]; k++)
            if (i-- == 0) {
                *out = (struct operand_word){.name = test.old_names[k], .old = true};
                return true;
            }
    return false;
}
