/* SPDX-License-Identifier: MIT */
/* Which of the machines that were gathered stands out. Nothing is read or printed. */
#ifndef CMD_JUDGE_H
#define CMD_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/gather.h"
#include "engine/outlier.h"

struct judged {
    size_t machine;
    const char *name;
    bool far;   /* in one figure, by the first rule of engine/outlier.h */
    bool often; /* the worst of all in many, by the second */
    bool broke; /* rows failed, and most other machines have none that did */
    size_t figures, n_far, worst_count;
    size_t figure;        /* the worst one: of those beyond their threshold, else of all; SIZE_MAX: none */
    double distance;      /* in spreads, never negative */
    double effect;        /* as a share; positive: worse */
    double median_effect; /* the same, over all figures */
    size_t differences;   /* settings that are not the majority's */
};

struct judgement {
    const struct gather *g;
    double least_effect;           /* as a share: what is off by less does not stand out */
    struct outlier_metric *metric; /* by figure; n 0: not judged */
    double *threshold;             /* by figure */
    size_t n_figures, n_machines;  /* judged; with a judged figure */
    const char **majority;         /* by setting; NULL: there is none */
    struct judged *judged;         /* those that stand out first, worse ones before better ones, the farthest on top */
};

/* g was finished, and stays as it is until judge_free(). 0, or -1 when out of memory; judge_free() in both cases. */
int judge(struct judgement *j, const struct gather *g, double least_effect);
void judge_free(struct judgement *j);

/* The effect as a share of the median; positive: worse. */
double judge_worse_by(const struct judgement *j, size_t figure, double value);
/* Whether the value is beyond the figure's threshold, and off by enough. */
bool judge_is_far(const struct judgement *j, size_t figure, double value);
bool judge_stands_out(const struct judged *judged);

#endif
