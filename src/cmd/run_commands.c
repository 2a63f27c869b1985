/* SPDX-License-Identifier: MIT */
/* The commands of jitbench run: splits, checks, names and packs them, opens their
 * descriptors, plans their runs, and cleans up. */
#include "cmd/run.h"

#include <assert.h>
#include <ctype.h>
#include <poll.h>
#include <strings.h>
#include <sys/mman.h>

#include "analysis/compare_commands.h"

/* gcc 12's analyzer does not follow run_free_parameters() into the array */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

/* Half-width in % of a ratio's interval that is narrow enough to say that there is no difference. */
#define PRECISION_OF_RATIO 0.5

#define DIGITS_MOST 15   /* before and after the point */
#define WHOLE_MOST  1e15 /* a number in units of the last decimal, which a double holds exactly */

/* --- Values of the parameters. --- */

static int add_value(const char *option, struct parameter *parameter, const char *value)
{
    if (parameter->n == COMMANDS_MAX)
        return usage_error("%s: %s has more than %u values", option, parameter->name, COMMANDS_MAX);
    if (!(parameter->value[parameter->n++] = strdup(value)))
        memory_out();
    return 0;
}

/* At most three words of[0] to of[2] (NULL: missing); of[0] names a parameter, without values yet. */
static int add_parameter(struct commands *c, const char *option, char *words, char *of[3])
{
    const char separator[] = {OPTION_WORD_END, '\0'};

    for (size_t n = 0; n < 3; n++)
        of[n] = strsep(&words, separator);
    for (size_t i = 0; i < c->n_parameters; i++)
        if (!strcmp(c->parameters[i].name, of[0]))
            return usage_error("%s: '%s' is given twice", option, of[0]);
    const size_t length = strlen(of[0]);
    if (!length || length >= COMMAND_PARAMETER_NAME ||
        strspn(of[0], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != length)
        return usage_error("%s: '%.40s' is not a name of 1 to %u letters, digits, '_' and '-'", option, of[0],
                           COMMAND_PARAMETER_NAME - 1);
    if (c->n_parameters == COMMAND_PARAMETERS_MAX)
        return usage_error("%s: more than %u parameters", option, COMMAND_PARAMETERS_MAX);
    text_copy(c->parameters[c->n_parameters++].name, COMMAND_PARAMETER_NAME, of[0]);
    return 0;
}

/* A backslash stands before a comma or backslash in a value. */
static int read_list(struct commands *c, char *words)
{
    char *of[3];

    if (add_parameter(c, "--parameter-list", words, of) || !of[1])
        return -1;
    struct parameter *parameter = &c->parameters[c->n_parameters - 1];
    for (char *at = of[1]; at;) {
        char *value = at, *to = at;
        for (; *at && *at != ','; at++) {
            at += at[0] == '\\' && (at[1] == ',' || at[1] == '\\');
            *to++ = *at;
        }
        at = *at ? at + 1 : NULL;
        *to = '\0';
        if (!*value)
            return usage_error("--parameter-list: a value of '%s' is empty", parameter->name);
        if (add_value("--parameter-list", parameter, value))
            return -1;
    }
    return 0;
}

/* -1: no decimal number, or too long. */
static int count_decimals(const char *text)
{
    static const char digits[] = "0123456789";

    text += *text == '-';
    const size_t whole = strspn(text, digits), point = text[whole] == '.';
    const size_t decimals = strspn(text + whole + point, digits);
    return text[whole + point + decimals] || !(whole + decimals) || whole + decimals > DIGITS_MOST ? -1 : (int)decimals;
}

static int read_scan(struct commands *c, char *words, const char *step_given)
{
    static const char *const options[3] = {"--parameter-scan", "--parameter-scan", "--parameter-step-size"};
    double number[3];
    int decimals = 0;
    char *of[3];

    if (add_parameter(c, "--parameter-scan", words, of) || !of[1] || !of[2])
        return -1;
    struct parameter *parameter = &c->parameters[c->n_parameters - 1];
    const char *text[3] = {of[1], of[2], step_given[0] ? step_given : "1"};
    for (int i = 0; i < 3; i++) {
        const int has = count_decimals(text[i]);
        if (has < 0)
            return usage_error("%s: '%.40s' is not a decimal number of at most %u digits", options[i], text[i],
                               DIGITS_MOST);
        decimals = has > decimals ? has : decimals;
    }
    const double scale = pow(10, decimals);
    for (int i = 0; i < 3; i++) {
        number[i] = rint(strtod(text[i], NULL) * scale) + 0.0; /* no -0 */
        if (fabs(number[i]) > WHOLE_MOST)
            return usage_error("%s: '%.40s' has too many digits beside the other numbers", options[i], text[i]);
    }
    if (number[2] <= 0)
        return usage_error("--parameter-step-size: '%.40s' is not above 0", text[2]);
    if (number[0] > number[1])
        return usage_error("--parameter-scan: %s: MIN %.40s is above MAX %.40s", parameter->name, text[0], text[1]);
    for (double at = number[0]; at <= number[1]; at += number[2])
        if (add_value(options[0], parameter, TEXT_LINE("%.*f", decimals, at / scale)))
            return -1;
    return 0;
}

static int read_parameters(struct commands *c)
{
    struct command_params *params = &c->options->command;
    const char separator[] = {OPTION_USE_END, '\0'};

    if (params->step[0] && !params->scans[0])
        return usage_error("--parameter-step-size without --parameter-scan");
    for (int scan = 0; scan < 2; scan++)
        for (char *next = scan ? params->scans : params->lists; next && *next;) {
            char *words = strsep(&next, separator);
            if (scan ? read_scan(c, words, params->step) : read_list(c, words))
                return -1;
        }
    return 0;
}

/* --- A command for each combination of values. --- */

static size_t list_length(char *const *list)
{
    size_t n = 0;

    while (list[n])
        n++;
    return n;
}

static bool has(const char *text, const char *name)
{
    return strstr(text, TEXT_LINE("{%s}", name));
}

static char *substitute(const struct commands *c, size_t command, const char *text)
{
    struct text out = {0};

    while (*text) {
        size_t taken = 0;
        for (size_t i = 0; i < c->n_parameters && !taken; i++) {
            const size_t length = strlen(c->parameters[i].name);
            const char *value = c->value_of[command][i];
            if (!value || text[0] != '{' || strncmp(text + 1, c->parameters[i].name, length) || text[1 + length] != '}')
                continue;
            text_append(&out, value, strlen(value));
            taken = length + 2;
        }
        text_append(&out, text, taken ? 0 : 1);
        text += taken ? taken : 1;
    }
    text_append(&out, "", 0);
    return out.data;
}

/* A typed command is run with each combination of their values. */
static int find_used(struct commands *c, size_t typed, bool used[COMMAND_PARAMETERS_MAX])
{
    const struct command_params *params = &c->options->command;

    for (size_t i = 0; i < c->n_parameters; i++) {
        const char *name = c->parameters[i].name;
        const bool in_setup = has(params->setup, name) || has(params->cleanup, name);
        used[i] = has(params->prepare, name);
        for (char *const *word = c->typed[typed]; *word; word++)
            used[i] |= has(*word, name);
        c->parameters[i].used |= used[i];
        if (in_setup && !used[i])
            return usage_error("{%s} is in --setup or --cleanup, and neither in command %zu nor in --prepare: commands "
                               "take turns, so all would find what the last setup left",
                               name, typed + 1);
    }
    return 0;
}

static int expand_combinations(struct commands *c, size_t typed)
{
    const struct command_params *params = &c->options->command;
    bool used[COMMAND_PARAMETERS_MAX] = {false};
    size_t at[COMMAND_PARAMETERS_MAX] = {0}, i;

    if (find_used(c, typed, used))
        return -1;
    do {
        if (c->n == COMMANDS_MAX)
            return usage_error("%s%s%s: more than %u commands with all combinations of values",
                               params->lists[0] || !params->scans[0] ? "--parameter-list" : "",
                               params->lists[0] && params->scans[0] ? " and " : "",
                               params->scans[0] ? "--parameter-scan" : "", COMMANDS_MAX);
        for (i = 0; i < c->n_parameters; i++)
            c->value_of[c->n][i] = used[i] ? c->parameters[i].value[at[i]] : NULL;
        c->typed_of[c->n] = typed;
        const size_t n_words = list_length(c->typed[typed]);
        c->argv[c->n] = memory_get(n_words + 1, sizeof(*c->argv[0]));
        for (i = 0; i < n_words; i++)
            c->argv[c->n][i] = substitute(c, c->n, c->typed[typed][i]);
        c->n++;
        for (i = c->n_parameters; i-- > 0;) { /* the last parameter changes first */
            if (used[i] && ++at[i] < c->parameters[i].n)
                break;
            at[i] = 0;
        }
    } while (i < c->n_parameters);
    return 0;
}

int run_combine(struct commands *c)
{
    if (read_parameters(c))
        return -1;
    for (size_t i = 0; i < c->n_typed; i++)
        if (expand_combinations(c, i))
            return -1;
    for (size_t i = 0; i < c->n_parameters; i++)
        if (!c->parameters[i].used)
            return usage_error("no command has {%s}", c->parameters[i].name);
    if (!c->options->command.aa)
        return 0;
    return c->n > 1 ? usage_error("--aa runs one command against itself, and %zu are given", c->n)
                    : expand_combinations(c, 0);
}

void run_free_parameters(struct commands *c)
{
    for (size_t i = 0; i < c->n_parameters; i++)
        for (size_t k = 0; k < c->parameters[i].n; k++)
            free(c->parameters[i].value[k]);
    for (size_t i = 0; i < c->n; i++) {
        for (char **word = c->argv[i]; *word; word++)
            free(*word);
        free(c->argv[i]);
    }
}

/* --- Quoting and shortening. --- */

static void quote_word(const char *word, struct text *out)
{
    bool plain = word[0] != 0, printable = true;

    for (const char *c = word; *c; c++) {
        plain = plain && ((unsigned char)*c >= 0x80 || isalnum((unsigned char)*c) || strchr("@%+=:,./_-", *c));
        printable = printable && !iscntrl((unsigned char)*c);
    }
    text_printf(out, "%s", plain ? "" : printable ? "'" : "$'");
    for (; *word; word++) {
        const char c = *word;
        if (plain || (printable && c != '\''))
            text_append(out, word, 1);
        else if (printable)
            text_printf(out, "'\\''");
        else if (c == '\n' || c == '\t')
            text_printf(out, "\\%c", c == '\n' ? 'n' : 't');
        else if (iscntrl((unsigned char)c))
            text_printf(out, "\\x%02x", (unsigned)(unsigned char)c);
        else
            text_printf(out, "%s%c", c == '\'' || c == '\\' ? "\\" : "", c);
    }
    text_append(out, "'", plain ? 0 : 1);
}

void words_quote(char *const *words, size_t n, struct text *out)
{
    for (size_t i = 0; i < n; i++) {
        text_append(out, " ", i > 0);
        quote_word(words[i], out);
    }
}

void words_shorten(const char *line, char *buf, size_t size)
{
    size_t kept = size - sizeof("...#01234567");
    uint32_t hash = 2166136261u;

    if (strlen(line) < size) {
        text_copy(buf, size, line);
        return;
    }
    while (kept > 0 && ((unsigned char)line[kept] & 0xc0) == 0x80)
        kept--;
    for (const char *s = line; *s; s++)
        hash = (hash ^ (unsigned char)*s) * 16777619u;
    snprintf(buf, size, "%.*s...#%08x", (int)kept, line, (unsigned)hash);
}

#define SHELL "/bin/sh"

/* execve(2): a word has MAX_ARG_STRLEN (32 pages); all together a quarter of the stack limit and three quarters of 8
 * MiB, but 32 pages always. */
#define WORD_PAGES 32u
#define WORDS_MAX  (6u << 20)

/* --- The commands. --- */

/* As hyperfine takes them: each word is a line of its own. */
static bool is_line_each(const struct commands *c)
{
    const struct measure *m = c->m;
    size_t i = 0;

    while (i < m->n_words && strpbrk(m->words[i], " \t\n"))
        i++;
    return c->options->command.shell && i == m->n_words;
}

static int split_commands(struct commands *c)
{
    const struct measure *m = c->m;
    const char *separator = c->options->command.separator;
    const bool line_each = is_line_each(c);
    bool begins = true;
    char **word;

    word = c->words = memory_get(2 * m->n_words + 1, sizeof(*c->words)); /* a NULL behind each command */
    c->typed = memory_get(m->n_words + 1, sizeof(*c->typed));
    for (size_t i = 0; i < m->n_words; i++) {
        if (!strcmp(m->words[i], separator)) {
            if (begins)
                return usage_error("no command before '%.40s'", separator);
            begins = true;
            word++;
            continue;
        }
        if (begins)
            c->typed[c->n_typed++] = word;
        *word++ = m->words[i];
        word += line_each;
        begins = line_each;
    }
    if (!c->n_typed)
        return usage_error("no command; it follows '--': jitbench run [OPTION...] -- COMMAND [ARG...]");
    if (begins && !line_each)
        return usage_error("no command after the last '%.40s'", separator);
    return c->n_typed <= COMMANDS_MAX ? 0 : usage_error("%zu commands; at most %u", c->n_typed, COMMANDS_MAX);
}

/* For messages. option "": of a measured command. */
static int find_program(const char *option, const char *name, char *path, size_t size)
{
    const char *const what = option[0] ? TEXT_LINE("%s: ", option) : "";
    const char *const first = name + strspn(name, " \t\n");
    const size_t length = strcspn(first, " \t\n");
    const int error = program_find(name, getenv("PATH"), path, size);

    /* it contains spaces, and its first part is a program */
    if (error == -ENOENT && length && first[length] &&
        !program_find(TEXT_LINE("%.*s", (int)length, first), getenv("PATH"), path, size))
        return usage_error(
            "%s'%.100s' is one word and not a program; did you mean --shell '%.100s', or the words without quotes?",
            what, name, name);
    if (error == -ENOENT)
        return usage_error("%s'%.100s' is not found%s", what, name, strchr(name, '/') ? "" : " in PATH");
    return error ? usage_error("%s'%.100s' cannot be executed: %s", what, name, strerror(-error)) : 0;
}

/* A measured command, or one that an option gives as a line. All zero: none. */
struct line {
    char *text;
    struct words words;
    char *shell[4], **argv; /* with --shell */
    char path[4096];
};

static void free_line(struct line *line)
{
    words_free(&line->words);
    free(line->text);
}

static int find_line(struct commands *c, const char *option, char **words, struct line *line)
{
    const bool shell = c->options->command.shell;

    memcpy(line->shell, (char *[]){(char *)"sh", (char *)"-c", line->text, NULL}, sizeof(line->shell));
    line->argv = shell ? line->shell : words;
    return find_program(shell ? "--shell" : option, shell ? SHELL : words[0], line->path, sizeof(line->path));
}

/* Puts in the parameters' values, and finds the program. Nothing for "". */
static int read_line(struct commands *c, size_t command, const char *option, const char *given, struct line *out)
{
    if (!given[0])
        return 0;
    out->text = substitute(c, command, given);
    const char *error = words_of_command(out->text, true, &out->words);
    if (error || !out->words.n)
        return usage_error("%s '%.100s': %s", option, out->text, error ? error : "no command");
    for (size_t i = 0; i < out->words.n && !c->options->command.shell; i++) {
        const char *word = out->words.word[i];
        if ((word[0] && !word[strspn(word, "|<>&")]) || (word[0] && word[1] && word[strlen(word) - 1] == ';'))
            return usage_error("%s '%.100s': '%.40s' is for a shell, which --shell (-S) starts", option, out->text,
                               word);
    }
    return find_line(c, option, out->words.word, out);
}

/* As bytes for the workers. *offset, *size: bytes; 0: no command. */
static void pack(struct commands *c, const struct line *line, const struct line *prepare, size_t *offset, size_t *size)
{
    char *none = NULL;
    const struct command_image image = {.path = line->path,
                                        .prepare_path = prepare->path,
                                        .argv = line->argv,
                                        .prepare = prepare->argv ? prepare->argv : &none,
                                        .env = c->env};

    *offset = c->images.length;
    if (line->argv)
        command_pack(&image, &c->images);
    *size = c->images.length - *offset;
}

static int pack_line(struct commands *c, size_t command, const char *option, const char *given, size_t *offset,
                     size_t *size)
{
    static const struct line none;
    FREED_BY(free_line) struct line line = {.path = ""};

    if (read_line(c, command, option, given, &line))
        return -1;
    pack(c, &line, &none, offset, size);
    return 0;
}

/* This process's without the padding that jitbench adds; with --clean-env only PATH. */
static void choose_env(struct commands *c)
{
    size_t n = 0;

    c->env = memory_get(list_length(environ) + 1, sizeof(*c->env));
    for (char **variable = environ; *variable; variable++) {
        bool path = starts_with(*variable, "PATH=");
        bool pad = starts_with(*variable, PROCESS_PAD_NAME);
        if (!pad && (path || !c->options->command.clean_env))
            c->env[n++] = *variable;
    }
}

/* The kernel would refuse the exec. */
static int check_size(const struct commands *c, char *const *argv)
{
    const size_t one = WORD_PAGES * (size_t)sysconf(_SC_PAGESIZE);
    char *const *const lists[] = {argv, c->env};
    size_t most = WORDS_MAX, total = PROCESS_PAD_MAX;
    struct rlimit stack;

    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur / 4 < most)
        most = (size_t)larger(stack.rlim_cur / 4, one);
    for (size_t i = 0; i < COUNT(lists); i++)
        for (char *const *word = lists[i]; *word; word++) {
            const size_t size = strlen(*word) + 1;
            if (size > one)
                return usage_error("a word of %zu bytes; the kernel takes at most %zu", size - 1, one - 1);
            total += size + sizeof(char *);
        }
    if (total > most)
        return usage_error("command line and environment are %zu bytes; the kernel takes at most %zu", total, most);
    return 0;
}

/* Quoted, for the rows. */
static int show_parameters(struct commands *c, size_t command, struct command_params *params)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n_parameters; i++) {
        FREED_BY(text_free) struct text quoted = {0};
        char *value = (char *)c->value_of[command][i];
        if (!value)
            continue;
        words_quote(&value, 1, &quoted);
        if (quoted.length >= sizeof(params->parameter[n].value))
            return usage_error("%s: a value of more than %zu bytes: '%.60s'", c->parameters[i].name,
                               sizeof(params->parameter[n].value) - 1, value);
        TEXT_PRINT(params->parameter[n].key, "{%s}", c->parameters[i].name);
        text_copy(params->parameter[n++].value, sizeof(params->parameter[0].value), quoted.data);
    }
    return 0;
}

static int pack_command(struct commands *c, size_t i, struct command_params *params)
{
    FREED_BY(free_line) struct line line = {.path = ""}, prepare = {.path = ""};
    struct text shown = {0};

    for (char *const *word = c->argv[i]; params->shell && *word; word++)
        text_printf(&shown, "%s%s", word == c->argv[i] ? "" : " ", *word);
    words_quote(c->argv[i], params->shell ? 0 : list_length(c->argv[i]), &shown);
    line.text = shown.data;
    if (show_parameters(c, i, params) || read_line(c, i, "--prepare", params->prepare, &prepare) ||
        find_line(c, "", c->argv[i], &line) || check_size(c, line.argv) ||
        pack_line(c, i, "--setup", params->setup, &params->setup_offset, &params->setup_size) ||
        pack_line(c, i, "--cleanup", params->cleanup, &c->options->cleanup_offset[i], &c->options->cleanup_size[i]))
        return -1;
    words_shorten(line.text, params->line, sizeof(params->line));
    pack(c, &line, &prepare, &params->image_offset, &params->image_size);
    return 0;
}

/* --- Names. --- */

void run_name_after_program(const char *word, bool shell, struct name *name)
{
    word += shell ? strspn(word, " \t\n") : 0;
    size_t length = shell ? strcspn(word, " \t\n;|&<>()") : strlen(word);
    const char *slash = memrchr(word, '/', length);

    if (slash && slash + 1 < word + length) {
        length -= (size_t)(slash + 1 - word);
        word = slash + 1;
    }
    TEXT_PRINT(name->text, "%.*s", (int)length, length ? word : "command");
}

/* Each {NAME} in the given name is replaced by the parameter's value. */
static int name_commands(struct commands *c)
{
    struct name *names = c->options->names, name;
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        run_name_after_program(c->argv[i][0], c->options->command.shell, &names[i]);
    if (!measure_given(c->m, "name"))
        return 0;
    for (const char *given = c->options->command.name, *next; given; given = next, n++) {
        const size_t length = strcspn(given, ",\n");
        if (!length || length >= sizeof(name.text))
            return usage_error("--name: '%.*s': a name has 1 to %zu bytes", (int)length, given, sizeof(name.text) - 1);
        text_copy(name.text, length + 1, given);
        next = given[length] ? given + length + 1 : NULL;
        for (size_t i = 0; i < c->n; i++)
            if (c->typed_of[i] == n) {
                FREED char *text = substitute(c, i, name.text);
                text_copy(names[i].text, sizeof(name.text), text);
            }
    }
    return n == c->n_typed
               ? 0
               : usage_error("--name: %zu name%s for %zu command%s", n, PLURAL(n), c->n_typed, PLURAL(c->n_typed));
}

/* --- Builds of a side: commands of one name. --- */

size_t run_count_named(const struct commands *c, const char *name)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        n += !strcmp(name, c->options->names[i].text);
    return n;
}

static bool same_bytes(const char *a, const char *b)
{
    FREED_BY(fd_close) int one = open(a, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FREED_BY(fd_close) int other = open(b, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char bytes[2][4096];
    ssize_t n = 0, m = 0;

    while (one >= 0 && other >= 0 && (n = read(one, bytes[0], sizeof(bytes[0]))) > 0 &&
           (m = read(other, bytes[1], sizeof(bytes[1]))) == n && !memcmp(bytes[0], bytes[1], (size_t)n))
        ;
    return one >= 0 && other >= 0 && n == 0 && read(other, bytes[1], 1) == 0;
}

/* Whether two commands are the same program with the same words behind it. */
static bool same_build(const struct commands *c, size_t a, size_t b)
{
    const bool shell = c->options->command.shell;
    char *const *x = c->argv[a] + !shell, *const *y = c->argv[b] + !shell;
    char path[2][4096];
    struct stat st[2];

    while (*x && *y && !strcmp(*x, *y)) {
        x++;
        y++;
    }
    if (*x || *y)
        return false;
    for (size_t i = 0; i < 2 && !shell; i++)
        if (program_find(c->argv[i ? b : a][0], getenv("PATH"), path[i], sizeof(path[i])) || stat(path[i], &st[i]))
            return false;
    return shell || (st[0].st_dev == st[1].st_dev && st[0].st_ino == st[1].st_ino) ||
           (st[0].st_size == st[1].st_size && same_bytes(path[0], path[1]));
}

/* Numbers builds of a side, and checks that they differ. Parameters make commands of one name, too. */
static int number_builds(struct commands *c)
{
    const struct name *names = c->options->names;
    bool builds = false;

    for (size_t i = 0; i < c->n && measure_given(c->m, "name") && !c->options->command.aa; i++) {
        unsigned before = 0;
        bool others = false;
        for (size_t k = 0; k < c->n; k++)
            if (c->typed_of[k] != c->typed_of[i] && !strcmp(names[k].text, names[i].text)) {
                others = true;
                before += k < i;
            }
        c->build[i] = others ? before + 1 : 0;
        builds |= others;
    }
    if (!builds)
        return 0;
    if (c->n_parameters)
        return usage_error("--name: commands of one name are builds of a side, which --parameter-list and "
                           "--parameter-scan exclude");
    for (size_t b = 0; b < c->n; b++) {
        c->build[b] += !c->build[b]; /* the only one of its side */
        for (size_t a = 0; a < b; a++) {
            if (strcmp(names[a].text, names[b].text) && !strcasecmp(names[a].text, names[b].text))
                return usage_error("--name: '%s' and '%s' differ in upper and lower case only", names[a].text,
                                   names[b].text);
            if (same_build(c, a, b))
                return usage_error("--name: commands %zu and %zu, '%.100s' and '%.100s', are the same build", a + 1,
                                   b + 1, c->argv[a][0], c->argv[b][0]);
        }
    }
    return 0;
}

/* --reference: it is measured first. */
static int find_reference(struct commands *c, size_t *first)
{
    const char *given = c->options->command.reference;
    char *end;
    const unsigned long number = strtoul(given, &end, 10);

    *first = 0;
    for (size_t i = 0; i < c->n && given[0]; i++)
        if (!strcmp(c->options->names[i].text, given) ||
            (*end == '\0' && number == c->typed_of[i] + 1 && given[0] != '-' && given[0] != '+')) {
            *first = i;
            return 0;
        }
    return given[0] ? usage_error("--reference: '%s' is neither the name nor the number (1 to %zu) of a command", given,
                                  c->n_typed)
                    : 0;
}

/* --- --cleanup, after the last run. --- */

/* Returns whether it failed, and appends why. */
static bool clean_up(const char *map, size_t size, const struct command_params *params, struct text *why)
{
    static struct program_guard guard; /* larger than a small stack */
    struct program_end end = {0};
    struct command_image image;
    uint64_t at_ns;
    FREED void *lists = command_unpack(map, size, &image);
    FREED_BY(text_free) struct text typed = {0};

    if (!lists)
        return false;
    const struct program program = {
        .path = image.path, .argv = image.argv, .envp = image.env, .fds = {-1, -1, -1}, .guard = &guard};
    program_guard(&guard, 0); /* without a guard it still has to clean up */
    const pid_t pid = program_start(&program, &at_ns);
    const int error = pid < 0 ? pid : program_wait(pid, at_ns + params->timeout_ns, &at_ns);
    if (pid > 0) {
        kill(-pid, SIGKILL);
        program_reap(pid, &end);
    }
    program_unguard(&guard);
    if (!error && !end.status)
        return false;
    if (params->shell)
        text_printf(&typed, "%s", image.argv[2]);
    else
        words_quote(image.argv, list_length(image.argv), &typed);
    text_printf(why, "the cleanup command '%.200s': ", typed.failed ? "" : typed.data);
    if (error == -ETIMEDOUT)
        text_printf(why, "still running after %s (--timeout); killed", TEXT_DURATION(params->timeout_ns));
    else if (error)
        text_printf(why, "%s", error == -EINTR ? "ended by a signal" : strerror(-error));
    else if (WIFSIGNALED(end.status))
        text_printf(why, "killed by signal %d (%s)", WTERMSIG(end.status), strsignal(WTERMSIG(end.status)));
    else
        text_printf(why, "exit status %d", WEXITSTATUS(end.status));
    return true;
}

/* --cleanup. Failures get a line on standard error. Returns 128 + N when signal N ended it. */
static int clean_up_all(const struct run_options *options)
{
    FREED_BY(text_free) struct text first = {0}, others = {0};
    size_t n = 0, n_failed = 0;
    struct stat st;
    const struct timespec now = {0, 0};
    char *map = fstat(options->image_fd, &st)
                    ? MAP_FAILED
                    : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, options->image_fd, 0);

    if (map == MAP_FAILED)
        return 0;
    program_be_parent();
    ppoll(NULL, 0, &now, signals_wait_mask()); /* the signal that ended the runs shall not end these commands */
    const int before = signals_pending();
    for (size_t i = 0; i < COMMANDS_MAX; i++)
        if (options->cleanup_size[i]) {
            n++;
            n_failed += clean_up(map + options->cleanup_offset[i], options->cleanup_size[i], &options->command,
                                 n_failed ? &others : &first);
        }
    munmap(map, (size_t)st.st_size);
    if (n_failed)
        command_fail(0, n > 1 ? "%s (for %zu of %zu commands)" : "%s", first.data ? first.data : "", n_failed, n);
    return before || !signals_pending() ? 0 : 128 + signals_pending();
}

/* --- Descriptors. --- */

/* Inherited by workers, and no standard one. */
static int inherit(int fd)
{
    return fcntl(fd, F_DUPFD, 3);
}

static int open_input(struct run_options *o)
{
    const char *input = o->command.input;
    struct stat st;

    if (!input[0])
        return 0;
    const bool standard = !strcmp(input, "-");
    if (standard && isatty(0))
        return usage_error("--input '-': standard input is a terminal, from which background processes cannot read");
    const int fd = standard ? inherit(0) : open(input, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return usage_error("--input '%.200s': %s", input, strerror(errno));
    /* it opens like a file but cannot be read */
    const bool folder = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
    if (standard && !folder)
        o->fds[0] = fd;
    else
        close(fd);
    return folder ? usage_error("--input '%.200s': %s", input, strerror(EISDIR)) : 0;
}

static int open_output(struct commands *c)
{
    struct run_options *o = c->options;
    const char *keep = o->command.keep_output;

    if (!o->command.show_output && !keep[0])
        return 0;
    const char *excluded = keep[0]                              ? "--keep-output"
                           : c->m->options.print[0]             ? "--print"
                           : !strcmp(c->m->options.output, "-") ? "--output '-'"
                                                                : NULL;
    if (o->command.show_output && excluded)
        return usage_error("--show-output and %s exclude each other", excluded);
    const int fd = keep[0] ? directory_create(keep) : -1;
    if (keep[0] && fd < 0)
        return usage_error("--keep-output '%.200s': %s", keep, directory_why_not(fd));
    o->fds[1] = inherit(keep[0] ? fd : 1);
    o->fds[2] = inherit(keep[0] ? fd : 2);
    const bool both = o->fds[1] >= 0 && o->fds[2] >= 0;
    if (keep[0] && !both)
        directory_remove(keep, fd);
    fd_close(&fd);
    o->keeps = keep[0] && both;
    return both ? 0 : usage_error("--%s-output: %s", keep[0] ? "keep" : "show", strerror(errno));
}

static int open_image(struct commands *c)
{
    struct run_options *o = c->options;

    o->image_fd = process_shared_memory(c->images.length);
    const int error = o->image_fd < 0 ? o->image_fd : new_file_write(o->image_fd, c->images.data, c->images.length);
    return error ? usage_error("no memory to pass on the command line: %s", strerror(-error)) : 0;
}

/* --- The plan. --- */

/* As one quoted word; shortened before quoting. An empty text stays empty. */
static void show_word(const char *word, char *buf, size_t size)
{
    FREED_BY(text_free) struct text quoted = {0};
    char shortened[256], *shown = shortened;

    assert(size <= sizeof(shortened));
    text_copy(buf, size, "");
    for (size_t most = size; word[0] && !buf[0] && most > 16; most -= 4) {
        words_shorten(word, shortened, most);
        quoted.length = 0;
        words_quote(&shown, 1, &quoted);
        if (quoted.length < size)
            text_copy(buf, size, quoted.data);
    }
}

/* Several commands are compared by pairs of their runs, builds of a side by their runs in turns, in the time of one
 * command for all of a side. */
static void sample_in_pairs(const struct commands *c)
{
    const struct measure *m = c->m;
    struct plan *plan = m->plan;
    const int judge = c->options->command.judge;
    const uint64_t runs =
        judge == JUDGED_INSTRUCTIONS ? 2 : 2 * commands_pairs_least(c->build[0] ? 1 : plan->n - plan->n / c->n);

    for (size_t i = 0; i < plan->n; i++) {
        struct sampling *s = &plan->items[i].sampling;
        struct command_params *params = plan->items[i].params;
        s->max_ns /= params->build ? run_count_named(c, plan->items[i].test) : 1;
        if (measure_given(m, "samples"))
            continue;
        s->max_samples = s->max_samples || judge == JUDGED_INSTRUCTIONS ? runs : 0;
        s->min_samples = runs;
        if (!measure_given(m, "precision"))
            s->precision_pct = PRECISION_OF_RATIO;
        params->precision_pct = s->precision_pct;
    }
    plan->enough = run_enough;
    plan->metric = (unsigned[]){COMMAND_WALL, COMMAND_USER, COMMAND_INSTRUCTIONS, COMMAND_MAX_RSS}[judge];
}

static int add_commands(struct commands *c)
{
    struct run_options *o = c->options;
    FREED struct command_params *each = memory_get(c->n, sizeof(*each));
    struct plan *plan = c->m->plan;
    size_t first = 0;

    if (find_reference(c, &first))
        return -1;
    for (size_t i = 0; i < c->n && c->build[first] > 1; i++)
        if (!strcmp(o->names[i].text, o->names[first].text)) /* of a side the first */
            first = i;
    for (size_t i = 0; i < c->n; i++) {
        each[i] = o->command;
        each[i].again = o->command.aa && i > 0;
        each[i].build = c->build[i];
        if (pack_command(c, i, &each[i]))
            return -1;
    }
    if (open_image(c))
        return -1;
    for (unsigned build = 0; build <= COMMANDS_MAX; build++) /* sides in turns */
        for (size_t k = 0; k < c->n; k++) {
            const size_t i = k == 0 ? first : k <= first ? k - 1 : k, before = plan->n;
            if (c->build[i] != build)
                continue;
            each[i].image_fd = o->image_fd;
            memcpy(each[i].fds, o->fds, sizeof(o->fds));
            measure_add(c->m, &bench_command, &each[i], 1, 0);
            for (size_t p = before; p < plan->n; p++)
                plan->items[p].test = o->names[i].text;
        }
    if (c->n > 1)
        sample_in_pairs(c);
    return 0;
}

/* Of options that hyperfine's users type for its number of runs. */
static void note_numbers_of_runs(const struct measure *m)
{
    const char *comment = m->options.comment;

    if (comment[0] && !comment[strspn(comment, "0123456789")])
        command_fail(0, "--comment (-m) '%s' is the text of a comment; '--samples %s' takes so many runs", comment,
                     comment);
    if (m->options.runs > 1 && !measure_given(m, "samples"))
        command_fail(0,
                     "--runs %" PRIu64 " measures all of it so often, with a CSV each; '--samples %" PRIu64
                     "' takes so many runs",
                     m->options.runs, m->options.runs);
}

/* Without a counter, wall-clock time is judged in place of instructions. Returns -errno then. */
static int judge_counted(struct measure *m, struct command_params *params)
{
    struct counters counters;

    if (params->judge != JUDGED_INSTRUCTIONS)
        return 0;
    counters_open(&counters, true, true);
    const int error = counters.error[COUNTER_INSTRUCTIONS];
    counters_close(&counters);
    m->options.counters |= !error;
    params->in_place = error;
    params->judge = error ? JUDGED_WALL : JUDGED_INSTRUCTIONS;
    return error;
}

int run_plan(struct measure *m, void *options)
{
    struct run_options *o = options;
    struct commands c = {.m = m, .options = o};

    note_numbers_of_runs(m);

    o->image_fd = o->fds[0] = o->fds[1] = o->fds[2] = -1;
    o->opened = true;
    const int uncounted = judge_counted(m, &o->command);
    o->children = program_has_children();
    o->command.fixed_layout = m->place.layout_fixed;
    m->prints = o->command.show_output;
    m->markdown = m->options.format > 0;
    m->options.quiet |= m->markdown;
    show_word(o->command.prepare, o->command.prepare_line, sizeof(o->command.prepare_line));
    show_word(o->command.input, o->command.input_line, sizeof(o->command.input_line));
    choose_env(&c);
    const bool failed = split_commands(&c) || run_combine(&c) || name_commands(&c) || number_builds(&c) ||
                        run_check_fail_on(&c) || open_input(o) || open_output(&c) || add_commands(&c);
    run_free_parameters(&c);
    free(c.words);
    free(c.typed);
    free(c.env);
    text_free(&c.images);
    if (uncounted && !failed)
        command_fail(0, "--judge instructions: no such counter (%s), so wall-clock time is judged",
                     counters_why(uncounted));
    return failed ? EXIT_USAGE : 0;
}

int run_end(void *options, bool unused)
{
    struct run_options *o = options;

    if (!o->opened)
        return 0;
    const int status = unused ? 0 : clean_up_all(o);
    if (!o->children)
        program_end_orphans(0); /* what interrupted commands left in sessions of their own */
    if (o->keeps && unused)
        directory_remove(o->command.keep_output, o->fds[1]);
    for (int i = 0; i < 3; i++)
        fd_close(&o->fds[i]);
    fd_close(&o->image_fd);
    return status;
}
