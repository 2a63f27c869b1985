/* SPDX-License-Identifier: MIT */
#include <sched.h>

#include "load/load.h"

#define ADDRESS(name) &load_##name,
const struct load *const load_list[] = {LOADS(ADDRESS) NULL};

#define NAME(name) #name,
const char *const load_names[] = {LOADS(NAME) NULL};

/* Small: there may be thousands, which do little but system calls. */
#define STACK_BYTES (64L << 10)

void load_place(const struct place_of *of, struct placement *placement)
{
    const struct load_params *p = of->params;

    memset(placement, 0, sizeof(*placement));
    sim_place_cpus(&p->sim, of->request, placement);
    placement->policy = SCHED_OTHER;
    placement->nice_given = p->nice_given;
    placement->nice = p->nice;
}

bool load_due(uint64_t *due_ns, uint64_t now_ns)
{
    if (now_ns < *due_ns)
        return false;
    *due_ns = now_ns + LOAD_REFRESH_NS;
    return true;
}

void load_count_cpu(struct party_context *context, uint64_t *due_ns)
{
    if (load_due(due_ns, clock_raw_ns()))
        load_set(context, LOAD_CPU, task_process_cpu_s());
}

void load_size_text(uint64_t bytes, char *buf, size_t size)
{
    static const char units[] = "KMGT";
    size_t unit = 0;

    for (; bytes && bytes % 1024 == 0 && units[unit]; unit++)
        bytes /= 1024;
    snprintf(buf, size, "%" PRIu64 "%.*s", bytes, unit ? 1 : 0, unit ? units + unit - 1 : "");
}

/* A signal frame may need more than STACK_BYTES: some vector units have much state. */
static size_t stack_size(void)
{
    long least = sysconf(_SC_THREAD_STACK_MIN);

    return (size_t)(least > STACK_BYTES / 2 ? 2 * least : STACK_BYTES);
}

static void let_go(struct threads *threads)
{
    __atomic_store_n(&threads->made, 1, __ATOMIC_RELEASE);
    futex_wake_all(&threads->made);
}

int threads_start(struct threads *threads, struct party_context *context, size_t n, void *(*body)(void *),
                  void *members, size_t member_size)
{
    pthread_attr_t attributes;
    int error = 0;

    *threads = (struct threads){.id = n <= UINT32_MAX ? calloc(n ? n : 1, sizeof(*threads->id)) : NULL};
    if (!threads->id || pthread_attr_init(&attributes))
        return party_fail(context, "out of memory");
    pthread_attr_setstacksize(&attributes, stack_size());
    while (threads->n < n && !error) {
        error = pthread_create(&threads->id[threads->n], &attributes, body, (char *)members + threads->n * member_size);
        threads->n += !error;
    }
    pthread_attr_destroy(&attributes);
    if (!error) {
        let_go(threads);
        return 0;
    }
    return party_fail(context, "cannot make thread %u of %zu: %s%s", threads->n + 1, n, strerror(error),
                      error == EAGAIN ? " (RLIMIT_NPROC, the pids cgroup or memory)" : "");
}

bool threads_wait(struct threads *threads)
{
    while (!__atomic_load_n(&threads->made, __ATOMIC_ACQUIRE))
        futex_wait(&threads->made, 0);
    return !threads_ended(threads);
}

void threads_end(struct threads *threads)
{
    __atomic_store_n(&threads->ended, 1, __ATOMIC_RELEASE);
    let_go(threads);
}

void threads_join(struct threads *threads)
{
    for (uint32_t i = 0; i < threads->n; i++)
        pthread_join(threads->id[i], NULL);
    free(threads->id);
    *threads = (struct threads){.n = 0};
}

/* --- Loads made of parties of other files; the timing thread has the normal policy here. --- */

const struct load load_none = {LOAD("none", "nothing beside the benchmark")};

#define SIM_LOAD(name_, title_) \
    LOAD(name_, title_), .parties = sim_load_parties, .n_parties = 2, .shared_size = SIM_SHARED_SIZE, \
                         .least = {[LOAD_BURSTS] = 0.5}, .calibrate = sim_calibrate

const struct load load_video = {SIM_LOAD("video", "video playing: 40 % of a CPU, 60 times a second")};
const struct load load_x = {SIM_LOAD("x", "a window being dragged: 0 to 100 % of a CPU")};

static void describe_custom(const void *params, struct row_params *out)
{
    const struct sim_params *sim = params;

    row_param_count(out, PARAM_WORK, "load_interval_us", sim->interval_ns / 1000);
    row_param_count(out, PARAM_WORK, "load_busy_us", sim->busy_ns / 1000);
}

const struct load load_custom = {
    SIM_LOAD("custom", "the custom simulation as a load"),
    .only_named = true,
    .describe = describe_custom,
};
