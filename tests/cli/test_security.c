/* SPDX-License-Identifier: MIT */
/* jitbench runs as root beside users who may plant links, programs and settings: it does not write through, run, load
 * or trust any of them, and takes no rights from the program's file. */
#include <dirent.h>
#include <elf.h>
#include <endian.h>
#include <link.h>
#include <linux/capability.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

#include "cli.h"

#define NOBODY 65534
#define KEPT   "what root keeps\n"
/* Runs beside a rival process, which sees each scratch directory. */
#define RACES         20u
#define SCRATCH_RACES 3u
#define FAST          "prime", "-q", "-n", "1000", "-i", "1"

/* --- A place that others can write. --- */

/* root/kept/target belongs to root alone, with known contents. Files in root/shared are not trusted. */
struct scene {
    char kept[96], target[128], shared[96];
    struct stat before, folder_before;
};

/* shared: owned by owner, with the mode. */
static void set_scene(struct scene *s, uid_t owner, mode_t mode)
{
    (void)snprintf(s->kept, sizeof(s->kept), "%s/kept", cli->root);
    (void)snprintf(s->target, sizeof(s->target), "%s/target", s->kept);
    (void)snprintf(s->shared, sizeof(s->shared), "%s/shared", cli->root);
    assert_int_equal(mkdir(s->kept, 0711), 0);
    cli_write_file(s->kept, "target", KEPT);
    assert_int_equal(chmod(s->target, 0600), 0);
    assert_int_equal(mkdir(s->shared, 0700), 0);
    assert_int_equal(chown(s->shared, owner, owner), 0);
    assert_int_equal(chmod(s->shared, mode), 0);
    assert_int_equal(stat(s->target, &s->before), 0);
    assert_int_equal(stat(s->kept, &s->folder_before), 0);
}

static bool same_moment(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* The file is unchanged, and no other file was made beside it. */
static void expect_kept(const struct scene *s)
{
    struct stat now;

    assert_int_equal(lstat(s->target, &now), 0);
    assert_int_equal(now.st_ino, s->before.st_ino);
    assert_int_equal(now.st_mode, s->before.st_mode);
    assert_int_equal(now.st_uid, s->before.st_uid);
    assert_true(same_moment(&now.st_mtim, &s->before.st_mtim));
    char *text = cli_read_file(s->target, NULL);
    assert_string_equal(text, KEPT);
    assert_int_equal(lstat(s->kept, &now), 0);
    assert_int_equal(now.st_mode, s->folder_before.st_mode);
    assert_true(same_moment(&now.st_mtim, &s->folder_before.st_mtim));
    cli_expect_files(s->kept, 1);
}

/* A link that the user nobody owns, in the shared directory. */
static void plant(const struct scene *s, const char *name, const char *to, uid_t owner)
{
    char path[160];

    (void)snprintf(path, sizeof(path), "%s/%s", s->shared, name);
    assert_int_equal(symlink(to, path), 0);
    assert_int_equal(lchown(path, owner, owner), 0);
}

/* --- Links. --- */

/* Every option that names a file to be made, each with the name last. */
static const char *const *const writers[] = {
    ARGS(FAST, "-o"),
    ARGS(FAST, "--no-csv", "--series"),
    ARGS("check", "-q", "turbo", "-o"),
    ARGS("export", "rows.csv", "-o"),
    ARGS("report", "rows.csv", "-o"),
    ARGS("run", "-q", "--no-csv", "-i", "1", "--keep-output"),
};
#define N_WRITERS (COUNT(writers))

static void write_to(const char *const *writer, const char *path, int status)
{
    const char *args[16];
    struct cli_result result;
    size_t n = 0;

    for (; writer[n]; n++)
        args[n] = writer[n];
    args[n++] = path;
    if (!strcmp(writer[0], "run")) {
        args[n++] = "--";
        args[n++] = "true";
    }
    args[n] = NULL;
    cli_expect_args(args, status, &result);
    if (status == 2 && (strchr(result.err, '\n') != strrchr(result.err, '\n') || !strstr(result.err, path)))
        fail_msg("%s: not one line that names the file: %s", writer[0], result.err);
}

/* A file for the commands that read one. */
static void make_rows(void)
{
    struct cli_result result;

    cli_expect(&(struct cli_run){.args = ARGS(FAST, "-o", "rows.csv")}, 0, &result);
}

CLI_TEST(test_security_writes_through_no_link_in_a_sticky_folder)
{
    static const char *const names[] = {"existing", "dangling", "device", "folder/out"};
    struct scene s;
    char dangling[160], path[200];

    cli_need_root();
    make_rows();
    set_scene(&s, 0, 01777);
    (void)snprintf(dangling, sizeof(dangling), "%s/none", s.kept);
    plant(&s, "existing", s.target, NOBODY);
    plant(&s, "dangling", dangling, NOBODY);
    plant(&s, "device", "/dev/null", NOBODY);
    plant(&s, "folder", s.kept, NOBODY);
    for (size_t w = 0; w < N_WRITERS; w++)
        for (size_t i = 0; i < COUNT(names); i++) {
            (void)snprintf(path, sizeof(path), "%s/%s", s.shared, names[i]);
            write_to(writers[w], path, 2);
            expect_kept(&s);
        }
    cli_expect_files(cli->work, 1);
}

/* The same names are accepted in a directory that only the user can write to. */
CLI_TEST(test_security_follows_the_users_own_links)
{
    struct scene s;
    char path[200];

    cli_need_root();
    set_scene(&s, 0, 01777);
    plant(&s, "device", "/dev/null", 0);
    plant(&s, "folder", cli->work, 0);
    (void)snprintf(path, sizeof(path), "%s/device", s.shared);
    write_to(writers[0], path, 0);
    (void)snprintf(path, sizeof(path), "%s/folder/out", s.shared);
    write_to(writers[0], path, 0);
    (void)snprintf(path, sizeof(path), "%s/out", cli->work);
    assert_int_equal(access(path, F_OK), 0);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const char *const standard[] = {"/dev/stdout", "/proc/self/fd/1"};
    for (size_t i = 0; i < 2; i++) {
        struct cli_result result;
        cli_expect(&(struct cli_run){.args = ARGS(FAST, "-o", standard[i]), .out = null}, 0, &result);
    }
    assert_int_equal(close(null), 0);
}

/* A pipe of another user in place of the CSV would receive it, or block the program forever. */
CLI_TEST(test_security_writes_into_nobodys_pipe)
{
    struct scene s;
    char path[160];

    cli_need_root();
    set_scene(&s, 0, 01777);
    (void)snprintf(path, sizeof(path), "%s/pipe", s.shared);
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    write_to(writers[0], path, 2);
}

/* The scratch directory is led elsewhere: a row with a reason, and nothing is made there. */
CLI_TEST(test_security_makes_no_scratch_behind_a_link)
{
    struct scene s;
    struct cli_csv csv;
    struct cli_result result;
    char path[160];

    cli_need_root();
    set_scene(&s, 0, 01777);
    plant(&s, "scratch", s.kept, NOBODY);
    (void)snprintf(path, sizeof(path), "%s/scratch", s.shared);
    cli_expect_args(ARGS("unix", "shell1", "fcopy256", "-q", "-i", "1", "-t", "10ms", "-d", path, "-o", "-"), 1,
                    &result);
    cli_csv_parse(result.out, &csv);
    cli_expect_all(&csv, "status", "failed");
    expect_kept(&s);
}

/* --- Races. --- */

/* Another user's process that repeats this until it is killed. */
static pid_t start_rival(const struct scene *s, void (*once)(const struct scene *s))
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        struct stat status;
        if (cli_become_nobody() || chdir(s->shared))
            _exit(1);
        while (lstat(s->target, &status) == 0) /* a test that fails removes it */
            once(s);
        _exit(0);
    }
    return pid;
}

static void end_rival(pid_t pid)
{
    int status;

    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status)); /* it ran until then */
}

/* Replaces the name by a writable file, by a forbidden target, and sometimes by nothing. */
static void swap_output(const struct scene *s)
{
    static unsigned number;

    (void)!symlink("/dev/null", "next");
    (void)rename("next", "out");
    (void)!symlink(s->target, "next");
    (void)rename("next", "out");
    if (++number % 4 == 0)
        (void)unlink("out");
}

/* A rival that is lucky: each open comes later than the program meant. What has looked at the name before has looked
 * at another file by then. */
static const char *const *const lucky = (const char *const[]){
    "-o", "/dev/null", "-e", "trace=open,openat", "-e", "inject=open,openat:delay_enter=2000", NULL};

static bool has_strace(void)
{
    const struct cli_run run = {.program = "strace", .args = ARGS("-o", "/dev/null", cli_binary, "version")};
    struct cli_result result;
    struct cli_child child;

    cli_start(&run, &child);
    cli_wait(&child, &result);
    bool works = !result.unprepared && result.status == 0;
    if (!works)
        print_message("without strace, which slows the program down, the rival has little luck\n");
    return works;
}

static void race_output(uid_t owner, mode_t mode)
{
    struct scene s;
    char path[160];
    const char *args[16];
    size_t n = 0;

    cli_need_root();
    make_rows();
    set_scene(&s, owner, mode);
    (void)snprintf(path, sizeof(path), "%s/out", s.shared);
    const bool slow = has_strace();
    for (; slow && lucky[n]; n++)
        args[n] = lucky[n];
    const char *const line[] = {cli_binary, "export", "rows.csv", "-o", path, NULL};
    for (size_t i = !slow; i < COUNT(line); i++)
        args[n++] = line[i];
    pid_t rival = start_rival(&s, swap_output);
    for (unsigned run = 0; run < RACES; run++) {
        struct cli_result result;
        struct cli_child child;
        cli_start(&(struct cli_run){.program = slow ? "strace" : NULL, .args = args}, &child);
        cli_wait(&child, &result);
        /* 2: the name was taken before, 1: meanwhile. Either names the file in one line. */
        const char *end = strchr(result.err, '\n');
        bool refused = (result.status == 1 || result.status == 2) && strstr(result.err, path) && end && !end[1];
        if (!refused && (result.status != 0 || result.err[0]))
            fail_msg("status %d: %s", result.status, result.err);
        (void)unlink(path);
    }
    end_rival(rival);
    expect_kept(&s);
}

CLI_TEST(test_security_output_is_not_swapped_for_a_link)
{
    race_output(0, 01777);
}

CLI_TEST(test_security_output_is_not_swapped_in_anothers_folder)
{
    race_output(NOBODY, 0755);
}

/* Whatever the program has just made: away with it, and a link or a folder of the rival's own in its place, with a
 * script in it that would leave a mark. */
static void swap_scratch(const struct scene *s)
{
    static unsigned number;
    struct dirent *entry;
    DIR *folder = opendir(".");

    while (folder && (entry = readdir(folder))) {
        char away[32], inside[288];
        if (strncmp(entry->d_name, ".jitbench-", 10) != 0)
            continue;
        (void)snprintf(away, sizeof(away), "away-%u", ++number);
        if (rename(entry->d_name, away))
            continue;
        if (number % 3 == 0) {
            (void)!symlink(s->kept, entry->d_name);
        } else if (mkdir(entry->d_name, 0777) == 0) {
            (void)snprintf(inside, sizeof(inside), "%s/outer", entry->d_name);
            (void)!symlink("/dev/null", inside);
            (void)snprintf(inside, sizeof(inside), "%s/work", entry->d_name);
            int fd = open(inside, O_WRONLY | O_CREAT, 0777);
            (void)!write(fd, "id >mark\n", 9);
            (void)close(fd);
        }
        (void)unlink(away); /* a file; a folder stays, root's */
    }
    if (folder)
        (void)closedir(folder);
}

/* A marker that belongs to root, in the directory that replaced ours. */
static bool is_marked(const char *shared)
{
    char path[512];
    struct dirent *entry;
    bool marked = false;
    DIR *folder = opendir(shared);

    assert_non_null(folder);
    while (!marked && (entry = readdir(folder))) {
        (void)snprintf(path, sizeof(path), "%s/%s/mark", shared, entry->d_name);
        marked = access(path, F_OK) == 0;
    }
    (void)closedir(folder);
    return marked;
}

CLI_TEST(test_security_scratch_is_not_swapped_in_anothers_folder)
{
    struct scene s;

    cli_need_root();
    set_scene(&s, NOBODY, 0755);
    pid_t rival = start_rival(&s, swap_scratch);
    for (unsigned i = 0; i < SCRATCH_RACES; i++) {
        const struct cli_run run = {
            .args = ARGS("unix", "shell1", "-q", "-i", "1", "-t", "10ms", "--no-csv", "-d", s.shared)};
        struct cli_result result;
        struct cli_child child;
        cli_start(&run, &child);
        cli_wait(&child, &result);
        if (result.status != 0 && result.status != 1)
            fail_msg("status %d: %s", result.status, result.err);
        if (is_marked(s.shared))
            fail_msg("the rival's script was run");
        expect_kept(&s);
    }
    end_rival(rival);
}

/* --- What is not run, loaded or believed. --- */

static const char script[] = "#!/bin/sh\n: >\"${0%/*}/../mark\"\n";

/* root/bin holds programs of the names that ours might look for; root/mark appears when one is run. */
static void plant_programs(void)
{
    static const char *const names[] = {"sh",    "true", "cc",     "gcc",  "make",    "taskset", "sort", "od",
                                        "grep",  "tee",  "wc",     "rm",   "ls",      "perl",    "env",  "chrt",
                                        "nice",  "less", "locale", "bash", "id",      "cat",     "ps",   "jitbench",
                                        "uname", "gzip", "more",   "tput", "hostname"};
    char folder[96], path[160];

    (void)snprintf(folder, sizeof(folder), "%s/bin", cli->root);
    assert_int_equal(mkdir(folder, 0755), 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        cli_write_file(folder, names[i], script);
        (void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        assert_int_equal(chmod(path, 0755), 0);
    }
}

static void expect_no_mark(void)
{
    char names[CLI_FILES][256];
    size_t n = cli_files(cli->root, names);

    for (size_t i = 0; i < n; i++)
        if (!strncmp(names[i], "mark", 4))
            fail_msg("something planted was run or loaded: %s", names[i]);
}

/* The dynamic linker of whatever gets this environment writes files of root/mark.PID; the tests' programs are given
 * one of their own, and jitbench has no dynamic linker. */
CLI_TEST(test_security_environment_runs_and_loads_nothing)
{
    char text[12][200];
    const char *env[24];
    size_t n = 0;
    static const char *const fixed[] = {"IFS=/",
                                        "LD_DEBUG=libs",
                                        "LC_ALL=de_DE.UTF-8",
                                        "LANG=de_DE.UTF-8",
                                        "LANGUAGE=de",
                                        "LC_NUMERIC=de_DE.UTF-8",
                                        "TERM=../../evil",
                                        "MALLOC_PERTURB_=165",
                                        "MALLOC_CHECK_=3",
                                        "GLIBC_TUNABLES=glibc.malloc.perturb=165",
                                        "TOKEN=s3cr3t-of-the-user"};
    static const char *const templates[] = {
        "PATH=%s/bin",        "LD_DEBUG_OUTPUT=%s/mark", "LD_LIBRARY_PATH=%s/bin",
        "ENV=%s/bin/sh",      "BASH_ENV=%s/bin/sh",      "SHELL=%s/bin/sh",
        "HOME=%s/bin",        "GCONV_PATH=%s/bin",       "LOCPATH=%s/bin",
        "NLSPATH=%s/bin/%%N", "TZ=:%s/bin/sh",           "TMPDIR=%s/a folder\nof two lines;id"};
    const char *const *const commands[] = {
        ARGS(FAST, "-v", "-m", "$(id >mark)`id >mark`;id >mark|id >mark"),
        ARGS("unix", "shell1", "sysexec", "-q", "-i", "1", "-t", "10ms"),
        ARGS("latency", "x", "-q", "-t", "100ms", "--load", "compile"),
        ARGS("check", "turbo", "governor"),
        ARGS("list"),
        ARGS("run", "-q", "-i", "1", "--", "/bin/true", "$(id >mark)", ";id >mark"),
    };

    plant_programs();
    for (size_t i = 0; i < COUNT(fixed); i++)
        env[n++] = fixed[i];
    for (size_t i = 0; i < COUNT(templates); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        (void)snprintf(text[i], sizeof(text[i]), templates[i], cli->root);
#pragma GCC diagnostic pop
        env[n++] = text[i];
    }
    env[n] = NULL;
    assert_int_equal(mkdir(strchr(text[11], '/'), 0700), 0);
    for (size_t i = 0; i < COUNT(commands); i++) {
        struct cli_result result;
        struct cli_child child;
        const char *const *mine = env;
        /* `run` passes the user's environment on to the command. */
        const char *const plain[] = {"PATH=/nonexistent", "TOKEN=s3cr3t-of-the-user", NULL};
        if (!strcmp(commands[i][0], "run"))
            mine = plain;
        cli_start(&(struct cli_run){.args = commands[i], .env = mine}, &child);
        cli_wait(&child, &result);
        if (result.status != 0 && !(result.status == 4 && !strcmp(commands[i][0], "check")))
            fail_msg("%s: status %d: %s", commands[i][0], result.status, result.err);
        cli_expect_no_text(result.out, "s3cr3t");
        cli_expect_no_text(result.err, "s3cr3t");
        expect_no_mark();
    }
}

/* No secret is in a result file or in its report. Decimal points are points. */
CLI_TEST(test_security_secrets_stay_in_the_environment)
{
    const char *const env[] = {"PATH=/usr/bin:/bin", "TOKEN=s3cr3t-of-the-user", "LC_ALL=de_DE.UTF-8", NULL};
    struct cli_result result;
    struct cli_csv csv;
    char path[128];

    cli_need_commands();
    cli_expect(&(struct cli_run){.args = ARGS("run", "-v", "-i", "2", "-o", "rows.csv", "--", "true"), .env = env}, 0,
               &result);
    cli_expect_no_text(result.out, "s3cr3t");
    cli_expect_no_text(result.err, "s3cr3t");
    cli_expect(&(struct cli_run){.args = ARGS("report", "rows.csv", "-o", "page.html"), .env = env}, 0, &result);
    (void)snprintf(path, sizeof(path), "%s/rows.csv", cli->work);
    cli_csv_read(path, &csv);
    size_t row = cli_row(&csv, "true", "wall", 0);
    assert_non_null(strchr(cli_cell(&csv, row, "value"), '.'));
    cli_expect_text(cli_cell(&csv, row, "param"), "true"); /* the command is: the page says so */
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", cli->work, i ? "page.html" : "rows.csv");
        char *text = cli_read_file(path, NULL);
        cli_expect_no_text(text, "s3cr3t");
    }
}

/* --- What is handed on. --- */

static int open_many(void *context)
{
    (void)context;
    return umask(0) == (mode_t)-1 ? -1 : 0;
}

/* ls has one of its own to read the folder. */
CLI_TEST(test_security_commands_get_three_descriptors)
{
    struct stat status;
    char path[128];

    cli_need_commands();
    const struct cli_run run = {.args = ARGS("run", "-q", "-i", "1", "--warmup", "0", "-o", "rows.csv", "--keep-output",
                                             "kept", "--", "/bin/ls", "/proc/self/fd"),
                                .prepare = open_many};
    cli_expect(&run, 0, NULL);
    (void)snprintf(path, sizeof(path), "%s/kept", cli->work);
    char *text = cli_read_file(path, NULL);
    assert_string_equal(text, "0\n1\n2\n3\n");
    /* Results are readable for others and writable only for the user, whatever the umask. */
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", cli->work, i ? "kept" : "rows.csv");
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0644);
    }
}

/* --- Rights of the file. --- */

static int become_nobody(void *context)
{
    (void)context;
    return cli_become_nobody();
}

static void need_rights_of_files(void)
{
    struct statvfs fs;

    cli_need_root();
    cli_need_processor("an emulator has no rights of the program's file");
    if (statvfs(cli->root, &fs) || fs.f_flag & ST_NOSUID)
        cli_skip("%s is mounted nosuid", cli->root);
}

/* Only one line is printed; neither the command nor a worker's arguments are read. */
static void expect_refused(const char *program, int (*prepare)(void *context))
{
    const char *const *const lines[] = {ARGS("list"), ARGS("@worker", "0", "0"), ARGS("init", "--help"), ARGS(NULL)};

    for (size_t i = 0; i < COUNT(lines); i++) {
        struct cli_result result;
        cli_expect(&(struct cli_run){.program = program, .args = lines[i], .prepare = prepare}, 2, &result);
        assert_string_equal(result.out, "");
        cli_expect_text(result.err, "jitbench: refuses to run with rights that its file gives it");
        assert_ptr_equal(strchr(result.err, '\n'), result.err + strlen(result.err) - 1);
    }
}

static void expect_runs(const char *program, int (*prepare)(void *context))
{
    struct cli_result result;

    cli_expect(&(struct cli_run){.program = program, .args = ARGS("list"), .prepare = prepare}, 0, &result);
}

CLI_TEST(test_security_refuses_set_user_id)
{
    char path[CLI_PATH];

    need_rights_of_files();
    cli_copy_binary(path);
    expect_runs(path, become_nobody);
    assert_int_equal(chmod(path, 04755), 0);
    expect_refused(path, become_nobody);
    expect_runs(path, NULL); /* root has what the file gives */
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    assert_int_equal(chmod(path, 04755), 0);
    expect_refused(path, NULL);
}

CLI_TEST(test_security_refuses_set_group_id)
{
    char path[CLI_PATH];

    need_rights_of_files();
    cli_copy_binary(path);
    assert_int_equal(chmod(path, 02755), 0);
    expect_refused(path, become_nobody);
}

CLI_TEST(test_security_refuses_file_capabilities)
{
    const struct vfs_cap_data nice = {.magic_etc = htole32(VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE),
                                      .data = {{.permitted = htole32(1u << CAP_SYS_NICE)}}};
    char path[CLI_PATH];

    need_rights_of_files();
    cli_copy_binary(path);
    if (setxattr(path, "security.capability", &nice, sizeof(nice), 0))
        cli_skip("no file capabilities in %s: %s", cli->root, strerror(errno));
    expect_refused(path, become_nobody);
    expect_runs(path, NULL);
}

/* --- The program's file. --- */

/* No memory is both written and executed, the stack is not executed, and what the start-up code has filled in is
 * read-only from then on. (Headers of this machine's word size.) */
CLI_TEST(test_security_program_headers)
{
    bool stack = false, relro = false;
    size_t size;

    char *bytes = cli_read_file(cli_binary, &size);
    const ElfW(Ehdr) *head = (const void *)bytes;
    assert_true(size > sizeof(*head));
    assert_memory_equal(bytes, ELFMAG, SELFMAG);
    if (head->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        head->e_phentsize != sizeof(ElfW(Phdr)))
        cli_skip("the program is of another word size or byte order");
    for (unsigned i = 0; i < head->e_phnum; i++) {
        const ElfW(Phdr) *part = (const void *)(bytes + head->e_phoff + i * sizeof(*part));
        if (part->p_type == PT_LOAD)
            assert_int_not_equal(part->p_flags & (PF_W | PF_X), PF_W | PF_X);
        if (part->p_type == PT_GNU_STACK) {
            stack = true;
            assert_int_equal(part->p_flags & PF_X, 0);
        }
        relro = relro || (part->p_type == PT_GNU_RELRO && part->p_memsz > 0);
    }
    assert_true(stack);
    assert_true(relro);
}
