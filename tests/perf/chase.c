/* SPDX-License-Identifier: MIT */
/* Plain programs beside `jitbench memory`, written from its page alone.
 *
 * chase CPU BYTES SECONDS: loads on a linked list in random order over so many bytes, in huge pages if there are any;
 * prints the median time of a load in ns, of parts of some 2 ms.
 * chase FROM TO SECONDS spin: two threads hand a number to and fro; prints the median of one way in ns. */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE = 64, PARTS_MAX = 100000, HUGE_PAGE = 2 << 20, LOADS = 1024, ROUNDS = 200 };

struct element {
    struct element *next;
    char rest[LINE - sizeof(struct element *)];
};

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int bind_to(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    return sched_setaffinity(0, sizeof(set), &set);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void put_median(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare);
    printf("%.4f\n", values[n / 2]);
}

static struct element *make_list(size_t bytes)
{
    const size_t n = bytes / LINE, whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    struct element *list = aligned_alloc(HUGE_PAGE, whole), **order = malloc(n * sizeof(struct element *));

    if (!list || !order)
        return NULL;
    (void)madvise(list, whole, MADV_HUGEPAGE);
    memset(list, 1, bytes);
    srandom(7);
    for (size_t i = 0; i < n; i++) {
        const size_t at = (size_t)random() % (i + 1);
        order[i] = order[at];
        order[at] = &list[i];
    }
    for (size_t i = 0; i < n; i++)
        order[i]->next = order[(i + 1) % n];
    list = order[0];
    free(order);
    return list;
}

static int chase(int cpu, size_t bytes, double seconds)
{
    static double parts[PARTS_MAX];
    size_t n = 0;

    if (bind_to(cpu))
        return 1;
    const struct element *at = make_list(bytes);
    if (!at)
        return 1;
    for (size_t i = 0; i < 2 * bytes / LINE && i < 1000000; i++)
        at = at->next;
    for (const double end = now() + seconds * 1e9; now() < end && n < PARTS_MAX;) {
        const double start = now();
        double stop;
        size_t loads = 0;
        do {
            for (int i = 0; i < LOADS; i++)
                at = at->next;
            __asm__ volatile("" : "+r"(at));
            loads += LOADS;
        } while ((stop = now()) < start + 2e6);
        parts[n++] = (stop - start) / (double)loads;
    }
    put_median(parts, n);
    return 0;
}

static uint32_t number __attribute__((aligned(4096)));

static bool wait_for(uint32_t wanted)
{
    uint32_t seen;

    do
        seen = __atomic_load_n(&number, __ATOMIC_ACQUIRE);
    while (seen != wanted && seen != UINT32_MAX);
    return seen == wanted;
}

static void put(uint32_t value)
{
    __atomic_store_n(&number, value, __ATOMIC_RELEASE);
}

static void *answer(void *cpu)
{
    (void)bind_to(*(int *)cpu);
    for (uint32_t next = 1; wait_for(next); next += 2)
        put(next + 1);
    return NULL;
}

static int play(int from, int to, double seconds)
{
    static double parts[PARTS_MAX];
    pthread_t other;
    size_t n = 0;
    uint32_t last = 0;

    if (bind_to(from) || pthread_create(&other, NULL, answer, &to))
        return 1;
    for (const double end = now() + seconds * 1e9; now() < end && n < PARTS_MAX;) {
        const double start = now();
        for (int i = 0; i < ROUNDS; i++, last += 2) {
            put(last + 1);
            (void)wait_for(last + 2);
        }
        parts[n++] = (now() - start) / (2.0 * ROUNDS);
    }
    put(UINT32_MAX);
    (void)pthread_join(other, NULL);
    put_median(parts, n);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4)
        return chase(atoi(argv[1]), strtoul(argv[2], NULL, 10), atof(argv[3]));
    return argc == 5 ? play(atoi(argv[1]), atoi(argv[2]), atof(argv[3])) : 2;
}
