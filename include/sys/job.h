/* SPDX-License-Identifier: MIT */
/* Job and rank of this process in a parallel job, from its launcher's environment variables. */
#ifndef SYS_JOB_H
#define SYS_JOB_H

#include <stdint.h>

struct job {
    const char *launcher; /* "Slurm", "Open MPI", "PMI"; NULL: none */
    char id[40];          /* "" when not known */
    char rank[16];        /* decimal; "" when not known */
    uint64_t ranks;       /* 0: not known */
    char node[65];        /* the launcher's name of this node; "" when not given */
    char wrong[120];      /* message about a variable that should be a number and is not; "": none */
};

/* lookup is getenv() except in tests. Of nested launchers the inner one counts: first Open MPI, then PMI, then Slurm
 * (only within a job step: a rank has no meaning outside), then PMIx. */
void job_read(const char *(*lookup)(const char *name), struct job *out);

#endif
