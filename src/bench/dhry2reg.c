/* SPDX-License-Identifier: MIT */
/* Dhrystone 2.1 with register locals, first translation unit: a count is one turn of the main loop. The second is
 * compiled separately, and the two are never optimised together, as the published rules require. */

#include "bench/dhrystone.h"
#include "bench/unix.h"

Rec_Pointer Ptr_Glob, Next_Ptr_Glob;
int Int_Glob;
Boolean Bool_Glob;
char Ch_1_Glob, Ch_2_Glob;
Arr_1_Dim Arr_1_Glob;
Arr_2_Dim Arr_2_Glob;

static void Proc_3(Rec_Pointer *Ptr_Ref_Par)
{
    if (Ptr_Glob != NULL)
        *Ptr_Ref_Par = Ptr_Glob->Ptr_Comp;
    Proc_7(10, Int_Glob, &Ptr_Glob->variant.var_1.Int_Comp);
}

static void Proc_1(register Rec_Pointer Ptr_Val_Par)
{
    register Rec_Pointer Next_Record = Ptr_Val_Par->Ptr_Comp;

    *Ptr_Val_Par->Ptr_Comp = *Ptr_Glob;
    Ptr_Val_Par->variant.var_1.Int_Comp = 5;
    Next_Record->variant.var_1.Int_Comp = Ptr_Val_Par->variant.var_1.Int_Comp;
    Next_Record->Ptr_Comp = Ptr_Val_Par->Ptr_Comp;
    Proc_3(&Next_Record->Ptr_Comp);
    if (Next_Record->Discr == Ident_1) {
        Next_Record->variant.var_1.Int_Comp = 6;
        Proc_6(Ptr_Val_Par->variant.var_1.Enum_Comp, &Next_Record->variant.var_1.Enum_Comp);
        Next_Record->Ptr_Comp = Ptr_Glob->Ptr_Comp;
        Proc_7(Next_Record->variant.var_1.Int_Comp, 10, &Next_Record->variant.var_1.Int_Comp);
    } else {
        *Ptr_Val_Par = *Ptr_Val_Par->Ptr_Comp;
    }
}

static void Proc_2(One_Fifty *Int_Par_Ref)
{
    One_Fifty Int_Loc;
    Enumeration Enum_Loc = Ident_2; /* unset in the published program: a compiler could drop the condition */

    Int_Loc = *Int_Par_Ref + 10;
    do
        if (Ch_1_Glob == 'A') {
            Int_Loc -= 1;
            *Int_Par_Ref = Int_Loc - Int_Glob;
            Enum_Loc = Ident_1;
        }
    while (Enum_Loc != Ident_1);
}

static void Proc_4(void)
{
    Boolean Bool_Loc;

    Bool_Loc = Ch_1_Glob == 'A';
    Bool_Glob = Bool_Loc | Bool_Glob;
    Ch_2_Glob = 'B';
}

static void Proc_5(void)
{
    Ch_1_Glob = 'A';
    Bool_Glob = 0;
}

/* NOLINTBEGIN(clang-analyzer-security.insecureAPI.strcpy): the program prescribes strcpy, and the strings fit */
static int work(struct party_context *context, uint64_t count)
{
    struct dhrystone *state = context->state;
    One_Fifty Int_1_Loc = 0, Int_3_Loc = 0;
    register One_Fifty Int_2_Loc = 0;
    register char Ch_Index;
    Enumeration Enum_Loc = Ident_1;
    Str_30 Str_1_Loc, Str_2_Loc = "";
    register uint64_t Run_Index;

    strcpy(Str_1_Loc, "DHRYSTONE PROGRAM, 1'ST STRING");
    for (Run_Index = 1; Run_Index <= count; ++Run_Index) {
        Proc_5();
        Proc_4();
        Int_1_Loc = 2;
        Int_2_Loc = 3;
        strcpy(Str_2_Loc, "DHRYSTONE PROGRAM, 2'ND STRING");
        Enum_Loc = Ident_2;
        Bool_Glob = !Func_2(Str_1_Loc, Str_2_Loc);
        while (Int_1_Loc < Int_2_Loc) {
            Int_3_Loc = 5 * Int_1_Loc - Int_2_Loc;
            Proc_7(Int_1_Loc, Int_2_Loc, &Int_3_Loc);
            Int_1_Loc += 1;
        }
        Proc_8(Arr_1_Glob, Arr_2_Glob, Int_1_Loc, Int_3_Loc);
        Proc_1(Ptr_Glob);
        for (Ch_Index = 'A'; Ch_Index <= Ch_2_Glob; ++Ch_Index) {
            if (Enum_Loc == Func_1(Ch_Index, 'C')) {
                Proc_6(Ident_1, &Enum_Loc);
                strcpy(Str_2_Loc, "DHRYSTONE PROGRAM, 3'RD STRING");
                Int_2_Loc = (One_Fifty)Run_Index;
                Int_Glob = (int)Run_Index;
            }
        }
        Int_2_Loc = Int_2_Loc * Int_1_Loc;
        Int_1_Loc = Int_2_Loc / Int_3_Loc;
        Int_2_Loc = 7 * (Int_2_Loc - Int_3_Loc) - Int_1_Loc;
        Proc_2(&Int_1_Loc);
        /* Otherwise the compiler could drop the last statements of all turns but one. */
        __asm__ volatile("" : "+r"(Int_1_Loc), "+r"(Int_2_Loc));
    }
    state->runs += count;
    state->Int_1_Loc = Int_1_Loc;
    state->Int_2_Loc = Int_2_Loc;
    state->Int_3_Loc = Int_3_Loc;
    state->Enum_Loc = Enum_Loc;
    strcpy(state->Str_1_Loc, Str_1_Loc);
    strcpy(state->Str_2_Loc, Str_2_Loc);
    return 0;
}
/* NOLINTEND(clang-analyzer-security.insecureAPI.strcpy) */

static const char some_string[] = "DHRYSTONE PROGRAM, SOME STRING";

static int setup(struct party_context *context)
{
    struct dhrystone *state = context->state;

    memset(Arr_1_Glob, 0, sizeof(Arr_1_Glob));
    memset(Arr_2_Glob, 0, sizeof(Arr_2_Glob));
    Next_Ptr_Glob = &state->next;
    Ptr_Glob = &state->first;
    Ptr_Glob->Ptr_Comp = Next_Ptr_Glob;
    Ptr_Glob->Discr = Ident_1;
    Ptr_Glob->variant.var_1.Enum_Comp = Ident_3;
    Ptr_Glob->variant.var_1.Int_Comp = 40;
    memcpy(Ptr_Glob->variant.var_1.Str_Comp, some_string, sizeof(some_string));
    Arr_2_Glob[8][7] = 10;
    return 0;
}

/* Final values of the published program. */
static int verify(struct party_context *context)
{
    const struct dhrystone *state = context->state;
    const struct {
        const char *name;
        int64_t got, expected;
    } values[] = {
        {"Int_Glob", Int_Glob, 5},
        {"Bool_Glob", Bool_Glob, 1},
        {"Ch_1_Glob", Ch_1_Glob, 'A'},
        {"Ch_2_Glob", Ch_2_Glob, 'B'},
        {"Arr_1_Glob[8]", Arr_1_Glob[8], 7},
        {"Arr_2_Glob[8][7] modulo 2^32", Arr_2_Glob[8][7], (uint32_t)(state->runs + 10)},
        {"Ptr_Glob->Discr", Ptr_Glob->Discr, Ident_1},
        {"Ptr_Glob->Enum_Comp", Ptr_Glob->variant.var_1.Enum_Comp, Ident_3},
        {"Ptr_Glob->Int_Comp", Ptr_Glob->variant.var_1.Int_Comp, 17},
        {"Ptr_Glob->Str_Comp is right", strcmp(Ptr_Glob->variant.var_1.Str_Comp, some_string) == 0, 1},
        {"Next_Ptr_Glob->Ptr_Comp is right", Next_Ptr_Glob->Ptr_Comp == Ptr_Glob->Ptr_Comp, 1},
        {"Next_Ptr_Glob->Discr", Next_Ptr_Glob->Discr, Ident_1},
        {"Next_Ptr_Glob->Enum_Comp", Next_Ptr_Glob->variant.var_1.Enum_Comp, Ident_2},
        {"Next_Ptr_Glob->Int_Comp", Next_Ptr_Glob->variant.var_1.Int_Comp, 18},
        {"Next_Ptr_Glob->Str_Comp is right", strcmp(Next_Ptr_Glob->variant.var_1.Str_Comp, some_string) == 0, 1},
        {"Int_1_Loc", state->Int_1_Loc, 5},
        {"Int_2_Loc", state->Int_2_Loc, 13},
        {"Int_3_Loc", state->Int_3_Loc, 7},
        {"Enum_Loc", state->Enum_Loc, Ident_2},
        {"Str_1_Loc is right", strcmp(state->Str_1_Loc, "DHRYSTONE PROGRAM, 1'ST STRING") == 0, 1},
        {"Str_2_Loc is right", strcmp(state->Str_2_Loc, "DHRYSTONE PROGRAM, 2'ND STRING") == 0, 1},
    };

    for (size_t i = 0; i < COUNT(values); i++)
        checks_add(context->recorder[UNIX_CHECKS], values[i].name, (double)values[i].got, (double)values[i].expected,
                   0);
    return 0;
}

const struct bench bench_dhry2reg = {
    UNIX_CPU_BENCH("dhry2reg", "Dhrystone 2 using register variables", "lps", 1, 116700,
                   .state_size = sizeof(struct dhrystone), .setup = setup, .work = work, .verify = verify),
    .groups = UNIX_INDEX | UNIX_CPU | UNIX_CORE_BOUND,
    .old_names = UNIX_OLD_NAMES("dhry"),
};
