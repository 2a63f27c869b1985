/* SPDX-License-Identifier: MIT */
/* Parses options, checks their values, and prints their help. */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <strings.h>

#include "engine/option.h"
#include "rows/text.h"

/* With the terminating zero: a name, and a value in a message. */
#define NAME_MAX_BYTES 64
#define SHOWN_SIZE     64
#define TWO_TO_64      18446744073709551616.0

#define CHANGED (FAIL_ON_SLOWER | FAIL_ON_FASTER | FAIL_ON_OTHER)

const char *const fail_on_words[] = {"slower", "worse", "faster", "changed", "undecided", NULL};

static const struct {
    const char *word;
    unsigned kinds;
} known[] = {{"slower", FAIL_ON_SLOWER},
             {"worse", FAIL_ON_SLOWER},
             {"faster", FAIL_ON_FASTER},
             {"changed", CHANGED},
             {"undecided", FAIL_ON_UNDECIDED},
             /* of older versions */
             {"change", CHANGED},
             {"outlier", CHANGED},
             {"difference", CHANGED | FAIL_ON_SETTINGS},
             {"not-comparable", FAIL_ON_UNDECIDED}};

/* As a user would type it; NULL: unset, or, but for PRESET_DEFAULT, none of its own. */
static const char *option_preset_of(const struct option_table *table, const struct option *row,
                                    enum option_preset preset)
{
    for (const struct option_default *d = table->defaults; d && d->name; d++)
        if (!strcmp(d->name, row->name))
            return preset == PRESET_DEFAULT ? d->value : NULL;
    return row->preset[preset];
}

/* Returns the long name after this one (NULL: the first), then the aliases, and its length, since another may follow;
 * NULL after the last. */
static const char *next_name(const struct option *row, const char *name, size_t *length)
{
    name = !name ? row->name : name == row->name ? row->aliases : name + *length;
    name += name ? strspn(name, " ") : 0;
    *length = name ? strcspn(name, " ") : 0;
    return *length ? name : NULL;
}

bool fail_on_add(struct fail_on *f, const char *word, double percent)
{
    for (size_t i = 0; i < COUNT(known); i++) {
        if (strcasecmp(known[i].word, word))
            continue;
        for (unsigned k = 0, kind = 1; k < FAIL_ON_KINDS; k++, kind *= 2) {
            const double any = kind == FAIL_ON_UNDECIDED ? INFINITY : -INFINITY, limit = isnan(percent) ? any : percent;
            if (known[i].kinds & kind)
                f->percent[k] = f->kinds & kind ? fmin(f->percent[k], limit) : limit;
        }
        f->kinds |= known[i].kinds;
        return true;
    }
    return false;
}

double fail_on_limit(const struct fail_on *f, unsigned kind)
{
    return f->kinds & kind ? f->percent[__builtin_ctz(kind)] : NAN;
}

bool fail_on_finds(const struct fail_on *f, unsigned kind, double by)
{
    return f->kinds & kind && !(by <= fail_on_limit(f, kind));
}

/* --- Values and ranges in messages and help. --- */

/* As shown in an error line: one line, so short that the range after it is visible. */
static const char *option_show(const char *value, char shown[SHOWN_SIZE])
{
    size_t cut = SHOWN_SIZE - sizeof("...");

    text_copy(shown, SHOWN_SIZE, value);
    if (strlen(value) > cut) {
        while (cut && ((unsigned char)value[cut] & 0xc0) == 0x80)
            cut--;
        memcpy(shown + cut, "...", sizeof("..."));
    }
    return shown;
}
#define SHOWN(value) option_show(value, (char[SHOWN_SIZE]){0})

/* In the unit of the option's type. */
static void option_show_number(enum option_type type, double value, char *buf, size_t size)
{
    static const struct {
        double size;
        const char *suffix;
    } scales[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "K"}, {1, ""}};
    uint64_t whole = value <= 0 ? 0 : value < TWO_TO_64 ? (uint64_t)value : UINT64_MAX;
    size_t i = type == OPTION_INT ? COUNT(scales) - 1 : 0;

    while (scales[i].size > 1 && (value < scales[i].size || fmod(value, scales[i].size) > 0))
        i++;
    if (type == OPTION_DURATION || type == OPTION_DURATION_US || type == OPTION_DURATIONS)
        text_duration(whole, buf, size);
    else if (type == OPTION_SIZE)
        text_bytes(whole, buf, size);
    else if (type == OPTION_PERCENT || type == OPTION_FAIL_ON)
        snprintf(buf, size, "%g %%", value);
    else
        snprintf(buf, size, "%.0f%s", value / scales[i].size, scales[i].suffix);
}

/* None when both limits are zero. */
static bool option_has_range(const struct option *row)
{
    return row->min < 0 || row->max > 0;
}

/* "1 to 100" in the option's units; "" without a range. */
static void option_show_range(const struct option *row, char *buf, size_t size)
{
    char low[64], high[64];

    option_show_number(row->type, row->min, low, sizeof(low));
    option_show_number(row->type, row->max, high, sizeof(high));
    buf[0] = '\0';
    if (option_has_range(row))
        snprintf(buf, size, "%s to %s", low, high);
}

/* "random, sorted or none", with an optional first item. */
static void option_show_choices(const char *first, const char *const *choices, char *buf, size_t size)
{
    text_copy(buf, size, first ? first : "");
    for (size_t i = 0; choices && choices[i]; i++)
        text_add(buf, size, "%s%s", !buf[0] ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
}

/* NULL when it is not in the list. */
static const struct option_foreign *find_foreign(const struct option_foreign *list, const char *word, size_t length)
{
    for (; list && list->words; list++)
        if (text_has_word_of(list->words, word, length))
            return list;
    return NULL;
}

/* --- Parses and checks values. --- */

enum verdict { GOOD, JUNK, OUTSIDE };

/* Arguments of option_set(); place: where the value is stored. */
struct setting {
    const struct option *row;
    const char *value;
    void *place;
    bool append;
    struct error *error;
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
    char range[160];

    error_set(s->error, "--%s: '%s' is %s%s", row->name, SHOWN(s->value), verdict == JUNK ? "not " : "out of range",
              verdict == JUNK ? types[row->type].noun : "");
    option_show_range(row, range, sizeof(range));
    if (form)
        TEXT_ADD(range, "%s%s", range[0] ? ", " : "", form);
    if (range[0])
        TEXT_ADD(s->error->text, " (%s)", range);
    if (verdict == OUTSIDE && row->above && strtod(s->value, NULL) > row->max)
        TEXT_ADD(s->error->text, ": %s", row->above);
    return -1;
}

static int refuse_because(const struct setting *s, const char *why)
{
    return error_set(s->error, "--%s: '%s': %s", s->row->name, SHOWN(s->value), why);
}

static size_t choice_count(const struct option *row)
{
    size_t n = 0;
    while (row->choices && row->choices[n])
        n++;
    return n;
}

/* "; HINT", or "; did you mean 'NEAR'?". */
static void suggest(struct error *error, const struct option_foreign *foreign, const char *dashes, const char *near)
{
    if (foreign && foreign->use == FOREIGN_REFUSED)
        TEXT_ADD(error->text, "; %s", foreign->hint);
    else if (near && near[0])
        TEXT_ADD(error->text, "; did you mean '%s%s'?", dashes, near);
}

static int refuse_choice(const struct setting *s, const char *value)
{
    const struct option *row = s->row;
    const char *near = row->choices ? text_nearest(value, row->choices, choice_count(row)) : NULL;
    char list[512];

    option_show_choices(row->type == OPTION_CPUS ? "a CPU list" : NULL, row->choices, list, sizeof(list));
    error_set(s->error, "--%s: '%s' is not %s%s", row->name, SHOWN(value), row->type == OPTION_CPUS ? "" : "one of ",
              list);
    suggest(s->error, find_foreign(row->foreign, value, strlen(value)), "", near);
    return -1;
}

/* Digits with an optional K, M, G or T, which multiplies by kilo, its square ... (0: no suffix). Moves *at behind
 * them. A number too large is read to its end, so that junk after it is reported as junk. */
static enum verdict read_count(const char *p, uint64_t kilo, uint64_t *out)
{
    static const char suffixes[] = "KMGT";
    const char *suffix;

    if (*p < '0' || *p > '9')
        return JUNK;
    errno = 0;
    uint64_t value = strtoull(p, (char **)&p, 10);
    enum verdict verdict = errno ? OUTSIDE : GOOD;
    if (kilo && *p && (suffix = strchr(suffixes, *p == 'k' ? 'K' : *p))) {
        for (const char *s = suffixes; s <= suffix; s++)
            if (__builtin_mul_overflow(value, kilo, &value))
                verdict = OUTSIDE;
        p++;
    }
    *out = value;
    return *p ? JUNK : verdict;
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
    for (size_t i = 0; i < COUNT(units); i++) {
        if (strcmp(text, units[i].name))
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

/* -1: none. */
static int find_choice(const struct option *row, const char *word)
{
    for (int i = 0; row->choices && row->choices[i]; i++)
        if (!(row->type == OPTION_NAMES ? strcasecmp : strcmp)(row->choices[i], word))
            return i;
    return -1;
}

static int set_choice(const struct setting *s)
{
    const int choice = find_choice(s->row, s->value);

    if (choice < 0)
        return refuse_choice(s, s->value);
    memcpy(s->place, &choice, sizeof(choice));
    return 0;
}

static int set_text(const struct setting *s)
{
    const size_t size = s->row->size, used = s->append && s->row->type == OPTION_LINES ? strlen(s->place) + 1 : 0;
    char *place = s->place;

    if (used + strlen(s->value) >= size)
        return error_set(s->error, "--%s: '%s' is too long (at most %zu bytes%s)", s->row->name, SHOWN(s->value),
                         size - 1, used ? ", together with those before it" : "");
    if (used)
        place[used - 1] = '\n';
    text_copy(place + used, size - used, s->value);
    return 0;
}

/* Stores the first max numbers. *n: how many, max + 1 when more. Returns GOOD; JUNK: no such list; OUTSIDE: a number
 * is too large. */
static enum verdict read_numbers(const struct setting *s, const char *separator, uint64_t *out, size_t max, size_t *n)
{
    enum verdict verdict = GOOD;
    const char *text = s->value;
    for (*n = 0;; text++) {
        const int length = (int)strcspn(text, separator);
        const char *word = TEXT_LINE("%.*s", length, text);
        uint64_t number = 0;
        enum verdict one =
            s->row->type == OPTION_DURATIONS ? read_duration(word, 1e9, &number) : read_count(word, 1000, &number);
        text += length;
        if (one == JUNK)
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
    enum verdict verdict = read_numbers(s, ":", number, 3, &n);

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
    size_t n;

    if (s->append)
        memcpy(&counts, s->place, sizeof(counts));
    size_t room = counts.n < OPTION_COUNTS_MAX ? OPTION_COUNTS_MAX - (size_t)counts.n : 0;
    uint64_t *into = counts.value + (OPTION_COUNTS_MAX - room);
    enum verdict verdict = read_numbers(s, ",", into, room, &n);
    for (size_t i = 0; verdict == GOOD && i < n && i < room; i++)
        verdict = within(s->row, (double)into[i]);
    if (verdict != GOOD)
        return refuse(s, verdict);
    if (n > room)
        return refuse_because(s, TEXT_LINE("more than %d numbers", OPTION_COUNTS_MAX));
    counts.n += n;
    memcpy(s->place, &counts, sizeof(counts));
    return 0;
}

/* "20M" or "20MB/s" */
static int set_rate(const struct setting *s, int choice, const char *text)
{
    const struct option row = {.name = s->row->name, OPTION_NUMBER(SIZE, NULL, 0x1p21, 0x1p40)};
    const size_t length = strcspn(text, ","), unit = length > 3 && !memcmp(text + length - 3, "B/s", 3) ? 3 : 0;
    const char *number = TEXT_LINE("%.*s", (int)(length - unit), text);

    uint64_t *rate = (uint64_t *)((char *)s->place - s->row->offset + s->row->rates) + choice;
    return *rate ? refuse_because(s, "two rates of one load")
                 : set_number(&(const struct setting){&row, number, rate, false, s->error});
}

/* "burn,ring", or "slower:5,undecided" */
static int set_words(const struct setting *s)
{
    const bool names = s->row->type == OPTION_NAMES;
    union {
        uint64_t names;
        struct fail_on fail_on;
    } all = {0};
    char word[NAME_MAX_BYTES];
    size_t length;

    if (s->append)
        memcpy(&all, s->place, s->row->size);
    for (const char *at = s->value;; at += length + 1) {
        length = strcspn(at, s->row->rest ? ",:" : ",");
        text_copy(word, length < sizeof(word) ? length + 1 : sizeof(word), at);
        char *colon = names ? NULL : strchr(word, ':');
        double percent = NAN;
        enum verdict verdict = names && !length ? JUNK : colon ? read_percent(colon + 1, &percent) : GOOD;
        if (colon)
            *colon = '\0';
        const int found = names ? find_choice(s->row, word) : fail_on_add(&all.fail_on, word, percent) - 1;
        if (found < 0 && verdict != JUNK)
            return refuse_choice(s, word);
        if (names && verdict == GOOD)
            all.names |= UINT64_C(1) << found;
        if (colon && verdict == GOOD)
            verdict = within(s->row, percent);
        if (verdict != GOOD)
            return refuse(s, verdict);
        if (at[length] == ':' && s->row->rated && text_has_word(s->row->rated, s->row->choices[found])) {
            if (set_rate(s, found, at + length + 1))
                return -1;
            length += strcspn(at + length, ",");
        }
        if (at[length] == ':' && s->row->rest && strlen(at + length + 1) >= OPTION_REST)
            return refuse_because(s, TEXT_LINE("%.20s: longer than %d bytes", word, OPTION_REST - 1));
        if (at[length] == ':' && s->row->rest)
            text_copy((char *)s->place - s->row->offset + s->row->rest, OPTION_REST, at + length + 1);
        if (at[length] != ',')
            break;
    }
    memcpy(s->place, &all, s->row->size);
    return 0;
}

static int set_cpus(const struct setting *s)
{
    struct option_cpus cpus = {.choice = find_choice(s->row, s->value)};
    struct error why;

    if (cpus.choice < 0) {
        if (s->value[0] < '0' || s->value[0] > '9')
            return refuse_choice(s, s->value);
        /* cpuset_parse() accepts a newline at the end. */
        if (strpbrk(s->value, " \t\n\v\f\r"))
            return refuse(s, JUNK);
        if (cpuset_parse(s->value, &cpus.set, &why))
            return refuse_because(s, why.text);
    }
    memcpy(s->place, &cpus, sizeof(cpus));
    return 0;
}

/* "yes" or "no" as a default; NULL on the command line. */
static int set_flag(const struct setting *s)
{
    bool on = !s->value || !strcmp(s->value, "yes");
    if (!on && strcmp(s->value, "no"))
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
    [OPTION_DURATIONS] = {"a list of durations", "comma between; unit ns, us, ms, s, m, h or d",
                          sizeof(struct option_counts), set_counts},
    [OPTION_NAMES] = {"a list of names", "comma between", sizeof(uint64_t), set_words},
    [OPTION_FAIL_ON] = {"WORD or WORD:PCT", "comma between", sizeof(struct fail_on), set_words},
    [OPTION_CPUS] = {"a CPU list", NULL, sizeof(struct option_cpus), set_cpus},
};

int option_set(const struct option *row, const char *value, void *target, bool append, struct error *error)
{
    const struct setting s = {row, value, (char *)target + row->offset, append, error};
    const size_t size = types[row->type].size;
    char range[160];

    assert(size ? row->size == size : row->size > 1);
    assert(row->type != OPTION_NAMES || choice_count(row) <= 64);
    if (row->type == OPTION_FLAG || (value && value[0]))
        return types[row->type].set(&s);
    option_show_range(row, range, sizeof(range));
    return error_set(error, "--%s needs a value%s%s%s%s", row->name, value ? ", not ''" : "", range[0] ? " (" : "",
                     range, range[0] ? ")" : "");
}

/* For help: "250ms", as typed, becomes "250 ms". */
static void option_show_value(const struct option *row, const char *typed, char *buf, size_t size)
{
    union number number;
    double value;

    if (types[row->type].set == set_number && read_number(row, typed, &number, &value) == GOOD)
        option_show_number(row->type, value, buf, size);
    else
        text_copy(buf, size, typed);
}

/* --- The help of options. --- */

#define HELP_COLUMN_MAX 30
#define HELP_TEXT_MIN   20

static void help_left(const struct option_table *table, const struct option *row, struct text *out)
{
    const char letter = option_letter(table, row);

    if (letter)
        text_printf(out, "  -%c, --%s", letter, row->name);
    else
        text_printf(out, "      --%s", row->name);
    if (row->type != OPTION_FLAG)
        text_printf(out, row->optional ? "[=%s]" : " %s", row->value_name ? row->value_name : "VALUE");
}

/* In the parentheses at the end of an option's help. */
static void help_notes(const struct option_table *table, const struct option *row, struct text *out)
{
    const char *const typed[] = {row->optional, option_preset_of(table, row, PRESET_DEFAULT),
                                 option_preset_of(table, row, PRESET_QUICK),
                                 option_preset_of(table, row, PRESET_CLASSIC)};
    static const char *const before[] = {"without value ", "default ", "--quick ", "--classic "};
    const char *separator = "  (";
    char buf[512];

    if (row->type == OPTION_CHOICE || row->type == OPTION_NAMES || row->type == OPTION_FAIL_ON ||
        row->type == OPTION_CPUS)
        option_show_choices(row->type == OPTION_CPUS ? "CPU list" : NULL, row->choices, buf, sizeof(buf));
    else
        option_show_range(row, buf, sizeof(buf));
    if (buf[0])
        text_printf(out, "%s%s", separator, buf);
    separator = buf[0] ? "; " : separator;
    for (size_t i = 0; i < COUNT(typed); i++) {
        if (!typed[i] || (i > 1 && typed[1] && !strcmp(typed[i], typed[1])))
            continue;
        option_show_value(row, typed[i], buf, sizeof(buf));
        text_printf(out, "%s%s%s", separator, before[i], buf);
        separator = "; ";
    }
    text_append(out, ")", *separator == ';');
}

static void help_right(const struct option_table *table, const struct option *row, struct text *out)
{
    const char *name = NULL, *before = " (also ";
    size_t length;

    text_printf(out, "%s", row->help ? row->help : "");
    while ((name = next_name(row, name, &length)))
        if (name != row->name) {
            text_printf(out, "%s--%.*s", before, (int)length, name);
            before = ", ";
        }
    text_append(out, ")", row->aliases != NULL);
    help_notes(table, row, out);
}

/* A number and its unit ("250 ms") are one word. */
static size_t word_length(const char *words)
{
    size_t length = strcspn(words, " ");
    while (length && isdigit((unsigned char)words[length - 1]) && words[length] && words[length + 1] != ' ' &&
           words[length + 1] != '(' && !isdigit((unsigned char)words[length + 1]))
        length += 1 + strcspn(words + length + 1, " ");
    return length;
}

/* To a line of column characters, wrapped at width; later lines are indented to column. Spaces are preserved. */
static void wrap(const char *words, size_t column, size_t width, struct text *out)
{
    size_t at = column;

    while (*words) {
        size_t gap = strspn(words, " "), length = word_length(words + gap);
        if (at > column && width && at + gap + length > width) {
            text_printf(out, "\n%*s", (int)column, "");
            at = column;
        }
        if (at == column) {
            words += gap;
            gap = 0;
        }
        text_append(out, words, gap + length);
        at += gap + length;
        words += gap + length;
    }
    text_append(out, "\n", 1);
}

static size_t help_column(const struct option_table *table, struct text *scratch)
{
    size_t column = 0;
    for (size_t r = 0; r < table->n; r++) {
        scratch->length = 0;
        help_left(table, &table->rows[r], scratch);
        size_t need = scratch->length + 2;
        if (need > column && need <= HELP_COLUMN_MAX)
            column = need;
    }
    return column ? column : HELP_COLUMN_MAX;
}

void option_help(const struct option_table *table, unsigned width, struct text *out)
{
    FREED_BY(text_free) struct text left = {0}, right = {0};
    const struct option_table bare = {.rows = table->rows, .n = table->n};
    size_t column = help_column(table, &left);

    if (width && width < column + HELP_TEXT_MIN)
        width = (unsigned)column + HELP_TEXT_MIN;
    bool none = table->differing;
    if (table->heading)
        text_printf(out, "%s%s", table->heading, none ? "" : ":\n");
    for (size_t r = 0; r < table->n; r++) {
        if (table->differing && option_letter(table, &table->rows[r]) == option_letter(&bare, &table->rows[r]) &&
            option_preset_of(table, &table->rows[r], PRESET_DEFAULT) ==
                option_preset_of(&bare, &table->rows[r], PRESET_DEFAULT))
            continue;
        text_printf(out, "%s", none ? "; these differ:\n" : "");
        none = false;
        left.length = right.length = 0;
        help_left(table, &table->rows[r], &left);
        help_right(table, &table->rows[r], &right);
        if (left.failed || right.failed) {
            out->failed = 1;
            break;
        }
        if (left.length + 2 > column)
            text_printf(out, "%s\n%*s", left.data, (int)column, "");
        else
            text_printf(out, "%-*s", (int)column, left.data);
        wrap(right.data, column, width, out);
    }
    text_printf(out, "%s", none ? "\n" : "");
}

/* --- The command line; names may be abbreviated. --- */

struct parser {
    struct option_table *tables;
    size_t n;
    int argc, at;
    char *const *argv;
    struct error *error;
    bool skips; /* values are not stored, and of names that begin alike the first is meant */
    /* the option as another program's, whose value is never optional; NULL: it is ours */
    const struct option_foreign *foreign;
    /* Of the last word. */
    const struct option *last;
    const char *value;          /* in the same word; NULL: none */
    char typed[NAME_MAX_BYTES]; /* the option: "-p", "--prio" */
};

struct place {
    struct option_table *table;
    const struct option *row;
    bool *given;
};

/* The long name that is the word, else the first that begins with it; NULL: none. */
static const char *name_begins(const struct option *row, const char *word, size_t length, size_t *name_length)
{
    const char *found = NULL;
    size_t n;

    for (const char *name = NULL; (name = next_name(row, name, &n));)
        if (n >= length && !memcmp(name, word, length) && (!found || n == length)) {
            found = name;
            *name_length = n;
        }
    return found;
}

/* The long name of all tables most similar to the word; "": none. */
static void nearest_name(const struct parser *p, const char *word, char best[NAME_MAX_BYTES])
{
    char candidate[NAME_MAX_BYTES];
    const char *const pair[] = {best, candidate};
    size_t length;

    best[0] = '\0';
    for_each_option(table, row, p->tables, p->n)
        for (const char *name = NULL; (name = next_name(row, name, &length));) {
            if (length >= NAME_MAX_BYTES)
                continue;
            text_copy(candidate, length + 1, name);
            /* best is "" at first, similar to nothing. */
            if (text_nearest(word, pair, 2) == candidate)
                text_copy(best, NAME_MAX_BYTES, candidate);
        }
}

/* Another program's option, from the first table that has it; NULL: none. */
static const struct option_foreign *foreign_of(const struct parser *p, const char *word, size_t length)
{
    const struct option_foreign *foreign = NULL;
    for (size_t t = 0; t < p->n && !foreign; t++)
        foreign = find_foreign(p->tables[t].foreign, word, length);
    return foreign;
}

static int unknown_long(const struct parser *p, const char *name, size_t length)
{
    char word[NAME_MAX_BYTES], near[NAME_MAX_BYTES];

    text_copy(word, length < sizeof(word) ? length + 1 : sizeof(word), name);
    error_set(p->error, "unknown option '--%s'", SHOWN(word));
    nearest_name(p, word, near);
    suggest(p->error, foreign_of(p, name, length), "--", near);
    return -1;
}

static int ambiguous(const struct parser *p, const char *word, size_t length, unsigned matches)
{
    unsigned seen = 0;
    size_t name_length;

    error_set(p->error, "'--%.*s' could be ", (int)length, word);
    for_each_option(table, row, p->tables, p->n) {
        const char *name = name_begins(row, word, length, &name_length);
        if (!name)
            continue;
        seen++;
        TEXT_ADD(p->error->text, "%s--%.*s", seen == 1 ? "" : seen < matches ? ", " : " or ", (int)name_length, name);
    }
    return -1;
}

static struct place place_of(const struct parser *p, const struct option_table *table, const struct option *row)
{
    struct option_table *own = &p->tables[table - p->tables];

    return (struct place){own, row, &own->given[row - own->rows]};
}

/* Returns 1 when there is none, -1 with a line in p->error when there are several. */
static int find_long(const struct parser *p, const char *word, size_t length, struct place *found)
{
    unsigned matches = 0;
    size_t name_length;

    for_each_option(table, row, p->tables, length ? p->n : 0) {
        if (!name_begins(row, word, length, &name_length))
            continue;
        if (name_length == length || !matches++)
            *found = place_of(p, table, row);
        if (name_length == length)
            return 0;
    }
    if (!matches)
        return 1;
    return matches == 1 || p->skips ? 0 : ambiguous(p, word, length, matches);
}

/* Appends a value's words to what is stored so far: `first` (attached to the option; NULL: none), then the next
 * arguments. Returns 0, or -1 with a line in p->error. */
static int take_words(struct parser *p, const struct option *row, const char *first, char *text)
{
    FREED_BY(text_free) struct text all = {0};

    text_printf(&all, "%s", text);
    if (all.length)
        text_append(&all, (const char[]){OPTION_USE_END}, 1);
    for (unsigned i = 0; i < row->words; i++) {
        const char *word = i == 0 && first ? first : p->at + 1 < p->argc ? p->argv[++p->at] : NULL;
        if (!word || strchr(word, OPTION_WORD_END) || strchr(word, OPTION_USE_END))
            return error_set(p->error, "--%s needs %u words: %s", row->name, row->words, row->value_name);
        text_append(&all, (const char[]){OPTION_WORD_END}, i > 0);
        text_append(&all, word, strlen(word));
    }
    const bool fits = !all.failed && all.length < row->size;
    if (fits)
        text_copy(text, row->size, all.data);
    return fits ? 0 : error_set(p->error, "--%s: more than %zu bytes", row->name, row->size - 1);
}

/* The maximum, with a note, for a number that is capped; otherwise the value. */
static const char *cap(const struct parser *p, const struct option *row, const char *value, char maximum[32])
{
    const double most = p->foreign ? row->foreign_capped : row->capped;
    union number number;
    double typed;

    if (!value || !(most > 0) || read_number(row, value, &number, &typed) != GOOD || typed <= row->max || typed > most)
        return value;
    option_show_number(row->type, row->max, maximum, 32);
    TEXT_ADD(p->error->text, "%s%s %s is taken as %s: %s", p->error->text[0] ? "; " : "", p->typed, value, maximum,
             row->above);
    return maximum;
}

/* value: attached ("--name=value") or NULL: then the text `optional`, or the next argument. Returns 0, or -1 with a
 * line in p->error. */
static int take(struct parser *p, struct place found, const char *value)
{
    const struct option *row = found.row;
    char maximum[32];

    p->last = row;
    p->value = value;
    if (row->words) {
        *found.given = true;
        p->at += p->skips ? (int)row->words - (value != NULL) : 0;
        return p->skips ? 0 : take_words(p, row, value, (char *)found.table->target + row->offset);
    }
    if (!value && row->type != OPTION_FLAG) {
        const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : NULL;
        if (row->optional && !((row->follows || p->foreign) && next && next[0] != '-'))
            value = row->optional;
        else if (next)
            value = p->argv[++p->at];
    }
    if (!p->skips && option_set(row, cap(p, row, value, maximum), found.table->target, *found.given, p->error))
        return -1;
    *found.given = true;
    return 0;
}

/* As take(). */
static int take_foreign(struct parser *p, const struct option_foreign *foreign, const char *value)
{
    struct place found;

    if (foreign->use == FOREIGN_MEANS) {
        const bool exists = !find_long(p, foreign->hint, strlen(foreign->hint), &found);
        assert(exists && found.row->type != OPTION_FLAG);
        p->foreign = foreign;
        const int failed = take(p, found, value);
        p->foreign = NULL;
        return failed;
    }
    if (foreign->use == FOREIGN_VALUE && !value) {
        if (p->at + 1 >= p->argc)
            return error_set(p->error, "%s needs a value", p->typed);
        value = p->argv[++p->at];
    }
    if (foreign->hint && !p->skips && !(value && !strcmp(value, "0")))
        TEXT_ADD(p->error->text, "%s%s is ignored: %s", p->error->text[0] ? "; " : "", p->typed, foreign->hint);
    return 0;
}

char option_letter(const struct option_table *table, const struct option *row)
{
    return table->taken && row->letter && strchr(table->taken, row->letter) ? 0 : row->letter;
}

static bool find_letter(const struct parser *p, char letter, struct place *found)
{
    for_each_option(table, row, p->tables, p->n)
        if (option_letter(table, row) == letter) {
            *found = place_of(p, table, row);
            return true;
        }
    return false;
}

/* A whole word after one dash is probably a long name that lacks the second. */
static int unknown_letter(const struct parser *p, const char *argument, const char *at)
{
    char near[NAME_MAX_BYTES] = "";

    if (strlen(argument) > 3)
        nearest_name(p, argument + 1, near);
    if (near[0])
        return error_set(p->error, "unknown option '%s'; did you mean '--%s'?", SHOWN(argument), near);
    error_set(p->error, "unknown option '-%.*s'", (unsigned char)*at < 0x80 ? 1 : SHOWN_SIZE, SHOWN(at));
    const struct option_foreign *foreign = foreign_of(p, at, 1);
    struct place other;
    if (!foreign && isalpha((unsigned char)*at) && find_letter(p, (char)(*at ^ 0x20), &other))
        TEXT_ADD(p->error->text, "; did you mean '-%c', --%s?", *at ^ 0x20, other.row->name);
    suggest(p->error, foreign, "", NULL);
    return -1;
}

/* A word that begins with '-'. */
static int parse_word(struct parser *p, const char *argument)
{
    struct place found;

    if (argument[1] == '-') {
        const char *word = argument + 2;
        const size_t length = strcspn(word, "=");
        const char *value = word[length] ? word + length + 1 : NULL;
        const int missing = find_long(p, word, length, &found);
        TEXT_PRINT(p->typed, "--%.*s", (int)length, word);
        if (missing > 0) {
            const struct option_foreign *foreign = foreign_of(p, word, length);
            return foreign && foreign->use ? take_foreign(p, foreign, value) : unknown_long(p, word, length);
        }
        if (missing)
            return -1;
        if (value && found.row->type == OPTION_FLAG && !p->skips)
            return error_set(p->error, "--%s takes no value", found.row->name);
        return take(p, found, value);
    }
    for (const char *at = argument + 1; *at; at++) {
        const struct option_foreign *foreign = foreign_of(p, at, 1);
        const bool ours = find_letter(p, *at, &found);
        const bool flag = ours ? found.row->type == OPTION_FLAG : foreign && foreign->use == FOREIGN_FLAG;
        const char *value = flag || !at[1] ? NULL : at + 1;
        TEXT_PRINT(p->typed, "-%c", *at);
        if (!ours && !(foreign && foreign->use))
            return unknown_letter(p, argument, at);
        if (ours ? take(p, found, value) : take_foreign(p, foreign, value)) {
            suggest(p->error, ours ? foreign : NULL, "", NULL);
            return -1;
        }
        if (!flag)
            break;
    }
    return 0;
}

int option_parse(int argc, char *const argv[], struct option_table *tables, size_t n, const char **operands,
                 struct error *error)
{
    struct parser p = {.tables = tables, .n = n, .argc = argc, .at = 1, .argv = argv, .error = error};
    int count = 0;
    bool ended = false;

    error->text[0] = '\0';
    for (size_t t = 0; t < n; t++)
        assert(tables[t].n <= OPTION_ROWS_MAX);
    for (; p.at < argc; p.at++) {
        const char *argument = argv[p.at];
        const bool dashes = !strcmp(argument, "--");
        if (ended || argument[0] != '-' || !argument[1] || (dashes && tables[0].separates))
            operands[count++] = argument;
        else if (dashes)
            ended = true;
        else if (parse_word(&p, argument))
            return -1;
    }
    return count;
}

/* By any option that stores there. */
static bool is_given(const struct option_table *tables, size_t n, const char *place)
{
    for_each_option(table, row, tables, n)
        if (table->given[row - table->rows] && (const char *)table->target + row->offset == place)
            return true;
    return false;
}

int option_defaults(struct option_table *tables, size_t n, enum option_preset preset, struct error *error)
{
    struct error line;

    for_each_option(table, row, tables, n) {
        const char *value = option_preset_of(table, row, preset);
        char *const place = (char *)table->target + row->offset;
        if (is_given(tables, n, place))
            continue;
        if (!value)
            value = option_preset_of(table, row, PRESET_DEFAULT);
        if (!value)
            memset(place, 0, row->size);
        else if (option_set(row, value, table->target, false, &line))
            return error_set(error, "default of %s", line.text);
    }
    return 0;
}

bool option_given(const struct option_table *tables, size_t n, const char *name)
{
    for_each_option(table, row, tables, n)
        if (!strcmp(row->name, name) && is_given(tables, n, (const char *)table->target + row->offset))
            return true;
    return false;
}

const struct option *option_of_word(struct option_table *tables, size_t n, const char *word, const char **value)
{
    struct error error;
    struct parser p = {.tables = tables, .n = n, .error = &error, .skips = true};
    const int failed = parse_word(&p, word);

    *value = p.value;
    return failed ? NULL : p.last;
}

int option_without(int argc, char *const argv[], struct option_table *tables, size_t n, const char *const *names,
                   char **kept)
{
    struct error error;
    struct parser p = {.tables = tables, .n = n, .argc = argc, .argv = argv, .error = &error, .skips = true};
    int count = 0;

    for (p.at = 1; p.at < argc; p.at++) {
        const int first = p.at;
        bool dropped = false;
        p.last = NULL;
        if (argv[first][0] == '-' && argv[first][1] && strcmp(argv[first], "--"))
            (void)parse_word(&p, argv[first]);
        for (const char *const *name = names; p.last && *name; name++)
            dropped = dropped || !strcmp(p.last->name, *name);
        for (int i = first; i <= p.at && !dropped; i++)
            kept[count++] = argv[i];
    }
    return count;
}
