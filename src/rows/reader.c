/* SPDX-License-Identifier: MIT */
/* Ends of records, headers, damaged records. */
#include "rows/rows.h"

#include <assert.h>
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

struct name {
    const char *name;
    size_t position; /* SIZE_MAX: no such column in the file */
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
    size_t n_columns;                          /* of the header; 0: none yet */
    struct text names;                         /* of the header's columns, NUL-terminated */
    struct text header;                        /* its line, searched for within damaged records */
    struct name known[2 * READER_COLUMNS_MAX]; /* of the header's columns and jitbench's, sorted */
    size_t n_known;
    uint64_t known_lengths[256]; /* quick test of known[]: bit i of a first byte: a name of i bytes begins with it
                                  * (the last bit: a longer one) */
    struct name wanted[READER_COLUMNS_MAX]; /* by reader_column() */
    size_t n_wanted;
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
    if (!grow_array(&r->data, &r->size, r->end + BLOCK, 1))
        return fail(r, ENOMEM);
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

static int compare_names(const void *a, const void *b)
{
    const struct name *one = a, *other = b;
    int order = strcmp(one->name, other->name);
    return order != 0 ? order : ORDER_OF(one->position, other->position);
}

static int compare_name_only(const void *key, const void *entry)
{
    return strcmp(key, ((const struct name *)entry)->name);
}

static const struct name *find_name(const struct reader *r, const char *name)
{
    return bsearch(name, r->known, r->n_known, sizeof r->known[0], compare_name_only);
}

static uint64_t length_bit(const char *name)
{
    size_t length = strlen(name);
    return (uint64_t)1 << (length < 63 ? length : 63);
}

/* Rejects most texts by first byte and length, which is faster. */
static bool is_name(const struct reader *r, const char *field)
{
    return (r->known_lengths[(unsigned char)*field] & length_bit(field)) != 0 && find_name(r, field) != NULL;
}

static void find_wanted(const struct reader *r, struct name *wanted)
{
    const struct name *found = find_name(r, wanted->name);
    wanted->position = found != NULL ? found->position : SIZE_MAX;
}

/* The leftmost column of equal names column is kept. */
static void know_names(struct reader *r)
{
    const char *name = r->names.data;
    size_t n = 0;

    for (size_t i = 0; i < r->n_columns; i++, name += strlen(name) + 1)
        r->known[n++] = (struct name){name, i};
    assert(row_n_columns <= READER_COLUMNS_MAX);
    for (size_t i = 0; i < row_n_columns; i++)
        r->known[n++] = (struct name){row_columns[i].name, SIZE_MAX};
    qsort(r->known, n, sizeof r->known[0], compare_names);
    r->n_known = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(r->known[i].name, r->known[r->n_known - 1].name) != 0)
            r->known[r->n_known++] = r->known[i];
    memset(r->known_lengths, 0, sizeof r->known_lengths);
    for (size_t i = 0; i < r->n_known; i++)
        r->known_lengths[(unsigned char)r->known[i].name[0]] |= length_bit(r->known[i].name);
    for (size_t i = 0; i < r->n_wanted; i++)
        find_wanted(r, &r->wanted[i]);
}

static bool repeats_header(const struct reader *r, size_t n)
{
    const char *name = r->names.data;
    if (n != r->n_columns)
        return false;
    for (size_t i = 0; i < n; i++, name += strlen(name) + 1)
        if (strcmp(r->fields[i], name) != 0)
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
        if (c == '\0' || (c >= '0' && c <= '9') || !is_name(r, r->fields[i]))
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
    bool plain = n >= NAMES_SURE && r->names.length <= BLOCK;

    for (size_t i = 0; i < n && plain; i++)
        plain = strpbrk(r->fields[i], ",\"\r\n") == NULL;
    if (!plain)
        return;
    r->header.length = 0;
    for (size_t i = 0; i < n; i++)
        text_printf(&r->header, "%s%s", i > 0 ? "," : "", r->fields[i]);
}

/* Returns 0, or -1 when out of memory. */
static int take_header(struct reader *r, size_t n)
{
    r->names.length = 0;
    for (size_t i = 0; i < n; i++)
        text_append(&r->names, r->fields[i], strlen(r->fields[i]) + 1);
    keep_header(r, n);
    if (r->names.failed || r->header.failed)
        return fail(r, ENOMEM);
    r->n_columns = n;
    know_names(r);
    return 0;
}

/* Returns 1 for a row, 0 for a header or a damaged record, -1 when out of memory. */
static int take_record(struct reader *r, char *data, size_t length)
{
    size_t n = split(r, data, length);
    bool first = r->n_columns == 0 && r->damaged == 0;

    if (repeats_header(r, n))
        return 0;
    if (n <= READER_COLUMNS_MAX && (first || resembles_header(r, n)))
        return take_header(r, n);
    if (n != r->n_columns) {
        r->damaged++;
        return 0;
    }
    return 1;
}

/* The same, for a record not checked for damage yet. */
static int judge_record(struct reader *r)
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
        return 0;
    bool whole = !open && !scan->too_long && length <= READER_LINE_MAX && memchr(data, '\0', length) == NULL;
    if (!whole || header > 0)
        r->damaged++;
    if (!whole && scan->resume > 0)
        scan->at = scan->resume;
    else if (header > 0)
        return take_record(r, data + header, length - header);
    else if (whole)
        return take_record(r, data, length);
    return 0;
}

int reader_next(struct reader *r)
{
    r->row = false;
    while (r->error[0] == '\0') {
        int found = find_record(r);
        if (found > 0)
            found = judge_record(r);
        else if (found == 0)
            return 0;
        if (found > 0) {
            r->row = true;
            return 1;
        }
    }
    return -1;
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
    size_t i = 0;
    while (i < r->n_wanted && strcmp(r->wanted[i].name, name) != 0)
        i++;
    if (i < r->n_wanted)
        return i;
    assert(r->n_wanted < READER_COLUMNS_MAX);
    r->wanted[i].name = name;
    find_wanted(r, &r->wanted[i]);
    return r->n_wanted++;
}

const char *reader_at(const struct reader *r, size_t column)
{
    assert(column < r->n_wanted);
    size_t position = r->wanted[column].position;
    return r->row && position != SIZE_MAX ? r->fields[position] : NULL;
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

/* Before one was read: that of jitbench's rows. Returns 0, or -1 when out of memory. */
static int expect_header(struct reader *r)
{
    csv_header(&r->header);
    if (r->header.failed)
        return -1;
    r->header.length = content_length(r->header.data, r->header.length);
    know_names(r);
    return 0;
}

struct reader *reader_take(int fd, const char *name, char *error, size_t error_size)
{
    struct reader *r = NULL;
    struct stat st;
    int reason = fstat(fd, &st) != 0 ? errno : S_ISDIR(st.st_mode) ? EISDIR : ENOMEM;

    if (reason == ENOMEM && (r = calloc(1, sizeof *r)) != NULL) {
        r->fd = fd;
        r->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        text_copy(r->path, sizeof r->path, name);
        if (r->c_locale != (locale_t)0 && expect_header(r) == 0)
            return r;
    }
    snprintf(error, error_size, "%s: %s", name, strerror(reason));
    reader_close(r);
    if (r == NULL)
        fd_close(&fd);
    return NULL;
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
    if (r->c_locale != (locale_t)0)
        freelocale(r->c_locale);
    text_free(&r->header);
    text_free(&r->names);
    free(r->data);
    free(r);
}
