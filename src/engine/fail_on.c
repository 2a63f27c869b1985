/* SPDX-License-Identifier: MIT */
#include "engine/option.h"

#include <math.h>
#include <stddef.h>
#include <strings.h>

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

bool fail_on_add(struct fail_on *f, const char *word, double percent)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcasecmp(known[i].word, word) != 0)
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
    for (unsigned k = 0; k < FAIL_ON_KINDS; k++)
        if (f->kinds & kind && kind == 1u << k)
            return f->percent[k];
    return (double)NAN;
}

bool fail_on_finds(const struct fail_on *f, unsigned kind, double by)
{
    return f->kinds & kind && !(by <= fail_on_limit(f, kind));
}
