/* SPDX-License-Identifier: MIT */
/* Results of a trial that has ended. */
#include "engine/trial_state.h"

#include "engine/engine.h"

enum trial_outcome trial_outcome(const struct trial *trial)
{
    return trial->outcome;
}

bool trial_stopped(const struct trial *trial)
{
    return trial->stopped || (trial->late && trial->outcome == TRIAL_FAILED);
}

const char *trial_reason(const struct trial *trial)
{
    return trial->reason;
}

const struct trial_spec *trial_spec_of(const struct trial *trial)
{
    return &trial->spec;
}

int64_t trial_late_ns(const struct trial *trial)
{
    return trial->late_ns;
}

uint64_t trial_gate_ns(const struct trial *trial)
{
    return trial->gate_ns;
}

uint64_t trial_wall_ns(const struct trial *trial)
{
    return trial->wall_ns;
}

void trial_copy_machine(const struct trial *trial, unsigned copy, struct machine_counters *out)
{
    *out = trial->machine[trial->n_machine == 1 ? 0 : copy];
}

const struct culprits *trial_copy_culprits(const struct trial *trial, unsigned copy)
{
    return &trial->culprits[trial->n_machine == 1 ? 0 : copy];
}

static const struct trial_slot *slot_of(const struct trial *trial, unsigned party, unsigned copy)
{
    return &trial->head->slot[copy * trial->spec.bench->n_parties + party];
}

static void fill_party(const struct trial_slot *slot, struct trial_party *out)
{
    *out = (struct trial_party){.seen = slot->seen,
                                .counters = slot->counters,
                                .counts = slot->counts,
                                .start_ns = slot->start_ns,
                                .end_ns = slot->end_ns,
                                .last_cpu = slot->last_cpu,
                                .khz = slot->khz,
                                .bind = slot->placement.bind,
                                .refused = slot->refused};
}

void trial_party(const struct trial *trial, unsigned party, unsigned copy, struct trial_party *out)
{
    fill_party(slot_of(trial, party, copy), out);
}

void trial_load_party(const struct trial *trial, unsigned party, struct trial_party *out)
{
    fill_party(slot_of(trial, 0, trial->spec.copies) + party, out);
}

double trial_load_count(const struct trial *trial, enum load_count count)
{
    return trial->load_count[count];
}

bool trial_shares_core(const struct trial *trial)
{
    return trial->shares_core;
}

int trial_control_priority(const struct trial *trial)
{
    return trial->control;
}

const char *trial_control_refused(const struct trial *trial)
{
    return trial->control_refused;
}

const void *trial_recorder(const struct trial *trial, unsigned party, unsigned copy, unsigned recorder)
{
    return (const char *)trial->head + slot_of(trial, party, copy)->recorder[recorder];
}
