/* SPDX-License-Identifier: MIT */
/* Which rank of which job this process is, as its launcher says in the environment. */
#ifndef SYS_JOB_H
#define SYS_JOB_H

#include <stddef.h>
#include <stdint.h>

struct job {
    const char *launcher; /* "Slurm", "Open MPI", "PMI"; NULL: none */
    char id[40];          /* "" when not known */
    char rank[16];        /* decimal; "" when not known */
    uint64_t ranks;       /* of the job; 0: not known */
    char node[65];        /* the launcher's name of this node; "" when it gives none */
    char wrong[120];      /* "": all well; otherwise what is set and is no number, in words */
};

/* lookup is getenv(), or a test's. A launcher within another comes first: Open MPI's own variables, PMIx's and PMI's,
 * then Slurm's, and those only within a step, where a rank means something. */
void job_read(const char *(*lookup)(const char *name), struct job *out);

#endif
