/* SPDX-License-Identifier: MIT */
/* Builds with an altered payload: their self-checks fail, and the rows say so. */

#include "../test.h"
#include "payload_util.h"
#include "program.h"

/* Replaces the only place of a benchmark's altered file that has these words. */
static void alter(const char *name, const char *from, const char *to)
{
    char path[2 * sizeof(payload_scratch)], file_name[64];

    (void)snprintf(file_name, sizeof(file_name), "altered/src/bench/%s", name);
    char *text = payload_read(file_name);
    assert_non_null(text);
    char *found = strstr(text, from);
    assert_non_null(found);
    assert_null(strstr(found + 1, from));
    assert_true(snprintf(path, sizeof(path), "%s/%s", payload_scratch, file_name) < (int)sizeof(path));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file, "%.*s%s%s", (int)(found - text), text, to, found + strlen(from));
    assert_int_equal(fclose(file), 0);
    free(text);
}

/* With the flags of the objects, since all of them would be compiled otherwise. */
static void build(void)
{
    static const char make[] = "make -s -j2 BUILD=build PROGRAM=program WERROR=$(grep -c -e -Werror build/flags)";
    char folder[2 * sizeof(payload_scratch)];

    (void)snprintf(folder, sizeof(folder), "%s/altered", payload_scratch);
    assert_int_equal(PAYLOAD_RUN(folder, "make.log", "sh", "-c", make), 0);
}

/* One copy and one sample by the altered program. operand: NULL where the test is all that the suite has. */
static int measure_altered(const char *suite, const char *operand)
{
    char program[2 * sizeof(payload_scratch)];

    (void)snprintf(program, sizeof(program), "%s/altered/program", payload_scratch);
    payload_remove("altered.csv");
    /* as short as it gets: a check fails at once */
    const bool timed = strcmp(suite, "unix") == 0;
    return PAYLOAD_RUN(NULL, NULL, program, suite, "--samples", "1", "-c", "1", "-q", "-o", "altered.csv",
                       timed ? "-t" : "-n", timed ? "20ms" : "1000", operand);
}

#define CHECK_ROWS(...) PAYLOAD_RUN(NULL, NULL, "python3", rows, __VA_ARGS__)

/* Every row (count: so many; NULL: any) has failed its self-check, says what is wrong, and so has the program. */
static void assert_check_fails(const char *suite, const char *operand, const char *wrong, const char *count)
{
    char rows[2 * sizeof(payload_top)], reason[128];

    (void)snprintf(rows, sizeof(rows), "%s/tests/cli/rows.py", payload_top);
    (void)snprintf(reason, sizeof(reason), "self-check failed%s", wrong);
    assert_int_equal(measure_altered(suite, operand), 1);
    assert_int_equal(CHECK_ROWS("columns", "altered.csv"), 0);
    assert_int_equal(CHECK_ROWS("failed", "altered.csv", operand ? operand : suite, reason, count), 0);
}

/* Expects the checks of the altered CPU tests to fail, and no others. */
static void assert_unix_checks_fail(const char *dhrystone, const char *whetstone)
{
    char rows[2 * sizeof(payload_top)];

    (void)snprintf(rows, sizeof(rows), "%s/tests/cli/rows.py", payload_top);
    assert_check_fails("unix", "dhry2reg", dhrystone, "1");
    assert_check_fails("unix", "whetstone", whetstone, "1");
    assert_int_equal(measure_altered("unix", "syscall"), 0);
    assert_int_equal(CHECK_ROWS("measured", "altered.csv", "syscall", "rate"), 0);
}

TEST(test_altered_payloads_fail_their_self_checks)
{
    static const char copy_all[] = "cp -pR src include Makefile \"$0/altered\" && mkdir \"$0/altered/build\" && "
                                   "{ for d in src/*/; do cp -pR build/\"${d#src/}\" \"$0/altered/build\"; done; "
                                   "cp -pR build/main.* build/flags \"$0/altered/build\" || :; }";

    if (program_emulated(payload_program))
        skip_because("what is altered is built for this machine, which is another one");
    payload_need("make");
    payload_need("python3");
    assert_int_equal(PAYLOAD_RUN(NULL, NULL, "mkdir", "altered"), 0);
    /* With the objects that are built already, where they are, so that only what is altered is compiled. */
    assert_int_equal(PAYLOAD_RUN(payload_top, NULL, "sh", "-c", copy_all, payload_scratch), 0);

    /* Only odd divisors after 2: the right primes by fewer divisions. */
    alter("prime.c", "for (;; divisor++)", "for (;; divisor += 1u + (divisor > 2))");
    alter("array.c", "a[j] = value + 1;", "a[j] = value + 2;");
    alter("dhry2reg_2.c", "Int_1_Par_Val + 2;", "Int_1_Par_Val + 3;");
    alter("whetstone.c", "0.49999975", "0.49999976");
    build();
    assert_check_fails("prime", NULL, "", NULL);
    assert_check_fails("stream", "array", "", NULL);
    assert_unix_checks_fail(": Arr_1_Glob[8] is 8; not 7", ": N1 of the first pass is ");

    /* One candidate less: a prime and a division are missing. And a copy that copies nothing. */
    alter("prime.c", "for (;; divisor += 1u + (divisor > 2))", "for (;; divisor++)");
    alter("prime.c", "uint32_t candidate = 2;", "uint32_t candidate = 3;");
    alter("array.c", "a[j] = value + 2;", "a[j] = value + 1;");
    alter("array.c", "c[j] = value;", "c[j] = c[j];");
    alter("dhry2reg_2.c", "Int_1_Par_Val + 3;", "Int_1_Par_Val + 2;");
    alter("dhry2reg.c", "7 * (Int_2_Loc - Int_3_Loc)", "6 * (Int_2_Loc - Int_3_Loc)");
    alter("whetstone.c", "0.49999976", "0.49999975");
    alter("whetstone.c", "exp(log(x) / t1)", "exp(log(x) * t1)");
    build();
    assert_check_fails("prime", NULL, "", NULL);
    assert_check_fails("stream", "array", "", NULL);
    assert_unix_checks_fail(": Int_2_Loc is 11; not 13", ": N8 of the first pass is ");
}

GROUP(payload_setup, payload_teardown);
