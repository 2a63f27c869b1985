/* SPDX-License-Identifier: MIT */
/* The two halves of context1, each alone, with what the other one would send put into its pipe. */

#include "bench/unix.h"
#include "bench_fixture.h"

#include "rows/text.h"

static uint64_t slept_ns;

static void made_sleep(uint64_t ns)
{
    slept_ns += ns;
}

#define clock_sleep_ns made_sleep
#include "../../src/bench/pipe.c"
#undef clock_sleep_ns

static struct fixture_party p;
static int pipes[N_PIPES][2], told[2];

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* After the setup of that half, which closes the ends that the other one uses: here they are opened a second time. */
static void begin(unsigned half)
{
    static struct bench bench;
    static struct unix_params params;
    int ends[N_PIPES][2];

    bench = bench_context1;
    bench.parties = &bench_context1.parties[half];
    fixture_party_begin(&p, &bench, &params);
    for (unsigned i = 0; i < N_PIPES; i++) {
        assert_int_equal(pipe(pipes[i]), 0);
        ends[i][0] = dup(pipes[i][0]);
        ends[i][1] = dup(pipes[i][1]);
    }
    assert_int_equal(pipe(told), 0);
    p.head->event_fd = told[1];
    p.context.pipes = (const int(*)[2])pipes;
    (void)signal(SIGPIPE, SIG_DFL);
    slept_ns = 0;
    assert_int_equal(p.party->setup(&p.context), 0);
    assert_ptr_equal(signal(SIGPIPE, SIG_IGN), SIG_IGN);
    for (unsigned i = 0; i < N_PIPES; i++)
        for (unsigned end = 0; end < 2; end++) {
            const bool own = half == PARTY_ASKER ? i != end : i == end;
            assert_int_equal(is_open(pipes[i][end]), own);
            if (own)
                assert_int_equal(close(ends[i][end]), 0);
            else
                pipes[i][end] = ends[i][end];
        }
}

/* The test's ends are those that are still open. */
static void end(void)
{
    fixture_party_end(&p);
    for (unsigned i = 0; i < N_PIPES; i++)
        for (unsigned k = 0; k < 2; k++)
            if (is_open(pipes[i][k]))
                (void)close(pipes[i][k]);
    assert_int_equal(close(told[0]), 0);
    assert_int_equal(close(told[1]), 0);
}

static void send_numbers(unsigned to, uint64_t first, uint64_t n)
{
    for (uint64_t number = first; number < first + n; number++)
        assert_int_equal(write(pipes[to][1], &number, sizeof(number)), sizeof(number));
}

/* These numbers and no more. */
static void assert_sent(unsigned from, uint64_t first, uint64_t n)
{
    uint64_t got[16];

    send_numbers(from, 77, 1); /* behind them */
    assert_int_equal(read(pipes[from][0], got, sizeof(got)), (n + 1) * sizeof(got[0]));
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(got[i], first + i);
    assert_int_equal(got[n], 77);
}

static void assert_gone(const char *reason)
{
    assert_string_equal(p.reason, reason);
    assert_int_equal(slept_ns, 500000000);
}

TEST(test_context1_asker_counts_on)
{
    begin(PARTY_ASKER);
    send_numbers(PIPE_BACK, 0, 5);
    assert_int_equal(p.party->work(&p.context, 3), 0);
    assert_int_equal(p.party->work(&p.context, 2), 0);
    assert_int_equal(*(const uint64_t *)p.context.state, 5);
    assert_int_equal(p.party->work(&p.context, 0), 0);
    /* The write end is the asker's, and its teardown closes it. */
    int behind = dup(pipes[PIPE_THERE][1]);
    p.party->teardown(&p.context);
    assert_false(is_open(pipes[PIPE_THERE][1]) || is_open(pipes[PIPE_BACK][0]));
    pipes[PIPE_THERE][1] = behind;
    assert_sent(PIPE_THERE, 0, 5);
    end();
}

TEST(test_context1_asker_wants_its_number_back)
{
    begin(PARTY_ASKER);
    send_numbers(PIPE_BACK, 0, 1);
    send_numbers(PIPE_BACK, 7, 1);
    assert_int_equal(p.party->work(&p.context, 3), -1);
    assert_string_equal(p.reason, "self-check failed: number 1 came back as 7");
    assert_int_equal(slept_ns, 0);
    end();
}

TEST(test_context1_asker_says_who_is_gone)
{
    begin(PARTY_ASKER);
    assert_int_equal(close(pipes[PIPE_BACK][1]), 0);
    assert_int_equal(p.party->work(&p.context, 1), -1);
    assert_gone("the other half is gone: read: end of file");
    end();
    begin(PARTY_ASKER);
    assert_int_equal(write(pipes[PIPE_BACK][1], "abc", 3), 3);
    assert_int_equal(p.party->work(&p.context, 1), -1);
    assert_gone("the other half is gone: read: end of file");
    end();
    begin(PARTY_ASKER);
    send_numbers(PIPE_BACK, 0, 1);
    assert_int_equal(close(pipes[PIPE_THERE][0]), 0);
    assert_int_equal(p.party->work(&p.context, 1), -1);
    assert_gone("the other half is gone: write: Broken pipe");
    end();
}

TEST(test_context1_answerer_answers_until_the_end)
{
    char byte;

    begin(PARTY_ANSWERER);
    send_numbers(PIPE_THERE, 0, 4);
    assert_int_equal(close(pipes[PIPE_THERE][1]), 0);
    assert_int_equal(p.party->run(&p.context), 0);
    assert_int_equal(p.head->slot[0].state, STATE_READY);
    assert_int_equal(read(told[0], &byte, 1), 1);
    assert_sent(PIPE_BACK, 0, 4);
    assert_int_equal(slept_ns, 0);
    end();
}

TEST(test_context1_answerer_wants_the_next_number)
{
    begin(PARTY_ANSWERER);
    send_numbers(PIPE_THERE, 0, 1);
    send_numbers(PIPE_THERE, 5, 1);
    assert_int_equal(p.party->run(&p.context), -1);
    assert_string_equal(p.reason, "self-check failed: got the number 5, not 1");
    assert_sent(PIPE_BACK, 0, 1);
    end();
}

TEST(test_context1_answerer_says_who_is_gone)
{
    begin(PARTY_ANSWERER);
    assert_int_equal(write(pipes[PIPE_THERE][1], "abc", 3), 3);
    assert_int_equal(p.party->run(&p.context), -1);
    assert_gone("the other half is gone: read: end of file");
    end();
    begin(PARTY_ANSWERER);
    send_numbers(PIPE_THERE, 0, 1);
    assert_int_equal(close(pipes[PIPE_BACK][0]), 0);
    assert_int_equal(p.party->run(&p.context), -1);
    assert_gone("the other half is gone: write: Broken pipe");
    end();
}
