/* SPDX-License-Identifier: MIT */
/* Pairs of rows compared: figures, verdicts, means of suites and of hosts. */
#ifndef OUT_COMPARED_H
#define OUT_COMPARED_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/comparison.h"
#include "engine/text.h"
#include "out/pairs.h"

struct compared_row {
    const struct pair *pair;
    size_t number;    /* of its comparison */
    size_t few;       /* the least number of samples of a run in it; 0: a row without samples */
    double drift_pct; /* how far the second half of a run is from its first, where that is no chance; 0: none */
    bool by_hosts;    /* what is tested are means of hosts */
    bool judged;      /* counts in means */
};

/* The geometric mean of the ratios of a suite's rows, turned so that above 1 is better. */
struct compared_mean {
    char suite[24], host[65];
    size_t rows;
    size_t number;
};

/* A host of NEW, by all its rows together. */
struct compared_host {
    char host[65];
    double ratio; /* geometric mean, above 1 is better */
    bool stands_out;
};

struct compared {
    struct compared_row *row; /* what can be compared, the greatest effect first */
    size_t n_rows;
    struct compared_mean *mean;
    size_t n_means;
    struct compared_host *host; /* by host only, the most different first */
    size_t n_hosts;
    struct comparison *comparison; /* of the rows, and then of the means; all judged together */
    size_t n_judged;               /* how many of these were tested: p is corrected for so many */
    const struct pair **apart;     /* what cannot be compared */
    size_t n_apart;
};

/* Means are made of the rows that judged says yes to: those that a test is judged by. all: the others are compared too,
 * but count in no mean. min_effect as 0.01. The unit that counts is a run, from three runs a
 * side on, or a host, from three hosts a side on; below, a sample. -1 when out of memory; compared_free() in both
 * cases. */
int compared_make(const struct pairs *pairs, bool (*judged)(const struct row *row), bool all, double min_effect,
                  struct compared *out);
void compared_free(struct compared *compared);

enum compared_verdict {
    VERDICT_FASTER,
    VERDICT_SLOWER,
    VERDICT_LOWER,
    VERDICT_HIGHER,
    VERDICT_SAME,
    VERDICT_UNJUDGED, /* one value on a side: its spread is not known */
    VERDICT_APART,
};
enum compared_verdict compared_verdict(const struct comparison *comparison, const char *better);
extern const char *const compared_verdict_names[];

/* --- As text. --- */

enum compared_format { COMPARED_TABLE, COMPARED_MARKDOWN, COMPARED_CSV };
struct compared_print {
    enum compared_format format;
    bool verbose; /* names every row that cannot be compared */
    double min_effect;
};
/* The table of rows, that of the means, what could not be compared, and which hosts stand out. The CSV has rows, means
 * and what could not be compared, with columns of its own (man/jitbench-compare.1). */
void compared_put(const struct compared *compared, const struct compared_print *how, struct text *out);

#endif
