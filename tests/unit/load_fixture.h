/* SPDX-License-Identifier: MIT */
/* The party of a load in the test's own process: set up, run in a thread until the test has seen enough, and ended. */
#ifndef LOAD_FIXTURE_H
#define LOAD_FIXTURE_H

#include "bench_fixture.h"

#include "load/load.h"

/* Long enough for any machine; a run that comes to nothing ends the test. */
enum { LOAD_PATIENCE_MS = 20000 };

struct load_party {
    struct fixture_party p;
    struct bench bench;
    pthread_t thread;
    bool ended; /* by itself */
    int failed;
    struct task_counters used; /* by its main thread */
};

static inline void *load_party_main(void *argument)
{
    struct load_party *l = argument;
    struct task_counters before;

    task_read_usage(&before);
    l->failed = l->p.party->run(&l->p.context);
    task_read_usage(&l->used);
    l->used.ctx_voluntary -= before.ctx_voluntary;
    __atomic_store_n(&l->ended, true, __ATOMIC_RELEASE);
    return NULL;
}

/* Before setup. */
static inline void load_party_begin(struct load_party *l, const struct load *load, const struct load_params *params)
{
    memset(l, 0, sizeof(*l));
    l->bench.parties = load->parties;
    fixture_party_begin(&l->p, &l->bench, params);
    l->p.head->event_fd = -1;
}

static inline void load_party_start(struct load_party *l)
{
    if (l->p.party->setup)
        assert_int_equal(l->p.party->setup(&l->p.context), 0);
    assert_int_equal(pthread_create(&l->thread, NULL, load_party_main, l), 0);
}

static inline double load_party_count(const struct load_party *l, enum load_count count)
{
    double value;

    __atomic_load((double *)l->p.context.recorder[0] + count, &value, __ATOMIC_ACQUIRE);
    return value;
}

static inline bool load_party_proved(const struct load_party *l)
{
    return __atomic_load_n(&l->p.head->slot[0].state, __ATOMIC_ACQUIRE) == STATE_READY;
}

static inline const char *load_party_degraded(const struct load_party *l)
{
    return l->p.head->slot[0].refused;
}

/* Until the party has proved itself and the count is that high. False when that does not happen. */
static inline bool load_party_wait(struct load_party *l, enum load_count count, double until)
{
    for (int i = 0; i < LOAD_PATIENCE_MS && !__atomic_load_n(&l->ended, __ATOMIC_ACQUIRE); i++) {
        if (load_party_proved(l) && load_party_count(l, count) >= until)
            return true;
        clock_sleep_ns(MS);
    }
    return false;
}

/* Returns what run did. */
static inline int load_party_end(struct load_party *l)
{
    __atomic_store_n(&l->p.head->stop, 1, __ATOMIC_RELEASE);
    assert_int_equal(pthread_join(l->thread, NULL), 0);
    fixture_party_end(&l->p);
    return l->failed;
}

/* tests/dist/unit.sh says so: this process has threads and memory of the emulator's, too. */
static inline bool load_emulated(void)
{
    return getenv("JITBENCH_EMULATED") != NULL;
}

/* Number of threads of this process; 0 when there is no /proc. */
static inline uint64_t load_count_threads(void)
{
    char text[4096], value[32];
    uint64_t n = 0;

    if (load_emulated())
        return 0;
    if (procfs_read("/proc/self/status", text, sizeof(text)) > 0 && procfs_value(text, "Threads", value, sizeof(value)))
        (void)procfs_number(value, &n);
    return n;
}

/* The same, after waiting until joined threads are gone: the kernel shows them a moment longer. */
static inline uint64_t load_alone(void)
{
    for (int i = 0; i < LOAD_PATIENCE_MS && load_count_threads() > 1; i++)
        clock_sleep_ns(MS);
    return load_count_threads();
}

static inline void load_assert_described(const struct load *load, const struct load_params *params, const char *as)
{
    struct row_params out = {.n = 0};

    load->describe(params, &out);
    assert_string_equal(out.text, as);
}

#endif
