/* SPDX-License-Identifier: MIT */
/* Gathers the headline figures and settings of many machines row by row, for fleet; or of many runs, for history. It
 * needs some dozen bytes of memory for each row of a headline metric, whatever the rows contain. */
#ifndef ANALYSIS_FLEET_GATHER_H
#define ANALYSIS_FLEET_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/metrics.h"
#include "rows/index.h"
#include "rows/row.h"

/* A figure: one result by which machines are compared, with its values on all machines. It has the rows that agree in
 * suite, test, load, copies, metric, unit and the parameters that identify the measured work. Several rows of one
 * machine (CPUs, runs) are averaged. One further figure is made from the column core_share: the share of its CPU core
 * that a test had. */
struct gather_figure {
    char suite[24], test[48], load[48], metric[48], unit[24], work[96]; /* work: words of param, cut if too long */
    char protocol[ROW_PROTOCOL_SIZE];
    uint64_t copies;
    bool higher_is_better;
    /* index + 1 of the same figure with the core free (measured only while no one else used the core), if all machines
     * that have this figure know it, and index + 1 of the same figure over the whole time; 0: none */
    size_t alone, raw;
    size_t first, n; /* range in values[]: the machines that have the figure, in the order of their numbers */
};

struct gather_value {
    uint32_t figure, machine, rows;
    float error; /* relative standard error from the samples' spread; NAN: not known */
    double value;
};

/* A property in which machines may differ: a column (kernel, build, ...), an item of the columns settings and
 * scratch_disk, or the highest nice value. */
struct gather_setting {
    uint32_t setting, machine, value; /* indices in settings, machines and setting_values */
    uint32_t order;                   /* a later value replaces an earlier one */
};

struct gather_machine {
    size_t runs, rows, failed;
    bool namesake; /* another machine has the same name */
    bool many_ranks;
    char rank[16];
    bool has_nice;
    double nice; /* highest nice value of the machine's rows */
};

struct gather_name {
    size_t first;
    unsigned machines;
    bool vague; /* the first machine of this name has no known CPU model, architecture and number of CPUs */
};

struct gather {
    bool by_rank; /* each rank counts as a machine */
    bool by_run;  /* each run counts as a machine, named by its time and id */
    /* column of statistics that is used in place of `value`; the share of the core, and figures measured only while no
     * one else used the core, are then left out. NULL: `value` is used. */
    const struct row_column *stat;
    const struct metrics *metrics; /* table that tells which metrics are headline figures */
    struct index machines;         /* printable name, with "(2)" appended where another machine has the same name */
    struct gather_machine *machine;
    size_t machine_capacity;
    struct index figures;
    struct gather_figure *figure;
    size_t figure_capacity;
    size_t share; /* index + 1 of the figure made of the core's share; 0: no row has it */
    struct gather_value *values;
    size_t n_values, values_capacity;
    struct index settings, setting_values;
    struct gather_setting *setting;
    size_t n_setting, setting_capacity;
    uint64_t doubles;      /* duplicate rows, which were left out */
    uint64_t without_rank; /* if by_rank: number of rows without a rank number, whose machine is the host */
    /* Private. */
    struct index names, identities, runs, seen;
    struct gather_name *name;
    size_t name_capacity;
    uint32_t *of_identity; /* index of the machine for each entry of identities */
    size_t of_identity_capacity;
    struct row_run last_run;
    size_t last_machine;
    char last_disk[sizeof(((struct row *)NULL)->scratch_disk)];
    size_t last_disk_machine;
};

/* Adds a row. Control characters in its texts are replaced. Ends the program when out of memory. */
void gather_row(struct gather *g, const struct row *row);
/* Completes the figures after the last row; required by the functions below. */
void gather_finish(struct gather *g);
void gather_free(struct gather *g);

/* Returns the machine's value of the figure; NAN: none. */
double gather_value(const struct gather *g, size_t figure, size_t machine);
/* Returns the setting's value that more than half of the machines with a value have; NULL: there is none. */
const char *gather_majority(const struct gather *g, size_t setting);
/* Returns the machine's value of the setting; NULL: not known. */
const char *gather_setting(const struct gather *g, size_t setting, size_t machine);

#endif
