/* SPDX-License-Identifier: MIT */
/* The load memload: its guard on made-up machines, and a few pieces of real memory. */
#include "load_fixture.h"

#include "load/load.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* --- The guard. --- */

static char tree[64];

static int make_tree(void **state)
{
    (void)snprintf(tree, sizeof(tree), "/tmp/jitbench-memload-XXXXXX");
    return mkdtemp(tree) && chmod(tree, 0755) == 0 ? 0 : -1;
}

static int remove_tree(void **state)
{
    static const char *const paths[] = {"/proc/meminfo",
                                        "/proc",
                                        "/sys/fs/cgroup/memory.max",
                                        "/sys/fs/cgroup/memory.current",
                                        "/sys/fs/cgroup/memory.stat",
                                        "/sys/fs/cgroup",
                                        "/sys/fs",
                                        "/sys",
                                        ""};
    char full[128];

    for (size_t i = 0; i < COUNT(paths); i++) {
        (void)snprintf(full, sizeof(full), "%s%s", tree, paths[i]);
        (void)remove(full);
    }
    return access(tree, F_OK) ? 0 : -1;
}

static void put(const char *path, const char *text)
{
    char full[256];

    (void)snprintf(full, sizeof(full), "%s%s", tree, path);
    for (char *slash = full + strlen(tree); (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        assert_true(mkdir(full, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void put_memory(uint64_t total, uint64_t available)
{
    char text[256];

    (void)snprintf(text, sizeof(text), "MemTotal: %10llu kB\nMemFree: 77 kB\nMemAvailable: %10llu kB\nBuffers: 1 kB\n",
                   (unsigned long long)(total / 1024), (unsigned long long)(available / 1024));
    put("/proc/meminfo", text);
}

TEST_WITH(test_memload_leaves_a_twentieth_of_a_large_machine, make_tree, remove_tree)
{
    put_memory(20 * GIB, 8 * GIB);
    assert_true(BELOW(tree, memload_room()) == 7 * GIB);
    put_memory(20 * GIB, GIB + 16 * MIB);
    assert_true(BELOW(tree, memload_room()) == 16 * MIB);
    put_memory(20 * GIB, GIB);
    assert_true(BELOW(tree, memload_room()) == 0);
    put_memory(20 * GIB, 5 * MIB);
    assert_true(BELOW(tree, memload_room()) == 0);
}

TEST_WITH(test_memload_heeds_the_control_group, make_tree, remove_tree)
{
    put_memory(4 * GIB, 3 * GIB);
    put("/sys/fs/cgroup/memory.max", "1073741824\n");
    put("/sys/fs/cgroup/memory.current", "536870912\n");
    assert_true(BELOW(tree, memload_room()) == 256 * MIB);
    put("/sys/fs/cgroup/memory.stat", "inactive_file 104857600\n");
    assert_true(BELOW(tree, memload_room()) == 356 * MIB);
    put("/sys/fs/cgroup/memory.max", "8589934592\n");
    assert_true(BELOW(tree, memload_room()) == 3 * GIB - 256 * MIB);
    /* A small group of a large machine is left what a small machine is. */
    put_memory(1000 * GIB, 900 * GIB);
    put("/sys/fs/cgroup/memory.max", "1073741824\n");
    assert_true(BELOW(tree, memload_room()) == 356 * MIB);
}

/* --- The load. --- */

/* 40 MiB are three pieces, the last of half the size. A round touches 40 MiB and moves 8 and 16. */
static int moves_and_frees(void)
{
    struct load_params params = {.memory_bytes = 40 * MIB};
    struct load_party l;
    struct rusage usage;

    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    uint64_t before = (uint64_t)usage.ru_maxrss * 1024;
    load_party_begin(&l, &load_memload, &params);
    load_party_start(&l);
    CHECK(load_party_wait(&l, LOAD_MOVED, 300 * (double)MIB));
    CHECK(load_party_count(&l, LOAD_CPU) > 0);
    CHECK(load_party_degraded(&l)[0] == 0);
    CHECK(load_party_end(&l) == 0);
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    uint64_t peak = (uint64_t)usage.ru_maxrss * 1024;
    CHECK(peak >= 40 * MIB);
    CHECK(peak < before + 48 * MIB);
    uint64_t left = BELOW("", machine_resident_bytes());
    CHECK(left < peak - 30 * MIB);
    return 0;
}

TEST(test_memload_moves_memory_and_frees_it)
{
    assert_int_equal(fixture_in_child(moves_and_frees), 0);
}

TEST(test_memload_proves_itself_with_one_small_piece)
{
    struct load_params params = {.memory_bytes = 5000};
    struct load_party l;

    load_party_begin(&l, &load_memload, &params);
    load_party_start(&l);
    assert_true(load_party_wait(&l, LOAD_MOVED, 3 * 5000));
    assert_true(fmod(load_party_count(&l, LOAD_MOVED), 5000) <= 0);
    assert_int_equal(load_party_end(&l), 0);
}

/* A party that proves itself waits in doing so until it is let go: the event does not fit into the pipe. */
static void hold_when_proved(struct load_party *l, int ends[2])
{
    static const char some[512];

    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    while (write(ends[1], some, sizeof(some)) > 0)
        continue;
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
    l->p.head->event_fd = ends[1];
}

static void let_go(const int ends[2])
{
    char some[4096];

    while (read(ends[0], some, sizeof(some)) > 0)
        continue;
}

/* Returns the bytes moved when the load had proved itself. Ends the party. */
static double moved_when_proved(struct load_party *l)
{
    int ends[2];

    hold_when_proved(l, ends);
    assert_int_equal(pthread_create(&l->thread, NULL, load_party_main, l), 0);
    assert_true(load_party_wait(l, LOAD_MOVED, 0));
    double moved = load_party_count(l, LOAD_MOVED);
    __atomic_store_n(&l->p.head->stop, 1, __ATOMIC_RELEASE);
    let_go(ends);
    assert_int_equal(pthread_join(l->thread, NULL), 0);
    assert_int_equal(l->failed, 0);
    (void)close(ends[0]);
    (void)close(ends[1]);
    return moved;
}

/* A guard that allows so many pieces, and then not quite one more. */
static unsigned pieces_left;

static uint64_t room_for_some(void)
{
    return pieces_left ? pieces_left-- * MEMLOAD_PIECE_BYTES : MEMLOAD_PIECE_BYTES - 1;
}

TEST(test_memload_stopped_by_its_guard_says_how_much_it_holds)
{
    struct load_params params = {.memory_bytes = 200 * GIB, .memory_spare = true};
    struct load_party l;

    load_party_begin(&l, &load_memload, &params);
    assert_int_equal(l.p.party->setup(&l.p.context), 0);
    struct memload *m = l.p.context.state;
    assert_ptr_equal(m->room_bytes, memload_room);
    m->room_bytes = room_for_some;
    pieces_left = 3;
    assert_true(fabs(moved_when_proved(&l) - 3 * (double)MEMLOAD_PIECE_BYTES) <= 0);
    assert_string_equal(load_party_degraded(&l), "memload holds 48 MiB of 200 GiB: memory is short");
    fixture_party_end(&l.p);
}

/* The load must go on when other processes have taken all memory between two passes. */
TEST(test_memload_goes_on_when_a_later_pass_finds_less)
{
    struct load_params params = {.memory_bytes = 32 * MIB, .memory_spare = true};
    struct load_party l;

    load_party_begin(&l, &load_memload, &params);
    assert_int_equal(l.p.party->setup(&l.p.context), 0);
    struct memload *m = l.p.context.state;
    m->room_bytes = room_for_some;
    pieces_left = 3;
    assert_int_equal(pthread_create(&l.thread, NULL, load_party_main, &l), 0);
    /* Touched and moved once, then half of it touched. */
    assert_true(load_party_wait(&l, LOAD_MOVED, (32 + 16 + 16) * (double)MIB));
    for (int i = 0; i < LOAD_PATIENCE_MS && !load_party_degraded(&l)[0]; i++)
        clock_sleep_ns(MS);
    __atomic_store_n(&l.p.head->stop, 1, __ATOMIC_RELEASE);
    assert_int_equal(pthread_join(l.thread, NULL), 0);
    assert_int_equal(l.failed, 0);
    assert_string_equal(load_party_degraded(&l), "memload holds 16 MiB of 32 MiB: memory is short");
    fixture_party_end(&l.p);
}

TEST(test_memload_with_a_guard_works_where_there_is_room)
{
    struct load_params params = {.memory_bytes = 32 * MIB, .memory_spare = true};
    struct load_party l;

    if (BELOW("", memload_room()) < 256 * MIB)
        skip_because("this machine has little memory left");
    load_party_begin(&l, &load_memload, &params);
    load_party_start(&l);
    assert_true(load_party_wait(&l, LOAD_MOVED, 100 * (double)MIB));
    assert_string_equal(load_party_degraded(&l), "");
    assert_int_equal(load_party_end(&l), 0);
}

/* The machine as the made-up tree has it. */
static int run_in_the_tree(void)
{
    struct load_params params = {.memory_bytes = 64 * MIB, .memory_spare = true};
    struct load_party l;

    if (chroot(tree) || chdir("/"))
        return CANNOT;
    load_party_begin(&l, &load_memload, &params);
    CHECK(l.p.party->setup(&l.p.context) == 0);
    CHECK(l.p.party->run(&l.p.context) == -1);
    CHECK(strstr(l.p.reason, "memory is short"));
    CHECK(!load_party_proved(&l));
    CHECK(load_party_count(&l, LOAD_MOVED) <= 0);
    fixture_party_end(&l.p);
    return 0;
}

TEST_WITH(test_memload_does_not_start_when_memory_is_short, make_tree, remove_tree)
{
    put_memory(8 * GIB, 300 * MIB);
    assert_int_equal(fixture_in_child(run_in_the_tree), 0);
}
