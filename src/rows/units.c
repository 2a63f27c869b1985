/* SPDX-License-Identifier: MIT */
#include "rows/text.h"
#include "sys/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIGNIFICANT 4
#define GROUPED     10000.0 /* thousands are grouped from here on */
#define WHOLE_BELOW 100000.0
#define FIXED_BELOW 1e15
#define MOST_PLACES 9

#define NO_BREAK     "\xc2\xa0"     /* U+00A0 */
#define NARROW_BLANK "\xe2\x80\xaf" /* U+202F */
#define MINUS        "\xe2\x88\x92" /* U+2212 */
#define DASH         "\xe2\x80\x93" /* U+2013 */
#define MICRO        "\xc2\xb5"     /* U+00B5 */

/* Units that are multiples of each other, in ascending order. */
struct step {
    const char *name;
    double size;
};
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
    text_copy(units.name, sizeof(units.name), steps[i].name);
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
    prefix = step_of(prefixes, 1, magnitude >= WHOLE_BELOW && strcmp(unit, "%") != 0 ? magnitude : 1);
    units.factor = prefix.factor;
    snprintf(units.name, sizeof(units.name), "%.2s%s%.32s", prefix.name, prefix.name[0] && unit[0] ? NO_BREAK : "",
             unit);
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
        if (typed[0] != prefix->name[0] || !strcmp(unit, "%") || (rest[0] && strcmp(rest, unit) != 0))
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

/* "1.500e+20" to "1.5e+20". */
static void trim_zeros(char *digits)
{
    char *exponent = strchr(digits, 'e'), *end = exponent;

    while (end && end > digits + 1 && end[-1] == '0')
        end--;
    while (end && end > digits + 1 && !strchr("0123456789", end[-1]))
        end--; /* the decimal point too, which may have several bytes */
    if (end && end < exponent)
        memmove(end, exponent, strlen(exponent) + 1);
}

/* With '.', and narrow spaces between thousands if `grouped`. */
static void group(const char *digits, int grouped, struct text *out)
{
    size_t before = strspn(digits, "0123456789");

    for (size_t i = 0; i < before; i++) {
        if (grouped && i > 0 && (before - i) % 3 == 0)
            text_printf(out, "%s", NARROW_BLANK);
        text_append(out, digits + i, 1);
    }
    /* The locale's decimal point may be longer than one byte. */
    size_t point = strcspn(digits + before, "0123456789e");
    if (digits[before] == 'e')
        text_printf(out, "%s", digits + before);
    else if (digits[before])
        text_printf(out, ".%s", digits + before + point);
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
    if (fixed)
        snprintf(digits, sizeof(digits), "%.*f", decimals <= MOST_PLACES ? decimals : 0, fabs(value));
    else
        snprintf(digits, sizeof(digits), "%.*e", SIGNIFICANT - 1, fabs(value));
    if (!fixed)
        trim_zeros(digits);
    /* No minus sign for what rounds to zero. */
    if (value < 0 && digits[strspn(digits, "0.,")])
        text_printf(&out, "%s", MINUS);
    group(digits, fabs(value) >= GROUPED, &out);
    text_copy(buf, size, out.failed || !out.data ? DASH : out.data);
}

static char *put(double value, int decimals, const struct units *units, const char *before, char *buf, size_t size)
{
    char number[UNITS_SIZE];

    units_number(value, decimals, number, sizeof(number));
    snprintf(buf, size, "%s%s%s%s", before, number, units->name[0] ? NO_BREAK : "", units->name);
    return buf;
}

char *units_value(double value, const char *unit, char *buf, size_t size)
{
    struct units units = units_choose(unit, value);

    if (isfinite(value))
        return put(value * units.factor, units_decimals(value * units.factor), &units, "", buf, size);
    return text_line(buf, size, DASH);
}

char *units_range(double low, double high, const char *unit, char *buf, size_t size)
{
    struct units units = units_choose(unit, fmax(fabs(low), fabs(high)));
    char number[UNITS_SIZE];

    if (!isfinite(low) || !isfinite(high))
        return units_value((double)NAN, unit, buf, size);
    /* Decimals that the larger one needs. */
    int decimals = units_decimals(fmax(fabs(low), fabs(high)) * units.factor);
    int other = units_decimals(fmin(fabs(low), fabs(high)) * units.factor);
    if (decimals == 0 && other > 0 && fmax(fabs(low), fabs(high)) * units.factor < 1000)
        decimals = 1;
    units_number(low * units.factor, decimals, number, sizeof(number));
    return put(high * units.factor, decimals, &units, TEXT_LINE("%s to ", number), buf, size);
}

char *units_plain(char *text)
{
    static const struct {
        const char *from, *to;
    } plain[] = {{NO_BREAK, " "}, {NARROW_BLANK, ""}, {MINUS, "-"}, {DASH, "-"}, {MICRO, "u"}};

    for (size_t i = 0; i < COUNT(plain); i++)
        for (char *at = text; (at = strstr(at, plain[i].from)); at += strlen(plain[i].to)) {
            const size_t from = strlen(plain[i].from), to = strlen(plain[i].to);
            memmove(at + to, at + from, strlen(at + from) + 1);
            memcpy(at, plain[i].to, to);
        }
    return text;
}
