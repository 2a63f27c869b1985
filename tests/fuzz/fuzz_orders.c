/* SPDX-License-Identifier: MIT */
/* The first line is a kernel's command line, each further one a word of argv: the orders of `jitbench init`, and the
 * command that they make. The words of both ways to split a line come back when they are quoted. */

#include "cmd/cmd.h"
#include "fuzz.h"

#define WORDS_MAX 64

static void check_orders(const struct init_orders *orders)
{
    FUZZ_CHECK(orders->end >= INIT_STAY && orders->end <= INIT_HALT);
    FUZZ_CHECK(orders->tune == 0 || orders->tune == 1);
    FUZZ_CHECK(memchr(orders->run, 0, sizeof(orders->run)) && memchr(orders->out, 0, sizeof(orders->out)) &&
               memchr(orders->modules, 0, sizeof(orders->modules)));
}

static void run_orders(const char *line, int argc, char *const *argv)
{
    static struct init_orders orders;
    const char *words[WORDS_MAX];
    struct init_command command;
    struct text wrong = {0};
    size_t n;

    memset(&orders, 0, sizeof(orders));
    init_orders_read(line, argc, argv, &orders, words, &n, &wrong);
    FUZZ_CHECK(n <= (size_t)argc);
    check_orders(&orders);
    const size_t before = wrong.length;
    init_command_make(&orders, words, n, &command, &wrong);
    FUZZ_CHECK(!wrong.length || !strchr(wrong.data, '\n'));
    const bool made = wrong.length == before;
    text_free(&wrong);
    if (!made) {
        init_command_free(&command);
        return;
    }
    FUZZ_CHECK(command.argv && command.argv[0] && command.argv[1]);
    if (orders.tune)
        FUZZ_CHECK(!strcmp(command.argv[2], "--tuned"));
    init_command_free(&command);
}

/* words_of_command() gives back the words that words_quote() wrote, unless some are shown as $'...'. */
static void check_quoting(const char *line)
{
    struct text quoted = {0};
    struct words words, other;

    if (words_of_command(line, true, &words)) {
        FUZZ_CHECK(!words.word);
        return;
    }
    words_quote(words.word, words.n, &quoted);
    text_append(&quoted, "", 0);
    bool unprintable = false;
    for (const char *c = line; *c; c++)
        unprintable = unprintable || (unsigned char)*c < ' ' || *c == 0x7f;
    const char *wrong = words_of_command(quoted.data, true, &other);
    if (!unprintable) {
        FUZZ_CHECK_OF(!wrong && words.n == other.n, quoted.data, quoted.length);
        for (size_t i = 0; i < words.n; i++)
            FUZZ_CHECK_OF(!strcmp(words.word[i], other.word[i]), quoted.data, quoted.length);
    }
    words_free(&other);
    words_free(&words);
    text_free(&quoted);
}

static void check_lines(const char *line)
{
    char buf[64], small[16];
    struct words words;

    if (!words_of_command(line, false, &words)) {
        FUZZ_CHECK(!words.word || !words.word[words.n]);
        words_free(&words);
    } else {
        FUZZ_CHECK(!words.n);
    }
    FUZZ_CHECK(words_of_kernel(line, &words) == 0);
    words_free(&words);
    words_shorten(line, buf, sizeof(buf));
    words_shorten(line, small, sizeof(small));
    FUZZ_CHECK(strlen(buf) < sizeof(buf) && strlen(small) < sizeof(small));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size), *words[WORDS_MAX];
    int n = 0;

    for (char *next = text; next && n < WORDS_MAX;) {
        char *end = strchr(next, '\n');
        if (end)
            *end = 0;
        words[n++] = fuzz_string((const uint8_t *)next, strlen(next));
        next = end ? end + 1 : NULL;
    }
    check_lines(words[0]);
    check_quoting(words[0]);
    run_orders(words[0], n - 1, words + 1);
    run_orders(NULL, n - 1, words + 1);
    while (n)
        free(words[--n]);
    free(text);
    return 0;
}
