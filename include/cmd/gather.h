/* SPDX-License-Identifier: MIT */
/* The headline figures and settings of many machines, gathered row by row: what fleet judges. Memory is some bytes for
 * each machine and figure. */
#ifndef CMD_GATHER_H
#define CMD_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/index.h"
#include "engine/row.h"

/* One figure of all machines: of the rows that agree in suite, test, load, copies, metric and the words of param that
 * say what the work is. Several rows of one machine (CPUs, runs) are pooled: their mean. */
struct gather_figure {
    char suite[24], test[48], load[48], metric[48], unit[24], work[96];
    uint64_t copies;
    bool higher_is_better;
    double *sum; /* by machine */
    uint32_t *count;
    size_t capacity;
    double error_sum; /* of the rows' relative standard errors, of error_n rows */
    size_t error_n;
};

/* One thing that machines may differ in: a column (kernel, build, ...) or an item of the column settings. */
struct gather_setting {
    uint32_t *value; /* by machine: number in values + 1; 0: not known */
    size_t capacity;
    struct index values;
};

struct gather_machine {
    size_t runs, rows, failed;
};

struct gather {
    bool by_rank;          /* each rank is a machine */
    struct index machines; /* name, and "(2)" behind it where another machine has the same */
    struct gather_machine *machine;
    size_t machine_capacity;
    struct index figures, settings;
    struct gather_figure *figure;
    size_t figure_capacity;
    struct gather_setting *setting;
    size_t setting_capacity;
    uint64_t doubles; /* rows that came a second time, and were left out */
    /* For itself. */
    struct index identities, runs, seen;
    struct row_run last_run;
    size_t last_machine;
};

/* Enters a row. 0, or -1 when out of memory. */
int gather_row(struct gather *g, const struct row *row);
void gather_free(struct gather *g);

/* The machine's value of the figure; NAN: none. */
double gather_value(const struct gather_figure *figure, size_t machine);
/* The setting's value that more than half of the machines that have one agree in; NULL: there is none. */
const char *gather_majority(const struct gather *g, size_t setting);
/* The machine's value; NULL: not known. */
const char *gather_setting(const struct gather *g, size_t setting, size_t machine);

#endif
