/* SPDX-License-Identifier: MIT */
/* Dhrystone ends with its published values, finds wrong ones, and makes every call that it should. */
#include "cpu_fixture.h"

#include "bench/dhrystone.h"

enum { N_CHECKS = 21 };

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

    for (size_t i = 0; i < COUNT(runs); i++) {
        struct party_context context = started();
        assert_int_equal(tested->work(&context, runs[i]), 0);
        assert_string_equal(all_verified(&context), "");
        assert_int_equal(Int_Glob, 5);
        assert_int_equal(Arr_2_Glob[8][7], runs[i] + 10);
        ended(&context);
    }
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
        Proc_6((Enumeration)i, &found);
        assert_int_equal(found, low[i]);
        Int_Glob = 101;
        Proc_6((Enumeration)i, &found);
        assert_int_equal(found, high[i]);
        assert_int_equal(Func_3((Enumeration)i), i == Ident_3);
    }
    Proc_7(3, 40, &sum);
    assert_int_equal(sum, 45);
    Ch_1_Glob = 'A';
    assert_int_equal(Func_1('X', 'Y'), Ident_1);
    assert_int_equal(Ch_1_Glob, 'A');
    assert_int_equal(Func_1('X', 'X'), Ident_2);
    assert_int_equal(Ch_1_Glob, 'X');
    Int_Glob = 77;
    assert_int_equal(Func_2((char[31]){"DHRYSTONE A"}, (char[31]){"DHRYSTONE A"}), 0);
    assert_int_equal(Func_2((char[31]){"DHRYSTONE A"}, (char[31]){"DHRYSTONE B"}), 0);
    assert_int_equal(Int_Glob, 77);
    assert_int_equal(Func_2((char[31]){"DHRYSTONE B"}, (char[31]){"DHRYSTONE A"}), 1);
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
