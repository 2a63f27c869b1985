/* SPDX-License-Identifier: MIT */
/* Values of options: reading them, checking them, and the messages about wrong ones. */
#include "engine/option_parts.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/option.h"
#include "rows/text.h"

enum verdict { GOOD, JUNK, OUTSIDE };

/* Noun and format of each type's values, for error messages. */
static const struct {
    const char *noun, *form;
    size_t size;
} types[] = {
    [OPTION_FLAG] = {"yes or no", NULL, sizeof(bool)},
    [OPTION_COUNT] = {"a count", "suffix K, M or G", sizeof(uint64_t)},
    [OPTION_INT] = {"a whole number", NULL, sizeof(int64_t)},
    [OPTION_SIZE] = {"a size", "suffix K, M or G", sizeof(uint64_t)},
    [OPTION_DURATION] = {"a duration", "unit ns, us, ms, s, m, h or d", sizeof(uint64_t)},
    [OPTION_DURATION_US] = {"a duration", "unit ns, us, ms, s, m, h or d; us when there is none", sizeof(uint64_t)},
    [OPTION_PERCENT] = {"a percentage", NULL, sizeof(double)},
    [OPTION_CHOICE] = {"a choice", NULL, sizeof(int)},
    [OPTION_TEXT] = {"a text", NULL, 0},
    [OPTION_LINES] = {"a text", NULL, 0},
    [OPTION_SWEEP] = {"a number or FIRST:LAST:STEP", NULL, sizeof(struct option_sweep)},
    [OPTION_COUNTS] = {"a list of counts", "comma between", sizeof(struct option_counts)},
    [OPTION_NAMES] = {"a list of names", "comma between", sizeof(uint64_t)},
    [OPTION_CPUS] = {"a CPU list", NULL, sizeof(struct option_cpus)},
};

/* --- Error lines. --- */

static int refuse(const struct option *row, const char *value, enum verdict verdict, char *error, size_t size)
{
    const char *form = verdict == JUNK ? types[row->type].form : NULL;
    char range[160], shown[SHOWN_SIZE];

    (void)fail_because(-1, error, size, "--%s: '%s' is ", row->name, option_show(value, shown));
    if (verdict == JUNK)
        option_add(error, size, "not %s", types[row->type].noun);
    else
        option_add(error, size, "out of range");
    if (option_has_range(row)) {
        option_show_range(row, range, sizeof(range));
        option_add(error, size, " (%s%s%s)", range, form ? ", " : "", form ? form : "");
    } else if (form) {
        option_add(error, size, " (%s)", form);
    }
    if (verdict == OUTSIDE && row->above && strtod(value, NULL) > row->max)
        option_add(error, size, ": %s", row->above);
    return -1;
}

static int refuse_because(const struct option *row, const char *value, const char *why, char *error, size_t size)
{
    char shown[SHOWN_SIZE];
    return fail_because(-1, error, size, "--%s: '%s': %s", row->name, option_show(value, shown), why);
}

static size_t choice_count(const struct option *row)
{
    size_t n = 0;
    while (row->choices && row->choices[n])
        n++;
    return n;
}

static int refuse_choice(const struct option *row, const char *value, char *error, size_t size)
{
    const char *near = row->choices ? text_nearest(value, row->choices, choice_count(row)) : NULL;
    char list[512], shown[SHOWN_SIZE];

    option_show_choices(row->type == OPTION_CPUS ? "a CPU list" : NULL, row->choices, list, sizeof(list));
    (void)fail_because(-1, error, size, "--%s: '%s' is not %s%s", row->name, option_show(value, shown),
                       row->type == OPTION_CPUS ? "" : "one of ", list);
    const char *hint = option_foreign_hint(row->foreign, value, strlen(value));
    if (hint)
        option_add(error, size, "; %s", hint);
    else if (near)
        option_add(error, size, "; did you mean '%s'?", near);
    return -1;
}

/* --- Values. --- */

/* Reads digits with a suffix K, M, G or T for kilo^1, 2, 3, 4; k means K. Moves *at behind them. Too large a number
 * is read to its end all the same, so that junk after it is reported as junk. */
static enum verdict scan_count(const char **at, uint64_t kilo, uint64_t *out)
{
    static const char suffixes[] = "KMGT";
    enum verdict verdict = GOOD;
    const char *p = *at, *suffix;
    uint64_t value = 0;

    if (*p < '0' || *p > '9')
        return JUNK;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            verdict = OUTSIDE;
    if (kilo && *p && (suffix = strchr(suffixes, *p == 'k' ? 'K' : *p))) {
        for (const char *s = suffixes; s <= suffix; s++)
            if (__builtin_mul_overflow(value, kilo, &value))
                verdict = OUTSIDE;
        p++;
    }
    *at = p;
    *out = value;
    return verdict;
}

/* Reads digits with at most one point, which must be followed by digits. strtod() alone would accept blanks, signs
 * and names. */
static bool scan_decimal(const char **at, double *out)
{
    static const char digits[] = "0123456789";
    const char *p = *at;
    size_t whole = strspn(p, digits), fraction = 0;

    if (p[whole] == '.')
        fraction = strspn(p + whole + 1, digits);
    if (!whole && !fraction)
        return false;
    *out = strtod(p, NULL);
    *at = p + whole + (fraction ? fraction + 1 : 0);
    return true;
}

static enum verdict read_count(const char *text, uint64_t kilo, uint64_t *out)
{
    enum verdict verdict = scan_count(&text, kilo, out);
    return *text ? JUNK : verdict;
}

static enum verdict read_int(const char *text, int64_t *out)
{
    bool negative = *text == '-';
    uint64_t size;
    enum verdict verdict = read_count(text + negative, 0, &size);

    if (verdict != GOOD)
        return verdict;
    if (size > (uint64_t)INT64_MAX + negative)
        return OUTSIDE;
    *out = !negative ? (int64_t)size : size ? -(int64_t)(size - 1) - 1 : 0;
    return GOOD;
}

static enum verdict read_duration(const char *text, double bare_ns, uint64_t *out)
{
    const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1},   {"us", 1e3},   {"ms", 1e6},   {"s", 1e9},    {"", bare_ns},
                 {"m", 6e10}, {"min", 6e10}, {"h", 3.6e12}, {"d", 86400e9}};
    double number;

    if (!scan_decimal(&text, &number))
        return JUNK;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(text, units[i].name) != 0)
            continue;
        double ns = rint(number * units[i].ns);
        if (!(ns < TWO_TO_64))
            return OUTSIDE;
        *out = (uint64_t)ns;
        return GOOD;
    }
    return JUNK;
}

static bool is_duration(const struct option *row)
{
    return row->type == OPTION_DURATION || row->type == OPTION_DURATION_US;
}

/* Returns the nanoseconds of one unit for a number without a suffix. */
static double bare_ns(const struct option *row)
{
    return row->type == OPTION_DURATION_US ? 1e3 : 1e9;
}

static enum verdict read_percent(const char *text, double *out)
{
    if (!scan_decimal(&text, out))
        return JUNK;
    if (text[0] == '%')
        text++;
    if (*text)
        return JUNK;
    return isfinite(*out) ? GOOD : OUTSIDE;
}

static enum verdict within(const struct option *row, double value)
{
    return option_has_range(row) && (value < row->min || value > row->max) ? OUTSIDE : GOOD;
}

static int set_number(const struct option *row, const char *value, void *place, char *error, size_t error_size)
{
    uint64_t count = 0;
    int64_t whole = 0;
    double number = 0;
    const void *from = &count;
    enum verdict verdict;

    switch (row->type) {
    case OPTION_INT:
        verdict = read_int(value, &whole);
        number = (double)whole;
        from = &whole;
        break;
    case OPTION_PERCENT:
        verdict = read_percent(value, &number);
        from = &number;
        break;
    case OPTION_DURATION:
    case OPTION_DURATION_US:
        verdict = read_duration(value, bare_ns(row), &count);
        number = (double)count;
        break;
    default:
        verdict = read_count(value, row->type == OPTION_SIZE ? 1024 : 1000, &count);
        number = (double)count;
    }
    if (verdict == GOOD)
        verdict = within(row, number);
    if (verdict != GOOD)
        return refuse(row, value, verdict, error, error_size);
    memcpy(place, from, types[row->type].size);
    return 0;
}

static int set_choice(const struct option *row, const char *value, void *place, char *error, size_t error_size)
{
    for (int i = 0; row->choices && row->choices[i]; i++)
        if (strcmp(row->choices[i], value) == 0) {
            memcpy(place, &i, sizeof(i));
            return 0;
        }
    return refuse_choice(row, value, error, error_size);
}

static int set_text(const struct option *row, const char *value, char *place, bool append, char *error,
                    size_t error_size)
{
    const size_t used = append ? strlen(place) + 1 : 0;
    char shown[SHOWN_SIZE];

    if (used + strlen(value) >= row->size)
        return fail_because(-1, error, error_size, "--%s: '%s' is too long (at most %zu bytes%s)", row->name,
                            option_show(value, shown), row->size - 1, used ? ", together with those before it" : "");
    if (used)
        place[used - 1] = '\n';
    text_copy(place + used, row->size - used, value);
    return 0;
}

static bool is_text(const struct option *row)
{
    return row->type == OPTION_TEXT || row->type == OPTION_LINES;
}

/* Reads numbers separated by separator. Returns GOOD with their number in *n; *n is max + 1 when there are more. */
static enum verdict read_numbers(const char *text, char separator, uint64_t *out, size_t max, size_t *n)
{
    enum verdict verdict = GOOD;
    for (*n = 0;; text++) {
        uint64_t number = 0;
        enum verdict one = scan_count(&text, 1000, &number);
        if (one == JUNK || (*text && *text != separator))
            return JUNK;
        if (one == OUTSIDE)
            verdict = OUTSIDE;
        if (*n < max)
            out[*n] = number;
        if (*n <= max)
            ++*n;
        if (!*text)
            return verdict;
    }
}

static int set_sweep(const struct option *row, const char *value, void *place, char *error, size_t error_size)
{
    uint64_t number[3];
    size_t n;
    enum verdict verdict = read_numbers(value, ':', number, 3, &n);

    if (verdict == GOOD && n > 3)
        verdict = JUNK;
    for (size_t i = 0; verdict == GOOD && i < n && i < 2; i++)
        verdict = within(row, (double)number[i]);
    if (verdict != GOOD)
        return refuse(row, value, verdict, error, error_size);

    const struct option_sweep sweep = {
        .first = number[0], .last = n > 1 ? number[1] : number[0], .step = n > 2 ? number[2] : 1};
    if (sweep.last < sweep.first)
        return refuse_because(row, value, "the range is reversed", error, error_size);
    if (!sweep.step)
        return refuse_because(row, value, "the step is zero", error, error_size);
    memcpy(place, &sweep, sizeof(sweep));
    return 0;
}

static int set_counts(const struct option *row, const char *value, void *place, bool append, char *error,
                      size_t error_size)
{
    struct option_counts counts = {0};
    char shown[SHOWN_SIZE];
    size_t n;

    if (append)
        memcpy(&counts, place, sizeof(counts));
    size_t room = counts.n < OPTION_COUNTS_MAX ? OPTION_COUNTS_MAX - (size_t)counts.n : 0;
    uint64_t *into = counts.value + (OPTION_COUNTS_MAX - room);
    enum verdict verdict = read_numbers(value, ',', into, room, &n);
    for (size_t i = 0; verdict == GOOD && i < n && i < room; i++)
        verdict = within(row, (double)into[i]);
    if (verdict != GOOD)
        return refuse(row, value, verdict, error, error_size);
    if (n > room)
        return fail_because(-1, error, error_size, "--%s: '%s': more than %d numbers", row->name,
                            option_show(value, shown), OPTION_COUNTS_MAX);
    counts.n += n;
    memcpy(place, &counts, sizeof(counts));
    return 0;
}

/* Returns the index of a choice, ignoring case, or -1. */
static int find_name(const struct option *row, const char *name, size_t length)
{
    for (int i = 0; row->choices && row->choices[i]; i++)
        if (strncasecmp(row->choices[i], name, length) == 0 && !row->choices[i][length])
            return i;
    return -1;
}

static int set_names(const struct option *row, const char *value, void *place, bool append, char *error,
                     size_t error_size)
{
    uint64_t names = 0;
    size_t length;

    assert(choice_count(row) <= 64);
    if (append)
        memcpy(&names, place, sizeof(names));
    for (const char *name = value;; name += length + 1) {
        length = strcspn(name, ",");
        if (!length)
            return refuse(row, value, JUNK, error, error_size);
        int found = find_name(row, name, length);
        if (found < 0) {
            char word[NAME_MAX_BYTES];
            text_copy(word, length < sizeof(word) ? length + 1 : sizeof(word), name);
            return refuse_choice(row, word, error, error_size);
        }
        names |= UINT64_C(1) << found;
        if (!name[length])
            break;
    }
    memcpy(place, &names, sizeof(names));
    return 0;
}

static int set_cpus(const struct option *row, const char *value, void *place, char *error, size_t error_size)
{
    struct option_cpus cpus = {.choice = -1};
    char why[128] = "";

    for (int i = 0; row->choices && row->choices[i] && cpus.choice < 0; i++)
        if (strcmp(row->choices[i], value) == 0)
            cpus.choice = i;
    if (cpus.choice < 0) {
        if (value[0] < '0' || value[0] > '9')
            return refuse_choice(row, value, error, error_size);
        /* cpuset_parse() accepts the newline of files in /sys, which a user's value must not have. */
        if (strpbrk(value, " \t\n\v\f\r"))
            return refuse(row, value, JUNK, error, error_size);
        if (cpuset_parse(value, &cpus.set, why, sizeof(why)))
            return refuse_because(row, value, why, error, error_size);
    }
    memcpy(place, &cpus, sizeof(cpus));
    return 0;
}

/* Sets a flag. Its default is "yes" or "no"; on the command line it has no value, which is NULL here. */
static int set_flag(const struct option *row, const char *value, void *place, char *error, size_t error_size)
{
    bool on = !value || strcmp(value, "yes") == 0;
    if (!on && strcmp(value, "no") != 0)
        return refuse(row, value, JUNK, error, error_size);
    memcpy(place, &on, sizeof(on));
    return 0;
}

static int needs_value(const struct option *row, char *error, size_t error_size)
{
    char range[160];

    if (!option_has_range(row))
        return fail_because(-1, error, error_size, "--%s needs a value", row->name);
    option_show_range(row, range, sizeof(range));
    return fail_because(-1, error, error_size, "--%s needs a value (%s)", row->name, range);
}

int option_set(const struct option *row, const char *value, void *target, bool append, char *error, size_t error_size)
{
    void *place = (char *)target + row->offset;

    assert(is_text(row) ? row->size > 1 : row->size == types[row->type].size);
    if (row->type != OPTION_FLAG && (!value || !value[0]))
        return needs_value(row, error, error_size);
    switch (row->type) {
    case OPTION_FLAG:
        return set_flag(row, value, place, error, error_size);
    case OPTION_CHOICE:
        return set_choice(row, value, place, error, error_size);
    case OPTION_TEXT:
    case OPTION_LINES:
        return set_text(row, value, place, append && row->type == OPTION_LINES, error, error_size);
    case OPTION_SWEEP:
        return set_sweep(row, value, place, error, error_size);
    case OPTION_COUNTS:
        return set_counts(row, value, place, append, error, error_size);
    case OPTION_NAMES:
        return set_names(row, value, place, append, error, error_size);
    case OPTION_CPUS:
        return set_cpus(row, value, place, error, error_size);
    default:
        return set_number(row, value, place, error, error_size);
    }
}

void option_show_value(const struct option *row, const char *typed, char *buf, size_t size)
{
    uint64_t count = 0;
    double number = 0;
    enum verdict verdict = JUNK;

    if (row->type == OPTION_PERCENT)
        verdict = read_percent(typed, &number);
    else if (is_duration(row))
        verdict = read_duration(typed, bare_ns(row), &count);
    else if (row->type == OPTION_COUNT || row->type == OPTION_SIZE)
        verdict = read_count(typed, row->type == OPTION_SIZE ? 1024 : 1000, &count);
    if (verdict == GOOD)
        option_show_number(row->type, row->type == OPTION_PERCENT ? number : (double)count, buf, size);
    else
        text_copy(buf, size, typed);
}
