/* SPDX-License-Identifier: MIT */
/* Copy bandwidth by memcpy, `rep movsb` and a plain loop, to hold jitbench's stream kernels against.
 *
 * Usage: bandwidth CPUS BYTES REPETITIONS, as `bandwidth 0,1 134217728 50`: one pinned thread a CPU, BYTES of each of
 * the two arrays in all. Prints `name best_MBps median_MBps`, 16 bytes an element, MB = 10^6 bytes. Each method copies
 * twice in a row and only the second copy counts, so that none profits from what another left in the caches; the
 * methods take turns, so that a change of the machine's speed meets all of them. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { MAX_CPUS = CPU_SETSIZE, ALIGNMENT = 2 << 20, BLOCK = 64 };

#ifdef __clang__
#define KEEP_LOOP __attribute__((noinline, no_builtin("memcpy", "memmove")))
#else
#define KEEP_LOOP __attribute__((noinline, optimize("O3", "no-tree-loop-distribute-patterns")))
#endif

KEEP_LOOP static void copy_loop(double *restrict c, const double *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c[i] = a[i];
}

static void copy_memcpy(double *c, const double *a, size_t n)
{
    memcpy(c, a, n * sizeof(*a));
}

#ifdef __x86_64__
static void copy_rep_movsb(double *c, const double *a, size_t n)
{
    size_t bytes = n * sizeof(*a);

    __asm__ volatile("rep movsb" : "+D"(c), "+S"(a), "+c"(bytes) : : "memory");
}
#endif

static const struct method {
    const char *name;
    void (*copy)(double *c, const double *a, size_t n);
} methods[] = {
    {"memcpy", copy_memcpy},
#ifdef __x86_64__
    {"rep_movsb", copy_rep_movsb},
#endif
    {"loop", copy_loop},
};

struct barrier {
    int threads;
    int waiting;
    int turn;
};

/* Data that all threads share; `seconds` holds `repetitions` figures for each method, written by the first thread. */
struct shared {
    double *a;
    double *c;
    double *seconds;
    size_t elements_each;
    size_t repetitions;
    struct barrier barrier;
};

struct thread {
    pthread_t id;
    struct shared *shared;
    size_t index;
    size_t cpu;
    int error;
};

/* Spins: waking from a futex would cost a good part of a short copy. */
static void barrier_wait(struct barrier *b)
{
    const int turn = __atomic_load_n(&b->turn, __ATOMIC_ACQUIRE);

    if (__atomic_add_fetch(&b->waiting, 1, __ATOMIC_ACQ_REL) == b->threads) {
        __atomic_store_n(&b->waiting, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&b->turn, turn + 1, __ATOMIC_RELEASE);
        return;
    }
    while (__atomic_load_n(&b->turn, __ATOMIC_ACQUIRE) == turn)
        sched_yield();
}

static double now_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure(const struct thread *self, size_t method, size_t repetition)
{
    struct shared *s = self->shared;
    double *c = s->c + self->index * s->elements_each;
    const double *a = s->a + self->index * s->elements_each;

    methods[method].copy(c, a, s->elements_each);
    barrier_wait(&s->barrier);
    const double start = now_seconds();
    methods[method].copy(c, a, s->elements_each);
    barrier_wait(&s->barrier);
    if (self->index == 0)
        s->seconds[method * s->repetitions + repetition] = now_seconds() - start;
}

static void *thread_main(void *argument)
{
    struct thread *self = argument;
    struct shared *s = self->shared;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(self->cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set))
        self->error = errno;
    for (size_t i = self->index * s->elements_each; i < (self->index + 1) * s->elements_each; i++) {
        s->a[i] = (double)i;
        s->c[i] = 0;
    }
    barrier_wait(&s->barrier);
    for (size_t r = 0; r < s->repetitions; r++)
        for (size_t m = 0; m < COUNT(methods); m++)
            measure(self, (m + r) % COUNT(methods), r);
    return NULL;
}

static int compare(const void *left, const void *right)
{
    const double l = *(const double *)left;
    const double r = *(const double *)right;

    return (l > r) - (l < r);
}

static void print_results(struct shared *s)
{
    const double megabytes = 16e-6 * (double)s->elements_each * (double)s->barrier.threads;

    for (size_t m = 0; m < COUNT(methods); m++) {
        double *seconds = s->seconds + m * s->repetitions;
        const size_t middle = s->repetitions / 2;

        qsort(seconds, s->repetitions, sizeof(*seconds), compare);
        const double median = s->repetitions % 2 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
        printf("%s %.0f %.0f\n", methods[m].name, megabytes / seconds[0], megabytes / median);
    }
}

/* The number of CPUs in `list`, which is as "0,1"; 0 when it is wrong or names one twice. */
static int parse_cpus(const char *list, struct thread *threads)
{
    int count = 0;

    for (;;) {
        char *end;
        const long cpu = strtol(list, &end, 10);

        if (end == list || cpu < 0 || cpu >= CPU_SETSIZE || count == MAX_CPUS || (*end && *end != ','))
            return 0;
        for (int i = 0; i < count; i++)
            if (threads[i].cpu == (size_t)cpu)
                return 0;
        threads[count].index = (size_t)count;
        threads[count++].cpu = (size_t)cpu;
        if (!*end)
            return count;
        list = end + 1;
    }
}

/* Huge pages are asked for, so that runs do not differ by whether the machine has some to give unasked. */
static double *map_array(size_t elements)
{
    void *memory = NULL;

    if (posix_memalign(&memory, ALIGNMENT, elements * sizeof(double)))
        return NULL;
    madvise(memory, elements * sizeof(double), MADV_HUGEPAGE);
    return memory;
}

static int run(struct shared *s, struct thread *threads)
{
    const int count = s->barrier.threads;

    for (int i = 0; i < count; i++) {
        threads[i].shared = s;
        const int error = pthread_create(&threads[i].id, NULL, thread_main, &threads[i]);
        /* The threads that run already wait at the barrier for good: only the end of the process frees them. */
        if (error) {
            fprintf(stderr, "bandwidth: pthread_create: %s\n", strerror(error));
            exit(1);
        }
    }
    int result = 0;
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i].id, NULL);
        if (threads[i].error) {
            fprintf(stderr, "bandwidth: CPU %zu: %s\n", threads[i].cpu, strerror(threads[i].error));
            result = 1;
        }
    }
    for (size_t i = 0; i < s->elements_each * (size_t)count; i++)
        if (s->c[i] != (double)i) {
            fprintf(stderr, "bandwidth: element %zu is wrong\n", i);
            return 1;
        }
    return result;
}

int main(int argc, char **argv)
{
    static struct thread threads[MAX_CPUS];
    const int count = argc == 4 ? parse_cpus(argv[1], threads) : 0;
    const size_t bytes = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    const unsigned long repetitions = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;

    if (!count || !repetitions || repetitions > 1000000 || bytes < BLOCK * sizeof(double) * (size_t)count) {
        fprintf(stderr, "usage: bandwidth CPU[,CPU...] BYTES_PER_ARRAY REPETITIONS\n");
        return 2;
    }
    struct shared s = {
        .elements_each = bytes / sizeof(double) / (size_t)count / BLOCK * BLOCK,
        .repetitions = repetitions,
        .barrier = {.threads = count},
    };
    int result = 1;

    s.a = map_array(s.elements_each * (size_t)count);
    s.c = map_array(s.elements_each * (size_t)count);
    s.seconds = calloc(repetitions * COUNT(methods), sizeof(*s.seconds));
    if (!s.a || !s.c || !s.seconds) {
        fprintf(stderr, "bandwidth: not enough memory\n");
        goto out;
    }
    result = run(&s, threads);
    if (!result)
        print_results(&s);
out:
    free(s.seconds);
    free(s.c);
    free(s.a);
    return result;
}
