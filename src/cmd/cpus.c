/* SPDX-License-Identifier: MIT */
/* Resolves --cpus, also to the quietest CPU. Without it, measurements take the order of machine_cpu_order(). */

#include "bench/noise.h"
#include "cmd/cmd.h"

const char *const cpus_choices[] = {[CPUS_ALL] = "all", [CPUS_QUIET] = "quiet", NULL};

/* Whether the kernel allows exactly these, or that is not known; otherwise usable has those that it allows. Tries
 * it: an isolated CPU is missing in the mask but may be used, and a cpuset cgroup may forbid one that is online. */
static bool cpus_usable(const struct cpuset *wanted, struct cpuset *usable)
{
    struct cpuset before;
    bool same = false;

    cpuset_clear(usable);
    if (task_get_affinity(&before))
        return true; /* not known; the worker will report a failure */
    int error = task_set_affinity(wanted);
    /* refused by a container or an old emulator, whatever the CPUs */
    if (error == -EPERM || error == -ENOSYS)
        return true;
    if (error == 0)
        same = task_get_affinity(usable) || cpuset_equal(wanted, usable);
    task_set_affinity(&before);
    return same;
}

/* This process's mask, otherwise the online CPUs, otherwise CPU 0. */
static void cpus_of_mask(const struct cpuset *online, struct cpuset *out)
{
    if (task_get_affinity(out) == 0)
        return;
    *out = *online;
    if (!cpuset_count(out))
        cpuset_add(out, 0);
}

static int check_online(const struct cpuset *cpus, const struct cpuset *online)
{
    const struct cpuset offline = cpuset_without(cpus, online);

    if (cpuset_is_empty(&offline))
        return 0;
    return usage_error("--cpus: CPU %s is offline or does not exist (online: %s)", CPUS_TEXT(&offline, 256),
                       CPUS_TEXT(online, 128));
}

int cpus_place(const struct option_cpus *named, const struct machine *machine, struct place_request *place)
{
    struct cpuset *cpus = &place->cpus, usable;

    place->online = machine->online;
    if (named && named->choice < 0) {
        *cpus = named->set;
        if (!cpuset_count(&place->online))
            task_get_affinity(&place->online);
        if (check_online(cpus, &place->online))
            return EXIT_USAGE;
        if (!cpus_usable(cpus, &usable))
            return usage_error("--cpus: not all of these CPUs are allowed here (allowed: %s)",
                               cpuset_count(&usable) ? CPUS_TEXT(&usable, 256) : "none of them");
    } else {
        cpus_of_mask(&machine->online, cpus);
        if (named && cpuset_count(&machine->online)) { /* includes isolated CPUs, which are missing in the mask */
            cpus_usable(&machine->online, &usable);
            cpuset_union(cpus, &usable);
        }
        if (!cpuset_count(&place->online))
            place->online = *cpus;
    }
    place->n_order = machine_cpu_order(cpus, place->order, CPUSET_MAX);
    if (!place->n_order && cpuset_count(cpus))
        memory_out();
    return 0;
}

int cpus_bench(const struct option_cpus *named, const struct machine *machine, struct cpuset *bench)
{
    if (!named) {
        settings_bench_cpus(machine, bench);
        return 0;
    }
    if (named->choice < 0) {
        *bench = named->set;
        return cpuset_count(&machine->online) ? check_online(bench, &machine->online) : 0;
    }
    if (named->choice == CPUS_QUIET) {
        FREED struct place_request *allowed = memory_get(1, sizeof(*allowed));
        struct clock_info clock;
        struct error why;
        cpus_place(named, machine, allowed);
        clock_choose(&clock);
        const int failed = quiet_cpu(allowed, &clock, true, &why);
        *bench = allowed->cpus;
        return failed ? usage_error("--cpus quiet: %s", why.text) : 0;
    }
    *bench = machine->online;
    if (!cpuset_count(bench))
        cpus_of_mask(&machine->online, bench);
    return 0;
}

#define LOOK_NS 500000000u

static bool loses_less(double a, double b)
{
    return a < b || (isnan(b) && !isnan(a));
}

/* At most three digits, no exponent. Until the end of the block. */
#define SHARE(pct) \
    (isnan(pct) ? "an unknown share" : (pct) > 0 && (pct) < 0.0001 ? "less than 0.0001 %" : TEXT_LINE("%.3g %%", pct))

unsigned quiet_pick(const unsigned *cpus, const double *slower, const double *lost, size_t n, unsigned boot_cpu,
                    struct error *why)
{
    const double *by = lost;
    size_t best = n, boot = n, worst = 0;

    for (size_t i = 0; i < n; i++)
        by = isnan(slower[i]) ? by : slower;
    for (size_t i = 0; i < n; i++) {
        worst = loses_less(by[worst], by[i]) ? i : worst;
        if (cpus[i] == boot_cpu)
            boot = i;
        else if (best == n || loses_less(by[i], by[best]))
            best = i;
    }
    const size_t chosen = best == n || (boot < n && loses_less(2 * by[boot], by[best])) ? boot : best;
    error_set(why, "CPU %u lost %s of its speed in half a second", cpus[chosen], SHARE(by[chosen]));
    if (by == slower && lost[chosen] < 100)
        TEXT_ADD(why->text, ": %s to detours, %s of the rest to sharing its core", SHARE(lost[chosen]),
                 SHARE(100 - 100 * (100 - slower[chosen]) / (100 - lost[chosen])));
    if (loses_less(by[chosen], by[worst]))
        TEXT_ADD(why->text, ", the noisiest %s", SHARE(by[worst]));
    if (boot < n && loses_less(by[boot], by[chosen]))
        TEXT_ADD(why->text, "; CPU %u lost %s, but it is the boot CPU", boot_cpu, SHARE(by[boot]));
    return cpus[chosen];
}

static unsigned pick(const struct trial *trial, const struct place_request *request, struct error *why)
{
    FREED double *lost = memory_get(2 * request->n_order, sizeof(*lost));
    double *const slower = lost + request->n_order;

    for (unsigned i = 0; trial->spec.core && i < request->n_order; i++) { /* how fast a free core is */
        const struct core_record *record = trial_recorder(trial, 0, i, NOISE_CORE);
        core_learn(trial->spec.core, request->order[i], record->probes);
    }
    for (unsigned i = 0; i < request->n_order; i++) {
        lost[i] = noise_lost_pct(trial_recorder(trial, 0, i, NOISE_NUMBERS));
        slower[i] = noise_slower_pct(trial, i, &lost[i]);
    }
    return quiet_pick(request->order, slower, lost, request->n_order, cpuset_next(&request->online, 0), why);
}

int quiet_cpu(struct place_request *allowed, const struct clock_info *clock, bool core_probes, struct error *why)
{
    const struct noise_params params = {.threshold = "8x", .threshold_loops = 8};

    if (allowed->n_order == 1) {
        error_set(why, "CPU %u is the only one", allowed->order[0]);
        return 0;
    }
    /* one copy on each CPU, whatever the user's placement */
    FREED struct place_request *request = memory_get(1, sizeof(*request));
    *request = *allowed;
    request->bind = BIND_ONE;
    request->nice_given = request->fifo = false;
    FREED struct core_session *core = core_probes ? core_session_make(clock, &allowed->online) : NULL;
    const struct trial_spec spec = {.bench = &bench_noise,
                                    .params = &params,
                                    .copies = (unsigned)request->n_order,
                                    .time_ns = LOOK_NS,
                                    .place = request,
                                    .clock = clock,
                                    .core = core,
                                    .series_fd = -1};
    struct trial *trial = trial_run(&spec);
    if (!trial)
        memory_out();
    const bool done = trial->outcome == TRIAL_DONE;
    if (done) {
        allowed->order[0] = pick(trial, request, why);
        allowed->n_order = 1;
        cpuset_clear(&allowed->cpus);
        cpuset_add(&allowed->cpus, allowed->order[0]);
    } else {
        error_set(why, "%s", trial->reason);
    }
    trial_free(trial);
    return done ? 0 : -1;
}
