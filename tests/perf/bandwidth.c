/* SPDX-License-Identifier: MIT */
/* Copy bandwidth by memcpy, `rep movsb` and a plain loop, to hold jitbench's stream kernels against.
 *
 * Usage: bandwidth CPUS BYTES REPETITIONS, as `bandwidth 0,1 134217728 50`: one pinned thread a CPU, BYTES of each of
 * the two arrays in all. Prints `name best_MBps median_MBps`, 16 bytes an element, MB = 10^6 bytes. Each method copies
 * twice in a row and only the second copy counts, so that none profits from what another left in the caches; the
 * methods take turns, so that a change of the machine's speed meets all of them. The
 * barriers of OpenMP spin at first: waking from a futex would cost a good part of a short copy. */
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { ALIGNMENT = 2 << 20, BLOCK = 64 };

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

static double *arrays[2], *seconds[COUNT(methods)];

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* What the thread of one CPU does; n elements are its own. The first thread writes the times. */
static void measure(size_t index, size_t cpu, size_t n, size_t repetitions)
{
    double *c = arrays[0] + index * n, *a = arrays[1] + index * n;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set))
        fail("sched_setaffinity");
    for (size_t i = 0; i < n; i++) {
        a[i] = (double)i;
        c[i] = 0;
    }
    for (size_t turn = 0; turn < repetitions * COUNT(methods); turn++) {
        const size_t r = turn / COUNT(methods), m = (turn + r) % COUNT(methods);
        methods[m].copy(c, a, n);
#pragma omp barrier
        const double start = omp_get_wtime();
        methods[m].copy(c, a, n);
#pragma omp barrier
        if (index == 0)
            seconds[m][r] = omp_get_wtime() - start;
    }
}

static int compare(const void *left, const void *right)
{
    const double l = *(const double *)left, r = *(const double *)right;

    return (l > r) - (l < r);
}

int main(int argc, char **argv)
{
    size_t cpus[CPU_SETSIZE], count = 0;

    for (char *at = argc == 4 ? argv[1] : NULL; at && count < COUNT(cpus); at = *at ? at + 1 : NULL)
        cpus[count++] = strtoul(at, &at, 10);
    const size_t repetitions = count ? strtoul(argv[3], NULL, 10) : 0;
    const size_t n = repetitions ? strtoul(argv[2], NULL, 10) / sizeof(double) / count / BLOCK * BLOCK : 0;
    if (!n)
        return 2;
    /* Huge pages are asked for, so that runs do not differ by whether the machine has some to give unasked. */
    for (size_t i = 0; i < COUNT(arrays); i++) {
        void *memory = NULL;
        if (posix_memalign(&memory, ALIGNMENT, n * count * sizeof(double)))
            fail("posix_memalign");
        (void)madvise(memory, n * count * sizeof(double), MADV_HUGEPAGE);
        arrays[i] = memory;
    }
    for (size_t m = 0; m < COUNT(methods); m++)
        if (!(seconds[m] = calloc(repetitions, sizeof(double))))
            fail("calloc");
#pragma omp parallel num_threads((int)count)
    measure((size_t)omp_get_thread_num(), cpus[omp_get_thread_num()], n, repetitions);
    for (size_t m = 0; m < COUNT(methods); m++) {
        const double megabytes = 16e-6 * (double)(n * count);
        qsort(seconds[m], repetitions, sizeof(double), compare);
        printf("%s %.0f %.0f\n", methods[m].name, megabytes / seconds[m][0], megabytes / seconds[m][repetitions / 2]);
    }
    return 0;
}
