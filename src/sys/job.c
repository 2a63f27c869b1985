/* SPDX-License-Identifier: MIT */
#include "sys/base.h"
#include "sys/process.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct launcher {
    const char *name, *rank;
    const char *ranks[3], *id[3]; /* the first one set is used */
    const char *within;           /* must be set as well; NULL: none */
} launchers[] = {
    {.name = "Open MPI",
     .rank = "OMPI_COMM_WORLD_RANK",
     .ranks = {"OMPI_COMM_WORLD_SIZE"},
     .id = {"SLURM_JOB_ID", "PBS_JOBID", "PMIX_NAMESPACE"}},
    {.name = "PMI", .rank = "PMI_RANK", .ranks = {"PMI_SIZE"}, .id = {"SLURM_JOB_ID", "PBS_JOBID", "PMI_JOBID"}},
    {.name = "Slurm",
     .rank = "SLURM_PROCID",
     .ranks = {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
     .id = {"SLURM_JOB_ID"},
     .within = "SLURM_STEP_ID"},
    {.name = "PMIx", .rank = "PMIX_RANK", .id = {"PBS_JOBID", "PMIX_NAMESPACE"}},
};

/* Returns whether the text is digits only, and fits into 64 bits and into size. */
static bool is_number(const char *s, size_t size)
{
    errno = 0;
    strtoull(s, NULL, 10);
    return *s && strlen(s) < size && !s[strspn(s, "0123456789")] && errno == 0;
}

static const char *first_set(const char *(*lookup)(const char *), const char *const names[3], const char **name)
{
    for (unsigned i = 0; i < 3 && names[i]; i++) {
        const char *value = lookup(names[i]);
        if (value && *value) {
            *name = names[i];
            return value;
        }
    }
    return NULL;
}

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

static void complain(struct job *job, const char *name, const char *value)
{
    if (!job->wrong[0])
        snprintf(job->wrong, sizeof(job->wrong), "%s='%.40s' is not a number", name, value);
}

void job_read(const char *(*lookup)(const char *name), struct job *out)
{
    const char *name, *value;

    memset(out, 0, sizeof(*out));
    copy(out->node, sizeof(out->node), lookup("SLURMD_NODENAME"));
    for (size_t i = 0; i < COUNT(launchers); i++) {
        const struct launcher *launcher = &launchers[i];
        const char *rank = lookup(launcher->rank);
        if (!rank || (launcher->within && !lookup(launcher->within)))
            continue;
        out->launcher = launcher->name;
        copy(out->id, sizeof(out->id), first_set(lookup, launcher->id, &name));
        if (is_number(rank, sizeof(out->rank)))
            copy(out->rank, sizeof(out->rank), rank);
        else
            complain(out, launcher->rank, rank);
        value = first_set(lookup, launcher->ranks, &name);
        if (value && is_number(value, 21))
            out->ranks = strtoull(value, NULL, 10);
        else if (value)
            complain(out, name, value);
        return;
    }
    /* A batch script runs once per job and has no rank. */
    copy(out->id, sizeof(out->id), lookup("SLURM_JOB_ID"));
}
