/* SPDX-License-Identifier: MIT */
#include "rows/rows.h"

#include "sys/file.h"
#include "sys/process.h"

#define MOST_NAMES 999u /* names tried in one directory */

void csv_own_text(struct text *out, const char *s)
{
    const bool quoted = strpbrk(s, ",\"") != NULL;
    text_append(out, "\"", quoted);
    for (; *s; s++) {
        text_append(out, s, 1);
        text_append(out, s, *s == '"');
    }
    text_append(out, "\"", quoted);
}

void csv_text(struct text *out, const char *s)
{
    FREED_BY(text_free) struct text cell = {0};

    text_printf(&cell, "%s%s", s[0] && s[1] && strchr("=+-@", s[0]) ? "'" : "", s);
    out->failed |= cell.failed;
    if (cell.failed)
        return;
    text_sanitize(cell.data);
    csv_own_text(out, cell.data);
}

static void put_csv_text(struct text *out, const char *s, size_t length)
{
    (void)length;
    csv_text(out, s);
}

void csv_print(struct text *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_put(out, put_csv_text, text_real, format, args);
    va_end(args);
}

void row_put_field(const struct row *row, const struct row_column *column, const struct row_format *f, struct text *out)
{
    const void *field = row_field(row, column);
    const bool samples = column->type == COLUMN_SAMPLES, hist = column->type == COLUMN_HIST;
    const struct stats_point *pairs = hist ? row->hist : row->series;
    const size_t n = samples ? row->n_samples : hist ? row->n_hist : row->n_series;
    FREED_BY(text_free) struct text causes = {0};

    switch (column->type) {
    case COLUMN_TEXT:
        f->text(out, column, field);
        break;
    case COLUMN_UINT:
        if (*(const uint64_t *)field)
            text_printf(out, "%" PRIu64, *(const uint64_t *)field);
        else
            text_printf(out, "%s", f->unknown);
        break;
    case COLUMN_REAL:
        f->real(out, *(const double *)field);
        break;
    case COLUMN_STATUS:
        f->text(out, column, row_status_name(row->status));
        break;
    case COLUMN_CAUSES:
        causes_text(&row->causes, &causes);
        f->text(out, column, causes.length ? causes.data : "");
        break;
    case COLUMN_SCHEMA:
        text_printf(out, "%d", ROW_SCHEMA);
        break;
    case COLUMN_SAMPLES:
    case COLUMN_HIST:
    case COLUMN_SERIES:
        text_printf(out, "%s", f->begin);
        for (size_t i = 0; i < n; i++) {
            text_printf(out, "%s", i ? f->between : "");
            text_printf(out, "%s", samples ? "" : f->begin);
            f->real(out, samples ? row->samples[i] : pairs[i].at);
            if (samples)
                continue;
            text_printf(out, "%s", f->within);
            f->real(out, pairs[i].value);
            text_printf(out, "%s", f->end);
        }
        text_printf(out, "%s", f->end);
        break;
    }
}

/* Keeps commas only in columns of the user's own words. */
static void put_text(struct text *out, const struct row_column *column, const char *field)
{
    char copy[sizeof((struct row_run *)0)->settings]; /* the longest text */
    TEXT_SET(copy, field);
    row_text_to_csv(column, copy);
    csv_own_text(out, copy);
}

static const struct row_format csv_format = {put_text, text_real, "", "", ";", ":", ""};

void csv_header(struct text *out)
{
    for (size_t i = 0; i < row_n_columns; i++)
        text_printf(out, "%s%s", i > 0 ? "," : "", row_columns[i].name);
    text_append(out, "\r\n", 2);
}

void csv_row(const struct row *row, struct text *out)
{
    for (size_t i = 0; i < row_n_columns; i++) {
        text_append(out, ",", i > 0);
        if (row->run || !row_columns[i].in_run)
            row_put_field(row, &row_columns[i], &csv_format, out);
        if (row_columns[i].type == COLUMN_SERIES && row->series_left_out)
            text_printf(out, "%s+%" PRIu64, row->n_series > 0 ? ";" : "", row->series_left_out);
    }
    text_append(out, "\r\n", 2);
}

struct csv {
    int fd;         /* -1: none */
    bool is_stdout; /* neither removed nor closed */
    bool created;   /* new: removed again if it gets no row */
    bool none;      /* discarded: --no-csv, or nobody reads standard output */
    bool no_samples;
    bool fell_back;          /* a second file was tried */
    bool unflushed;          /* the warning was printed */
    size_t rows;             /* in the open file */
    char path[PATH_MAX];     /* of the open file */
    char reported[PATH_MAX]; /* by csv_path() */
    char name[260];
    struct text header;
    struct text kept;   /* what no file took */
    size_t kept_length; /* of its whole rows */
    size_t kept_rows, lost_rows;
};

static int flush_file(struct csv *csv)
{
    int result;
    do
        result = fdatasync(csv->fd);
    while (result != 0 && errno == EINTR);
    /* Pipes, terminals and some file systems have nothing to flush. (EROFS is an error: the disk became read-only
     * after a failure.) */
    if (result == 0 || errno == EINVAL || errno == ENOTSUP)
        return 0;
    /* A sandbox forbids the call. The row is written, but may be lost in a power cut. */
    if (errno != EPERM && errno != EACCES && errno != ENOSYS)
        return -1;
    if (!csv->unflushed)
        message_print("jitbench: CSV: fdatasync: %s: rows are written, but a power cut may lose them\n",
                      strerror(errno));
    csv->unflushed = true;
    return 0;
}

/* Removes the last `written` bytes of a regular file, from its current end: after `>>` the offset is 0 until the
 * first write, so a cut there would remove the user's own data. */
static void cut_back(int fd, size_t written)
{
    struct stat st;
    off_t end = lseek(fd, 0, SEEK_CUR);
    if (written == 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || end != st.st_size || end < (off_t)written)
        return;
    if (ftruncate(fd, end - (off_t)written) == 0)
        lseek(fd, end - (off_t)written, SEEK_SET);
}

/* Writes and flushes; removes what was written if either fails. Returns 0, or -1 with errno. */
static int write_whole(struct csv *csv, const char *data, size_t length)
{
    size_t done = signals_write(csv->fd, data, length);
    if (done == length && flush_file(csv) == 0)
        return 0;
    const int error = errno;
    cut_back(csv->fd, done);
    errno = error;
    return -1;
}

/* Closes the file, and removes it if it was created here and has no row. Keeps errno. */
static void leave_file(struct csv *csv)
{
    int error = errno;
    if (csv->fd >= 0 && csv->created && csv->rows == 0) {
        directory_remove(csv->path, csv->fd);
        if (!strcmp(csv->path, csv->reported))
            csv->reported[0] = '\0';
    }
    if (csv->fd >= 0 && !csv->is_stdout)
        close(csv->fd);
    csv->fd = -1;
    csv->is_stdout = false;
    errno = error;
}

/* Makes fd the open file and writes the header. Returns 0, or -1 with errno and no file open. */
static int start_file(struct csv *csv, int fd, const char *path, bool created)
{
    csv->fd = fd;
    csv->created = created;
    csv->rows = 0;
    TEXT_SET(csv->path, path);
    if (write_whole(csv, csv->header.data, csv->header.length) != 0) {
        leave_file(csv);
        return -1;
    }
    if (created)
        directory_flush(path);
    return 0;
}

/* directory "": the current one. Returns 0, or -1 with errno. */
static int open_default(struct csv *csv, const char *directory)
{
    char path[PATH_MAX], name[sizeof csv->name + 8];
    int fd = -EEXIST;
    for (unsigned i = 1; fd == -EEXIST && i <= MOST_NAMES; i++) {
        device_file_choice(csv->name, i, name, sizeof name);
        int length = TEXT_PRINT(path, "%s%s%s", directory, directory[0] == '\0' ? "" : "/", name);
        fd = (size_t)length < sizeof path ? directory_create(path) : -ENAMETOOLONG;
    }
    if (fd >= 0)
        return start_file(csv, fd, path, true);
    errno = -fd;
    return -1;
}

/* In $TMPDIR or /tmp, once. Returns 0, or -1. */
static int open_second(struct csv *csv)
{
    const char *directory = getenv("TMPDIR");
    const bool tried = csv->fell_back;
    csv->fell_back = true;
    return tried ? -1 : open_default(csv, directory && directory[0] == '/' ? directory : "/tmp");
}

static int open_named(struct csv *csv, const char *path, struct error *error)
{
    int fd = directory_create(path);
    const bool created = fd >= 0;
    if (fd == -EEXIST)
        fd = directory_open_existing(path);
    if (fd < 0)
        return directory_refused(path, fd, error->text, sizeof(error->text));
    if (start_file(csv, fd, path, created) == 0)
        return 0;
    return error_set(error, "-o '%s': %s", path, strerror(errno));
}

static void free_csv(struct csv *csv)
{
    text_free(&csv->header);
    text_free(&csv->kept);
    free(csv);
}

static int open_stdout(struct csv *csv, struct error *error)
{
    csv->is_stdout = true;
    if (start_file(csv, STDOUT_FILENO, "-", false) == 0)
        return 0;
    csv->none = errno == EPIPE;
    return csv->none ? 0 : error_set(error, "-o -: %s", strerror(errno));
}

static void open_anywhere(struct csv *csv, struct error *message)
{
    if (open_default(csv, "") == 0)
        return;
    const char *why = strerror(errno);
    if (open_second(csv) == 0)
        error_set(message, "no file can be made in the current directory (%s): the CSV goes to '%s'", why, csv->path);
    else
        error_set(message,
                  "no file for the CSV can be made (current directory: %s); it follows the table on standard output",
                  why);
}

struct csv *csv_open(const struct csv_target *target, struct error *message, struct error *error)
{
    struct csv *csv = memory_get(1, sizeof *csv);
    int result = 0;
    message->text[0] = error->text[0] = '\0';
    csv_header(&csv->header);
    if (csv->header.failed)
        memory_out();
    TEXT_PRINT(csv->name, "%.255s.csv", !target->name ? "jitbench" : target->name);
    csv->fd = -1;
    csv->none = target->none;
    csv->no_samples = target->no_samples;
    if (target->none)
        return csv;
    if (target->to_stdout)
        result = open_stdout(csv, error);
    else if (target->path)
        result = open_named(csv, target->path, error);
    else
        open_anywhere(csv, message);
    if (result != 0) {
        free_csv(csv);
        return NULL;
    }
    if (csv->fd >= 0 || target->to_stdout)
        TEXT_SET(csv->reported, csv->path);
    return csv;
}

static void keep_in_memory(struct csv *csv, const char *lines, size_t length, size_t rows)
{
    if (csv->kept.length == 0)
        text_append(&csv->kept, csv->header.data, csv->header.length);
    text_append(&csv->kept, lines, length);
    if (csv->kept.failed) {
        csv->lost_rows += rows;
        return;
    }
    csv->kept_rows += rows;
    csv->kept_length = csv->kept.length;
}

/* After the open file failed or was removed (from and why, for the message): writes these lines to a second file, or
 * keeps them in memory. */
static void go_on(struct csv *csv, const char *from, const char *why, const char *lines, size_t length, size_t rows)
{
    if (open_second(csv) == 0 && write_whole(csv, lines, length) == 0) {
        csv->rows += rows;
        TEXT_SET(csv->reported, csv->path);
        message_print("jitbench: %s: %s: the CSV goes on in '%s'\n", from, why, csv->path);
        return;
    }
    leave_file(csv);
    message_print("jitbench: %s: %s: the CSV's further rows are printed at the end\n", from, why);
    keep_in_memory(csv, lines, length, rows);
}

/* The line could not be written; errno has the reason. */
static void fall_over(struct csv *csv, const struct text *line)
{
    int reason = errno;
    char from[PATH_MAX];
    TEXT_SET(from, csv->is_stdout ? "standard output" : csv->path);
    csv->none = csv->is_stdout && reason == EPIPE;
    if (csv->none)
        return;
    leave_file(csv);
    go_on(csv, from, strerror(reason), line->data, line->length, 1);
}

void csv_rescue(struct csv *csv)
{
    struct stat st;
    char from[PATH_MAX];
    size_t rows = csv->rows;
    if (csv->fd < 0 || !csv->created || fstat(csv->fd, &st) != 0 || st.st_nlink != 0)
        return;
    const size_t size = (size_t)st.st_size;
    FREED char *all = calloc(size + 1, 1);
    const bool whole = all && lseek(csv->fd, 0, SEEK_SET) == 0 && procfs_read_fd(csv->fd, all, size) == (ssize_t)size;
    const char *lines = whole ? strstr(all, "\r\n") : NULL; /* end of the header */
    TEXT_SET(from, csv->path);
    csv->reported[0] = '\0';
    leave_file(csv);
    if (!lines)
        csv->lost_rows += rows;
    else
        go_on(csv, from, "was removed", lines + 2, strlen(lines + 2), rows);
}

void csv_put(struct csv *csv, const struct row *row)
{
    FREED_BY(text_free) struct text line = {0};
    if (csv->none)
        return;
    struct row written = *row;
    if (csv->no_samples)
        written.n_samples = written.n_hist = written.n_series = written.series_left_out = 0;
    csv_row(&written, &line);
    csv_rescue(csv);
    if (line.failed && !csv->lost_rows++)
        message_print("jitbench: out of memory: rows are lost\n");
    if (line.failed)
        return;
    if (csv->fd < 0)
        keep_in_memory(csv, line.data, line.length, 1);
    else if (write_whole(csv, line.data, line.length) == 0)
        csv->rows++;
    else
        fall_over(csv, &line);
}

const char *csv_path(const struct csv *csv)
{
    return csv->reported;
}

int csv_close(struct csv *csv)
{
    if (!csv)
        return 0;
    int result = csv->lost_rows > 0 ? -1 : 0;
    if (csv->kept_rows > 0) {
        fflush(stdout);
        message_print("jitbench: %zu rows are in no file: they follow as CSV on standard output\n", csv->kept_rows);
        /* The last attempt: a part is better than nothing. */
        if (signals_write(STDOUT_FILENO, csv->kept.data, csv->kept_length) != csv->kept_length)
            result = -1;
    }
    leave_file(csv);
    free_csv(csv);
    return result;
}
