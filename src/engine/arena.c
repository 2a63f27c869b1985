/* SPDX-License-Identifier: MIT */
/* Size and layout of the shared memory, placement of the parties. */
#include "engine/trial_state.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/arena.h"
#include "engine/engine.h"
#include "rows/text.h"
#include "sys/process.h"

#define SETUP_DEADLINE_NS 60000000000u

/* Memory of a worker process: pages, page tables, kernel structures; 170 KiB measured. */
#define WORKER_BYTES (256u << 10)

static size_t align_up(size_t n)
{
    return (n + 63) & ~(size_t)63;
}

static size_t parties_size(const struct party *parties, unsigned n, size_t shared_size)
{
    size_t size = align_up(shared_size);

    for (unsigned p = 0; p < n; p++) {
        size += sizeof(struct trial_slot);
        for (unsigned r = 0; r < parties[p].n_recorders; r++)
            size += align_up(recorder_size(&parties[p].recorders[r]));
    }
    return size;
}

static size_t arena_size(const struct trial_spec *spec)
{
    const struct bench *bench = spec->bench;
    const struct load *load = spec->load;
    size_t size = align_up(sizeof(struct trial_head)) + align_up(bench->params_size) + 64;

    size += parties_size(bench->parties, bench->n_parties, bench->shared_size) * spec->copies;
    if (load)
        size += parties_size(load->parties, load->n_parties, load->shared_size) + align_up(load->params_size);
    return align_up(size);
}

uint64_t trial_memory_bytes(const struct trial_spec *spec)
{
    uint64_t processes = 0;

    for (unsigned p = 0; p < spec->bench->n_parties; p++)
        processes += spec->bench->parties[p].kind == PARTY_PROCESS ? spec->copies : 0;
    for (unsigned p = 0; spec->load && p < spec->load->n_parties; p++)
        processes += spec->load->parties[p].kind == PARTY_PROCESS;
    return arena_size(spec) + processes * WORKER_BYTES;
}

static size_t take(size_t *offset, size_t size)
{
    size_t at = *offset;

    *offset = align_up(at + size);
    return at;
}

static size_t add_params(struct trial_head *head, size_t *offset, const void *params, size_t size)
{
    const size_t at = take(offset, size);

    memcpy((char *)head + at, params, size);
    return at;
}

static void place_slot(const struct trial_spec *spec, const struct party *party, struct trial_slot *slot)
{
    if (slot->of_load && spec->load->place)
        spec->load->place(spec->load_params, spec->place, slot->party, &slot->placement);
    else if (!slot->of_load && spec->bench->place)
        spec->bench->place(spec->params, spec->place, slot->party, slot->copy, &slot->placement);
    else
        place_copy(spec->place, slot->copy, &slot->placement);
    slot->placement.lock_memory |= party->lock_memory;
    if (party->timer_slack_ns)
        slot->placement.timer_slack_ns = party->timer_slack_ns;
}

/* Timing threads cannot: they sleep. */
static bool can_be_busy(const struct party *party)
{
    return party->role != ROLE_TIMER && !party->sleeps;
}

/* Takes SCHED_FIFO from a whole copy, or the load, if no CPU would be left free: with a part in real time it would
 * measure something else. Parties that sleep keep it. */
static void leave_a_cpu(const struct trial_spec *spec, struct trial_slot *slots, unsigned n, struct place_claim *taken)
{
    const struct cpuset *online = &spec->place->online;
    struct place_claim with = *taken;

    for (unsigned i = 0; i < n; i++) {
        const struct party *party = arena_party(&slots[i], spec->bench, spec->load);
        if (can_be_busy(party))
            place_claim_add(&with, &slots[i].placement, party->children == CHILDREN_INHERIT, online);
    }
    if (!place_claim_full(&with, online)) {
        *taken = with;
        return;
    }
    for (unsigned i = 0; i < n; i++)
        if (can_be_busy(arena_party(&slots[i], spec->bench, spec->load)))
            place_give_up_fifo(&slots[i].placement);
}

void arena_place(const struct trial_spec *spec, struct trial_slot *slots, unsigned n)
{
    const unsigned each = spec->bench->n_parties, of_bench = spec->copies * each;
    struct place_claim taken = {.n_wide = 0};

    for (unsigned i = 0; i < n; i++)
        place_slot(spec, arena_party(&slots[i], spec->bench, spec->load), &slots[i]);
    for (unsigned i = 0; i < of_bench; i += each)
        leave_a_cpu(spec, &slots[i], each, &taken);
    leave_a_cpu(spec, &slots[of_bench], n - of_bench, &taken);
}

static bool can_be_on(const struct trial_slot *slot, unsigned cpu)
{
    return !cpuset_count(&slot->placement.cpus) || cpuset_has(&slot->placement.cpus, cpu);
}

/* Another party, or a process of this one, can run on another hardware thread of the CPU's core. */
static bool has_neighbour(const struct trial_spec *spec, const struct trial_slot *slots, unsigned n,
                          const struct trial_slot *slot, unsigned cpu)
{
    const unsigned *core = spec->core->core;
    bool starts = arena_party(slot, spec->bench, spec->load)->children != CHILDREN_NONE;

    for (unsigned thread = core[cpu]; thread != CPUSET_NONE; thread = cpuset_next(&spec->place->online, thread + 1)) {
        if (thread == cpu || core[thread] != core[cpu])
            continue;
        for (unsigned i = 0; i < n; i++)
            if (can_be_on(&slots[i], thread) && (starts || &slots[i] != slot))
                return true;
    }
    return false;
}

bool arena_shares_core(const struct trial_spec *spec, const struct trial_slot *slots, unsigned n)
{
    const struct cpuset *online = &spec->place->online;

    if (!spec->core || !spec->core->threads)
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (arena_party(&slots[i], spec->bench, spec->load)->role != ROLE_MEASURED)
            continue;
        for (unsigned cpu = cpuset_next(online, 0); cpu != CPUSET_NONE; cpu = cpuset_next(online, cpu + 1))
            if (can_be_on(&slots[i], cpu) && has_neighbour(spec, slots, n, &slots[i], cpu))
                return true;
    }
    return false;
}

/* Slots are by copy, the load's last; a process is followed by its threads. */
static void arena_lay_out(struct trial *trial, int arena_fd, size_t size)
{
    const struct trial_spec *spec = &trial->spec;
    const struct bench *bench = spec->bench;
    const struct load *load = spec->load;
    struct trial_head *head = trial->head;
    unsigned of_bench = spec->copies * bench->n_parties;
    size_t offset, shared = 0;

    head->magic = ARENA_MAGIC;
    head->size = size;
    head->parent = getpid();
    text_copy(head->bench, sizeof(head->bench), bench->name);
    text_copy(head->load, sizeof(head->load), load ? load->name : "");
    process_build_id(head->build, sizeof(head->build));
    head->copies = spec->copies;
    head->n_slots = trial->n_slots;
    head->sample = spec->sample;
    head->time_ns = spec->time_ns;
    head->clock = spec->clock->kind;
    if (spec->core)
        head->core_probe = spec->core->probe;
    head->setup_limit_ns = bench->setup_limit_ns ? bench->setup_limit_ns(spec->params) : SETUP_DEADLINE_NS;
    head->setup_limit_ns += (trial_turns(spec) - 1) * TURN_NS;
    head->fixed_layout = spec->place->layout_fixed;
    head->counted = spec->counters || !bench->switches;
    head->arena_fd = arena_fd;
    head->series_fd = spec->series_fd;
    offset = align_up(sizeof(*head) + trial->n_slots * sizeof(struct trial_slot));
    head->params_offset = add_params(head, &offset, spec->params, bench->params_size);
    if (load)
        head->load_params_offset = add_params(head, &offset, spec->load_params, load->params_size);
    for (unsigned i = 0; i < trial->n_slots; i++) {
        struct trial_slot *slot = &head->slot[i];
        slot->of_load = i >= of_bench;
        slot->copy = slot->of_load ? 0 : i / bench->n_parties;
        slot->party = slot->of_load ? i - of_bench : i % bench->n_parties;
        slot->stop_fd = -1;
        if (slot->party == 0)
            shared = take(&offset, slot->of_load ? load->shared_size : bench->shared_size);
        slot->shared = shared;
        for (unsigned p = 0; p < ARENA_PIPES_MAX; p++)
            slot->pipes[p][0] = slot->pipes[p][1] = -1;
        const struct party *party = arena_party(slot, bench, load);
        for (unsigned r = 0; r < party->n_recorders; r++)
            slot->recorder[r] = take(&offset, recorder_size(&party->recorders[r]));
    }
    arena_place(spec, head->slot, trial->n_slots);
    trial->shares_core = arena_shares_core(spec, head->slot, trial->n_slots);
}

int arena_make(struct trial *trial)
{
    size_t size = arena_size(&trial->spec);
    int fd = process_can_exec_self() ? process_shared_memory(size) : -1;
    int flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;

    /* Without a descriptor workers are plain forks, and the row says so. */
    void *arena = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd < 0 ? -1 : fd, 0);
    if (arena == MAP_FAILED) {
        int error = errno;
        close_if_open(fd);
        return -error;
    }
    trial->head = arena;
    arena_lay_out(trial, fd < 0 ? -1 : fd, size);
    return 0;
}
