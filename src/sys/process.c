/* SPDX-License-Identifier: MIT */
#include <link.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "sys/clock.h"
#include "sys/file.h"
#include "sys/process.h"

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#define SELF "/proc/self/exe"

/* Constants of memfd_create(), getrandom() and prctl(): older C libraries or musl may lack them. */
#define MEMFD_NOEXEC_SEAL 0x0008u
#define RANDOM_NONBLOCK   0x0001u
#define AMBIENT           47
#define AMBIENT_IS_SET    1UL
#define SYS_CLOSE_RANGE   436L
/* Descriptors to close without close_range() (before Linux 5.9). Not the limit on open files: it may have been
 * lowered, and musl makes one up where it cannot be read. */
#define DESCRIPTORS 4096

/* Absolute, found at program start: a relative one ends with a chdir. */
static char own_path[PATH_MAX];

void process_init(void)
{
    const char *started_as = (const char *)getauxval(AT_EXECFN);
    /* After fexecve(), AT_EXECFN names a descriptor, perhaps of another file by now. */
    const bool named = started_as && !starts_with(started_as, "/dev/fd/");
    if (!named || !realpath(started_as, own_path) || access(own_path, X_OK) != 0)
        own_path[0] = '\0';
}

/* Interface of capget(2); not every C library has the header. */
#define CAPABILITY_VERSION_3 0x20080522u
#define CAPABILITY_WORDS     2
struct capability_head {
    uint32_t version;
    int pid;
};
struct capability_data {
    uint32_t effective, permitted, inheritable;
};

/* Returns whether the process has capabilities that its parent did not pass on (ambient, since Linux 4.3), or they
 * cannot be read. */
static bool has_capabilities(void)
{
    struct capability_head head = {.version = CAPABILITY_VERSION_3};
    struct capability_data data[CAPABILITY_WORDS];
    if (syscall(SYS_capget, &head, data) != 0)
        return true;
    for (unsigned bit = 0; bit < 32 * CAPABILITY_WORDS; bit++)
        if (data[bit / 32].permitted >> bit % 32 & 1 &&
            prctl(AMBIENT, AMBIENT_IS_SET, (unsigned long)bit, 0UL, 0UL) != 1)
            return true;
    return false;
}

bool process_has_rights_of_file(void)
{
    if (getuid() != geteuid() || getgid() != getegid())
        return true;
    return getauxval(AT_SECURE) && getuid() != 0 && has_capabilities();
}

int process_exec_self(char *const argv[], char *const envp[])
{
    execve(SELF, argv, envp);
    if (own_path[0])
        execve(own_path, argv, envp);
    return -errno;
}

bool process_can_exec_self(void)
{
    return access(SELF, X_OK) == 0 || (own_path[0] && access(own_path, X_OK) == 0);
}

/* reserve: allocates the blocks too. Returns fd, or closes it and returns -errno. */
static int with_size(int fd, size_t size, bool reserve)
{
    /* A container's /dev/shm may be small: touching memory beyond it would raise SIGBUS. */
    if (fd < 0 || (ftruncate(fd, (off_t)size) == 0 &&
                   (!reserve || fallocate(fd, 0, 0, (off_t)size) == 0 || errno == EOPNOTSUPP || errno == ENOSYS)))
        return fd;
    int error = -errno;
    close(fd);
    return error;
}

int process_shared_memory(size_t size)
{
    const char *const folders[] = {"/dev/shm", getenv("TMPDIR"), "/tmp", "."};
    if (size == 0 || size > PTRDIFF_MAX)
        return -EINVAL;
    /* vm.memfd_noexec=2 refuses a memfd without the seal; Linux before 6.3 one with it. */
    int fd = with_size(new_file_in_memory(0, MEMFD_NOEXEC_SEAL), size, false);
    for (size_t i = 0; fd < 0 && i < COUNT(folders); i++) {
        if (folders[i] && folders[i][0])
            fd = with_size(scratch_file(folders[i]), size, true);
    }
    if (fd >= 0)
        fcntl(fd, F_SETFD, 0);
    return fd;
}

/* Seeded by the kernel's random bytes for this process and the time; two calls within one tick of a coarse clock get
 * different bytes. */
static void random_fallback(unsigned char *buf, size_t size)
{
    static unsigned short state[3];
    const void *given = (const void *)getauxval(AT_RANDOM);
    uint64_t seed = 0;
    if (given)
        memcpy(&seed, given, sizeof seed);
    seed ^= clock_raw_ns() ^ (uint64_t)getpid() << 32;
    for (size_t i = 0; i < COUNT(state); i++)
        state[i] ^= (unsigned short)(seed >> 16 * i);
    while (size-- > 0)
        *buf++ = (unsigned char)(nrand48(state) >> 8);
}

void process_random(void *buf, size_t size)
{
    unsigned char *at = buf;
    while (size > 0) {
        /* Never waits: PID 1 of a machine without entropy could wait forever. */
        long n = syscall(SYS_getrandom, at, size, RANDOM_NONBLOCK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            random_fallback(at, size);
            return;
        }
        at += n;
        size -= (size_t)n;
    }
}

void process_random_pad(char pad[PROCESS_PAD_MAX])
{
    static const char name[] = PROCESS_PAD_NAME;
    uint32_t length;

    process_random(&length, sizeof(length));
    length = length % (uint32_t)(PROCESS_PAD_MAX - sizeof(name)) & ~15u;
    memcpy(pad, name, sizeof(name) - 1);
    memset(pad + sizeof(name) - 1, 'x', length);
    pad[sizeof(name) - 1 + length] = 0;
}

void process_close_from(int first)
{
    if (syscall(SYS_CLOSE_RANGE, first, ~0u, 0) == 0)
        return;
    for (int fd = first; fd < DESCRIPTORS; fd++)
        close(fd);
}

int process_open_self(void)
{
    const int fd = open(SELF, O_RDONLY | O_CLOEXEC);
    return sys_result(fd < 0 && own_path[0] ? open(own_path, O_RDONLY | O_CLOEXEC) : fd);
}

static int take_first(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(struct dl_phdr_info *)context = *info;
    return 1;
}

void process_build_id(char *buf, size_t size)
{
    struct dl_phdr_info own = {0};

    buf[0] = 0;
    dl_iterate_phdr(take_first, &own); /* the first object is the program itself */
    for (unsigned i = 0; i < own.dlpi_phnum && !buf[0]; i++) {
        const char *at = (const char *)(own.dlpi_addr + own.dlpi_phdr[i].p_vaddr);
        const char *end = own.dlpi_phdr[i].p_type == PT_NOTE ? at + own.dlpi_phdr[i].p_memsz : at;
        while (at + sizeof(ElfW(Nhdr)) <= end && !buf[0]) {
            ElfW(Nhdr) note;
            memcpy(&note, at, sizeof(note));
            const char *name = at + sizeof(note), *data = name + ((note.n_namesz + 3u) & ~3u);
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(name, "GNU", 4))
                for (size_t k = 0; k < note.n_descsz && 2 * k + 3 <= size; k++)
                    snprintf(buf + 2 * k, 3, "%02x", (unsigned)(unsigned char)data[k]);
            at = data + ((note.n_descsz + 3u) & ~3u);
        }
    }
}

void process_libc(char *buf, size_t size)
{
#ifdef __GLIBC__
    snprintf(buf, size, "glibc %s", gnu_get_libc_version());
#else
    snprintf(buf, size, "musl"); /* it has no version function and no macro */
#endif
}

bool process_is_static(void)
{
    return getauxval(AT_BASE) == 0; /* no dynamic linker */
}

void process_await(pid_t child)
{
    while (waitpid(child, NULL, __WALL) < 0 && errno == EINTR) {
    }
}

void process_ignore_ending(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

    for (size_t i = 0; i < COUNT(ending); i++)
        signal(ending[i], SIG_IGN);
}

static const struct launcher {
    const char *name, *rank;
    const char *ranks[3], *id[3]; /* the first one set is used */
    const char *within;           /* must be set as well; NULL: none */
} launchers[] = {
    {.name = "Open MPI",
     .rank = "OMPI_COMM_WORLD_RANK",
     .ranks = {"OMPI_COMM_WORLD_SIZE"},
     .id = {"SLURM_JOB_ID", "PBS_JOBID", "PMIX_NAMESPACE"}},
    {.name = "PMI", .rank = "PMI_RANK", .ranks = {"PMI_SIZE"}, .id = {"SLURM_JOB_ID", "PBS_JOBID", "PMI_JOBID"}},
    {.name = "Slurm",
     .rank = "SLURM_PROCID",
     .ranks = {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
     .id = {"SLURM_JOB_ID"},
     .within = "SLURM_STEP_ID"},
    {.name = "PMIx", .rank = "PMIX_RANK", .id = {"PBS_JOBID", "PMIX_NAMESPACE"}},
};

static const char *first_set(const char *const names[3], const char **name)
{
    for (unsigned i = 0; i < 3 && names[i]; i++) {
        const char *value = getenv(*name = names[i]);
        if (value && *value)
            return value;
    }
    return "";
}

/* Copies a text of digits only that fits into 64 bits and into size; otherwise notes that it is none. */
static void take_number(struct job *job, const char *name, const char *value, char *to, size_t size)
{
    errno = 0;
    strtoull(value, NULL, 10);
    if (*value && strlen(value) < size && !value[strspn(value, "0123456789")] && errno == 0)
        snprintf(to, size, "%s", value);
    else if (!job->wrong[0])
        TEXT_PRINT(job->wrong, "%s='%.40s' is not a number", name, value);
}

void job_read(struct job *out)
{
    const char *node = getenv("SLURMD_NODENAME"), *batch = getenv("SLURM_JOB_ID"), *name = NULL;
    char ranks[21] = "";

    *out = (struct job){0};
    TEXT_PRINT(out->node, "%s", node ? node : "");
    for (size_t i = 0; i < COUNT(launchers); i++) {
        const struct launcher *launcher = &launchers[i];
        const char *rank = getenv(launcher->rank);
        if (!rank || (launcher->within && !getenv(launcher->within)))
            continue;
        out->launcher = launcher->name;
        TEXT_PRINT(out->id, "%s", first_set(launcher->id, &name));
        take_number(out, launcher->rank, rank, out->rank, sizeof(out->rank));
        const char *given = first_set(launcher->ranks, &name);
        if (given[0])
            take_number(out, name, given, ranks, sizeof(ranks));
        out->ranks = strtoull(ranks, NULL, 10);
        return;
    }
    /* A batch script runs once per job and has no rank. */
    TEXT_PRINT(out->id, "%s", batch ? batch : "");
}

/* Replaces the C library's clone3() in the statically linked program, so that threads are made by clone(): the C
 * library falls back to that only on ENOSYS, but older container runtimes forbid clone3() with EPERM. Weak: a
 * library's own definition wins; dropped by the linker where nothing calls it. Should glibc rename it,
 * tests/cli/test_old.c fails. */

struct clone_args;
int __clone3(struct clone_args *args, size_t size, int (*start)(void *), void *argument);

__attribute__((weak)) int __clone3(struct clone_args *args, size_t size, int (*start)(void *), void *argument)
{
    (void)args;
    (void)size;
    (void)start;
    (void)argument;
    errno = ENOSYS;
    return -1;
}
