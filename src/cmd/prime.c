/* SPDX-License-Identifier: MIT */
/* jitbench prime: reads its options, plans its measurements, and prints its tables. */
#include "bench/experiment.h"

#include "cmd/cmd.h"

static const struct suite_options own[2] = {{.heading = "Options of prime", .bench = &bench_prime}};

static int plan(const struct measure *m, void *options, struct plan *out, struct error *error)
{
    struct prime_params *params = options;

    if ((params->limits.last - params->limits.first) / params->limits.step >= 1000)
        return error_set(error, "--limit: %llu to %llu by %llu are more than 1,000 limits",
                         (unsigned long long)params->limits.first, (unsigned long long)params->limits.last,
                         (unsigned long long)params->limits.step);
    for (params->limit = params->limits.first; params->limit <= params->limits.last;
         params->limit += params->limits.step)
        measure_add(m, out, &bench_prime, params, measure_named_cpus(m), 0);
    return 0;
}

static const struct table_column extra[] = {
    {COLUMN("Divisions", "divisions", TABLE_VALUE, 0), .rank = 6},
    {COLUMN("Primes", "primes", TABLE_VALUE, 0), .rank = 6},
};

static const struct experiment_tables layouts = {
    .test = "prime",
    .run_title = "Prime loop, each run: mean, and delays above it (A 150-400, B 400-2000, C 2000-6000, D over 6000)",
    .summary_title = "Prime loop: all runs together",
    .key = {COLUMN("Limit", "cycles", TABLE_PARAM_VALUE, 0), .key = "limit"},
    .extra = extra,
    .n_extra = COUNT(extra),
};

static void print(const struct table_rows *rows, struct text *out)
{
    cmd_print_experiments(rows, &layouts, out);
}

const struct suite suite_prime = {
    .command =
        {
            .name = "prime",
            .operands = "",
            .title = "times a register-only prime count a million times: CPU noise",
            .description =
                "Counts the primes below a small limit by trial division, in registers only, a million times a run, "
                "and times each count. A count that takes longer than the rest was disturbed by an interrupt, "
                "another task or the hypervisor. Runs on one CPU, and on all that --cpus names at once.",
            COMMAND_MEASURES(suite_prime),
        },
    .seconds = {[PRESET_DEFAULT] = 12, [PRESET_QUICK] = 3, [PRESET_CLASSIC] = 2000},
    .options_size = sizeof(struct prime_params),
    .options = own,
    .copies = true,
    .schedule = SCHEDULE_INTERLEAVED,
    .series_header = "limit,run,copy,experiment,ticks\n",
    .plan = plan,
    .print = print,
};
