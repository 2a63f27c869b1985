/* SPDX-License-Identifier: MIT */
/* Reads the job and rank of this process in a parallel job from the environment variables of its launcher. */
#ifndef SYS_JOB_H
#define SYS_JOB_H

#include <stdint.h>

struct job {
    const char *launcher; /* name of the launcher: "Slurm", "Open MPI", "PMI"; NULL: none */
    char id[40];          /* job ID; "" when not known */
    char rank[16];        /* rank of this process in decimal; "" when not known */
    uint64_t ranks;       /* number of ranks of the job; 0: not known */
    char node[65];        /* the launcher's name of this node; "" when not given */
    char wrong[120];      /* error message about a variable that should be a number and is not; "": none */
};

/* Reads the job. lookup is getenv(), or a replacement in tests. When launchers are nested, the inner one is used: the
 * variables of Open MPI come first, then those of PMI, then Slurm's (only within a job step, since a rank has no
 * meaning outside one), then PMIx's. */
void job_read(const char *(*lookup)(const char *name), struct job *out);

#endif
