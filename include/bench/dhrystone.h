/* SPDX-License-Identifier: MIT */
/* Dhrystone 2.1: what its two translation units share. R. Weicker, 'Dhrystone: a synthetic systems programming
 * benchmark', CACM 27(10), 1984; version 2.1 of 1988. Names and statements are the published program's, and so are
 * its globals, since how a compiler addresses them is measured; each copy is a process with its own. */
#ifndef BENCH_DHRYSTONE_H
#define BENCH_DHRYSTONE_H

#include <stdint.h>

typedef enum { Ident_1, Ident_2, Ident_3, Ident_4, Ident_5 } Enumeration;

typedef int One_Thirty;
typedef int One_Fifty;
typedef char Capital_Letter;
typedef int Boolean;
typedef char Str_30[31];
typedef int Arr_1_Dim[50];
/* The published program uses int: element [8][7], which counts the runs, would overflow after 2^31, in some 40 s. */
typedef uint32_t Arr_2_Dim[50][50];

typedef struct record {
    struct record *Ptr_Comp;
    Enumeration Discr;
    union {
        struct {
            Enumeration Enum_Comp;
            int Int_Comp;
            char Str_Comp[31];
        } var_1;
        struct {
            Enumeration E_Comp_2;
            char Str_2_Comp[31];
        } var_2;
        struct {
            char Ch_1_Comp;
            char Ch_2_Comp;
        } var_3;
    } variant;
} Rec_Type, *Rec_Pointer;

extern Rec_Pointer Ptr_Glob, Next_Ptr_Glob;
extern int Int_Glob;
extern Boolean Bool_Glob;
extern char Ch_1_Glob, Ch_2_Glob;
extern Arr_1_Dim Arr_1_Glob;
extern Arr_2_Dim Arr_2_Glob;

/* In one process: two records (malloc in the published program), aligned to cache lines for every C library; runs
 * since setup; final values of the main procedure's variables. */
struct dhrystone {
    Rec_Type first __attribute__((aligned(64)));
    Rec_Type next __attribute__((aligned(64)));
    uint64_t runs;
    One_Fifty Int_1_Loc, Int_2_Loc, Int_3_Loc;
    Enumeration Enum_Loc;
    Str_30 Str_1_Loc, Str_2_Loc;
};

/* Procedures of the second translation unit. */
void Proc_6(Enumeration Enum_Val_Par, Enumeration *Enum_Ref_Par);
void Proc_7(One_Fifty Int_1_Par_Val, One_Fifty Int_2_Par_Val, One_Fifty *Int_Par_Ref);
void Proc_8(Arr_1_Dim Arr_1_Par_Ref, Arr_2_Dim Arr_2_Par_Ref, int Int_1_Par_Val, int Int_2_Par_Val);
Enumeration Func_1(Capital_Letter Ch_1_Par_Val, Capital_Letter Ch_2_Par_Val);
Boolean Func_2(Str_30 Str_1_Par_Ref, Str_30 Str_2_Par_Ref);
Boolean Func_3(Enumeration Enum_Par_Val);

#endif
