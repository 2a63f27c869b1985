/* SPDX-License-Identifier: MIT */
/* Ends of records, headers, damaged records. */
#include "rows/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows/text.h"
#include "sys/base.h"

#define BLOCK ((size_t)64 << 10)
/* A row could have one or two names of columns by chance. */
#define NAMES_SURE 3u

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
    locale_t c_locale;
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
    char error[PATH_MAX + 128];
};

/* Nothing more is read. Returns -1. */
static int fail(struct reader *r, int error)
{
    snprintf(r->error, sizeof r->error, "%s: %s", r->path, strerror(error));
    r->row = false;
    return -1;
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
            return fail(r, errno);
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
        scan->newline = found != NULL ? (size_t)(found - data) : length;
    }
    return scan->newline;
}

static bool opens_field(const char *data, size_t quote)
{
    return quote == 0 || data[quote - 1] == ',' || (quote == sizeof byte_order_mark && begins_with_mark(data));
}

/* Searches unquoted text. Returns true at the record's end; false at a quoted field (QUOTED), or when the data end. */
static bool scan_plain(struct scan *scan, const char *data, size_t length)
{
    size_t newline = next_newline(scan, data, length);
    const char *quote;

    while ((quote = memchr(data + scan->at, '"', newline - scan->at)) != NULL) {
        scan->at = (size_t)(quote - data) + 1;
        if (opens_field(data, scan->at - 1)) {
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
    size_t end = quote != NULL ? (size_t)(quote - data) : length;

    while (scan->resume == 0 && next_newline(scan, data, length) < end) {
        scan->at = scan->newline + 1;
        scan->resume = find_header(r, data, scan->at);
    }
    scan->at = quote != NULL ? end + 1 : end;
    scan->state = quote != NULL ? CLOSED : QUOTED;
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
        to = behind = behind != NULL ? behind : limit;
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

/* Returns the number of a column's name. */
static size_t know_name(struct reader *r, const char *name)
{
    const size_t known = r->names.n, number = index_enter(&r->names, name);

    memory_grow(&r->position, &r->capacity, number, sizeof(*r->position));
    if (number == known)
        r->position[number] = SIZE_MAX;
    return number;
}

static bool repeats_header(const struct reader *r, size_t n)
{
    if (n != r->n_columns)
        return false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(r->fields[i], r->names.name[r->column[i]]) != 0)
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

/* Stores the line by which an undamaged file's start is found after damage. Not a short one, which a row's text
 * might contain, nor one with commas or quotes in names, which can be written in several ways. */
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
        r->column[n] = know_name(r, r->fields[n]);
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

int reader_next(struct reader *r)
{
    int found = r->error[0] ? -1 : 0;

    r->row = false;
    while (found == 0 && (found = find_record(r)) > 0 && !(r->row = judge_record(r)))
        found = 0;
    return found;
}

const char *reader_error(const struct reader *r)
{
    return r->error;
}

uint64_t reader_damaged(const struct reader *r)
{
    return r->damaged;
}

size_t reader_column(struct reader *r, const char *name)
{
    return know_name(r, name);
}

const char *reader_at(const struct reader *r, size_t column)
{
    return r->row && r->position[column] != SIZE_MAX ? r->fields[r->position[column]] : NULL;
}

double reader_number(const struct reader *r, size_t column)
{
    const char *text = reader_at(r, column), *at = text;
    double number;
    char *end;
    if (text == NULL || *text == '\0')
        return NAN;
    if (text_short_decimal(&at, &number) && *at == '\0')
        return number;
    /* strtod() alone accepts spaces, hexadecimal digits and names. */
    number = strtod_l(text, &end, r->c_locale);
    return *end == '\0' && text[strspn(text, "+-.0123456789eE")] == '\0' && isfinite(number) ? number : NAN;
}

struct reader *reader_take(int fd, const char *name, char *error, size_t error_size)
{
    struct stat st;
    const int reason = fstat(fd, &st) ? errno : S_ISDIR(st.st_mode) ? EISDIR : 0;

    if (reason) {
        snprintf(error, error_size, "%s: %s", name, strerror(reason));
        fd_close(&fd);
        return NULL;
    }
    struct reader *r = memory_get(1, sizeof *r);
    r->fd = fd;
    r->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!r->c_locale)
        memory_out();
    text_copy(r->path, sizeof r->path, name);
    for (size_t i = 0; i < row_n_columns; i++)
        know_name(r, row_columns[i].name);
    csv_header(&r->header); /* until the file's own was read */
    r->header.length = content_length(r->header.data, r->header.length);
    return r;
}

struct reader *reader_open(const char *path, bool regular, char *error, size_t error_size)
{
    struct stat st;

    if (strcmp(path, "-") == 0)
        return reader_take(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0), "standard input", error, error_size);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (regular ? O_NONBLOCK : 0));
    const char *why = fd < 0 || (regular && fstat(fd, &st) != 0) ? strerror(errno) : NULL;
    if (why == NULL && regular && !S_ISREG(st.st_mode))
        why = "not a regular file";
    if (why == NULL)
        return reader_take(fd, path, error, error_size);
    snprintf(error, error_size, "%s: %s", path, why);
    fd_close(&fd);
    return NULL;
}

void reader_close(struct reader *r)
{
    if (r == NULL)
        return;
    close(r->fd);
    freelocale(r->c_locale);
    text_free(&r->header);
    index_free(&r->names);
    free(r->position);
    free(r->data);
    free(r);
}
