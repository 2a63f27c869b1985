/* SPDX-License-Identifier: MIT */
/* Rows of files: what was written comes back field by field, and what is no row is counted and passed over. */
#include "../test.h"
#include "row_fixture.h"
#include "rows/rows.h"

/* A file of this text, as a path. */
static const char *path_of(const char *text)
{
    static char path[64];
    int fd = memfd_create("test_rows", 0);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return path;
}

/* Each set of the flags gives just these fields. */
TEST(test_rows_only_wanted_fields)
{
    static const char file[] = "suite,test,samples,hist,series,causes\nprime,prime,1;2,3:4,5:6;7:8;9:0;+7,steal:5\n";
    struct error error = {0};
    struct row row;

    for (unsigned wanted = 0; wanted <= ROWS_ALL; wanted++) {
        struct reader *r = reader_open(path_of(file), wanted, &error);
        assert_int_equal(reader_next_row(r, &row), 1);
        assert_int_equal(row.n_samples, wanted & ROWS_SAMPLES ? 2 : 0);
        assert_int_equal(row.n_hist, wanted & ROWS_HIST ? 1 : 0);
        assert_int_equal(row.n_series, wanted & ROWS_SERIES ? 3 : 0);
        assert_int_equal(row.series_left_out, wanted & ROWS_SERIES ? 7 : 0);
        assert_int_equal(row.causes.n, wanted & ROWS_CAUSES ? 1 : 0);
        row_free(&row);
        reader_close(r);
    }
}

TEST(test_rows_that_are_none_are_counted)
{
    struct row_set set = {0};
    struct error message, error;

    const char *path = path_of("schema,suite,test,status,value,samples\n"
                               "1,unix,pipe,ok,1,6;7\n"
                               "3,unix,pipe,ok,2,6;7\n"       /* newer */
                               "1,,pipe,ok,3,6;7\n"           /* no suite */
                               "2,unix,,ok,3,6;7\n"           /* no test */
                               "1,unix,pipe,splendid,4,6;7\n" /* no such status */
                               "1,unix,pi\n"                  /* damaged */
                               "2,unix,pipe,failed,5,6\n"
                               ",unix,pipe,unstable,5,\n");
    assert_int_equal(row_set_read(&set, path, ROWS_ALL, &message, &error), 0);
    assert_int_equal(set.n, 3);
    assert_true(set.rows[1].value > 4.5 && set.rows[1].status == ROW_FAILED && set.rows[2].status == ROW_UNSTABLE);
    assert_string_equal(strchr(message.text, ':') + 2,
                        "1 damaged line, 3 lines that are not results, 1 row of a newer jitbench left out");
    row_set_free(&set);
    path = path_of("schema,suite,test\n99,unix,pipe\n99,unix,pipe\n1,unix\n1,unix\n,,\n");
    assert_int_equal(row_set_read(&set, path, ROWS_ALL, &message, &error), 0);
    assert_int_equal(set.n, 0);
    assert_string_equal(strchr(message.text, ':') + 2,
                        "2 damaged lines, 1 line that is not a result, 2 rows of a newer jitbench left out; no rows");
    row_set_free(&set);
}

TEST(test_rows_of_several_runs)
{
    struct row_set set = {0};
    struct error message, error;

    const char *path = path_of("run_id,host,suite,test\na,h,s,t\na,h,s,u\nb,h,s,t\na,h,s,t\n");
    assert_int_equal(row_set_read(&set, path, 0, &message, &error), 0);
    assert_string_equal(message.text, "");
    assert_int_equal(set.n_runs, 2);
    assert_ptr_equal(set.rows[0].run, set.rows[1].run);
    assert_ptr_equal(set.rows[0].run, set.rows[3].run);
    assert_string_equal(set.rows[2].run->run_id, "b");
    row_set_free(&set);
}

TEST(test_rows_damaged_fields_are_not_known)
{
    struct row_set set = {0};
    struct error message, error;

    const char *path = path_of("suite,test,value,copies,mean,samples,hist,series\n"
                               "s,t,0x10,-3,inf,1;x;2;;3e;nan;4,1:2;3;:;5:6:7;8:9,+;1:2;+3x\n"
                               "s,t,,18446744073709551616,1e999,;,;,;\n"
                               "s,t,1 2,3x,-,;,;,;\n");
    assert_int_equal(row_set_read(&set, path, ROWS_ALL, &message, &error), 0);
    assert_int_equal(set.n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(isnan(set.rows[i].value) && isnan(set.rows[i].stats.mean));
        assert_int_equal(set.rows[i].copies, 0);
    }
    assert_int_equal(set.rows[0].n_samples, 3);
    assert_true(set.rows[0].samples[2] > 3.5);
    assert_int_equal(set.rows[0].n_hist, 2);
    assert_true(set.rows[0].hist[1].at > 7.5);
    assert_int_equal(set.rows[0].n_series, 1);
    assert_int_equal(set.rows[1].n_samples + set.rows[1].n_hist + set.rows[1].n_series, 0);
    row_set_free(&set);
}

/* 63 bytes and a character of two: no half of it stays. */
TEST(test_rows_damaged_causes_are_left_out)
{
    struct error error = {0};
    struct row row;
    struct reader *r = reader_open(path_of("suite,test,causes\n"
                                           "s,t,;a:1;b;c=;=;:2;d:x;e:1.5x;f=7;g:nan;h:inf;a-name-too-long:1;i:.25"),
                                   ROWS_CAUSES, &error);
    assert_non_null(r);
    assert_int_equal(reader_next_row(r, &row), 1);
    assert_string_equal(causes_of(&row), "a:1;f=7;i:0.25");
    reader_close(r);
}

/* What files of other people bring along does not reach a terminal. */
TEST(test_rows_sanitized_in_all_rows_and_runs)
{
    static const char file[] =
        "run_id,host,suite,test,causes\na,h\x1b,s,t,a\x1b=1\na,h\x1b,s,u\x1b,\nb,\x1bh,s\x1b,v,\n";
    struct row_set set = {0};
    struct error message, error;

    assert_int_equal(row_set_read(&set, path_of(file), ROWS_ALL, &message, &error), 0);
    assert_int_equal(set.n, 3);
    assert_string_equal(set.rows[0].run->host, "h?");
    assert_string_equal(set.rows[0].causes.of[0].name, "a?");
    assert_string_equal(set.rows[2].run->host, "?h");
    assert_string_equal(set.rows[1].test, "u?");
    assert_string_equal(set.rows[2].suite, "s?");
    row_set_free(&set);
}

/* Rows of all suites that a real run wrote, commands with quotes and blanks, and damaged parameters. */
TEST(test_rows_recorded_are_written_as_they_were_read)
{
    static const char path[] = "tests/unit/recorded.csv";
    struct error error = {0};
    struct reader *r = reader_open(path, ROWS_ALL, &error);
    FILE *in = fopen(path, "r");
    struct row row;
    char line[4096];
    size_t n = 0;

    if (!r || !in)
        fail_msg("%s: %s (this test runs in the top folder)", path, error);
    for (struct text out = {0}; in && fgets(line, sizeof(line), in); text_free(&out), n++) {
        if (!n) {
            csv_header(&out);
        } else {
            assert_int_equal(reader_next_row(r, &row), 1);
            csv_row(&row, &out);
            row_free(&row);
        }
        assert_string_equal(out.data, line);
    }
    assert_int_equal(n, 40);
    assert_int_equal(reader_next_row(r, &row), 0);
    reader_close(r);
    (void)fclose(in);
}

/* Runs and suites as they came, within them as planned, and what is made of other rows last. */
TEST(test_rows_sorted_are_as_planned)
{
    static const char file[] = "run_id,suite,test,item\n"
                               "a,s,3,2\na,s,1,1\na,s,9,\na,t,5,1\nb,s,7,1\na,s,2,1\na,s,8,12\nb,s,6,1\n";
    struct error message, error;
    char order[16] = "";
    struct row_set set = {0};

    assert_int_equal(row_set_read(&set, path_of(file), 0, &message, &error), 0);
    row_set_sort(&set);
    for (size_t i = 0; i < set.n; i++)
        strcat(order, set.rows[i].test);
    assert_string_equal(order, "12389576");
    assert_string_equal(set.rows[5].run->run_id, "a");
    assert_string_equal(set.rows[6].run->run_id, "b");
    row_set_free(&set);
}
