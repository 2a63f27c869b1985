/* SPDX-License-Identifier: MIT */
/* --start-at: parses a time. */
#include "cmd/cmd.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND_NS 1000000000u

struct wait {
    uint64_t ns;
};

static const struct option wait_row = {
    .name = "start-at", .type = OPTION_DURATION, .min = 0, .max = (double)START_DAY_NS, OPTION_AT(struct wait, ns)};

/* Up to nine decimals. */
static int parse_epoch(const char *s, uint64_t *at_ns)
{
    size_t whole = strspn(s, "0123456789"), fraction = 0;
    uint64_t ns = 0, unit = SECOND_NS;

    if (s[whole] == '.')
        fraction = strspn(s + whole + 1, "0123456789");
    if (!whole || whole > 10 || fraction > 9 || s[whole + (s[whole] == '.' ? fraction + 1 : 0)])
        return -1;
    for (size_t i = 0; i < fraction; i++)
        ns += (uint64_t)(s[whole + 1 + i] - '0') * (unit /= 10);
    *at_ns = strtoull(s, NULL, 10) * SECOND_NS + ns;
    return 0;
}

/* The nearest of yesterday, today and tomorrow. */
static int parse_time_of_day(const char *s, uint64_t now_ns, uint64_t *at_ns)
{
    const time_t now = (time_t)(now_ns / SECOND_NS);
    struct tm today;
    double nearest = 0;

    if (strlen(s) != 8 || strspn(s, "0123456789:") != 8 || !localtime_r(&now, &today))
        return -1;
    const char *end = strptime(s, "%H:%M:%S", &today);
    if (!end || *end || today.tm_sec > 59)
        return -1;
    *at_ns = 0;
    for (int day = -1; day <= 1; day++) {
        struct tm tm = today;
        tm.tm_mday += day;
        tm.tm_isdst = -1;
        time_t at = mktime(&tm);
        double away = difftime(at, now) < 0 ? -difftime(at, now) : difftime(at, now);
        if (at > 0 && (!*at_ns || away < nearest)) {
            *at_ns = (uint64_t)at * SECOND_NS;
            nearest = away;
        }
    }
    return *at_ns ? 0 : -1;
}

int start_parse(const char *text, uint64_t now_ns, uint64_t *at_ns, struct error *error)
{
    struct wait wait = {0};
    int result;

    if (text[0] == '+') {
        result = option_set(&wait_row, text + 1, &wait, false, error->text, sizeof(error->text));
        *at_ns = now_ns + wait.ns;
        return result;
    }
    result = text[0] == '@' ? parse_epoch(text + 1, at_ns) : parse_time_of_day(text, now_ns, at_ns);
    if (result == 0 && (*at_ns <= now_ns || *at_ns - now_ns <= START_DAY_NS))
        return 0;
    return error_set(error, "--start-at '%.60s': %s", text,
                     result ? "not '+TIME', 'HH:MM:SS' or '@SECONDS since 1970'"
                            : "more than a day away (at most 24h)");
}
