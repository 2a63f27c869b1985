/* SPDX-License-Identifier: MIT */
/* The headline figures and settings of many machines, gathered row by row: what fleet judges. Memory goes with the rows
 * (some dozen bytes for each headline row), whatever they hold. */
#ifndef CMD_GATHER_H
#define CMD_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/index.h"
#include "engine/row.h"

/* One figure of all machines: of the rows that agree in suite, test, load, copies, metric, unit and the words of param
 * that say what the work is. Several rows of one machine (CPUs, runs) are pooled: their mean. */
struct gather_figure {
    char suite[24], test[48], load[48], metric[48], unit[24], work[96]; /* work: as much of it as has room */
    uint64_t copies;
    bool higher_is_better;
    size_t first, n; /* values[]: those of the machines that have one, by their number */
};

struct gather_value {
    uint32_t figure, machine, rows;
    float error; /* relative standard error, by the spread of the samples; NAN: not known */
    double value;
};

/* One thing that machines may differ in: a column (kernel, build, ...), an item of the columns settings and
 * scratch_disk, or the highest nice. */
struct gather_setting {
    uint32_t setting, machine, value; /* numbers in settings, machines and setting_values */
    uint32_t order;                   /* a later one replaces an earlier one */
};

struct gather_machine {
    size_t runs, rows, failed;
    bool namesake; /* another machine has its name */
    bool many_ranks;
    char rank[16];
    bool has_nice;
    double nice; /* the highest */
};

struct gather_name {
    size_t first;
    unsigned machines;
    bool vague; /* nothing is known of the first one's CPUs */
};

struct gather {
    bool by_rank;          /* each rank is a machine */
    struct index machines; /* printable name, and "(2)" behind it where another machine has the same */
    struct gather_machine *machine;
    size_t machine_capacity;
    struct index figures;
    struct gather_figure *figure;
    size_t figure_capacity;
    struct gather_value *values;
    size_t n_values, values_capacity;
    struct index settings, setting_values;
    struct gather_setting *setting;
    size_t n_setting, setting_capacity;
    uint64_t doubles;      /* rows that came a second time, and were left out */
    uint64_t without_rank; /* by_rank: rows that have no number of a rank, and count for the host */
    /* For itself. */
    struct index names, identities, runs, seen;
    struct gather_name *name;
    size_t name_capacity;
    uint32_t *of_identity; /* the machine */
    size_t of_identity_capacity;
    struct row_run last_run;
    size_t last_machine;
    char last_disk[sizeof(((struct row *)NULL)->scratch_disk)];
    size_t last_disk_machine;
};

/* Enters a row. 0, or -1 when out of memory. Texts are sanitized for the terminal. */
int gather_row(struct gather *g, const struct row *row);
/* Once, behind the last row; what follows needs it. 0, or -1 when out of memory. */
int gather_finish(struct gather *g);
void gather_free(struct gather *g);

/* The machine's value of the figure; NAN: none. */
double gather_value(const struct gather *g, size_t figure, size_t machine);
/* The setting's value that more than half of the machines that have one agree in; NULL: there is none. */
const char *gather_majority(const struct gather *g, size_t setting);
/* The machine's value; NULL: not known. */
const char *gather_setting(const struct gather *g, size_t setting, size_t machine);

#endif
