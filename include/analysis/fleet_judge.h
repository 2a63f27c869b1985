/* SPDX-License-Identifier: MIT */
/* Finds the machines that stand out among those of a struct gather. Reads and prints nothing. */
#ifndef ANALYSIS_FLEET_JUDGE_H
#define ANALYSIS_FLEET_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/fleet_gather.h"
#include "stats/outlier.h"

struct judged {
    size_t machine;
    const char *name;
    bool far;   /* stands out in at least one figure (the first rule of stats/outlier.h) */
    bool often; /* is the worst machine in many figures (the second rule) */
    bool broke; /* has failed rows, which most other machines have not */
    size_t figures, n_far, worst_count;
    /* index of the machine's worst figure. Figures beyond their threshold are worse than all others; of them, the share
     * of the core is chosen only if it is the only one. SIZE_MAX: the machine has no judged figure. */
    size_t figure;
    double distance;      /* distance of the worst figure from the median in spreads, never negative */
    double effect;        /* effect of the worst figure as a share of the median; positive: worse */
    double median_effect; /* median of the effects over all figures */
    size_t differences;   /* number of settings that differ from the majority's */
    /* Private. first_effect: index of the machine's first effect among the effects of all machines; shares: sum over
     * the machine's figures of 1 / (number of machines that have the figure). */
    size_t first_effect;
    double shares;
};

struct judgement {
    const struct gather *g;
    double least_effect;           /* share of the median; smaller effects do not stand out */
    struct outlier_metric *metric; /* median and spread of each figure; n is 0: not judged */
    double *threshold;             /* threshold of each figure in spreads */
    size_t n_figures, n_machines;  /* figures judged; machines with a judged figure */
    size_t n_alone;                /* judged figures that were measured only while no one else used the core */
    const char **majority;         /* value of each setting that most machines have; NULL: there is none */
    struct judged *judged;         /* machines that stand out first; among these, those that are only better than
                                    * others last */
};

/* Judges the machines in g, on which gather_finish() was called and which must not change until judge_free(). Ends
 * the program when out of memory. */
void judge(struct judgement *j, const struct gather *g, double least_effect);
void judge_free(struct judgement *j);

/* Returns by what share of the figure's median the value is worse; negative: better. */
double judge_worse_by(const struct judgement *j, size_t figure, double value);
/* Returns whether the value is beyond the figure's threshold, its effect is large enough, and the figure counts for
 * this machine. If the machine has the same figure measured only while no one else used the core, the figure over the
 * whole time counts only if it is worse than the former by least_effect or more, and if the machine's share of the core
 * explains less than half of this difference. */
bool judge_is_far(const struct judgement *j, size_t figure, size_t machine, double value);
/* Returns whether the machine stands out by its share of the core only: somebody else used the core. */
bool judge_is_shared(const struct judgement *j, const struct judged *judged);
bool judge_stands_out(const struct judged *judged);
/* Returns the number of machines that stand out. */
size_t judge_count_out(const struct judgement *j);
/* Returns the threshold, in spreads, of the figure that most machines have. */
double judge_usual_threshold(const struct judgement *j);

#endif
