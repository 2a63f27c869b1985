/* SPDX-License-Identifier: MIT */
/* The list of benchmarks: a new one is a file of its own and a line here. */
#include "bench/list.h"

#include <string.h>

#include "bench/command.h"
#include "bench/noise.h"
#include "bench/prime.h"
#include "bench/sim.h"
#include "bench/stream.h"
#include "bench/unix.h"

const struct bench *const bench_list[] = {
    &bench_noise,
    &bench_prime,
    &bench_array,
    &bench_bandwidth,
    &bench_dhry2reg,
    &bench_whetstone,
    &bench_execl,
    &bench_fcopy1024,
    &bench_fcopy256,
    &bench_fcopy4096,
    &bench_pipe,
    &bench_context1,
    &bench_spawn,
    &bench_shell1,
    &bench_shell8,
    &bench_syscall,
    &bench_fwrite1024,
    &bench_fwrite256,
    &bench_fwrite4096,
    &bench_fread1024,
    &bench_fread256,
    &bench_fread4096,
    &bench_short,
    &bench_int,
    &bench_long,
    &bench_float,
    &bench_double,
    &bench_arithoh,
    &bench_hanoi,
    &bench_sysexec,
    &bench_shell16,
    &bench_sysclose,
    &bench_sysgetpid,
    &bench_calibrate,
    &bench_audio,
    &bench_video,
    &bench_x,
    &bench_gaming,
    &bench_custom,
    &bench_command,
    NULL,
};

const struct metric *bench_find_metric(const char *suite, const char *test, const char *metric)
{
    const struct metric *found = NULL;

    for (size_t b = 0; bench_list[b]; b++) {
        const bool named = !strcmp(bench_list[b]->name, test);
        if (strcmp(bench_list[b]->suite, suite) != 0 || (found && !named))
            continue;
        for (unsigned m = 0; m < bench_list[b]->n_metrics; m++)
            if (!strcmp(bench_metric(bench_list[b], m)->id, metric))
                found = bench_metric(bench_list[b], m);
    }
    return found;
}

bool bench_is_headline(const char *suite, const char *metric, const char *better)
{
    bool known = false;

    for (size_t b = 0; bench_list[b]; b++)
        for (unsigned m = 0; m < bench_list[b]->n_metrics && !strcmp(bench_list[b]->suite, suite); m++) {
            const struct metric *candidate = bench_metric(bench_list[b], m);
            if (strcmp(candidate->id, metric) != 0)
                continue;
            if (candidate->headline)
                return candidate->better[0];
            known = true;
        }
    return !known && better[0];
}
