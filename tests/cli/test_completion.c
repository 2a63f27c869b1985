/* SPDX-License-Identifier: MIT */
/* jitbench completion: the scripts in the shells that they are for. */

#include "cli.h"

#define LINES_MAX       128
#define OFFERS_SIZE     8192
#define BASH_COMPLETION "/usr/share/bash-completion/bash_completion"

static char top[CLI_PATH / 2];

/* --- The shells. --- */

enum shell { BASH, BASH_WITH, ZSH, FISH, N_SHELLS };

/* A shell's offers at the end of each line: "|one|range|". */
struct offers {
    size_t n;
    char line[LINES_MAX][128];
    char offered[LINES_MAX][OFFERS_SIZE];
};

static bool have(const char *program)
{
    const char *const folders[] = {"/usr/local/bin", "/usr/bin", "/bin"};
    char path[128];

    for (size_t i = 0; i < COUNT(folders); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folders[i], program);
        if (!access(path, X_OK))
            return true;
    }
    return false;
}

static void need(const char *program)
{
    if (!have(program))
        cli_skip("%s is not installed", program);
}

/* Makes a directory for $PATH in which the program is named jitbench, because the scripts call it. */
static void link_program(char *path, size_t size)
{
    char file[CLI_PATH], bin[CLI_PATH / 2];

    (void)snprintf(bin, sizeof(bin), "%s/bin", cli->root);
    (void)snprintf(file, sizeof(file), "%s/jitbench", bin);
    if (mkdir(bin, 0755) == 0)
        assert_int_equal(symlink(cli_binary, file), 0);
    (void)snprintf(path, size, "PATH=%s:/usr/bin:/bin", bin);
}

/* Writes the script to root. */
static void write_script(const char *shell, const char *name)
{
    struct cli_result result;

    cli_expect_args(ARGS("completion", shell), 0, &result);
    assert_string_equal(result.err, "");
    assert_true(result.out_size > 500);
    cli_write_file(cli->root, name, result.out);
}

/* A candidate as all shells would write it: without help, the word before it and the sign behind it. */
static void put_offer(enum shell shell, const char *typed, char *line, char *offered)
{
    char one[512] = "|";
    size_t n = 1;

    line[strcspn(line, "\t")] = 0;
    size_t length = strlen(line);
    if (length && (line[length - 1] == '/' || (line[0] == '-' && line[length - 1] == '=')))
        line[--length] = 0;
    if (!strncmp(line, "--", 2) && strchr(line, '='))
        line = strchr(line, '=') + 1;
    if (strrchr(line, ','))
        line = strrchr(line, ',') + 1;
    for (; *line && n + 2 < sizeof(one); line++)
        if (*line != '\\')
            one[n++] = *line;
    /* If no word begins with the typed text, fish offers words that contain its letters. */
    if (shell == FISH && strncmp(one + 1, typed, strlen(typed)) != 0)
        return;
    one[n++] = '|';
    /* zsh asks several times what would fit; bash-completion leaves doubles of other programs to bash. */
    if (strstr(offered, one)) {
        if (shell != ZSH && (shell != BASH_WITH || one[1] == '-'))
            fail_msg("offered twice: %s", one);
        return;
    }
    assert_true(strlen(offered) + n < OFFERS_SIZE);
    (void)snprintf(offered + strlen(offered), OFFERS_SIZE - strlen(offered), "%s", one + 1);
}

/* Returns the end of the line that is to be completed. */
static const char *typed_of(const char *line)
{
    size_t at = strlen(line);

    while (at && !strchr(" =,", line[at - 1]))
        at--;
    return line + at;
}

static void read_offers(enum shell shell, char *text, struct offers *offers)
{
    size_t n = 0;

    for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        if (strncmp(line, "== ", 3) != 0) {
            assert_true(n > 0);
            put_offer(shell, typed_of(offers->line[n - 1]), line, offers->offered[n - 1]);
        } else if (n < offers->n && !strcmp(offers->line[n], line + 3)) {
            (void)snprintf(offers->offered[n++], OFFERS_SIZE, "|");
        } else {
            fail_msg("the shell answers '%s' where '%s' was asked", line + 3,
                     n < offers->n ? offers->line[n] : "nothing");
        }
    }
    assert_int_equal(n, offers->n);
}

static void run_shell(enum shell shell, struct offers *offers)
{
    static const char *const driver[] = {
        [BASH] = "complete.bash", [BASH_WITH] = "complete.bash", [FISH] = "complete.fish"};
    char path[CLI_PATH], script[CLI_PATH], lines[CLI_PATH], home[CLI_PATH], out[CLI_PATH], scripts[CLI_PATH],
        file[CLI_PATH], programs[CLI_PATH];
    const char *const env[] = {programs, "TERM=dumb", "LC_ALL=C.UTF-8", home, lines, out, scripts, NULL};
    struct cli_run run = {.env = env};
    struct cli_result result;

    link_program(programs, sizeof(programs));
    (void)snprintf(home, sizeof(home), "%s=%s", shell == ZSH ? "ZDOTDIR" : "HOME", cli->root);
    (void)snprintf(lines, sizeof(lines), "LINES_FILE=%s/lines", cli->root);
    (void)snprintf(out, sizeof(out), "OUT=%s/out", cli->root);
    (void)snprintf(scripts, sizeof(scripts), "SCRIPTS=%s", cli->root);
    (void)snprintf(file, sizeof(file), "%s/lines", cli->root);
    (void)snprintf(path, sizeof(path), "%s/tests/cli/%s", top, shell == ZSH ? "complete.zshrc" : driver[shell]);
    (void)snprintf(script, sizeof(script), "%s/%s", cli->root, shell == ZSH ? "_jitbench" : "script");
    write_script(shell == ZSH ? "zsh" : shell == FISH ? "fish" : "bash", strrchr(script, '/') + 1);
    if (shell == ZSH) {
        size_t size;
        char *rc = cli_read_file(path, &size);
        cli_write_file(cli->root, ".zshrc", rc);
        (void)unlink(out + strlen("OUT="));
        run.program = "zsh";
        run.args = ARGS("-d", "-i");
        run.in = run.out = run.err = CLI_TERMINAL;
        cli_expect(&run, 0, &result);
        char *text = cli_read_file(out + strlen("OUT="), &size);
        read_offers(shell, text, offers);
        return;
    }
    run.program = shell == FISH ? "fish" : "bash";
    run.args = ARGS(path, script, file, shell == BASH_WITH ? BASH_COMPLETION : "");
    cli_expect(&run, 0, &result);
    assert_string_equal(result.err, "");
    read_offers(shell, result.out, offers);
}

static void ask(struct offers *offers, const char *line)
{
    assert_true(offers->n < LINES_MAX);
    assert_true(strlen(line) < sizeof(offers->line[0]));
    (void)snprintf(offers->line[offers->n++], sizeof(offers->line[0]), "%s", line);
}

static void answer(enum shell shell, struct offers *offers)
{
    char text[LINES_MAX * sizeof(offers->line[0])] = "";

    for (size_t i = 0; i < offers->n; i++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s\n", offers->line[i]);
    cli_write_file(cli->root, "lines", text);
    run_shell(shell, offers);
}

/* --- What is offered. --- */

static size_t count(const char *list)
{
    size_t n = 0;

    for (; (list = strchr(list, '|')) != NULL && list[1]; list++)
        n++;
    return n;
}

/* Every word of the list is in the other. */
static bool holds(const char *list, const char *words)
{
    char one[512];

    for (const char *at = words + 1; *at; at += strcspn(at, "|") + 1) {
        (void)snprintf(one, sizeof(one), "|%.*s|", (int)strcspn(at, "|"), at);
        if (!strstr(list, one))
            return false;
    }
    return true;
}

static bool same(const char *a, const char *b)
{
    return count(a) == count(b) && holds(a, b);
}

/* The names of the commands, as help lists them: "|all|noise|". */
static void find_commands(char *names, size_t size)
{
    struct cli_result result;

    (void)snprintf(names, size, "|");
    cli_expect_args(ARGS("help"), 0, &result);
    /* behind the name of a group, on the last line several */
    for (const char *line = strstr(result.out, "\nmeasure "), *next; line && line[1]; line = next) {
        const char *at = line + strlen("\nmeasure  ");
        next = strchr(line + 1, '\n');
        do
            if (*at != ' ') /* what it is for may go on in lines of their own */
                (void)snprintf(names + strlen(names), size - strlen(names), "%.*s|", (int)strcspn(at, " ,\n"), at);
        while ((at = strstr(at, ", ")) && at < next && !strncmp(line, "\nmore", 5) && (at += 2));
    }
    assert_true(count(names) > 8);
}

/* The long options of a command, as its help lists them, and the page to which that refers. */
static void find_options(const char *command, char *options, size_t size)
{
    (void)snprintf(options, size, "|");
    for (const char *page = command; page;) {
        struct cli_result result;
        cli_expect_args(ARGS("help", page), 0, &result);
        for (const char *line = strstr(result.out, page == command ? "\n" : "\nOptions common"); line;
             line = strchr(line + 1, '\n')) {
            char name[64];
            if (strncmp(line + 1, "  -", 3) && strncmp(line + 1, "      --", 8))
                continue;
            (void)snprintf(name, sizeof(name), "|%.*s|", (int)strcspn(line + 7, " =[\n"), line + 7);
            if (!strstr(options, name))
                (void)snprintf(options + strlen(options), size - strlen(options), "%s", name + 1);
        }
        page = strstr(result.out, "jitbench help options") ? "options" : NULL;
    }
    if (!strcmp(options, "|"))
        (void)snprintf(options, size, "|--help|");
}

/* All options of each command, each once, and only long names after two dashes. */
static void check_options(enum shell shell)
{
    struct offers *offers = calloc(1, sizeof(*offers));
    char names[1024], line[128], options[OFFERS_SIZE];

    assert_non_null(offers);
    find_commands(names, sizeof(names));
    ask(offers, "jitbench ");
    for (const char *at = names + 1; *at; at += strcspn(at, "|") + 1) {
        (void)snprintf(line, sizeof(line), "jitbench %.*s --", (int)strcspn(at, "|"), at);
        ask(offers, line);
    }
    answer(shell, offers);
    if (!same(offers->offered[0], names))
        fail_msg("commands are %s, offered are %s", names, offers->offered[0]);
    for (size_t i = 1; i < offers->n; i++) {
        (void)snprintf(line, sizeof(line), "%s", offers->line[i] + strlen("jitbench "));
        line[strcspn(line, " ")] = 0;
        find_options(line, options, sizeof(options));
        if (!same(offers->offered[i], options))
            fail_msg("%s has %s, offered are %s", line, options, offers->offered[i]);
    }
    free(offers);
}

/* all: these and no others; has: these among others; lacks: not this one. Where needs names a command, the line is
 * asked only when there is that command. */
static const struct {
    const char *line, *all, *has, *lacks, *needs;
} cases[] = {
    {"jitbench un", "|unix|untune|", NULL, NULL, NULL},
    {"jitbench --v", "|--version|", NULL, NULL, NULL},
    {"jitbench help chec", "|check|", NULL, NULL, NULL},
    {"jitbench help check c", "|", NULL, NULL, NULL},
    {"jitbench init -- pri", "|prime|", NULL, NULL, NULL},
    {"jitbench completion ", "|bash|zsh|fish|", NULL, NULL, NULL},
    /* Operands: old names are accepted but not offered; operands that are already given are not offered. */
    {"jitbench unix d", "|dhry2reg|double|", NULL, NULL, NULL},
    {"jitbench unix dhry2reg d", "|double|", NULL, NULL, NULL},
    {"jitbench unix fs", "|", NULL, NULL, NULL},
    {"jitbench unix --strict -qt 5 d", "|dhry2reg|double|", NULL, NULL, NULL},
    {"jitbench check gov", "|governor|", NULL, NULL, NULL},
    {"jitbench tune gov", "|governor|", NULL, NULL, NULL},
    {"jitbench stream ", "|array|bandwidth|", NULL, NULL, NULL},
    {"jitbench prime x", "|", NULL, NULL, NULL},
    /* Options that are already given, under any of their names, are not offered again unless their values add up. */
    {"jitbench unix --seconds 3 --ti", "|", NULL, NULL, NULL},
    {"jitbench unix -t 3 --", NULL, "|--bind|--tuned|", "|--time|", NULL},
    {"jitbench unix --strict --", NULL, "|--time|--copies|", "|--strict|", NULL},
    {"jitbench unix --bind=one --", NULL, "|--time|", "|--bind|", NULL},
    {"jitbench unix -c 1 --copi", "|--copies|", NULL, NULL, NULL},
    {"jitbench unix --", NULL, "|--all-tests|--copies|--help|", "|--seconds|", NULL},
    {"jitbench unix -- --", NULL, NULL, "|--bind|", NULL},
    /* Values, in the word and behind it. */
    {"jitbench unix --bind ", "|one|range|none|", NULL, NULL, NULL},
    {"jitbench unix --bind=", "|one|range|none|", NULL, NULL, NULL},
    {"jitbench unix --bind=r", "|range|", NULL, NULL, NULL},
    {"jitbench unix --cpus ", "|all|quiet|", NULL, NULL, NULL},
    {"jitbench unix --comment ", "|", NULL, NULL, NULL},
    {"jitbench unix --seconds ", "|", NULL, NULL, NULL},
    {"jitbench unix --fifo pip", "|pipe|", NULL, NULL, NULL},
    {"jitbench latency -w bu", "|burn|burn2|", NULL, NULL, NULL},
    {"jitbench latency -w burn,r", "|read|ring|", NULL, NULL, NULL},
    {"jitbench latency --load=burn,ring,r", "|read|", NULL, NULL, NULL},
    {"jitbench latency -w burn --loa", NULL, "|--load|", NULL, NULL},
    /* Files and folders. */
    {"jitbench unix -o ", "|my file.csv|other.csv|sub|", NULL, NULL, NULL},
    {"jitbench unix --output=ot", "|other.csv|", NULL, NULL, NULL},
    {"jitbench unix --output my", "|my file.csv|", NULL, NULL, NULL},
    {"jitbench unix -d ", "|sub|", NULL, NULL, NULL},
    {"jitbench latency -l ot", "|other.csv|", NULL, NULL, NULL},
    {"jitbench export ot", "|other.csv|", NULL, NULL, "export"},
    {"jitbench compare other.csv my", "|my file.csv|", NULL, NULL, "compare"},
    {"jitbench show ot", "|other.csv|", NULL, NULL, "show"},
    {"jitbench report ot", "|other.csv|", NULL, NULL, "report"},
    /* Another program's command line. */
    {"jitbench run --qu", NULL, "|--quick|", NULL, "run"},
    {"jitbench run -- mkdi", NULL, "|mkdir|", NULL, "run"},
    {"jitbench run --strict mkdir --qu", NULL, NULL, "|--quick|", "run"},
    {"jitbench run -- cat ot", "|other.csv|", NULL, NULL, "run"},
    {"jitbench run -- cat other.csv -- mkdi", NULL, "|mkdir|", NULL, "run"},
    {"jitbench run -- mkdir sub -- cat ot", "|other.csv|", NULL, NULL, "run"},
    {"jitbench run --bind ", "|one|range|none|", NULL, NULL, "run"},
};
enum { N_CASES = COUNT(cases) };

static void check_cases(enum shell shell)
{
    struct offers *offers = calloc(1, sizeof(*offers));
    char names[1024], needs[64], folder[CLI_PATH];
    size_t asked[N_CASES];

    assert_non_null(offers);
    cli_write_file(cli->work, "my file.csv", "");
    cli_write_file(cli->work, "other.csv", "");
    (void)snprintf(folder, sizeof(folder), "%s/sub", cli->work);
    assert_int_equal(mkdir(folder, 0755), 0);
    find_commands(names, sizeof(names));
    for (size_t i = 0; i < N_CASES; i++) {
        (void)snprintf(needs, sizeof(needs), "|%s|", cases[i].needs ? cases[i].needs : "");
        if (cases[i].needs && !strstr(names, needs))
            continue;
        asked[offers->n] = i;
        ask(offers, cases[i].line);
    }
    answer(shell, offers);
    for (size_t k = 0; k < offers->n; k++) {
        size_t i = asked[k];
        const char *offered = offers->offered[k];
        if ((cases[i].all && !same(offered, cases[i].all)) || (cases[i].has && !holds(offered, cases[i].has)) ||
            (cases[i].lacks && strstr(offered, cases[i].lacks)))
            fail_msg("'%s': expected %s%s%s%s, offered are %s", cases[i].line, cases[i].all ? cases[i].all : "",
                     cases[i].has ? cases[i].has : "", cases[i].lacks ? " without " : "",
                     cases[i].lacks ? cases[i].lacks : "", offered);
    }
    free(offers);
}

static void check(enum shell shell)
{
    check_options(shell);
    check_cases(shell);
}

CLI_TEST(test_completion_bash)
{
    need("bash");
    check(BASH);
}

CLI_TEST(test_completion_bash_beside_bash_completion)
{
    need("bash");
    if (access(BASH_COMPLETION, R_OK))
        cli_skip("bash-completion is not installed");
    check(BASH_WITH);
}

CLI_TEST(test_completion_zsh)
{
    need("zsh");
    check(ZSH);
}

CLI_TEST(test_completion_fish)
{
    need("fish");
    check(FISH);
}

/* With readline, at a terminal: the user's input and the completed line. */
CLI_TEST(test_completion_bash_at_a_terminal)
{
    static const struct {
        const char *typed, *shown;
    } keys[] = {
        {"jitbench unix --bin\t", "jitbench unix --bind="},
        {"ra\t", "jitbench unix --bind=range "},
        {"-o my\t", "-o my\\ file.csv "},
        {"--output=ot\t", "--output=other.csv "},
        {"-d su\t", "-d sub/"},
    };
    char programs[CLI_PATH];
    const struct cli_run run = {.program = "bash",
                                .args = ARGS("--noprofile", "--norc", "-i"),
                                .env = ARGS(programs, "TERM=dumb", "PS1=> ", "HISTFILE="),
                                .in = CLI_TERMINAL,
                                .out = CLI_TERMINAL,
                                .err = CLI_TERMINAL,
                                .columns = 200};
    struct cli_child child;
    struct cli_result result;
    char folder[CLI_PATH];

    need("bash");
    link_program(programs, sizeof(programs));
    write_script("bash", "script");
    cli_write_file(cli->work, "my file.csv", "");
    cli_write_file(cli->work, "other.csv", "");
    (void)snprintf(folder, sizeof(folder), "%s/sub", cli->work);
    assert_int_equal(mkdir(folder, 0755), 0);
    cli_start(&run, &child);
    static const char source[] = "source ../script; echo read$?\n";
    assert_int_equal(write(child.terminal, source, sizeof(source) - 1), sizeof(source) - 1);
    cli_wait_shown(&child, "read0");
    for (size_t i = 0; i < COUNT(keys); i++) {
        size_t length = strlen(keys[i].typed);
        assert_int_equal(write(child.terminal, keys[i].typed, length), length);
        cli_wait_shown(&child, keys[i].shown);
    }
    assert_int_equal(write(child.terminal,
                           "\x15"
                           "exit 0\n",
                           8),
                     8);
    cli_wait(&child, &result);
    cli_expect_status(&result, 0);
}

/* --- The scripts themselves. --- */

static void check_syntax(const char *shell, const char *const *args)
{
    const struct cli_run run = {.program = args[0], .args = args + 1, .directory = cli->root};
    struct cli_result result;

    need(args[0]);
    write_script(shell, "script");
    cli_expect(&run, 0, &result);
    assert_string_equal(result.out, "");
    assert_string_equal(result.err, "");
}

CLI_TEST(test_completion_bash_reads_it)
{
    check_syntax("bash", ARGS("bash", "-n", "script"));
}

CLI_TEST(test_completion_zsh_reads_it)
{
    check_syntax("zsh", ARGS("zsh", "-f", "-n", "script"));
}

CLI_TEST(test_completion_fish_reads_it)
{
    check_syntax("fish", ARGS("fish", "-n", "script"));
}

CLI_TEST(test_completion_shellcheck_accepts_it)
{
    check_syntax("bash", ARGS("shellcheck", "script"));
}

static int group_setup(void **state)
{
    if (!getcwd(top, sizeof(top)) || access("tests/cli/complete.bash", R_OK)) {
        print_error("tests/cli is not here: run in the top folder\n");
        return -1;
    }
    return cli_group_setup(state);
}

GROUP(group_setup, NULL);
