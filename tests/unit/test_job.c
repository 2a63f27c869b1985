/* SPDX-License-Identifier: MIT */
/* Job and rank from made-up environments. */

#include "../test.h"
#include "sys/process.h"

/* words: "NAME=value", NULL-ended. */
static struct job job_of(const char *const *words)
{
    char **before = environ;
    struct job job;

    memset(&job, 0x55, sizeof(job));
    environ = (char **)words;
    job_read(&job);
    environ = before;
    return job;
}

static void expect(const char *const *words, const char *launcher, const char *id, const char *rank, uint64_t ranks)
{
    struct job job = job_of(words);

    if (launcher)
        assert_string_equal(job.launcher, launcher);
    else
        assert_null(job.launcher);
    assert_string_equal(job.id, id);
    assert_string_equal(job.rank, rank);
    assert_int_equal(job.ranks, ranks);
    assert_string_equal(job.wrong, "");
}

TEST(test_job_none)
{
    const char *const nothing[] = {NULL};

    expect(nothing, NULL, "", "", 0);
    assert_string_equal(job_of(nothing).node, "");
}

TEST(test_job_of_slurm)
{
    const char *const step[] = {"SLURM_JOB_ID=77", "SLURM_STEP_ID=0",    "SLURM_PROCID=3",
                                "SLURM_NTASKS=4",  "SLURMD_NODENAME=n4", NULL};

    expect(step, "Slurm", "77", "3", 4);
    assert_string_equal(job_of(step).node, "n4");
}

/* A step of two tasks within an allocation of four. */
TEST(test_job_of_slurm_counts_the_step)
{
    const char *const step[] = {"SLURM_JOB_ID=77", "SLURM_STEP_ID=0",        "SLURM_PROCID=1",
                                "SLURM_NTASKS=4",  "SLURM_STEP_NUM_TASKS=2", NULL};

    expect(step, "Slurm", "77", "1", 2);
}

/* SLURM_PROCID is set there too, but the script runs once. */
TEST(test_job_batch_script_has_no_rank)
{
    const char *const batch[] = {"SLURM_JOB_ID=77", "SLURM_PROCID=0", "SLURM_NTASKS=4", NULL};

    expect(batch, NULL, "77", "", 0);
}

/* mpirun's own daemon is the step's task there. */
TEST(test_job_inner_launcher_counts)
{
    const char *const mpirun[] = {
        "SLURM_JOB_ID=77",        "SLURM_STEP_ID=0",        "SLURM_PROCID=0", "SLURM_NTASKS=2",
        "OMPI_COMM_WORLD_RANK=5", "OMPI_COMM_WORLD_SIZE=8", "PMIX_RANK=9",    NULL};
    const char *const alone[] = {"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1", "PMIX_NAMESPACE=prterun-box-9",
                                 NULL};

    expect(mpirun, "Open MPI", "77", "5", 8);
    expect(alone, "Open MPI", "prterun-box-9", "0", 1);
}

TEST(test_job_of_pmi)
{
    const char *const pmi[] = {"PMI_RANK=0", "PMI_SIZE=12", "PMI_JOBID=kvs_1", NULL};

    expect(pmi, "PMI", "kvs_1", "0", 12);
}

TEST(test_job_what_is_no_number_is_said)
{
    const char *const empty[] = {"PMI_RANK=", NULL}, *const minus[] = {"PMI_RANK=-1", "PMI_SIZE=4", NULL},
                      *const size[] = {"PMI_RANK=2", "PMI_SIZE=4x", NULL},
                      *const huge[] = {"PMI_RANK=99999999999999999999", NULL};

    assert_string_equal(job_of(empty).wrong, "PMI_RANK='' is not a number");
    assert_string_equal(job_of(minus).wrong, "PMI_RANK='-1' is not a number");
    assert_string_equal(job_of(minus).rank, "");
    assert_string_equal(job_of(size).wrong, "PMI_SIZE='4x' is not a number");
    assert_string_equal(job_of(size).rank, "2");
    assert_string_equal(job_of(huge).rank, "");
}
