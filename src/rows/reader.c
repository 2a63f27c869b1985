/* SPDX-License-Identifier: MIT */
/* Ends of records, headers, damaged records. */
#include "rows/rows.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK ((size_t)64 << 10)
/* A row could have one or two names of columns by chance. */
#define NAMES_SURE 3u
#define NUMBER_MAX 1e30

static const char byte_order_mark[] = {'\xef', '\xbb', '\xbf'};

enum state {
    PLAIN,
    QUOTED,
    CLOSED, /* after a quote in a quoted field: its end, or the first of two */
    ENDING, /* after the CR behind a quoted field */
    BAD,    /* damaged: the rest of the line is skipped */
};

/* Search for the end of the record at the start of the buffer, from where positions count. */
struct scan {
    enum state state;
    size_t at;      /* bytes searched */
    size_t newline; /* of the next line end from `at` on; if none was found, the end of what was searched for it */
    size_t resume;  /* a header within an open quote; 0: none */
    bool too_long;  /* its beginning was dropped */
};

struct reader {
    int fd;
    bool ended;
    bool row; /* fields[] has the current record */
    char *data;
    size_t begin, end, size;
    struct scan scan;
    uint64_t damaged;
    char *fields[READER_COLUMNS_MAX];
    struct text header;         /* the header's line, searched for within damaged records */
    struct index names;         /* of columns: of jitbench's, of all headers, and asked for by reader_column() */
    size_t *position, capacity; /* where the header has each of them; SIZE_MAX: nowhere */
    size_t column[READER_COLUMNS_MAX], n_columns; /* numbers of the header's names; 0: no header yet */
    char path[PATH_MAX];
    struct error error;
    /* Of rows. */
    unsigned wanted;
    struct row_run run, next_run;
    uint64_t unknown, too_new;
};

/* Nothing more is read. Returns -1. */
static int fail_reading(struct reader *r, const char *why)
{
    r->row = false;
    return error_set(&r->error, "%.1000s: %s", r->path, why);
}

/* Returns 1, 0 at the end of the file, or -1. */
static int fill(struct reader *r)
{
    struct pollfd wait = {.fd = r->fd, .events = POLLIN};
    ssize_t n;
    if (r->ended)
        return 0;
    if (r->size - r->end <= BLOCK && r->begin > 0) {
        memmove(r->data, r->data + r->begin, r->end - r->begin);
        r->end -= r->begin;
        r->begin = 0;
    }
    memory_grow(&r->data, &r->size, r->end + BLOCK, 1);
    /* One byte is left for the last field's terminator. */
    while ((n = read(r->fd, r->data + r->end, r->size - 1 - r->end)) < 0) {
        if (errno == EAGAIN)
            poll(&wait, 1, -1);
        else if (errno != EINTR)
            return fail_reading(r, strerror(errno));
    }
    r->end += (size_t)n;
    r->ended = n == 0;
    return n > 0;
}

/* Without the LF and all CRs before it: file transfers may have added some. */
static size_t content_length(const char *data, size_t length)
{
    if (length > 0 && data[length - 1] == '\n')
        length--;
    while (length > 0 && data[length - 1] == '\r')
        length--;
    return length;
}

/* Where the header's line begins in which the bytes end; 0: they do not, or nothing precedes it. */
static size_t find_header(const struct reader *r, const char *data, size_t length)
{
    size_t content = content_length(data, length), header = r->header.length;
    if (content <= header || memcmp(data + content - header, r->header.data, header) != 0)
        return 0;
    return content - header;
}

/* Byte order mark; in concatenated files in the middle too. */
static bool begins_with_mark(const char *data)
{
    return memcmp(data, byte_order_mark, sizeof byte_order_mark) == 0;
}

/* First line end in the bytes not searched yet; length: none. No byte is searched twice, however many quotes a line
 * has. */
static size_t next_newline(struct scan *scan, const char *data, size_t length)
{
    if (scan->newline < scan->at)
        scan->newline = scan->at;
    if (scan->newline < length && data[scan->newline] != '\n') {
        const char *found = memchr(data + scan->newline, '\n', length - scan->newline);
        scan->newline = found ? (size_t)(found - data) : length;
    }
    return scan->newline;
}

/* Searches unquoted text. Returns true at the record's end; false at a quoted field (QUOTED), or when the data end. */
static bool scan_plain(struct scan *scan, const char *data, size_t length)
{
    size_t newline = next_newline(scan, data, length);
    const char *quote;

    while ((quote = memchr(data + scan->at, '"', newline - scan->at)) != NULL) {
        scan->at = (size_t)(quote - data) + 1;
        if (quote == data || quote[-1] == ',' ||
            (quote == data + sizeof byte_order_mark && begins_with_mark(data))) { /* opens a field */
            scan->state = QUOTED;
            return false;
        }
    }
    scan->at = newline < length ? newline + 1 : length;
    return newline < length;
}

/* Goes behind the next quote in quoted text. Notes the first header on the way, in case the quote was opened by
 * mistake. */
static void scan_quoted(struct reader *r, const char *data, size_t length)
{
    struct scan *scan = &r->scan;
    const char *quote = memchr(data + scan->at, '"', length - scan->at);
    size_t end = quote ? (size_t)(quote - data) : length;

    while (scan->resume == 0 && next_newline(scan, data, length) < end) {
        scan->at = scan->newline + 1;
        scan->resume = find_header(r, data, scan->at);
    }
    scan->at = quote ? end + 1 : end;
    scan->state = quote ? CLOSED : QUOTED;
}

static enum state behind_quote(enum state state, char c)
{
    if (c == '\r')
        return ENDING;
    if (state == CLOSED && (c == '"' || c == ','))
        return c == '"' ? QUOTED : PLAIN;
    return BAD;
}

/* Returns whether the record's end was found in the data so far. */
static bool scan_on(struct reader *r)
{
    struct scan *scan = &r->scan;
    size_t length = r->end - r->begin;
    bool found = false;

    if (length == 0)
        return false;
    const char *data = r->data + r->begin;
    while (scan->at < length && !found)
        switch (scan->state) {
        case PLAIN:
            found = scan_plain(scan, data, length);
            break;
        case QUOTED:
            scan_quoted(r, data, length);
            break;
        case CLOSED:
        case ENDING:
            found = data[scan->at] == '\n';
            scan->state = found ? scan->state : behind_quote(scan->state, data[scan->at]);
            scan->at++;
            break;
        case BAD:
            found = next_newline(scan, data, length) < length;
            scan->at = found ? scan->newline + 1 : length;
            break;
        }
    return found;
}

/* Drops the start of a record that is too long, but what may be part of a header. Returns true when the record ends
 * here, at a header. */
static bool drop_too_long(struct reader *r)
{
    size_t length = r->end - r->begin, keep = r->header.length + 2;
    if (length <= READER_LINE_MAX + BLOCK)
        return false;
    r->scan.too_long = true;
    if (r->scan.resume > 0)
        return true;
    r->begin = r->end - keep;
    r->scan.at = r->scan.newline = keep;
    return false;
}

/* Returns 1, 0 at the end of the file, or -1. */
static int find_record(struct reader *r)
{
    r->begin += r->scan.at;
    r->scan = (struct scan){.state = PLAIN};
    while (!scan_on(r) && !drop_too_long(r)) {
        int more = fill(r);
        if (more < 0)
            return -1;
        if (more == 0)
            return r->end > r->begin;
    }
    return 1;
}

/* Terminates the field at s, which ends at `limit` or before, without its quotes. Returns the next field; NULL:
 * none. */
static char *end_field(char *s, char *limit)
{
    char *to, *behind;

    if (s < limit && *s == '"') {
        to = s;
        for (behind = s + 1; *behind != '"' || (behind + 1 < limit && behind[1] == '"'); behind++) {
            behind += *behind == '"';
            *to++ = *behind;
        }
        behind++;
    } else {
        behind = memchr(s, ',', (size_t)(limit - s));
        to = behind = behind ? behind : limit;
    }
    *to = '\0';
    return behind < limit ? behind + 1 : NULL;
}

/* Splits a record in place. Returns the number of fields; those beyond the maximum count as one. */
static size_t split(struct reader *r, char *data, size_t length)
{
    char *limit = data + length;
    size_t n = 0;

    for (char *next = data; next != NULL; n++) {
        if (n == READER_COLUMNS_MAX)
            return n + 1;
        r->fields[n] = next;
        next = end_field(next, limit);
    }
    return n;
}

size_t reader_column(struct reader *r, const char *name)
{
    const size_t known = r->names.n, number = index_enter(&r->names, name);

    MEMORY_GROW(r->position, r->capacity, number);
    if (number == known)
        r->position[number] = SIZE_MAX;
    return number;
}

static bool repeats_header(const struct reader *r, size_t n)
{
    if (n != r->n_columns)
        return false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(r->fields[i], r->names.name[r->column[i]]))
            return false;
    return true;
}

/* More than half of the n fields are known names. Empty fields and numbers are not looked up: rows are recognised
 * fast. */
static bool resembles_header(const struct reader *r, size_t n)
{
    size_t names = 0, others = 0;
    for (size_t i = 0; i < n && 2 * others < n; i++) {
        char c = r->fields[i][0];
        if (c == '\0' || (c >= '0' && c <= '9') || index_find(&r->names, r->fields[i]) == SIZE_MAX)
            others++;
        else
            names++;
    }
    return names >= NAMES_SURE && 2 * names > n;
}

/* Stores the line by which an undamaged file's start is found after damage: no short one, which a row's text might
 * contain, nor one with quoted names, which can be written in several ways. */
static void keep_header(struct reader *r, size_t n)
{
    bool plain = n >= NAMES_SURE;
    size_t length = 0;

    for (size_t i = 0; i < n && plain; i++) {
        length += strlen(r->fields[i]) + 1;
        plain = strpbrk(r->fields[i], ",\"\r\n") == NULL;
    }
    if (!plain || length > BLOCK)
        return;
    r->header.length = 0;
    for (size_t i = 0; i < n; i++)
        text_printf(&r->header, "%s%s", i > 0 ? "," : "", r->fields[i]);
}

/* Of columns with one name, the leftmost is read. */
static void take_header(struct reader *r, size_t n)
{
    for (size_t i = 0; i < r->names.n; i++)
        r->position[i] = SIZE_MAX;
    r->n_columns = n;
    while (n-- > 0) {
        r->column[n] = reader_column(r, r->fields[n]);
        r->position[r->column[n]] = n;
    }
    keep_header(r, r->n_columns);
}

/* Returns whether it is a row: no header, and not damaged. */
static bool take_record(struct reader *r, char *data, size_t length)
{
    size_t n = split(r, data, length);
    bool first = r->n_columns == 0 && r->damaged == 0;

    if (repeats_header(r, n))
        return false;
    if (n <= READER_COLUMNS_MAX && (first || resembles_header(r, n))) {
        take_header(r, n);
        return false;
    }
    r->damaged += n != r->n_columns;
    return n == r->n_columns;
}

/* The same, for a record not checked for damage yet. */
static bool judge_record(struct reader *r)
{
    struct scan *scan = &r->scan;
    char *data = r->data + r->begin;
    size_t length = content_length(data, scan->at), header = find_header(r, data, scan->at);
    bool open = scan->state == QUOTED || scan->state == BAD;

    if (length >= sizeof byte_order_mark && begins_with_mark(data)) {
        data += sizeof byte_order_mark;
        length -= sizeof byte_order_mark;
        header -= header > 0 ? sizeof byte_order_mark : 0;
    }
    if (length == 0)
        return false;
    bool whole = !open && !scan->too_long && length <= READER_LINE_MAX && memchr(data, '\0', length) == NULL;
    if (!whole || header > 0)
        r->damaged++;
    if (!whole && scan->resume > 0)
        scan->at = scan->resume;
    else if (header > 0)
        return take_record(r, data + header, length - header);
    else if (whole)
        return take_record(r, data, length);
    return false;
}

/* Of the first record. NULL: it may be CSV. */
static const char *why_not_csv(const struct reader *r)
{
    static const char *const magic[] = {"\x1f\x8b", "BZh",
                                        "\xfd"
                                        "7zXZ",
                                        "\x28\xb5\x2f\xfd"};
    const char *const data = r->data + r->begin;
    const size_t length = r->scan.at;
    size_t semicolons = 0;

    for (size_t i = 0; i < COUNT(magic); i++)
        if (r->end - r->begin > strlen(magic[i]) && !memcmp(data, magic[i], strlen(magic[i])))
            return "compressed; decompress it first";
    for (size_t i = 0; i < length; i++)
        semicolons += data[i] == ';';
    return semicolons >= NAMES_SURE && !memchr(data, ',', length) ? "its fields are separated by ';', not by commas"
                                                                  : NULL;
}

int reader_next(struct reader *r)
{
    int found = r->error.text[0] ? -1 : 0;

    r->row = false;
    while (found == 0 && (found = find_record(r)) > 0) {
        const char *why = r->n_columns || r->damaged ? NULL : why_not_csv(r);
        if (why)
            return fail_reading(r, why);
        r->row = judge_record(r);
        if (!r->row)
            found = 0;
    }
    return found;
}

const char *reader_error(const struct reader *r)
{
    return r->error.text;
}

uint64_t reader_damaged(const struct reader *r)
{
    return r->damaged;
}

const char *reader_at(const struct reader *r, size_t column)
{
    return r->row && r->position[column] != SIZE_MAX ? r->fields[r->position[column]] : NULL;
}

/* Moves *at behind the number. Returns false without one that a result can be. */
static bool take_number(const char **at, double *value)
{
    if (text_short_decimal(at, value))
        return true;
    /* strtod() alone accepts spaces, hexadecimal digits and names. */
    const size_t length = strspn(*at, "+-.0123456789eE");
    char *end;
    *value = strtod(*at, &end);
    const bool whole = length && end == *at + length;
    *at += length;
    return whole && fabs(*value) < NUMBER_MAX;
}

double reader_number(const struct reader *r, size_t column)
{
    const char *text = reader_at(r, column);
    double number;
    return text && take_number(&text, &number) && *text == '\0' ? number : NAN;
}

struct reader *reader_take(int fd, const char *name, unsigned wanted, struct error *error)
{
    struct stat st;
    const int reason = fstat(fd, &st) ? errno : S_ISDIR(st.st_mode) ? EISDIR : 0;

    if (reason) {
        error_set(error, "%s: %s", name, strerror(reason));
        fd_close(&fd);
        return NULL;
    }
    struct reader *r = memory_get(1, sizeof *r);
    r->fd = fd;
    r->wanted = wanted;
    TEXT_SET(r->path, name);
    for (size_t i = 0; i < row_n_columns; i++)
        reader_column(r, row_columns[i].name);
    csv_header(&r->header); /* until the file's own was read */
    r->header.length = content_length(r->header.data, r->header.length);
    return r;
}

struct reader *reader_open(const char *path, unsigned wanted, struct error *error)
{
    const bool regular = wanted & ROWS_REGULAR;
    struct stat st;

    if (!strcmp(path, "-"))
        return reader_take(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0), "standard input", wanted, error);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (regular ? O_NONBLOCK : 0));
    const char *why = fd < 0 || (regular && fstat(fd, &st) != 0) ? strerror(errno) : NULL;
    if (!why && regular && !S_ISREG(st.st_mode))
        why = "not a regular file";
    if (!why)
        return reader_take(fd, path, wanted, error);
    error_set(error, "%.1000s: %s", path, why);
    fd_close(&fd);
    return NULL;
}

void reader_close(struct reader *r)
{
    if (!r)
        return;
    close(r->fd);
    text_free(&r->header);
    index_free(&r->names);
    free(r->position);
    free(r->data);
    free(r);
}

/* --- Rows. --- */

/* Cut between two UTF-8 characters. */
static void take_text(char *to, size_t size, const char *from)
{
    size_t length = strnlen(from, size);

    if (length == size)
        for (length--; length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80; length--)
            ;
    text_copy(to, length + 1, from);
}

static uint64_t to_uint(const char *s)
{
    errno = 0;
    uint64_t value = *s >= '0' && *s <= '9' ? strtoull(s, NULL, 10) : 0;
    return errno || s[strspn(s, "0123456789")] ? 0 : value;
}

static bool to_status(const char *s, enum row_status *status)
{
    for (int i = ROW_OK; i <= ROW_FAILED; i++)
        if (!strcmp(s, row_status_name((enum row_status)i))) {
            *status = (enum row_status)i;
            return true;
        }
    return false;
}

static size_t count_pieces(const char *s)
{
    size_t n = *s != '\0';

    for (; (s = strchr(s, ';')); s++)
        n++;
    return n;
}

static const char *next_piece(const char *s)
{
    s += strcspn(s, ";");
    return *s ? s + 1 : s;
}

/* Elements that are no numbers are left out as damage; empty ones are NAN if `unknown`, else left out. */
static void take_samples(const char *s, bool unknown, struct row *row)
{
    const size_t n = count_pieces(s);

    row->samples = n ? memory_get(n, sizeof(*row->samples)) : NULL;
    for (size_t i = 0; i < n; i++, s = next_piece(s)) {
        double *sample = &row->samples[row->n_samples];
        if ((*s == ';' || !*s) && unknown)
            *sample = NAN;
        else if (!take_number(&s, sample) || (*s && *s != ';'))
            continue;
        row->n_samples++;
    }
}

static void take_pairs(const char *s, struct stats_point **pairs, size_t *n_pairs, uint64_t *left_out)
{
    *pairs = *s ? memory_get(count_pieces(s), sizeof(**pairs)) : NULL;
    for (; *s; s = next_piece(s)) {
        struct stats_point *pair = &(*pairs)[*n_pairs];
        if (*s == '+' && left_out)
            *left_out = strtoull(s + 1, NULL, 10);
        else if (take_number(&s, &pair->at) && *s == ':' && s++ && take_number(&s, &pair->value) && (*s == ';' || !*s))
            ++*n_pairs;
    }
}

/* "name:ms" or "name=count"; others are left out. */
static void read_causes(const char *s, struct row_causes *causes)
{
    for (; *s; s = next_piece(s)) {
        const size_t length = strcspn(s, ":=;");
        const char *at = s + length + 1;
        double number;
        if ((s[length] == ':' || s[length] == '=') && take_number(&at, &number) && (*at == ';' || !*at))
            row_cause_add(causes, s, length, s[length] == ':', number);
    }
}

/* Reads column i into the row or its run. Returns false when the record is no valid row. */
static bool take_field(struct reader *r, size_t i, struct row *row)
{
    const struct row_column *column = &row_columns[i];
    const char *s = reader_at(r, i); /* the reader knows row_columns from the beginning, in their order */
    void *field = (column->in_run ? (char *)&r->next_run : (char *)row) + column->offset;

    if (!s)
        return true;
    switch (column->type) {
    case COLUMN_TEXT:
        take_text(field, column->size, s);
        row_text_from_csv(column, field);
        if (field == row->param.text)
            row_params_read(&row->param);
        break;
    case COLUMN_UINT:
        *(uint64_t *)field = to_uint(s);
        break;
    case COLUMN_REAL:
        *(double *)field = reader_number(r, i);
        break;
    case COLUMN_CAUSES:
        read_causes(r->wanted & ROWS_CAUSES ? s : "", &row->causes);
        break;
    case COLUMN_STATUS:
        return to_status(s, &row->status);
    case COLUMN_SCHEMA:
        r->too_new += to_uint(s) > ROW_SCHEMA;
        return to_uint(s) <= ROW_SCHEMA;
    case COLUMN_SAMPLES:
        take_samples(r->wanted & ROWS_SAMPLES ? s : "", r->wanted & ROWS_UNKNOWN, row);
        break;
    case COLUMN_HIST:
        take_pairs(r->wanted & ROWS_HIST ? s : "", &row->hist, &row->n_hist, NULL);
        break;
    case COLUMN_SERIES:
        take_pairs(r->wanted & ROWS_SERIES ? s : "", &row->series, &row->n_series, &row->series_left_out);
        break;
    }
    return true;
}

/* Returns false when the record is no valid row. */
static bool read_row(struct reader *r, struct row *row)
{
    row_init(row, &r->run);
    row_run_init(&r->next_run);
    for (size_t i = 0; i < row_n_columns; i++)
        if (!take_field(r, i, row))
            return false;
    return row->suite[0] && row->test[0];
}

int reader_next_row(struct reader *r, struct row *row)
{
    int more;

    while ((more = reader_next(r)) == 1) {
        if (read_row(r, row)) {
            if (!row_run_equal(&r->run, &r->next_run))
                r->run = r->next_run;
            return 1;
        }
        row_free(row);
        r->unknown++;
    }
    return more;
}

static void append_count(struct text *out, uint64_t n, const char *one, const char *many)
{
    if (n)
        text_printf(out, "%s%" PRIu64 " %s", out->length ? ", " : "", n, n == 1 ? one : many);
}

void reader_describe(const struct reader *r, const char *path, size_t n_rows, struct error *message)
{
    FREED_BY(text_free) struct text out = {0};

    append_count(&out, reader_damaged(r), "damaged line", "damaged lines");
    append_count(&out, r->unknown - r->too_new, "line that is not a result", "lines that are not results");
    append_count(&out, r->too_new, "row of a newer jitbench", "rows of a newer jitbench");
    message->text[0] = '\0';
    if (out.length)
        error_set(message, "%.1000s: %s left out%s", path, out.data, n_rows ? "" : "; no rows");
    else if (!n_rows && !r->error.text[0]) /* otherwise the reader's error says what is wrong */
        error_set(message, "%.1000s: %s", path, r->n_columns ? "no rows" : "empty");
}

/* Returns the set's copy of this run, made if there is none; the latest is most likely. */
static const struct row_run *keep_run(struct row_set *set, const struct row_run *run)
{
    for (size_t i = set->n_runs; i-- > 0;)
        if (row_run_equal(set->runs[i], run))
            return set->runs[i];
    memory_grow(&set->runs, &set->runs_capacity, set->n_runs, sizeof(struct row_run *));
    struct row_run *copy = memory_get(1, sizeof(*copy));
    *copy = *run;
    set->runs[set->n_runs++] = copy;
    return copy;
}

int row_set_read(struct row_set *set, const char *path, unsigned wanted, struct error *message, struct error *error)
{
    struct reader *r = reader_open(path, wanted, error);
    size_t n_rows = 0;
    struct row row;
    int more;

    message->text[0] = '\0';
    if (!r)
        return -1;
    while ((more = reader_next_row(r, &row)) == 1) {
        n_rows++;
        if (set->choose && !set->choose(set->context, &row)) {
            row_free(&row);
            continue;
        }
        row.run = keep_run(set, row.run);
        row.number = set->n;
        MEMORY_GROW(set->rows, set->capacity, set->n);
        set->rows[set->n++] = row;
    }
    if (more < 0)
        *error = r->error;
    reader_describe(r, path, n_rows, message);
    reader_close(r);
    return more;
}

/* Run and suite are numbered in the order of their first rows. */
struct sort_key {
    size_t run, suite, at;
    uint64_t item;
};

static int by_key(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;

    if (x->run != y->run)
        return ORDER_OF(x->run, y->run);
    if (x->suite != y->suite)
        return ORDER_OF(x->suite, y->suite);
    if (x->item != y->item) /* item 0 (calculated from other rows) comes last: item - 1 is then the largest */
        return ORDER_OF(x->item - 1, y->item - 1);
    return ORDER_OF(x->at, y->at);
}

/* keys[i].at: where the row that belongs at i is. Follows one cycle of the permutation after the other. */
static void permute_rows(struct row *rows, struct sort_key *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (keys[i].at == i)
            continue;
        const struct row first = rows[i];
        size_t to = i;
        for (size_t from; (from = keys[to].at) != i; to = from) {
            rows[to] = rows[from];
            keys[to].at = to;
        }
        rows[to] = first;
        keys[to].at = to;
    }
}

void row_set_sort(struct row_set *set)
{
    FREED struct sort_key *keys = memory_get(set->n, sizeof(*keys));
    FREED_BY(index_free) struct index runs = {0}, suites = {0};

    for (size_t i = 0; i < set->n; i++) {
        const struct row *row = &set->rows[i];
        keys[i] =
            (struct sort_key){.run = index_enter(&runs, TEXT_LINE("%p", (const void *)row->run)),
                              .suite = index_enter(&suites, TEXT_LINE("%p %s", (const void *)row->run, row->suite)),
                              .at = i,
                              .item = row->item};
    }
    SORT(keys, set->n, by_key);
    permute_rows(set->rows, keys, set->n);
}

void row_set_free(struct row_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        row_free(&set->rows[i]);
    for (size_t i = 0; i < set->n_runs; i++)
        free(set->runs[i]);
    free(set->rows);
    free(set->runs);
    memset(set, 0, sizeof(*set));
}
