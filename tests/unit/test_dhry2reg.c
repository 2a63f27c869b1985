/* SPDX-License-Identifier: MIT */
/* Dhrystone ends with its published values, finds wrong ones, and makes every call that it should. */
#include "cpu_fixture.h"

#include "bench/dhrystone.h"

enum { N_CHECKS = 21 };

static struct {
    unsigned Func_1, Func_2, Proc_6, Proc_7, Proc_8;
} calls;

/* One line for each call: its name, its arguments, and the variables at that time. Filled while it is not full. */
static struct {
    bool on;
    size_t length;
    char text[4096];
} trace;

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
    va_list arguments;

    if (!trace.on)
        return;
    va_start(arguments, format);
    trace.length += (size_t)vsnprintf(trace.text + trace.length, sizeof(trace.text) - trace.length, format, arguments);
    va_end(arguments);
    trace.length += (size_t)snprintf(
        trace.text + trace.length, sizeof(trace.text) - trace.length, " | %d %d %c%c | %d %d %d | %d %d %d %d\n",
        Int_Glob, Bool_Glob, Ch_1_Glob, Ch_2_Glob, Ptr_Glob->Discr, Ptr_Glob->variant.var_1.Enum_Comp,
        Ptr_Glob->variant.var_1.Int_Comp, Next_Ptr_Glob->Discr, Next_Ptr_Glob->variant.var_1.Enum_Comp,
        Next_Ptr_Glob->variant.var_1.Int_Comp, Next_Ptr_Glob->Ptr_Comp == Next_Ptr_Glob);
    assert_true(trace.length < sizeof(trace.text));
}

/* The linker leads the first unit's calls here (--wrap). */
Enumeration __real_Func_1(Capital_Letter, Capital_Letter);
Boolean __real_Func_2(Str_30, Str_30);
void __real_Proc_6(Enumeration, Enumeration *);
void __real_Proc_7(One_Fifty, One_Fifty, One_Fifty *);
void __real_Proc_8(Arr_1_Dim, Arr_2_Dim, int, int);

Enumeration __wrap_Func_1(Capital_Letter a, Capital_Letter b)
{
    calls.Func_1++;
    note("Func_1 %c %c", a, b);
    return __real_Func_1(a, b);
}

Boolean __wrap_Func_2(Str_30 a, Str_30 b)
{
    calls.Func_2++;
    note("Func_2 %s %s", a, b);
    return __real_Func_2(a, b);
}

void __wrap_Proc_6(Enumeration a, Enumeration *b)
{
    calls.Proc_6++;
    note("Proc_6 %d", (int)a);
    __real_Proc_6(a, b);
}

void __wrap_Proc_7(One_Fifty a, One_Fifty b, One_Fifty *c)
{
    calls.Proc_7++;
    note("Proc_7 %d %d", a, b);
    __real_Proc_7(a, b, c);
}

void __wrap_Proc_8(Arr_1_Dim a, Arr_2_Dim b, int c, int d)
{
    calls.Proc_8++;
    note("Proc_8 %d %d", c, d);
    __real_Proc_8(a, b, c, d);
}

/* Returns the name of the first wrong value, "" when all are right. All values are looked at. */
static const char *all_verified(struct party_context *context)
{
    struct checks *checks = context->recorder[UNIX_CHECKS];

    checks->n = 0;
    const char *wrong = verified(context);
    assert_int_equal(checks->n, N_CHECKS);
    return wrong;
}

TEST(test_dhry2reg_ends_with_the_published_values)
{
    static const uint64_t runs[] = {1, 2, 3, 1000};

    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        struct party_context context = started();
        assert_int_equal(tested->work(&context, runs[i]), 0);
        assert_string_equal(all_verified(&context), "");
        assert_int_equal(Int_Glob, 5);
        assert_int_equal(Arr_2_Glob[8][7], runs[i] + 10);
        ended(&context);
    }
}

TEST(test_dhry2reg_makes_every_call)
{
    struct party_context context = started();
    memset(&calls, 0, sizeof(calls));
    tested->work(&context, 100);
    assert_int_equal(calls.Func_1, 200);
    assert_int_equal(calls.Func_2, 100);
    assert_int_equal(calls.Proc_6, 100);
    assert_int_equal(calls.Proc_7, 300);
    assert_int_equal(calls.Proc_8, 100);
    ended(&context);
}

/* Two runs, call by call. Behind the arguments: Int_Glob, Bool_Glob, Ch_1_Glob and Ch_2_Glob; Discr, Enum_Comp and
 * Int_Comp of Ptr_Glob; the same of Next_Ptr_Glob, and whether it points to itself. */
TEST(test_dhry2reg_call_by_call)
{
    static const char expected[] =
        "Func_2 DHRYSTONE PROGRAM, 1'ST STRING DHRYSTONE PROGRAM, 2'ND STRING | 0 1 AB | 0 2 40 | 0 0 0 0\n"
        "Proc_7 2 3 | 0 1 AB | 0 2 40 | 0 0 0 0\n"
        "Proc_8 3 7 | 0 1 AB | 0 2 40 | 0 0 0 0\n"
        "Proc_7 10 5 | 5 1 AB | 0 2 5 | 0 2 5 1\n"
        "Proc_6 2 | 5 1 AB | 0 2 17 | 0 2 6 1\n"
        "Proc_7 6 10 | 5 1 AB | 0 2 17 | 0 1 6 1\n"
        "Func_1 A C | 5 1 AB | 0 2 17 | 0 1 18 1\n"
        "Func_1 B C | 5 1 AB | 0 2 17 | 0 1 18 1\n"
        "Func_2 DHRYSTONE PROGRAM, 1'ST STRING DHRYSTONE PROGRAM, 2'ND STRING | 5 1 AB | 0 2 17 | 0 1 18 1\n"
        "Proc_7 2 3 | 5 1 AB | 0 2 17 | 0 1 18 1\n"
        "Proc_8 3 7 | 5 1 AB | 0 2 17 | 0 1 18 1\n"
        "Proc_7 10 5 | 5 1 AB | 0 2 5 | 0 2 5 1\n"
        "Proc_6 2 | 5 1 AB | 0 2 17 | 0 2 6 1\n"
        "Proc_7 6 10 | 5 1 AB | 0 2 17 | 0 1 6 1\n"
        "Func_1 A C | 5 1 AB | 0 2 17 | 0 1 18 1\n"
        "Func_1 B C | 5 1 AB | 0 2 17 | 0 1 18 1\n";
    struct party_context context = started();

    Int_Glob = Bool_Glob = 0;
    Ch_1_Glob = Ch_2_Glob = '-';
    memset(&trace, 0, sizeof(trace));
    trace.on = true;
    tested->work(&context, 2);
    trace.on = false;
    assert_string_equal(trace.text, expected);
    ended(&context);
}

/* The second unit's functions, with all that they tell apart, also what Dhrystone itself never asks for. */
TEST(test_dhry2reg_functions_of_the_second_unit)
{
    static const Enumeration low[] = {Ident_1, Ident_4, Ident_2, Ident_4, Ident_3};
    static const Enumeration high[] = {Ident_1, Ident_1, Ident_2, Ident_4, Ident_3};
    const int before = Int_Glob;
    Enumeration found;
    One_Fifty sum;

    for (int i = Ident_1; i <= Ident_5; i++) {
        found = Ident_5;
        Int_Glob = 100;
        __real_Proc_6((Enumeration)i, &found);
        assert_int_equal(found, low[i]);
        Int_Glob = 101;
        __real_Proc_6((Enumeration)i, &found);
        assert_int_equal(found, high[i]);
        assert_int_equal(Func_3((Enumeration)i), i == Ident_3);
    }
    __real_Proc_7(3, 40, &sum);
    assert_int_equal(sum, 45);
    Ch_1_Glob = 'A';
    assert_int_equal(__real_Func_1('X', 'Y'), Ident_1);
    assert_int_equal(Ch_1_Glob, 'A');
    assert_int_equal(__real_Func_1('X', 'X'), Ident_2);
    assert_int_equal(Ch_1_Glob, 'X');
    Int_Glob = 77;
    assert_int_equal(__real_Func_2((char[31]){"DHRYSTONE A"}, (char[31]){"DHRYSTONE A"}), 0);
    assert_int_equal(__real_Func_2((char[31]){"DHRYSTONE A"}, (char[31]){"DHRYSTONE B"}), 0);
    assert_int_equal(Int_Glob, 77);
    assert_int_equal(__real_Func_2((char[31]){"DHRYSTONE B"}, (char[31]){"DHRYSTONE A"}), 1);
    assert_int_equal(Int_Glob, 10);
    Int_Glob = before;
}

/* Sets a value wrong, looks for its name, and sets it right again. */
#define ASSERT_FOUND(lvalue, name) \
    do { \
        (lvalue)++; \
        assert_string_equal(all_verified(&context), name); \
        (lvalue)--; \
        assert_string_equal(all_verified(&context), ""); \
    } while (0)

TEST(test_dhry2reg_finds_every_wrong_value)
{
    struct party_context context = started();
    struct dhrystone *d = context.state;
    tested->work(&context, 10);
    ASSERT_FOUND(Int_Glob, "Int_Glob");
    ASSERT_FOUND(Bool_Glob, "Bool_Glob");
    ASSERT_FOUND(Ch_1_Glob, "Ch_1_Glob");
    ASSERT_FOUND(Ch_2_Glob, "Ch_2_Glob");
    ASSERT_FOUND(Arr_1_Glob[8], "Arr_1_Glob[8]");
    ASSERT_FOUND(Arr_2_Glob[8][7], "Arr_2_Glob[8][7] modulo 2^32");
    ASSERT_FOUND(Ptr_Glob->Discr, "Ptr_Glob->Discr");
    ASSERT_FOUND(Ptr_Glob->variant.var_1.Enum_Comp, "Ptr_Glob->Enum_Comp");
    ASSERT_FOUND(Ptr_Glob->variant.var_1.Int_Comp, "Ptr_Glob->Int_Comp");
    ASSERT_FOUND(Ptr_Glob->variant.var_1.Str_Comp[29], "Ptr_Glob->Str_Comp is right");
    ASSERT_FOUND(Next_Ptr_Glob->Ptr_Comp, "Next_Ptr_Glob->Ptr_Comp is right");
    ASSERT_FOUND(Next_Ptr_Glob->Discr, "Next_Ptr_Glob->Discr");
    ASSERT_FOUND(Next_Ptr_Glob->variant.var_1.Enum_Comp, "Next_Ptr_Glob->Enum_Comp");
    ASSERT_FOUND(Next_Ptr_Glob->variant.var_1.Int_Comp, "Next_Ptr_Glob->Int_Comp");
    ASSERT_FOUND(Next_Ptr_Glob->variant.var_1.Str_Comp[0], "Next_Ptr_Glob->Str_Comp is right");
    ASSERT_FOUND(d->Int_1_Loc, "Int_1_Loc");
    ASSERT_FOUND(d->Int_2_Loc, "Int_2_Loc");
    ASSERT_FOUND(d->Int_3_Loc, "Int_3_Loc");
    ASSERT_FOUND(d->Enum_Loc, "Enum_Loc");
    ASSERT_FOUND(d->Str_1_Loc[19], "Str_1_Loc is right");
    ASSERT_FOUND(d->Str_2_Loc[19], "Str_2_Loc is right");
    ended(&context);
}

int main(void)
{
    tested = &bench_dhry2reg.parties[0];
    return run_all_tests();
}
