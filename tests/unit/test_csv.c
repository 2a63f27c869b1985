/* SPDX-License-Identifier: MIT */
/* Unit tests of the CSV: its text, and where its rows go when the disk refuses them. */

#include <ftw.h>
#include <sys/sysmacros.h>

#include "fixture.h"
#include "memory_fixture.h"
#include "row_fixture.h"

#define NAME_STEM "jitbench-box_1.example-20260131T235959Z"

/* --- help ------------------------------------------------------------------------------------------------------- */

/* The file or directory that was flushed last: only a power cut would show it. */
static char flushed[128];

static void note_flush(int fd)
{
    char link[32];

    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, flushed, sizeof flushed - 1);
    flushed[length > 0 ? length : 0] = '\0';
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    note_flush(fd);
    return __real_fsync(fd);
}

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_fdatasync(int fd)
{
    note_flush(fd);
    return __real_fdatasync(fd);
}

/* Each test has a directory of its own as current directory, and tmp in it as $TMPDIR. */
struct place {
    char base[64], tmp[80];
    int saved_out, saved_err;
    struct rlimit limit;
};

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static int enter_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    if (place == NULL)
        return -1;
    *state = place;
    place->saved_out = place->saved_err = -1;
    strcpy(place->base, "/tmp/test_csv.XXXXXX");
    if (mkdtemp(place->base) == NULL || chdir(place->base) != 0)
        return -1;
    snprintf(place->tmp, sizeof place->tmp, "%s/tmp", place->base);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    return mkdir(place->tmp, 0755) != 0 || setenv("TMPDIR", place->tmp, 1) != 0 ||
           getrlimit(RLIMIT_FSIZE, &place->limit) != 0;
}

static void restore_fds(struct place *place)
{
    fflush(stdout);
    fflush(stderr);
    if (place->saved_out >= 0) {
        dup2(place->saved_out, STDOUT_FILENO);
        close(place->saved_out);
    }
    if (place->saved_err >= 0) {
        dup2(place->saved_err, STDERR_FILENO);
        close(place->saved_err);
    }
    place->saved_out = place->saved_err = -1;
}

static int leave_place(void **state)
{
    struct place *place = *state;
    restore_fds(place);
    setrlimit(RLIMIT_FSIZE, &place->limit);
    if (chdir("/") != 0)
        return -1;
    nftw(place->base, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(place);
    return 0;
}

static void limit_files_to(struct place *place, size_t bytes)
{
    struct rlimit limit = place->limit;
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Standard output to a file descriptor that this takes, standard error to a file. */
static void redirect(struct place *place, int out)
{
    int err = open("stderr", O_WRONLY | O_CREAT | O_APPEND, 0644);
    fflush(stdout);
    fflush(stderr);
    place->saved_out = dup(STDOUT_FILENO);
    place->saved_err = dup(STDERR_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
}

static struct text slurp(const char *path)
{
    struct text text = {0};
    char buf[4096];
    ssize_t n;
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        fail_msg("%s: %s", path, strerror(errno));
    while ((n = read(fd, buf, sizeof buf)) > 0)
        text_append(&text, buf, (size_t)n);
    close(fd);
    text_append(&text, "", 0);
    assert_false(text.failed);
    return text;
}

static void assert_file_is(const char *path, const struct text *expected)
{
    struct text text = slurp(path);
    assert_string_equal(text.data, expected->data);
    text_free(&text);
}

static struct row make_row(double value)
{
    return ROW(NULL, value, .test = "pipe", .metric = "rate");
}

static void put(struct csv *csv, double value)
{
    struct row row = make_row(value);
    csv_put(csv, &row);
}

/* The header and rows of the values first .. last. */
static struct text expected_file(unsigned first, unsigned last)
{
    struct text text = {0};
    csv_header(&text);
    for (unsigned i = first; i <= last; i++) {
        struct row row = make_row(i);
        csv_row(&row, &text);
    }
    return text;
}

static size_t row_length(void)
{
    struct row row = make_row(1);
    struct text text = {0};
    size_t length;
    csv_row(&row, &text);
    length = text.length;
    text_free(&text);
    return length;
}

static size_t header_length(void)
{
    struct text text = {0};
    size_t length;
    csv_header(&text);
    length = text.length;
    text_free(&text);
    return length;
}

static struct error message, error;

static struct csv *open_csv(const struct csv_target *target)
{
    strcpy(message.text, "unset");
    strcpy(error.text, "unset");
    return csv_open(target, &message, &error);
}

static struct csv *open_default(void)
{
    struct csv_target target = {.name = "jitbench-box_1.example-20260131T235959Z"};
    return open_csv(&target);
}

static struct csv *open_path(const char *path)
{
    struct csv_target target = {.path = path, .name = "jitbench-box_1.example-20260131T235959Z"};
    return open_csv(&target);
}

/* --- text ------------------------------------------------------------------------------------------------------- */

/* Only the comment may hold commas: awk -F, is to find every column before it. */
TEST(test_csv_row_that_knows_all)
{
    static const struct row_run run = {.run_id = "r1",
                                       .utc = "20260131T235959Z",
                                       .host = "box",
                                       .job = "42",
                                       .rank = "0",
                                       .kernel = "Linux 6.18",
                                       .arch = "x86_64",
                                       .cpu_model = "A CPU",
                                       .cpus_online = 2,
                                       .build = "0.1",
                                       .libc = "glibc",
                                       .settings = "aslr=2 (stack, heap)",
                                       .comment = "hello",
                                       .start_late_us = 12.5,
                                       .uptime_s = 86400.5};
    double samples[] = {1, 2.5, NAN, 4};
    struct stats_point hist[] = {{880, 1000000}, {900, 2}}, series[] = {{1, 0.5}, {7, 1e9}};
    struct row row;
    struct text text = {0};
    row_init(&row, &run);
    strcpy(row.suite, "unix");
    strcpy(row.test, "pipe");
    strcpy(row.load, "none");
    row_param_add(&row.param, PARAM_WORK, "flags", "-O3,-g");
    row.copies = 2;
    strcpy(row.metric, "rate");
    strcpy(row.unit, "lps");
    strcpy(row.better, "higher");
    row.stats = (struct stats_summary){3, 2.5, 0.5, 20, 1, 4, 1, 2.25, 0.25, 3, 3.5, 3.75, 4};
    row.value = 2.5;
    row.index = 975.5;
    row.status = ROW_DEGRADED;
    strcpy(row.reason, "a, b");
    strcpy(row.policy, "SCHED_OTHER");
    row.rt_priority = 0;
    row.nice = -20;
    strcpy(row.cpus, "0,2");
    strcpy(row.bind, "one");
    strcpy(row.layout, "random");
    strcpy(row.scratch_fs, "ext4");
    row.wall_s = 1;
    row.cpu_s = 2;
    row.ctx_voluntary = 3;
    row.ctx_involuntary = 4;
    row.migrations = 5;
    row.faults_minor = 6;
    row.faults_major = 7;
    row.run_delay_ms = 8;
    row.irqs = 9;
    row.softirqs = 10;
    row.steal_ms = 11;
    row_cause_add(&row.causes, "timer", 5, true, 1.5);
    row_cause_add(&row.causes, "net", 3, true, 2);
    row.freq_khz = 2200000;
    strcpy(row.timer_latency_held, "yes");
    strcpy(row.scratch_disk, "mount=rw");
    row.samples = samples;
    row.n_samples = 4;
    row.hist = hist;
    row.n_hist = 2;
    row.series = series;
    row.n_series = 2;
    row.series_left_out = 12;
    row.item = 4;
    strcpy(row.core_share, "0.75");
    row.core_mhz = 3000.5;
    row.explained_pct = 90;
    strcpy(row.counters, "cycles=5;why=no");
    strcpy(row.culprits, "node=3.204");
    row.temp_begin_c = 41;
    row.temp_end_c = 57.25;
    csv_row(&row, &text);
    assert_string_equal(text.data, "2,r1,20260131T235959Z,box,42,0,Linux 6.18,x86_64,A CPU,2,0.1,glibc,"
                                   "aslr=2 (stack heap),unix,pipe,none,flags=-O3;-g,2,rate,lps,higher,"
                                   "3,2.5,2.5,0.5,20,1,4,1,2.25,0.25,3,3.5,3.75,4,"
                                   "975.5,degraded,a; b,"
                                   "SCHED_OTHER,0,-20,0;2,one,random,ext4,"
                                   "1,2,3,4,5,6,7,8,9,10,11,timer:1.5;net:2,2200000,yes,12.5,"
                                   "hello,1;2.5;;4,880:1000000;900:2,1:0.5;7:1000000000;+12,mount=rw,4,"
                                   "0.75,3000.5,90,cycles=5;why=no,node=3.204,86400.5,41,57.25\r\n");
    text_free(&text);
}

/* --- files ------------------------------------------------------------------------------------------------------ */

TEST_WITH(test_csv_default_name_and_rows, enter_place, leave_place)
{
    struct csv *csv = open_default();
    struct text expected = expected_file(1, 2);
    struct stat st;
    mode_t mask = umask(0);
    umask(mask);
    assert_non_null(csv);
    assert_string_equal(message.text, "");
    assert_string_equal(csv_path(csv), NAME_STEM ".csv");
    assert_string_equal(flushed, ((struct place *)*state)->base);
    put(csv, 1);
    put(csv, 2);
    assert_string_equal(strrchr(flushed, '/'), "/" NAME_STEM ".csv");
    /* On disk before the file is closed. */
    assert_file_is(NAME_STEM ".csv", &expected);
    assert_int_equal(csv_close(csv), 0);
    assert_file_is(NAME_STEM ".csv", &expected);
    assert_int_equal(stat(NAME_STEM ".csv", &st), 0);
    assert_int_equal(st.st_mode & 07777, 0644 & ~mask);
    text_free(&expected);
}

TEST_WITH(test_csv_default_falls_back_before_the_first_row, enter_place, leave_place)
{
    struct place *place = *state;
    char expected[256];
    struct csv *csv;
    struct text rows = expected_file(1, 1);
    /* Permissions do not bind root; a directory that is gone takes no file from anyone. */
    assert_int_equal(mkdir("gone", 0755), 0);
    assert_int_equal(chdir("gone"), 0);
    assert_int_equal(rmdir("../gone"), 0);
    csv = open_default();
    assert_non_null(csv);
    snprintf(expected, sizeof expected, "%s/" NAME_STEM ".csv", place->tmp);
    assert_string_equal(csv_path(csv), expected);
    assert_string_equal(flushed, place->tmp);
    assert_non_null(strstr(message.text, "current directory (No such file or directory)"));
    assert_non_null(strstr(message.text, expected));
    assert_null(strchr(message.text, '\n'));
    put(csv, 1);
    assert_int_equal(csv_close(csv), 0);
    assert_file_is(expected, &rows);
    text_free(&rows);
}

TEST_WITH(test_csv_relative_tmpdir_is_not_used, enter_place, leave_place)
{
    struct csv *csv;
    char path[256];
    setenv("TMPDIR", "tmp", 1);
    assert_int_equal(mkdir("gone", 0755), 0);
    assert_int_equal(chdir("gone"), 0);
    assert_int_equal(rmdir("../gone"), 0);
    csv = open_default();
    assert_non_null(csv);
    text_copy(path, sizeof path, csv_path(csv));
    csv_close(csv);
    assert_memory_equal(path, "/tmp/" NAME_STEM, strlen("/tmp/" NAME_STEM));
    assert_int_equal(access(path, F_OK), -1); /* it got no row */
}

TEST_WITH(test_csv_named_file_is_never_overwritten, enter_place, leave_place)
{
    struct text kept = {0};
    int fd = open("x.csv", O_WRONLY | O_CREAT, 0644);
    assert_true(fd >= 0);
    text_append(&kept, "mine", 4);
    assert_int_equal(write(fd, "mine", 4), 4);
    close(fd);
    assert_null(open_path("x.csv"));
    assert_string_equal(error.text, "-o 'x.csv': the file exists; jitbench never overwrites without --force");
    assert_file_is("x.csv", &kept);
    assert_int_equal(symlink("x.csv", "link"), 0);
    assert_null(open_path("link"));
    assert_string_equal(error.text, "-o 'link': a symbolic link; jitbench makes only new files");
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_null(open_path("dangling"));
    assert_string_equal(error.text, "-o 'dangling': a symbolic link; jitbench makes only new files");
    assert_int_equal(access("nowhere", F_OK), -1);
    text_free(&kept);
}

TEST_WITH(test_csv_named_block_device_is_refused, enter_place, leave_place)
{
    if (mknod("disk", S_IFBLK | 0600, makedev(7, 250)) != 0)
        skip_because("needs the right to make device nodes");
    assert_null(open_path("disk"));
    assert_string_equal(error.text, "-o 'disk': is a block device; jitbench never overwrites");
}

/* --- a disk that refuses ---------------------------------------------------------------------------------------- */

TEST_WITH(test_csv_cuts_a_refused_row_and_goes_on_elsewhere, enter_place, leave_place)
{
    struct place *place = *state;
    struct text first = expected_file(1, 3), second = expected_file(4, 6), said;
    char next[256];
    struct csv *csv;
    /* Room for three rows and a half. */
    limit_files_to(place, header_length() + 3 * row_length() + row_length() / 2);
    csv = open_default();
    assert_non_null(csv);
    redirect(place, open("stdout", O_WRONLY | O_CREAT, 0644));
    for (unsigned i = 1; i <= 6; i++)
        put(csv, i);
    restore_fds(place);
    snprintf(next, sizeof next, "%s/" NAME_STEM ".csv", place->tmp);
    assert_string_equal(csv_path(csv), next);
    assert_int_equal(csv_close(csv), 0);
    assert_file_is(NAME_STEM ".csv", &first);
    assert_file_is(next, &second);
    said = slurp("stderr");
    assert_non_null(strstr(said.data, "jitbench: " NAME_STEM ".csv: File too large: the CSV goes on in '"));
    assert_non_null(strstr(said.data, next));
    text_free(&first);
    text_free(&second);
    text_free(&said);
}

/* Its rows would go with it. */
TEST_WITH(test_csv_takes_the_rows_of_a_removed_file_along, enter_place, leave_place)
{
    struct place *place = *state;
    struct text all = expected_file(1, 3), said;
    char next[256];
    struct csv *csv = open_path("x.csv");
    assert_non_null(csv);
    redirect(place, open("stdout", O_WRONLY | O_CREAT, 0644));
    put(csv, 1);
    put(csv, 2);
    assert_int_equal(unlink("x.csv"), 0);
    put(csv, 3);
    snprintf(next, sizeof next, "%s/" NAME_STEM ".csv", place->tmp);
    assert_string_equal(csv_path(csv), next);
    assert_file_is(next, &all);
    csv_rescue(csv); /* nothing to do */
    assert_int_equal(unlink(next), 0);
    csv_rescue(csv);
    assert_string_equal(csv_path(csv), "");
    assert_int_equal(csv_close(csv), 0);
    restore_fds(place);
    assert_file_is("stdout", &all); /* there is no third file */
    said = slurp("stderr");
    assert_non_null(strstr(said.data, "jitbench: x.csv: was removed: the CSV goes on in '"));
    text_free(&all);
    text_free(&said);
}

/* The second file stays, though it got no row of its own. */
TEST_WITH(test_csv_keeps_the_rows_of_a_file_removed_after_the_last, enter_place, leave_place)
{
    struct place *place = *state;
    struct text all = expected_file(1, 2);
    char next[256];
    struct csv *csv = open_path("x.csv");

    redirect(place, open("stdout", O_WRONLY | O_CREAT, 0644));
    put(csv, 1);
    put(csv, 2);
    assert_int_equal(unlink("x.csv"), 0);
    csv_rescue(csv);
    assert_int_equal(csv_close(csv), 0);
    restore_fds(place);
    snprintf(next, sizeof next, "%s/" NAME_STEM ".csv", place->tmp);
    assert_file_is(next, &all);
    text_free(&all);
}

TEST_WITH(test_csv_without_any_file_prints_at_the_end, enter_place, leave_place)
{
    struct place *place = *state;
    struct text expected = {0}, rows = expected_file(1, 2), said;
    char buf[8192];
    int ends[2];
    ssize_t n;
    struct csv *csv;
    limit_files_to(place, 0);
    csv = open_default();
    assert_non_null(csv);
    assert_non_null(strstr(message.text, "no file for the CSV can be made (current directory: File too large)"));
    assert_string_equal(csv_path(csv), "");
    /* A file that could not hold a row is removed. */
    assert_int_equal(access(NAME_STEM ".csv", F_OK), -1);
    put(csv, 1);
    put(csv, 2);
    setrlimit(RLIMIT_FSIZE, &place->limit);
    assert_int_equal(pipe(ends), 0);
    redirect(place, ends[1]);
    printf("table\n"); /* still in stdio's buffer: it has to come first */
    n = csv_close(csv);
    restore_fds(place);
    assert_int_equal(n, 0);
    n = read(ends[0], buf, sizeof buf - 1);
    assert_true(n > 0);
    buf[n] = '\0';
    close(ends[0]);
    text_printf(&expected, "table\n%s", rows.data);
    assert_string_equal(buf, expected.data);
    said = slurp("stderr");
    assert_string_equal(said.data, "jitbench: 2 rows are in no file: they follow as CSV on standard output\n");
    text_free(&expected);
    text_free(&rows);
    text_free(&said);
}

TEST_WITH(test_csv_keeps_rows_when_all_places_refuse_later, enter_place, leave_place)
{
    struct place *place = *state;
    struct text first = expected_file(1, 1), rest = expected_file(2, 3);
    struct csv *csv = open_default();
    assert_non_null(csv);
    redirect(place, open("stdout", O_WRONLY | O_CREAT, 0644));
    put(csv, 1);
    limit_files_to(place, 10);
    put(csv, 2);
    put(csv, 3);
    assert_string_equal(csv_path(csv), NAME_STEM ".csv");
    setrlimit(RLIMIT_FSIZE, &place->limit);
    assert_int_equal(csv_close(csv), 0);
    restore_fds(place);
    assert_file_is(NAME_STEM ".csv", &first);
    assert_file_is("stdout", &rest);
    assert_int_equal(rmdir(place->tmp), 0); /* nothing was left in it */
    text_free(&first);
    text_free(&rest);
}

static int open_without_memory(void)
{
    struct csv *csv = open_default();
    const int files = fixture_count_files("."), opened = csv != NULL;

    assert_int_equal(files, opened + 1); /* and the directory tmp */
    assert_int_equal(csv_close(csv), 0);
    assert_int_equal(fixture_count_files("."), 1);
    return opened ? 0 : -1;
}

/* No file is left without a header, nor one without rows. */
TEST_WITH(test_csv_without_memory_or_rows_leaves_no_file, enter_place, leave_place)
{
    assert_true(memory_needed_or_end(open_without_memory) > 1);
}

TEST_WITH(test_csv_close_tells_of_rows_that_are_lost, enter_place, leave_place)
{
    struct place *place = *state;
    int result;
    struct csv *csv;
    limit_files_to(place, 0);
    csv = open_default();
    assert_non_null(csv);
    put(csv, 1);
    setrlimit(RLIMIT_FSIZE, &place->limit);
    redirect(place, open("/dev/full", O_WRONLY));
    result = csv_close(csv);
    restore_fds(place);
    assert_int_equal(result, -1);
}

/* --- standard output -------------------------------------------------------------------------------------------- */

static const struct csv_target to_stdout = {.to_stdout = 1, .name = "jitbench-box_1.example-20260131T235959Z"};

TEST_WITH(test_csv_appended_to_stdout_keeps_what_was_there, enter_place, leave_place)
{
    struct place *place = *state;
    struct text all = {0}, first = expected_file(1, 1), second = expected_file(2, 2);
    char next[256];
    struct csv *csv;
    int fd = open("log", O_WRONLY | O_CREAT, 0644);
    assert_int_equal(write(fd, "theirs\n", 7), 7);
    close(fd);
    limit_files_to(place, 7 + header_length() + row_length() + row_length() / 2);
    /* As `jitbench -o - >> log`: the offset is 0 until the first write. */
    redirect(place, open("log", O_WRONLY | O_APPEND));
    csv = open_csv(&to_stdout);
    assert_non_null(csv);
    put(csv, 1);
    put(csv, 2);
    snprintf(next, sizeof next, "%s/" NAME_STEM ".csv", place->tmp);
    assert_string_equal(csv_path(csv), next);
    assert_int_equal(csv_close(csv), 0);
    restore_fds(place);
    text_printf(&all, "theirs\n%s", first.data);
    assert_file_is("log", &all);
    assert_file_is(next, &second);
    text_free(&all);
    text_free(&first);
    text_free(&second);
}

TEST_WITH(test_csv_waits_for_a_full_pipe, enter_place, leave_place)
{
    static double samples[20000];
    struct row row = make_row(1);
    struct text expected = {0}, got = {0};
    char buf[4096];
    ssize_t n;
    struct csv *csv;
    pid_t child;
    int ends[2], status;
    row.samples = samples;
    row.n_samples = 20000;
    for (size_t i = 0; i < 20000; i++)
        samples[i] = 0.1;
    csv_header(&expected);
    csv_row(&row, &expected); /* 400 kB, more than a pipe holds: short writes and EAGAIN */
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[1]);
        csv = open_csv(&to_stdout);
        csv_put(csv, &row);
        _exit(csv_close(csv) != 0);
    }
    close(ends[1]);
    fcntl(ends[0], F_SETFL, 0);
    while ((n = read(ends[0], buf, sizeof buf)) > 0)
        text_append(&got, buf, (size_t)n);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(got.length, expected.length);
    assert_memory_equal(got.data, expected.data, expected.length);
    text_free(&expected);
    text_free(&got);
}
