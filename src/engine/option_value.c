/* SPDX-License-Identifier: MIT */
/* Parses and checks values. */
#include "engine/option_parts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/option.h"
#include "rows/text.h"

enum verdict { GOOD, JUNK, OUTSIDE };

/* Arguments of option_set(); place: where the value is stored. */
struct setting {
    const struct option *row;
    const char *value;
    void *place;
    bool append;
    char *error;
    size_t error_size;
};

/* Noun and format for messages; size of a value, 0: text; its function. */
static const struct type {
    const char *noun, *form;
    size_t size;
    int (*set)(const struct setting *s);
} types[OPTION_CPUS + 1];

static int refuse(const struct setting *s, enum verdict verdict)
{
    const struct option *row = s->row;
    const char *form = verdict == JUNK ? types[row->type].form : NULL;
    char range[160], shown[SHOWN_SIZE];

    (void)fail_because(-1, s->error, s->error_size, "--%s: '%s' is %s%s", row->name, option_show(s->value, shown),
                       verdict == JUNK ? "not " : "out of range", verdict == JUNK ? types[row->type].noun : "");
    option_show_range(row, range, sizeof(range));
    if (range[0] || form)
        text_add(s->error, s->error_size, " (%s%s%s)", range, range[0] && form ? ", " : "", form ? form : "");
    if (verdict == OUTSIDE && row->above && strtod(s->value, NULL) > row->max)
        text_add(s->error, s->error_size, ": %s", row->above);
    return -1;
}

static int refuse_because(const struct setting *s, const char *why)
{
    char shown[SHOWN_SIZE];
    return fail_because(-1, s->error, s->error_size, "--%s: '%s': %s", s->row->name, option_show(s->value, shown), why);
}

static size_t choice_count(const struct option *row)
{
    size_t n = 0;
    while (row->choices && row->choices[n])
        n++;
    return n;
}

static int refuse_choice(const struct setting *s, const char *value)
{
    const struct option *row = s->row;
    const char *near = row->choices ? text_nearest(value, row->choices, choice_count(row)) : NULL;
    char list[512], shown[SHOWN_SIZE];

    option_show_choices(row->type == OPTION_CPUS ? "a CPU list" : NULL, row->choices, list, sizeof(list));
    (void)fail_because(-1, s->error, s->error_size, "--%s: '%s' is not %s%s", row->name, option_show(value, shown),
                       row->type == OPTION_CPUS ? "" : "one of ", list);
    const char *hint = option_foreign_hint(row->foreign, value, strlen(value));
    if (hint)
        text_add(s->error, s->error_size, "; %s", hint);
    else if (near)
        text_add(s->error, s->error_size, "; did you mean '%s'?", near);
    return -1;
}

/* Digits with an optional K, M, G or T, which multiplies by kilo, its square ... (0: no suffix). Moves *at behind
 * them. A number too large is read to its end, so that junk after it is reported as junk. */
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

/* Digits with at most one point, followed by digits: strtod() would accept blanks, signs and "inf". */
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

/* As stored: the member depends on the type. */
union number {
    uint64_t count;
    int64_t whole;
    double real;
};

/* *value: the same number, for comparisons. */
static enum verdict read_number(const struct option *row, const char *text, union number *out, double *value)
{
    enum verdict verdict;

    *out = (union number){0};
    switch (row->type) {
    case OPTION_INT:
        verdict = read_int(text, &out->whole);
        *value = (double)out->whole;
        return verdict;
    case OPTION_PERCENT:
        verdict = read_percent(text, &out->real);
        *value = out->real;
        return verdict;
    case OPTION_DURATION:
    case OPTION_DURATION_US: /* ns in a number without a unit */
        verdict = read_duration(text, row->type == OPTION_DURATION_US ? 1e3 : 1e9, &out->count);
        break;
    default:
        verdict = read_count(text, row->type == OPTION_SIZE ? 1024 : 1000, &out->count);
    }
    *value = (double)out->count;
    return verdict;
}

static int set_number(const struct setting *s)
{
    union number number;
    double value;
    enum verdict verdict = read_number(s->row, s->value, &number, &value);

    if (verdict == GOOD)
        verdict = within(s->row, value);
    if (verdict != GOOD)
        return refuse(s, verdict);
    memcpy(s->place, &number, sizeof(number));
    return 0;
}

static int find_choice(const struct setting *s)
{
    for (int i = 0; s->row->choices && s->row->choices[i]; i++)
        if (strcmp(s->row->choices[i], s->value) == 0)
            return i;
    return -1;
}

static int set_choice(const struct setting *s)
{
    const int choice = find_choice(s);

    if (choice < 0)
        return refuse_choice(s, s->value);
    memcpy(s->place, &choice, sizeof(choice));
    return 0;
}

static int set_text(const struct setting *s)
{
    const size_t size = s->row->size, used = s->append && s->row->type == OPTION_LINES ? strlen(s->place) + 1 : 0;
    char *place = s->place, shown[SHOWN_SIZE];

    if (used + strlen(s->value) >= size)
        return fail_because(-1, s->error, s->error_size, "--%s: '%s' is too long (at most %zu bytes%s)", s->row->name,
                            option_show(s->value, shown), size - 1, used ? ", together with those before it" : "");
    if (used)
        place[used - 1] = '\n';
    text_copy(place + used, size - used, s->value);
    return 0;
}

/* Stores the first max counts. *n: how many, max + 1 when more. Returns GOOD; JUNK: no such list; OUTSIDE: a number
 * is too large. */
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

static int set_sweep(const struct setting *s)
{
    uint64_t number[3];
    size_t n;
    enum verdict verdict = read_numbers(s->value, ':', number, 3, &n);

    if (verdict == GOOD && n > 3)
        verdict = JUNK;
    for (size_t i = 0; verdict == GOOD && i < n && i < 2; i++)
        verdict = within(s->row, (double)number[i]);
    if (verdict != GOOD)
        return refuse(s, verdict);

    const struct option_sweep sweep = {
        .first = number[0], .last = n > 1 ? number[1] : number[0], .step = n > 2 ? number[2] : 1};
    if (sweep.last < sweep.first)
        return refuse_because(s, "the range is reversed");
    if (!sweep.step)
        return refuse_because(s, "the step is zero");
    memcpy(s->place, &sweep, sizeof(sweep));
    return 0;
}

static int set_counts(const struct setting *s)
{
    struct option_counts counts = {0};
    char shown[SHOWN_SIZE];
    size_t n;

    if (s->append)
        memcpy(&counts, s->place, sizeof(counts));
    size_t room = counts.n < OPTION_COUNTS_MAX ? OPTION_COUNTS_MAX - (size_t)counts.n : 0;
    uint64_t *into = counts.value + (OPTION_COUNTS_MAX - room);
    enum verdict verdict = read_numbers(s->value, ',', into, room, &n);
    for (size_t i = 0; verdict == GOOD && i < n && i < room; i++)
        verdict = within(s->row, (double)into[i]);
    if (verdict != GOOD)
        return refuse(s, verdict);
    if (n > room)
        return fail_because(-1, s->error, s->error_size, "--%s: '%s': more than %d numbers", s->row->name,
                            option_show(s->value, shown), OPTION_COUNTS_MAX);
    counts.n += n;
    memcpy(s->place, &counts, sizeof(counts));
    return 0;
}

/* Ignoring case; -1: none. */
static int find_name(const struct option *row, const char *name, size_t length)
{
    for (int i = 0; row->choices && row->choices[i]; i++)
        if (strncasecmp(row->choices[i], name, length) == 0 && !row->choices[i][length])
            return i;
    return -1;
}

static int set_names(const struct setting *s)
{
    uint64_t names = 0;
    size_t length;

    assert(choice_count(s->row) <= 64);
    if (s->append)
        memcpy(&names, s->place, sizeof(names));
    for (const char *name = s->value;; name += length + 1) {
        length = strcspn(name, ",");
        if (!length)
            return refuse(s, JUNK);
        int found = find_name(s->row, name, length);
        if (found < 0) {
            char word[NAME_MAX_BYTES];
            text_copy(word, length < sizeof(word) ? length + 1 : sizeof(word), name);
            return refuse_choice(s, word);
        }
        names |= UINT64_C(1) << found;
        if (!name[length])
            break;
    }
    memcpy(s->place, &names, sizeof(names));
    return 0;
}

/* "slower:5,undecided" */
static int set_fail_on(const struct setting *s)
{
    struct fail_on fail_on = {0};
    char word[NAME_MAX_BYTES];
    size_t length;

    if (s->append)
        memcpy(&fail_on, s->place, sizeof(fail_on));
    for (const char *at = s->value;; at += length + 1) {
        length = strcspn(at, ",");
        text_copy(word, length < sizeof(word) ? length + 1 : sizeof(word), at);
        char *colon = strchr(word, ':');
        double percent = (double)NAN;
        enum verdict verdict = colon ? read_percent(colon + 1, &percent) : GOOD;
        if (colon)
            *colon = '\0';
        if (!fail_on_add(&fail_on, word, percent))
            return refuse_choice(s, word);
        if (verdict == GOOD && colon)
            verdict = within(s->row, percent);
        if (verdict != GOOD)
            return refuse(s, verdict);
        if (!at[length])
            break;
    }
    memcpy(s->place, &fail_on, sizeof(fail_on));
    return 0;
}

static int set_cpus(const struct setting *s)
{
    struct option_cpus cpus = {.choice = find_choice(s)};
    char why[128] = "";

    if (cpus.choice < 0) {
        if (s->value[0] < '0' || s->value[0] > '9')
            return refuse_choice(s, s->value);
        /* cpuset_parse() accepts a newline at the end. */
        if (strpbrk(s->value, " \t\n\v\f\r"))
            return refuse(s, JUNK);
        if (cpuset_parse(s->value, &cpus.set, why, sizeof(why)))
            return refuse_because(s, why);
    }
    memcpy(s->place, &cpus, sizeof(cpus));
    return 0;
}

/* "yes" or "no" as a default; NULL on the command line. */
static int set_flag(const struct setting *s)
{
    bool on = !s->value || strcmp(s->value, "yes") == 0;
    if (!on && strcmp(s->value, "no") != 0)
        return refuse(s, JUNK);
    memcpy(s->place, &on, sizeof(on));
    return 0;
}

static const struct type types[] = {
    [OPTION_FLAG] = {"yes or no", NULL, sizeof(bool), set_flag},
    [OPTION_COUNT] = {"a count", "suffix K, M or G", sizeof(uint64_t), set_number},
    [OPTION_INT] = {"a whole number", NULL, sizeof(int64_t), set_number},
    [OPTION_SIZE] = {"a size", "suffix K, M or G", sizeof(uint64_t), set_number},
    [OPTION_DURATION] = {"a duration", "unit ns, us, ms, s, m, h or d", sizeof(uint64_t), set_number},
    [OPTION_DURATION_US] = {"a duration", "unit ns, us, ms, s, m, h or d; us when there is none", sizeof(uint64_t),
                            set_number},
    [OPTION_PERCENT] = {"a percentage", NULL, sizeof(double), set_number},
    [OPTION_CHOICE] = {"a choice", NULL, sizeof(int), set_choice},
    [OPTION_TEXT] = {"a text", NULL, 0, set_text},
    [OPTION_LINES] = {"a text", NULL, 0, set_text},
    [OPTION_SWEEP] = {"a number or FIRST:LAST:STEP", NULL, sizeof(struct option_sweep), set_sweep},
    [OPTION_COUNTS] = {"a list of counts", "comma between", sizeof(struct option_counts), set_counts},
    [OPTION_NAMES] = {"a list of names", "comma between", sizeof(uint64_t), set_names},
    [OPTION_FAIL_ON] = {"WORD or WORD:PCT", "comma between", sizeof(struct fail_on), set_fail_on},
    [OPTION_CPUS] = {"a CPU list", NULL, sizeof(struct option_cpus), set_cpus},
};

int option_set(const struct option *row, const char *value, void *target, bool append, char *error, size_t error_size)
{
    const struct setting s = {row, value, (char *)target + row->offset, append, error, error_size};
    const size_t size = types[row->type].size;
    char range[160];

    assert(size ? row->size == size : row->size > 1);
    if (row->type == OPTION_FLAG || (value && value[0]))
        return types[row->type].set(&s);
    option_show_range(row, range, sizeof(range));
    return fail_because(-1, error, error_size, "--%s needs a value%s%s%s%s", row->name, value ? ", not ''" : "",
                        range[0] ? " (" : "", range, range[0] ? ")" : "");
}

void option_show_value(const struct option *row, const char *typed, char *buf, size_t size)
{
    union number number;
    double value;

    if (types[row->type].set == set_number && read_number(row, typed, &number, &value) == GOOD)
        option_show_number(row->type, value, buf, size);
    else
        text_copy(buf, size, typed);
}
