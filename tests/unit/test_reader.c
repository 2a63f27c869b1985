/* SPDX-License-Identifier: MIT */
/* The reader of CSV files: what jitbench writes comes back, and whatever was done to the file, no false row does. */
#include <sys/socket.h>

#include "fixture.h"
#include "row_fixture.h"

/* --- help ------------------------------------------------------------------------------------------------------- */

static struct reader *take(int fd)
{
    struct error error = {0};
    struct reader *r = reader_take(fd, "test", 0, &error);
    assert_string_equal(error.text, "");
    assert_non_null(r);
    return r;
}

/* At the end of the file. */
static void put(int fd, const char *data, size_t length)
{
    assert_true(lseek(fd, 0, SEEK_END) >= 0);
    assert_int_equal(write(fd, data, length), length);
}

/* A file of these bytes, to be read from its beginning. */
static int file_of(const char *data, size_t length)
{
    int fd = memfd_create("test_reader", 0);
    assert_true(fd >= 0);
    put(fd, data, length);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

/* Each read gets one byte. */
static int trickle_of(const char *data, size_t length)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
    for (size_t i = 0; i < length; i++)
        assert_int_equal(write(ends[1], data + i, 1), 1);
    close(ends[1]);
    return ends[0];
}

/* The rows to the end as text: the columns a, b and c, '|' between, ';' behind, and the number of damaged records. */
static struct text digest(int fd)
{
    static const char *const names[] = {"a", "b", "c"};
    struct reader *r = take(fd);
    struct text out = {0};
    size_t columns[COUNT(names)];
    int more;

    for (size_t i = 0; i < COUNT(names); i++)
        columns[i] = reader_column(r, names[i]);
    while ((more = reader_next(r)) > 0)
        for (size_t i = 0; i < COUNT(names); i++) {
            const char *field = reader_at(r, columns[i]);
            text_printf(&out, "%s%s", field ? field : "-", i + 1 < COUNT(names) ? "|" : ";");
        }
    assert_int_equal(more, 0);
    assert_int_equal(reader_next(r), 0);
    assert_null(reader_at(r, columns[0]));
    text_printf(&out, "%u", (unsigned)reader_damaged(r));
    reader_close(r);
    return out;
}

/* A macro, so that the failing line is named. */
#define assert_reads(bytes, expected) \
    do { \
        struct text whole_ = digest(file_of(bytes, sizeof(bytes) - 1)); \
        struct text trickled_ = digest(trickle_of(bytes, sizeof(bytes) - 1)); \
        assert_string_equal(whole_.data, expected); \
        assert_string_equal(trickled_.data, expected); \
        text_free(&whole_); \
        text_free(&trickled_); \
    } while (0)

/* --- what jitbench writes --------------------------------------------------------------------------------------- */

static const struct row_run run = {
    .run_id = "0123", .host = "box; the first", .kernel = "6.18 \"rt\"", .cpus_online = 2};

static struct row make_row(const char *test, double value)
{
    return ROW(&run, value, .test = test, .load = "\"one\", two", .metric = "rate");
}

/* --- columns ---------------------------------------------------------------------------------------------------- */

TEST(test_reader_columns_are_asked_for_at_any_time)
{
    static const char file[] = "a,b,c\n1,2,3\nc,b,x,a\n4,5,6,7\nx,b,c\n8,9,10\n";
    struct reader *r = take(file_of(file, sizeof file - 1));
    size_t a = reader_column(r, "a"), x;
    assert_null(reader_at(r, a));
    assert_true(isnan(reader_number(r, a)));
    assert_int_equal(reader_next(r), 1);
    x = reader_column(r, "x");
    assert_int_equal(reader_column(r, "a"), a);
    assert_true(x != a);
    assert_string_equal(reader_at(r, a), "1");
    assert_null(reader_at(r, x));
    assert_string_equal(reader_at(r, reader_column(r, "c")), "3");
    assert_int_equal(reader_next(r), 1);
    assert_string_equal(reader_at(r, a), "7");
    assert_string_equal(reader_at(r, x), "6");
    assert_int_equal(reader_next(r), 1);
    assert_null(reader_at(r, a));
    assert_string_equal(reader_at(r, x), "8");
    assert_int_equal(reader_next(r), 0);
    assert_null(reader_at(r, x));
    reader_close(r);
}

TEST(test_reader_takes_1024_columns)
{
    for (unsigned n = READER_COLUMNS_MAX; n <= READER_COLUMNS_MAX + 1; n++) {
        struct text file = {0};
        for (unsigned i = 0; i < 3 * n; i++)
            text_printf(&file, "%s%u%s", i < n ? "x" : "", i % n + 1, i % n + 1 < n ? "," : "\n");
        struct reader *r = take(file_of(file.data, file.length));
        const size_t last = reader_column(r, "x1024");
        for (unsigned i = 0; n == READER_COLUMNS_MAX && i < 2; i++) {
            assert_int_equal(reader_next(r), 1);
            assert_string_equal(reader_at(r, last), "1024");
        }
        assert_int_equal(reader_next(r), 0);
        assert_int_equal(reader_damaged(r), n == READER_COLUMNS_MAX ? 0 : 3);
        reader_close(r);
        text_free(&file);
    }
}

/* --- records ---------------------------------------------------------------------------------------------------- */

TEST(test_reader_takes_any_line_end)
{
    assert_reads("a,b,c\r\n1,2,3\r\n4,5,\r\n", "1|2|3;4|5|;0");
    assert_reads("a,b,c\r\n1,2,3\n4,5,\"6\"\r\n", "1|2|3;4|5|6;0");
    assert_reads("a,b,c\r\r\n1,2,\"3\"\r\r\n4,5,6\r\r\n", "1|2|3;4|5|6;0");
    assert_reads("a,b,c\n1,2,3", "1|2|3;0");
    assert_reads("a,b,c\n1,2,3\r", "1|2|3;0");
    assert_reads("a,b,c\n1,2,\"3\"", "1|2|3;0");
    assert_reads("a,b,c\n1,2,", "1|2|;0");
    assert_reads("a,b,c", "0");
    /* A CR elsewhere is a character. */
    assert_reads("a,b,c\n1\r,\r2,3\n", "1\r|\r2|3;0");
    /* Lines with nothing in them are nothing. */
    assert_reads("\n\r\na,b,c\n\n1,2,3\n\n\r\n", "1|2|3;0");
    assert_reads("a\n\"\"\n", "|-|-;0");
    assert_reads("\n\n", "0");
    assert_reads("", "0");
}

TEST(test_reader_counts_damage_and_goes_on)
{
    /* The number of fields. */
    assert_reads("a,b,c\n1,2\n1,2,3\n1,2,3,4\n4,5,6\n1\n", "1|2|3;4|5|6;3");
    assert_reads("a,b,c\n1,2,3\n4,5", "1|2|3;1");
    /* Text after a closing quote. */
    assert_reads("a,b,c\n\"1\"x,2,3\n4,5,6\n", "4|5|6;1");
    assert_reads("a,b,c\n\"1\n\"x,\"2\n4,5,6\n", "4|5|6;1");
    assert_reads("a,b,c\n1,2,\"3\"\r4\n4,5,6\n", "4|5|6;1");
    assert_reads("a,b,c\n1,\"2\"\r3\n4,5,6\n", "4|5|6;1");
    assert_reads("a,b,c\n1,2,\"3\" \n4,5,6\n", "4|5|6;1");
    assert_reads("a,b,c\n1,2,\"3\"x", "1");
    /* An open quote. */
    assert_reads("a,b,c\n1,2,3\n4,5,\"6\n7,8,9\n", "1|2|3;1");
    assert_reads("a,b,c\n1,2,3\n4,5,\"", "1|2|3;1");
    assert_reads("a,b,c\n1,2,\"3\"\"", "1");
    /* NUL bytes. */
    assert_reads("a,b,c\n1,\0,3\n4,5,6\n\"7\0\",8,9\n\0\0\0\0", "4|5|6;3");
    assert_reads("a\0,b,c\n1,2,3\n", "2");
    /* Without its header no row can be read. */
    assert_reads("\"a\"x,b,c\n1,2,3\n", "2");
    assert_reads("\"a\"x,b,c\n1,2,3\nschema,test,metric,a\n1,2,3,4\n", "4|-|-;2");
}

TEST(test_reader_finds_a_header_that_damage_swallowed)
{
    /* By the end of a cut file. */
    assert_reads("a,b,c\n1,2,3\n4,5a,b,c\n7,8,9\n", "1|2|3;7|8|9;1");
    assert_reads("a,b,c\n1,2,3\n4a,b,c\n7,8,9\n", "1|2|3;7|8|9;1");
    assert_reads("a,b,c\na,ba,b,c\n7,8,9\n", "7|8|9;1");
    assert_reads("a,b,c\n4,\0\0a,b,c\n7,8,9\n", "7|8|9;1");
    /* Damage by an open quote: to the end, to the next quote, and in a line that begins with it. */
    assert_reads("a,b,c\n4,\"5a,b,c\r\n7,8,9\n", "7|8|9;1");
    assert_reads("a,b,c\n4,\"5a,b,c\n7,8,\"9\"\n", "7|8|9;1");
    assert_reads("a,b,c\n4,\"5\n6a,b,c\n7,8,\"9\n0\"\n", "7|8|9\n0;1");
    assert_reads("a,b,c\n4,\"\na,b,c\n7,8,9\n", "7|8|9;1");
    assert_reads("a,b,c\n4,\"a,b,c\n1,\"a,b,c\n7,8,9\n", "7|8|9;2");
    /* The header of jitbench's rows is known before any was read. */
    struct text file = {0};
    text_printf(&file, "he said: \"go\n\"1\n2,\n");
    csv_header(&file);
    for (double i = 1; i <= 2; i++) {
        struct row row = make_row("pipe", i);
        csv_row(&row, &file);
    }
    struct reader *r = take(file_of(file.data, file.length));
    for (double i = 1; i <= 2; i++) {
        assert_int_equal(reader_next(r), 1);
        assert_true(reader_number(r, reader_column(r, "value")) == i);
    }
    assert_int_equal(reader_next(r), 0);
    assert_int_equal(reader_damaged(r), 1);
    reader_close(r);
    text_free(&file);
    /* A row is not searched for it: two names could stand anywhere, and in quotes all may. */
    assert_reads("a,b\n1,\"2\na,b\n3\"\nxa,b\n", "1|2\na,b\n3|-;xa|b|-;0");
    assert_reads("a,b,c\n1,2,\"3\na,b,c\n4\"\n", "1|2|3\na,b,c\n4;0");
    /* A name that has to be quoted. */
    assert_reads("a,b,c,\"d,e\"\n1,2,3,4,5a,b,c,d,e\n1,2,3,4\n", "1|2|3;1");
}

/* --- cut anywhere ----------------------------------------------------------------------------------------------- */

enum { CUT_ROWS = 3 };

/* A file of jitbench's; its records begin at starts[], the last is the end, and their last fields at last_fields[]. */
static struct text file_to_cut(size_t starts[CUT_ROWS + 2], size_t last_fields[CUT_ROWS + 1])
{
    struct stats_point pair = {1, 0.5};
    struct text file = {0};

    for (size_t i = 0; i <= CUT_ROWS; i++) {
        struct row row = make_row("pipe", (double)i);
        starts[i] = file.length;
        if (i == 2)
            strcpy(row.reason, "\"a\"\"\n\nb\"\n,");
        row.series = &pair;
        row.n_series = 1;
        if (i == 0)
            csv_header(&file);
        else
            csv_row(&row, &file);
        last_fields[i] = (size_t)(strrchr(file.data + starts[i], ',') + 1 - file.data);
    }
    starts[CUT_ROWS + 1] = file.length;
    return file;
}

/* The values of the rows, a digit for each, and the number of damaged records. */
static void assert_values(const struct text *file, const char *expected, unsigned damaged)
{
    struct reader *r = take(file_of(file->data, file->length));
    size_t value = reader_column(r, "value"), host = reader_column(r, "host");
    char values[64] = "";

    while (reader_next(r) > 0) {
        assert_string_equal(reader_at(r, host), run.host);
        strncat(values, reader_at(r, value), sizeof values - 1 - strlen(values));
    }
    assert_string_equal(values, expected);
    assert_int_equal(reader_damaged(r), damaged);
    reader_close(r);
}

/* Number of the record that the byte before the cut is in; 0 is the header. */
static size_t record_of(const size_t starts[CUT_ROWS + 2], size_t cut)
{
    size_t record = 0;
    while (record < CUT_ROWS && cut > starts[record + 1])
        record++;
    return record;
}

TEST(test_reader_survives_a_cut_anywhere)
{
    static const char *const rows[] = {"", "1", "12", "123"};
    size_t starts[CUT_ROWS + 2], last_fields[CUT_ROWS + 1];
    struct text file = file_to_cut(starts, last_fields);
    for (size_t cut = 0; cut <= file.length; cut++) {
        struct text part = {.data = file.data, .length = cut};
        size_t record = record_of(starts, cut);
        if (record == 0)
            assert_values(&part, "", 0);
        else if (cut >= last_fields[record])
            assert_values(&part, rows[record], 0);
        else
            assert_values(&part, rows[record - 1], 1);
    }
    text_free(&file);
}

TEST(test_reader_is_the_same_in_pieces)
{
    static const char *const pieces[] = {"a,b,c", "\"", "\"", ",", ",", "\n", "\n", "\r\n", "1", "x", "\xef\xbb\xbf"};
    uint64_t random = 1;
    for (int i = 0; i < 400; i++) {
        struct text file = {0};
        text_append(&file, "a,b,c\n", i % 2 ? 6 : 0);
        for (int k = 0; k < 30; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t piece = (size_t)(random >> 33) % (COUNT(pieces) + 1);
            if (piece < COUNT(pieces))
                text_append(&file, pieces[piece], strlen(pieces[piece]));
            else
                text_append(&file, "", 1);
        }
        struct text whole = digest(file_of(file.data, file.length));
        struct text trickled = digest(trickle_of(file.data, file.length));
        assert_string_equal(whole.data, trickled.data);
        text_free(&whole);
        text_free(&trickled);
        text_free(&file);
    }
}

/* --- sizes ------------------------------------------------------------------------------------------------------ */

static void put_many(int fd, char c, size_t n)
{
    char block[65536];
    memset(block, c, sizeof block);
    for (; n > sizeof block; n -= sizeof block)
        put(fd, block, sizeof block);
    put(fd, block, n);
}

static struct reader *take_from_start(int fd)
{
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return take(fd);
}

TEST(test_reader_takes_a_line_of_10_mb)
{
    const size_t length = 10000000;
    int fd = file_of("a,b,c\n", 6);
    put(fd, "1,\"", 3);
    put_many(fd, '\n', length);
    put(fd, "\",3\n4,", 6);
    put_many(fd, 'x', length);
    put(fd, ",6\n7,8,9\n", 9);
    struct reader *r = take_from_start(fd);
    size_t a = reader_column(r, "a"), b = reader_column(r, "b"), c = reader_column(r, "c");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(reader_next(r), 1);
        assert_true(reader_number(r, a) == 1 + 3 * i);
        assert_int_equal(strspn(reader_at(r, b), i == 0 ? "\n" : "x"), length);
        assert_int_equal(strlen(reader_at(r, b)), length);
        assert_true(reader_number(r, c) == 3 + 3 * i);
    }
    assert_int_equal(reader_next(r), 1);
    assert_string_equal(reader_at(r, c), "9");
    assert_int_equal(reader_next(r), 0);
    assert_int_equal(reader_damaged(r), 0);
    reader_close(r);
}

/* Each of these would take hours if the reader scanned the bytes again for each quote or line end. */
TEST(test_reader_time_is_linear_in_a_lines_length)
{
    static const struct {
        const char *begin, *piece, *end, *expected;
    } cases[] = {
        {"1,x", "x\"", "\n4,5,6\n", "4|5|6;1"},       /* quotes in a field without */
        {"1,\"", "\"\"", "\",3\n4,5,6\n", NULL},      /* doubled ones in a field with */
        {"1,\"", "x\n", "\",3\n4,5,6\n", NULL},       /* line ends */
        {"1,\"", "\"\"\n", "\",3\n4,5,6\n", NULL},    /* both */
        {"1,\"", "\"\",\"\"", "\",3\n4,5,6\n", NULL}, /* quotes that end a field, or could */
        {"1,", "\",", "2\n4,5,6\n", "4|5|6;1"},       /* and that begin one */
        {"1,\"", "x\n", "", "1"},                     /* open to the end */
        {"", "\"x\n", "4,5,6\n", NULL},               /* open and closed by turns */
        {"", "\n", "4,5,6\n", "4|5|6;0"},             /* lines of nothing */
        {"", "\"\"x\n", "4,5,6\n", NULL},             /* damage in each */
    };
    alarm(120);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text file = {0};
        text_printf(&file, "a,b,c\n%s", cases[i].begin);
        while (file.length < 6000000)
            text_append(&file, cases[i].piece, strlen(cases[i].piece));
        text_printf(&file, "%s", cases[i].end);
        struct text got = digest(file_of(file.data, file.length));
        assert_false(got.failed);
        if (cases[i].expected != NULL)
            assert_string_equal(got.data, cases[i].expected);
        else
            assert_non_null(strstr(got.data, "4|5|6;"));
        text_free(&got);
        text_free(&file);
    }
    alarm(0);
}

TEST(test_reader_skips_what_is_too_long)
{
    int fd = file_of("a,b,c\n", 6);
    /* The most that is taken, and one more. */
    put(fd, "1,2,", 4);
    put_many(fd, 'x', READER_LINE_MAX - 4);
    put(fd, "\r\n4,5,6\n1,2,", 12);
    put_many(fd, 'x', READER_LINE_MAX - 3);
    put(fd, "\r\n7,8,9\n", 8);
    struct reader *r = take_from_start(fd);
    size_t c = reader_column(r, "c");
    assert_int_equal(reader_next(r), 1);
    assert_int_equal(strlen(reader_at(r, c)), READER_LINE_MAX - 4);
    for (int i = 6; i <= 9; i += 3) {
        assert_int_equal(reader_next(r), 1);
        assert_true(reader_number(r, c) == i);
        assert_int_equal(reader_damaged(r), i == 9);
    }
    assert_int_equal(reader_next(r), 0);
    reader_close(r);
}

/* --- numbers ---------------------------------------------------------------------------------------------------- */

static double number_of(const char *field)
{
    struct text file = {0};
    text_printf(&file, "a,b,c\n1,%s,3\n", field);
    struct reader *r = take(file_of(file.data, file.length));
    assert_int_equal(reader_next(r), 1);
    double number = reader_number(r, reader_column(r, "b"));
    reader_close(r);
    text_free(&file);
    return number;
}

TEST(test_reader_numbers)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},         {"12", 12},           {"-1.5", -1.5},      {"+2", 2},     {".5", 0.5},
                {"5.", 5},        {"1e3", 1000},        {"1.25E-2", 0.0125}, {"2e+2", 200}, {"007", 7},
                {"\"3.5\"", 3.5}, {"4.9e-324", 5e-324}, {"1e-400", 0},       {"0.1", 0.1}};
    static const char *const bad[] = {"",     "x",   "1x",  "1 ",    " 1",    "nan",    "inf",     "-inf",
                                      "0x10", "1,5", "1;2", "--1",   "1e",    "1e+",    "e5",      "1e5.5",
                                      ".",    "-",   "-.",  "1.2.3", "1e999", "-1e999", "\"1,5\"", "1_000"};
    for (size_t i = 0; i < COUNT(good); i++)
        assert_true(number_of(good[i].text) == good[i].value);
    for (size_t i = 0; i < COUNT(bad); i++)
        if (strchr(bad[i], ',') == NULL || bad[i][0] == '"')
            assert_true(isnan(number_of(bad[i])));
}

TEST(test_reader_hands_out_a_row_before_the_next_is_written)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct reader *r = take(ends[0]);
    size_t a = reader_column(r, "a");
    alarm(20); /* it would wait for ever */
    assert_int_equal(write(ends[1], "a\n1\n2", 5), 5);
    assert_int_equal(reader_next(r), 1);
    assert_string_equal(reader_at(r, a), "1");
    assert_int_equal(write(ends[1], "3\n", 2), 2);
    assert_int_equal(reader_next(r), 1);
    assert_string_equal(reader_at(r, a), "23");
    close(ends[1]);
    assert_int_equal(reader_next(r), 0);
    alarm(0);
    reader_close(r);
}

TEST(test_reader_waits_where_read_would_not)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        usleep(20000);
        _exit(write(ends[1], "a\n1\n", 4) != 4);
    }
    close(ends[1]);
    struct reader *r = take(ends[0]);
    assert_int_equal(reader_next(r), 1);
    assert_string_equal(reader_at(r, reader_column(r, "a")), "1");
    assert_int_equal(reader_next(r), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    reader_close(r);
}

TEST(test_reader_reports_a_read_error_for_good)
{
    static const char file[] = "a\n1\n";
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct reader *r = take(ends[0]);
    assert_string_equal(reader_error(r), "");
    assert_int_equal(write(ends[1], file, sizeof file - 1), sizeof file - 1);
    assert_int_equal(reader_next(r), 1);
    /* Unread bytes at the other end make a socket's next read fail. */
    assert_int_equal(write(ends[0], "x", 1), 1);
    close(ends[1]);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(reader_next(r), -1);
        assert_null(reader_at(r, reader_column(r, "a")));
        assert_string_equal(reader_error(r), "test: Connection reset by peer");
    }
    reader_close(r);
}
