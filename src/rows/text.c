/* SPDX-License-Identifier: MIT */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <strings.h>

#include "rows/text.h"

/* Longest of the shorter words that text_distance() compares; names are shorter. */
#define WORD_MAX 128u

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

unsigned text_distance(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    uint64_t edits[3][WORD_MAX + 1]; /* [i % 3][j]: from the first i letters of a to the first j of b */

    if (m > n)
        return text_distance(b, a);
    if (m > WORD_MAX)
        return (unsigned)smaller(n, UINT32_MAX);
    for (size_t i = 0; i <= n; i++) {
        const uint64_t *above = edits[(i + 2) % 3], *above2 = edits[(i + 1) % 3];
        uint64_t *row = edits[i % 3];
        for (size_t j = 0; j <= m; j++) {
            row[j] = i + j;
            if (i && j)
                row[j] =
                    smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + (lower(a[i - 1]) != lower(b[j - 1])));
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = smaller(row[j], above2[j - 2] + 1);
        }
    }
    return (unsigned)edits[n % 3][m];
}

const char *text_nearest(const char *word, const char *const *candidates, size_t n)
{
    const char *nearest = NULL;
    unsigned nearest_score = 0;
    size_t length = strlen(word);
    size_t allowed = length / 3 > 1 ? length / 3 : 1;

    for (size_t i = 0; i < n; i++) {
        size_t other = strlen(candidates[i]);
        size_t shorter = length < other ? length : other, longer = length < other ? other : length;
        /* An empty text is a prefix of everything, and two single letters have nothing in common. */
        if (shorter == 0)
            continue;
        unsigned distance = text_distance(word, candidates[i]);
        unsigned begins = !strncasecmp(word, candidates[i], shorter);
        if (!begins && (distance > allowed || distance >= longer))
            continue;
        unsigned score = 2 * distance + !begins;
        if (!nearest || score < nearest_score) {
            nearest = candidates[i];
            nearest_score = score;
        }
    }
    return nearest;
}

/* And for the terminator. Returns 0, or -1 when out of memory. */
static int reserve(struct text *t, size_t more)
{
    if (t->failed)
        return -1;
    if (more >= SIZE_MAX / 2 - t->length) {
        t->failed = 1;
        return -1;
    }
    t->failed = !grow_array(&t->data, &t->size, t->length + more, 1);
    return t->failed ? -1 : 0;
}

void text_append(struct text *t, const char *data, size_t length)
{
    if (reserve(t, length))
        return;
    if (length)
        memcpy(t->data + t->length, data, length);
    t->length += length;
    t->data[t->length] = '\0';
}

void text_vprintf(struct text *t, const char *format, va_list args)
{
    va_list again;

    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0) {
        t->failed = 1;
    } else if (!reserve(t, (size_t)length)) {
        vsnprintf(t->data + t->length, (size_t)length + 1, format, again);
        t->length += (size_t)length;
    }
    va_end(again);
}

void text_escape(struct text *t, const char *s, size_t length,
                 const char *(*shown)(const char *s, size_t bytes, char buf[8]))
{
    char buf[8];

    for (size_t bytes; length; s += bytes, length -= bytes) {
        bytes = text_utf8_length(s);
        const bool valid = bytes && bytes <= length;
        const char *instead = valid ? shown(s, bytes, buf) : "\xef\xbf\xbd";
        bytes = valid ? bytes : 1;
        text_append(t, instead ? instead : s, instead ? strlen(instead) : bytes);
    }
}

void text_printf(struct text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vprintf(t, format, args);
    va_end(args);
}

char *text_line(char *buf, size_t size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(buf, size, format, args);
    va_end(args);
    return buf;
}

void text_put(struct text *t, void (*put_text)(struct text *t, const char *s, size_t length),
              void (*put_number)(struct text *t, double value), const char *format, va_list args)
{
    for (size_t plain; *format; format += plain) {
        plain = strcspn(format, "%");
        text_append(t, format, plain);
        format += plain;
        plain = 0;
        if (!*format++)
            break;
        const bool sign = *format == '+', precise = format[sign] == '.';
        const char *digits = format + sign + 1;
        const int precision = !precise ? INT_MAX : *digits == '*' ? va_arg(args, int) : (int)strtol(digits, NULL, 10);
        format += strcspn(format, "%sczf");
        if (*format == 's') {
            const char *s = va_arg(args, const char *);
            put_text(t, s, strnlen(s, (size_t)precision));
        } else if (*format == 'f' && !precise) {
            put_number(t, va_arg(args, double));
        } else if (*format == 'f') {
            text_printf(t, sign ? "%+.*f" : "%.*f", precision, va_arg(args, double));
        } else if (*format == 'z') {
            text_printf(t, "%zu", va_arg(args, size_t));
            format++;
        } else {
            text_printf(t, "%c", *format == 'c' ? va_arg(args, int) : '%');
        }
        format++;
    }
}

void text_free(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
}

/* Units that are multiples of each other, in ascending order. */
struct step {
    const char *name;
    double size;
};

/* In the largest unit that does not exceed the value; at most three significant digits. */
static char *in_units(double value, const struct step *unit, char *buf, size_t size)
{
    while (unit[1].name && value >= unit[1].size)
        unit++;
    const double number = value / unit->size;
    double scale = number < 10 ? 100 : number < 100 ? 10 : 1;

    while (!unit[1].name && number * scale >= 1000)
        scale /= 10;
    double rounded = floor(number * scale + 0.5) / scale;
    /* Rounding may reach the next unit: 999.9 ms is 1 s. */
    if (unit[1].name && rounded >= unit[1].size / unit->size) {
        rounded = 1;
        unit++;
    }
    return text_line(buf, size, "%.12g %s", rounded, unit->name);
}

char *text_duration(uint64_t ns, char *buf, size_t size)
{
    static const struct step units[] = {{"ns", 1},     {"us", 1e3},   {"ms", 1e6}, {"s", 1e9},
                                        {"min", 60e9}, {"h", 3600e9}, {NULL, 0}};

    return in_units((double)ns, units, buf, size);
}

char *text_bytes(uint64_t bytes, char *buf, size_t size)
{
    static const struct step units[] = {{"B", 1},        {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30},
                                        {"TiB", 0x1p40}, {"PiB", 0x1p50}, {"EiB", 0x1p60}, {NULL, 0}};

    return in_units((double)bytes, units, buf, size);
}

bool text_has_word_of(const char *words, const char *word, size_t length)
{
    for (const char *at = words, *end; at && *at; at = end + (*end == ' ')) {
        end = strchrnul(at, ' ');
        if ((size_t)(end - at) == length && !memcmp(at, word, length))
            return true;
    }
    return false;
}

bool text_has_word(const char *words, const char *word)
{
    return text_has_word_of(words, word, strlen(word));
}

const char *text_ending(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');

    return dot && dot > name ? dot : name + strlen(name);
}

void text_copy(char *to, size_t size, const char *from)
{
    if (!size)
        return;
    size_t length = strnlen(from, size - 1);
    memcpy(to, from, length);
    to[length] = '\0';
}

void text_add(char *to, size_t size, const char *format, ...)
{
    size_t used = strnlen(to, size);
    va_list args;

    va_start(args, format);
    vsnprintf(to + used, size - used, format, args);
    va_end(args);
}

size_t text_utf8_length(const char *s)
{
    static const uint32_t least[] = {[2] = 0x80, [3] = 0x800, [4] = 0x10000}; /* of each length: a lower code is
                                                                               * encoded in too many bytes */
    const unsigned char *b = (const unsigned char *)s;
    const size_t length = b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
    uint32_t code = b[0] & (0x7fu >> length);

    if (b[0] < 0x80)
        return 1;
    for (size_t i = 1; i < length; code = code << 6 | (b[i++] & 0x3f))
        if ((b[i] & 0xc0) != 0x80)
            return 0;
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return b[0] >= 0xc0 && b[0] <= 0xf4 && code >= least[length] && code <= 0x10ffff && !surrogate ? length : 0;
}

void text_real(struct text *t, double value)
{
    char buf[32];

    if (isfinite(value))
        text_append(t, buf, (size_t)TEXT_PRINT(buf, "%.17g", value));
}

#define EXACT_DIGITS 15u

/* Adds the digits at s to *digits of n digits, up to EXACT_DIGITS + 1. Returns how many. */
static size_t take_digits(const char *s, size_t n, uint64_t *digits)
{
    size_t taken = 0;
    for (; s[taken] >= '0' && s[taken] <= '9' && n + taken <= EXACT_DIGITS; taken++)
        *digits = 10 * *digits + (uint64_t)(s[taken] - '0');
    return taken;
}

bool text_short_decimal(const char **at, double *value)
{
    static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *s = *at + (**at == '-');
    uint64_t digits = 0;
    size_t whole = take_digits(s, 0, &digits), fraction = 0;
    double number;

    s += whole;
    if (*s == '.') {
        fraction = take_digits(s + 1, whole, &digits);
        s += 1 + fraction;
    }
    if (whole == 0 || whole + fraction > EXACT_DIGITS || *s == 'e' || *s == 'E')
        return false;
    /* With a wider intermediate format (x87) the quotient would be rounded twice. */
    if (fraction > 0 && FLT_EVAL_METHOD != 0)
        return false;
    number = (double)digits / tens[fraction];
    *value = **at == '-' ? -number : number;
    *at = s;
    return true;
}

size_t text_width(const char *s)
{
    size_t width = 0;

    for (; *s; s++)
        width += ((unsigned char)*s & 0xc0) != 0x80;
    return width;
}

size_t text_break(const char *s, size_t width)
{
    size_t columns = 0, blank = 0, end = 0;
    bool quoted = false; /* a command, which is kept whole */
    bool color = false;  /* a sequence that has no width */

    for (; s[end]; end++) {
        color |= s[end] == '\033';
        if (s[end] == '\'')
            quoted = !quoted && (!end || s[end - 1] == ' ' || s[end - 1] == '(');
        if (s[end] == ' ' && (!quoted || !blank))
            blank = end;
        if (!color && ((unsigned char)s[end] & 0xc0) != 0x80 && columns++ == width)
            return blank ? blank : end;
        color &= s[end] != 'm';
    }
    return end;
}

void text_wrap(struct text *out, const char *s, size_t indent, size_t width)
{
    for (size_t length; *s; s += length) {
        length = text_break(s, width - indent);
        text_append(out, s, length);
        text_append(out, "\n", 1);
        length += s[length] == ' ';
        if (s[length])
            text_printf(out, "%*s", (int)indent, "");
    }
}

bool text_is_control(const char *s, size_t length)
{
    const unsigned char *b = (const unsigned char *)s;

    if (length == 1)
        return b[0] < 0x20 || b[0] == 0x7f;
    if (length == 2)
        return (b[0] == 0xc2 && b[1] < 0xa0) || (b[0] == 0xd8 && b[1] == 0x9c);
    if (length != 3 || b[0] != 0xe2 || (b[1] != 0x80 && b[1] != 0x81))
        return false;
    /* U+200E, U+200F, U+2028 to U+202E; U+2066 to U+2069 */
    return b[1] == 0x80 ? b[2] == 0x8e || b[2] == 0x8f || (b[2] >= 0xa8 && b[2] <= 0xae) : b[2] >= 0xa6 && b[2] <= 0xa9;
}

void text_sanitize(char *s)
{
    for (size_t length; *s; s += length ? length : 1) {
        length = *s >= ' ' && *s <= '~' ? 1 : text_utf8_length(s);
        if (!length || text_is_control(s, length))
            memset(s, '?', length ? length : 1);
    }
}

void text_sanitize_name(char *s)
{
    text_sanitize(s);
    if (strchr("+-@", *s) && *s)
        *s = '_';
    while (*(s += strcspn(s, " ;=,\"")))
        *s = '_';
}

/* --- Numbered names (not the index of `jitbench unix`). --- */

uint64_t index_hash(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return hash;
}

/* gcc 12's analyzer does not see that names are stored in the array, and warns of a leak. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

/* Position of the name, or of the empty slot where it belongs. */
static size_t find_slot(const struct index *index, const char *name)
{
    size_t at = (size_t)index_hash(name) & (index->slots - 1);

    while (index->slot[at] && strcmp(index->name[index->slot[at] - 1], name))
        at = (at + 1) & (index->slots - 1);
    return at;
}

static void add_slots(struct index *index)
{
    index->slots = index->slots ? 2 * index->slots : 64;
    free(index->slot);
    index->slot = memory_get(index->slots, sizeof(*index->slot));
    for (size_t i = 0; i < index->n; i++)
        index->slot[find_slot(index, index->name[i])] = (uint32_t)(i + 1);
}

size_t index_find(const struct index *index, const char *name)
{
    const uint32_t found = index->slots ? index->slot[find_slot(index, name)] : 0;

    return found ? found - 1 : SIZE_MAX;
}

size_t index_enter(struct index *index, const char *name)
{
    const size_t number = index->n, size = strlen(name) + 1, found = index_find(index, name);

    if (found != SIZE_MAX)
        return found;
    if (2 * number >= index->slots)
        add_slots(index);
    if (number >= UINT32_MAX - 1)
        memory_out();
    MEMORY_GROW(index->name, index->capacity, number);
    index->name[number] = memory_get(size, 1);
    memcpy(index->name[number], name, size);
    index->slot[find_slot(index, name)] = (uint32_t)(number + 1);
    index->n++;
    return number;
}

void index_free(struct index *index)
{
    for (size_t i = 0; i < index->n; i++)
        free(index->name[i]);
    free(index->name);
    free(index->slot);
    memset(index, 0, sizeof(*index));
}

/* --- Values with units. --- */

#define SIGNIFICANT 4
#define GROUPED     10000.0 /* thousands are grouped from here on */
#define WHOLE_BELOW 100000.0
#define FIXED_BELOW 1e15
#define MOST_PLACES 9

#define NARROW_BLANK "\xe2\x80\xaf" /* U+202F */
#define MINUS        "\xe2\x88\x92" /* U+2212 */
#define DASH         "\xe2\x80\x93" /* U+2013 */
#define MICRO        "\xc2\xb5"     /* U+00B5 */

static const struct step times[] = {{"ns", 1}, {MICRO "s", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
static const struct step frequencies[] = {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}, {NULL, 0}};
static const struct step bytes[] = {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {NULL, 0}};
static const struct step bandwidths[] = {{"MB/s", 1}, {"GB/s", 1e3}, {"TB/s", 1e6}, {NULL, 0}};
static const struct step prefixes[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {NULL, 0}};

static const struct family {
    const char *unit;
    const struct step *steps;
    double size; /* as a multiple of the first */
} families[] = {
    {"ns", times, 1},       {"us", times, 1e3},        {MICRO "s", times, 1e3}, {"ms", times, 1e6}, {"s", times, 1e9},
    {"Hz", frequencies, 1}, {"kHz", frequencies, 1e3}, {"bytes", bytes, 1},     {"B", bytes, 1},    {"kB", bytes, 1e3},
    {"KiB", bytes, 1024},   {"MiB", bytes, 1048576},   {"MB/s", bandwidths, 1},
};

static struct units step_of(const struct step *steps, double size, double magnitude)
{
    struct units units = {.factor = 1};
    size_t i = 0;

    while (steps[i + 1].name && magnitude * size >= steps[i + 1].size)
        i++;
    units.factor = size / steps[i].size;
    TEXT_SET(units.name, steps[i].name);
    return units;
}

struct units units_choose(const char *unit, double magnitude)
{
    struct units units = {.factor = 1}, prefix;

    magnitude = isfinite(magnitude) ? fabs(magnitude) : 0;
    unit = !unit || text_has_word("ratio bool code count", unit) ? "" : unit;
    for (size_t i = 0; magnitude > 0 && i < COUNT(families); i++)
        if (!strcmp(families[i].unit, unit))
            return step_of(families[i].steps, families[i].size, magnitude);
    prefix = step_of(prefixes, 1, magnitude >= WHOLE_BELOW && strcmp(unit, "%") ? magnitude : 1);
    units.factor = prefix.factor;
    TEXT_PRINT(units.name, "%.2s%s%.32s", prefix.name, prefix.name[0] && unit[0] ? TEXT_NO_BREAK : "", unit);
    return units;
}

/* The list that has this unit, and the unit's size; NULL: none. */
static const struct step *family_of(const char *unit, double *size)
{
    for (size_t i = 0; i < COUNT(families); i++) {
        if (!strcmp(families[i].unit, unit)) {
            *size = families[i].size;
            return families[i].steps;
        }
        for (const struct step *step = families[i].steps; step->name; step++)
            if (!strcmp(step->name, unit)) {
                *size = step->size;
                return families[i].steps;
            }
    }
    return NULL;
}

bool units_factor(const char *typed, const char *unit, double *factor)
{
    double from = 1, to = 1;
    const struct step *family = family_of(unit, &to);

    *factor = 1;
    if (!typed[0] || !strcmp(typed, unit))
        return true;
    if (family) {
        const bool same = family_of(typed, &from) == family;
        *factor = from / to;
        return same;
    }
    for (const struct step *prefix = prefixes + 1; prefix->name; prefix++) {
        const char *rest = typed + 1 + strspn(typed + 1, " ");
        if (typed[0] != prefix->name[0] || !strcmp(unit, "%") || (rest[0] && strcmp(rest, unit)))
            continue;
        *factor = prefix->size;
        return true;
    }
    return false;
}

int units_decimals(double value)
{
    double size = fabs(value);

    if (!isfinite(value) || size == 0 || (size < WHOLE_BELOW && floor(size) >= size))
        return 0;
    int before = (int)floor(log10(size)) + 1;
    int decimals = SIGNIFICANT - before;
    return decimals < 0 ? 0 : decimals > 17 ? 17 : decimals;
}

/* Puts narrow spaces between thousands. */
static void group(const char *digits, struct text *out)
{
    const size_t before = strspn(digits, "0123456789");

    for (size_t i = 0; i < before; i++)
        text_printf(out, "%s%c", i > 0 && (before - i) % 3 == 0 ? NARROW_BLANK : "", digits[i]);
    text_printf(out, "%s", digits + before);
}

void units_number(double value, int decimals, char *buf, size_t size)
{
    FREED_BY(text_free) struct text out = {0};
    char digits[64];
    bool fixed = fabs(value) < FIXED_BELOW && (decimals <= MOST_PLACES || fabs(value) <= 0);

    if (!isfinite(value)) {
        text_copy(buf, size, DASH);
        return;
    }
    if (fixed) {
        TEXT_PRINT(digits, "%.*f", decimals <= MOST_PLACES ? decimals : 0, fabs(value));
    } else {
        TEXT_PRINT(digits, "%.*e", SIGNIFICANT - 1, fabs(value));
        char *exponent = strchr(digits, 'e'), *end = exponent;
        while (strchr("0.", end[-1])) /* "1.500e+20" to "1.5e+20" */
            end--;
        memmove(end, exponent, strlen(exponent) + 1);
    }
    /* No minus sign for what rounds to zero. */
    if (value < 0 && digits[strspn(digits, "0.")])
        text_printf(&out, MINUS);
    if (fixed && fabs(value) >= GROUPED)
        group(digits, &out);
    else
        text_printf(&out, "%s", digits);
    text_copy(buf, size, out.failed || !out.data ? DASH : out.data);
}

static char *put_number(double value, int decimals, const struct units *units, const char *before, char *buf,
                        size_t size)
{
    char number[UNITS_SIZE];

    units_number(value, decimals, number, sizeof(number));
    return text_line(buf, size, "%s%s%s%s", before, number, units->name[0] ? TEXT_NO_BREAK : "", units->name);
}

char *units_value(double value, const char *unit, char *buf, size_t size)
{
    struct units units = units_choose(unit, value);

    if (isfinite(value))
        return put_number(value * units.factor, units_decimals(value * units.factor), &units, "", buf, size);
    return text_line(buf, size, DASH);
}

char *units_range(double low, double high, const char *unit, char *buf, size_t size)
{
    struct units units = units_choose(unit, fmax(fabs(low), fabs(high)));
    char number[UNITS_SIZE];

    if (!isfinite(low) || !isfinite(high))
        return units_value(NAN, unit, buf, size);
    /* Decimals that the larger one needs. */
    int decimals = units_decimals(fmax(fabs(low), fabs(high)) * units.factor);
    int other = units_decimals(fmin(fabs(low), fabs(high)) * units.factor);
    if (decimals == 0 && other > 0 && fmax(fabs(low), fabs(high)) * units.factor < 1000)
        decimals = 1;
    units_number(low * units.factor, decimals, number, sizeof(number));
    return put_number(high * units.factor, decimals, &units, TEXT_LINE("%s to ", number), buf, size);
}

char *units_plain(char *text)
{
    static const struct {
        const char *from, *to;
    } plain[] = {{TEXT_NO_BREAK, " "}, {NARROW_BLANK, ""}, {MINUS, "-"}, {DASH, "-"}, {MICRO, "u"}};

    for (size_t i = 0; i < COUNT(plain); i++)
        for (char *at = text; (at = strstr(at, plain[i].from)); at += strlen(plain[i].to)) {
            const size_t from = strlen(plain[i].from), to = strlen(plain[i].to);
            memmove(at + to, at + from, strlen(at + from) + 1);
            memcpy(at, plain[i].to, to);
        }
    return text;
}
