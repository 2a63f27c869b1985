/* SPDX-License-Identifier: MIT */
/* Checks of every benchmark's descriptor that the engine relies on and does not make itself. */

#include "../test.h"
#include "bench/list.h"
#include "engine/trial.h"

TEST(test_list_names_are_unique_and_fit)
{
    assert_non_null(bench_list[0]);
    for (size_t i = 0; bench_list[i]; i++) {
        const struct bench *bench = bench_list[i];
        assert_in_range(strlen(bench->name), 1, sizeof(((struct trial_head *)0)->bench) - 1);
        assert_true(strlen(bench->suite) > 0);
        assert_true(strlen(bench->title) > 0);
        assert_non_null(bench->reduce);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(bench->name, bench_list[k]->name);
    }
}

static void check_party(const struct party *party)
{
    assert_true(strlen(party->name) > 0);
    assert_true(party->n_recorders <= RECORDERS_MAX);
    assert_true(party->run || party->work);
    bool slices = false;
    for (unsigned r = 0; r < party->n_recorders; r++)
        slices = slices || party->recorders[r].kind == RECORD_SLICES;
    assert_true(party->run || slices); /* the engine's own loop records slices */
    if (party->role == ROLE_MEASURED)
        assert_int_not_equal(party->stop, STOP_KILL); /* it would have no end to be measured */
}

TEST(test_list_parties_are_what_the_engine_can_run)
{
    for (size_t i = 0; bench_list[i]; i++) {
        const struct bench *bench = bench_list[i];
        unsigned measured = 0;
        assert_in_range(bench->n_parties, 1, PARTIES_MAX);
        assert_true(bench->n_pipes <= PIPES_MAX);
        assert_int_equal(bench->parties[0].kind, PARTY_PROCESS); /* a thread needs one before it */
        for (unsigned p = 0; p < bench->n_parties; p++) {
            check_party(&bench->parties[p]);
            measured += bench->parties[p].role == ROLE_MEASURED;
        }
        assert_true(measured > 0);
    }
}

/* A row that failed is a row of a headline metric: without one there would be none. */
TEST(test_list_metrics_have_a_headline)
{
    for (size_t i = 0; bench_list[i]; i++) {
        const struct bench *bench = bench_list[i];
        unsigned headlines = 0;
        assert_true(bench->n_metrics > 0 && bench->n_shared_metrics <= bench->n_metrics);
        for (unsigned m = 0; m < bench->n_metrics; m++) {
            const struct metric *metric = bench_metric(bench, m);
            assert_non_null(metric->id);
            assert_non_null(metric->title);
            assert_non_null(metric->better);
            headlines += metric->headline;
            for (unsigned k = 0; k < m; k++)
                assert_string_not_equal(metric->id, bench_metric(bench, k)->id);
        }
        assert_true(headlines > 0);
    }
}

/* Never without a cap, and never more samples wanted than allowed. */
TEST(test_list_sampling_has_a_cap)
{
    for (size_t i = 0; bench_list[i]; i++)
        for (int preset = PRESET_DEFAULT; preset < PRESET_COUNT; preset++) {
            const struct sampling *sampling = &bench_list[i]->sampling[preset];
            if (preset == PRESET_THESIS && !sampling->max_ns) /* is not of it */
                continue;
            assert_true(sampling->max_ns > 0);
            assert_true(sampling->min_samples > 0);
            assert_true(sampling->max_samples == 0 || sampling->max_samples >= sampling->min_samples);
            assert_true(sampling->precision_pct > 0);
        }
}
