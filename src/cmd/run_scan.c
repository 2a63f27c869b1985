/* SPDX-License-Identifier: MIT */
/* Parameters of the commands of jitbench run: their values, and a command for each combination. */
#include "cmd/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/words.h"

/* run_free_parameters() frees the values; gcc 12's analyzer does not follow them into the array. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

#define DIGITS_MOST 15 /* digits of a number before and after the point, for which 64 bits are enough */

/* --- Values of the parameters. --- */

static bool is_name(const char *name)
{
    const size_t length = strlen(name);

    return length > 0 && length < COMMAND_PARAMETER_NAME &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == length;
}

static int add_value(struct commands *c, const char *option, struct parameter *parameter, const char *value)
{
    if (parameter->n == COMMANDS_MAX)
        return run_wrong(c, "%s: %s has more than %u values", option, parameter->name, COMMANDS_MAX);
    if (!(parameter->value[parameter->n] = strdup(value)))
        memory_out();
    parameter->n++;
    return 0;
}

/* Splits the value of an option into at most three words of[0] to of[2] (NULL: missing), and adds a parameter, without
 * values yet, whose name is of[0]. */
static int add_parameter(struct commands *c, const char *option, char *words, char *of[3])
{
    const char separator[] = {OPTION_WORD_END, '\0'};

    for (size_t n = 0; n < 3; n++)
        of[n] = strsep(&words, separator);
    for (size_t i = 0; i < c->n_parameters; i++)
        if (!strcmp(c->parameters[i].name, of[0]))
            return run_wrong(c, "%s: '%s' is given twice", option, of[0]);
    if (!is_name(of[0]))
        return run_wrong(c, "%s: '%.40s' is not a name of 1 to %u letters, digits, '_' and '-'", option, of[0],
                         COMMAND_PARAMETER_NAME - 1);
    if (c->n_parameters == COMMAND_PARAMETERS_MAX)
        return run_wrong(c, "%s: more than %u parameters", option, COMMAND_PARAMETERS_MAX);
    text_copy(c->parameters[c->n_parameters++].name, COMMAND_PARAMETER_NAME, of[0]);
    return 0;
}

/* Reads the name and values of a --parameter-list. In a value, a comma or backslash is written with a backslash before
 * it. */
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
            return run_wrong(c, "--parameter-list: a value of '%s' is empty", parameter->name);
        if (add_value(c, "--parameter-list", parameter, value))
            return -1;
    }
    return 0;
}

/* Reads "-12.50" as -1250 and 2 decimals. Returns -1 when it is something else, or too long. */
static int read_decimal(const char *text, int64_t *number, unsigned *decimals)
{
    const bool minus = *text == '-';
    unsigned digits = 0, point = 0;

    *number = 0;
    *decimals = 0;
    for (text += minus; *text; text++) {
        if (*text == '.' && !point++)
            continue;
        if (*text < '0' || *text > '9' || ++digits > DIGITS_MOST)
            return -1;
        *number = 10 * *number + (*text - '0');
        *decimals += point;
    }
    *number = minus ? -*number : *number;
    return digits ? 0 : -1;
}

/* Multiplies the number so that it has more decimals. Returns -1 when it has too many digits then. */
static int scale_decimal(int64_t *number, unsigned from, unsigned to)
{
    for (; from < to; from++) {
        if (*number > INT64_MAX / 1000 || *number < INT64_MIN / 1000)
            return -1;
        *number *= 10;
    }
    return 0;
}

static void show_decimal(int64_t number, unsigned decimals, char *buf, size_t size)
{
    char digits[32];
    const uint64_t of = number < 0 ? (uint64_t)-number : (uint64_t)number;

    const int least = decimals < DIGITS_MOST ? (int)decimals + 1 : DIGITS_MOST + 1;
    (void)snprintf(digits, sizeof(digits), "%0*" PRIu64, least, of);
    const int whole = (int)(strlen(digits) - decimals);
    (void)snprintf(buf, size, "%s%.*s%s%s", number < 0 ? "-" : "", whole, digits, decimals ? "." : "", digits + whole);
}

static int read_scan(struct commands *c, char *words, const char *step_given)
{
    static const char *const options[3] = {"--parameter-scan", "--parameter-scan", "--parameter-step-size"};
    int64_t number[3];
    unsigned decimals[3], most = 0;
    char value[40], *of[3];

    if (add_parameter(c, "--parameter-scan", words, of) || !of[1] || !of[2])
        return -1;
    struct parameter *parameter = &c->parameters[c->n_parameters - 1];
    const char *text[3] = {of[1], of[2], step_given[0] ? step_given : "1"};
    for (int i = 0; i < 3; i++) {
        if (read_decimal(text[i], &number[i], &decimals[i]))
            return run_wrong(c, "%s: '%.40s' is not a decimal number of at most %u digits", options[i], text[i],
                             DIGITS_MOST);
        most = decimals[i] > most ? decimals[i] : most;
    }
    for (int i = 0; i < 3; i++)
        if (scale_decimal(&number[i], decimals[i], most))
            return run_wrong(c, "%s: '%.40s' has too many digits beside the other numbers", options[i], text[i]);
    if (number[2] <= 0)
        return run_wrong(c, "--parameter-step-size: '%.40s' is not above 0", text[2]);
    if (number[0] > number[1])
        return run_wrong(c, "--parameter-scan: %s: MIN %.40s is above MAX %.40s", parameter->name, text[0], text[1]);
    for (int64_t at = number[0]; at <= number[1]; at += number[2]) {
        show_decimal(at, most, value, sizeof(value));
        if (add_value(c, options[0], parameter, value))
            return -1;
    }
    return 0;
}

static int read_parameters(struct commands *c)
{
    struct command_params *params = &c->options->command;
    const char separator[] = {OPTION_USE_END, '\0'};

    if (params->step[0] && !params->scans[0])
        return run_wrong(c, "--parameter-step-size without --parameter-scan");
    for (int scan = 0; scan < 2; scan++)
        for (char *next = scan ? params->scans : params->lists; next && *next;) {
            char *words = strsep(&next, separator);
            if (scan ? read_scan(c, words, params->step) : read_list(c, words))
                return -1;
        }
    return 0;
}

/* --- A command for each combination of values. --- */

static bool has(const char *text, const char *name)
{
    char braces[COMMAND_PARAMETER_NAME + 2];

    (void)snprintf(braces, sizeof(braces), "{%s}", name);
    return strstr(text, braces) != NULL;
}

static bool command_has(char *const *words, const char *name)
{
    for (; *words; words++)
        if (has(*words, name))
            return true;
    return false;
}

char *run_substitute(const struct commands *c, size_t command, const char *text)
{
    struct text out = {0};

    while (*text) {
        size_t taken = 0;
        for (size_t i = 0; i < c->n_parameters && !taken; i++) {
            const size_t length = strlen(c->parameters[i].name);
            const char *value = c->value_of[command][i];
            if (!value || text[0] != '{' || strncmp(text + 1, c->parameters[i].name, length) != 0 ||
                text[1 + length] != '}')
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

/* Returns an allocated copy of a command's words in which each {NAME} is replaced by the value of that parameter. */
static char **substitute_words(struct commands *c, size_t command, char *const *words)
{
    size_t n = 0;

    while (words[n])
        n++;
    char **made = memory_get(n + 1, sizeof(*made));
    for (size_t i = 0; i < n; i++)
        made[i] = run_substitute(c, command, words[i]);
    return made;
}

/* Finds which parameters a typed command contains; it is run with each combination of their values. */
static int find_used(struct commands *c, size_t typed, bool used[COMMAND_PARAMETERS_MAX])
{
    const struct command_params *params = &c->options->command;

    for (size_t i = 0; i < c->n_parameters; i++) {
        const char *name = c->parameters[i].name;
        const bool in_setup = has(params->setup, name) || has(params->cleanup, name);
        used[i] = command_has(c->typed[typed], name) || has(params->prepare, name);
        c->parameters[i].used |= used[i];
        if (in_setup && !used[i])
            return run_wrong(c,
                             "{%s} is in --setup or --cleanup, and neither in command %zu nor in --prepare: commands "
                             "take turns, so all would find what the last setup left",
                             name, typed + 1);
    }
    return 0;
}

/* Returns the names of the options that the parameters come from. */
static const char *combining_options(const struct commands *c)
{
    const struct command_params *params = &c->options->command;

    if (!params->scans[0])
        return "--parameter-list";
    return params->lists[0] ? "--parameter-list and --parameter-scan" : "--parameter-scan";
}

/* Adds a command for each combination of the values of the parameters that a typed command contains. */
static int combine(struct commands *c, size_t typed)
{
    bool used[COMMAND_PARAMETERS_MAX] = {false};
    size_t at[COMMAND_PARAMETERS_MAX] = {0}, i;

    if (find_used(c, typed, used))
        return -1;
    do {
        if (c->n == COMMANDS_MAX)
            return run_wrong(c, "%s: more than %u commands with all combinations of values", combining_options(c),
                             COMMANDS_MAX);
        for (i = 0; i < c->n_parameters; i++)
            c->value_of[c->n][i] = used[i] ? c->parameters[i].value[at[i]] : NULL;
        c->typed_of[c->n] = typed;
        c->argv[c->n] = substitute_words(c, c->n, c->typed[typed]);
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
        if (combine(c, i))
            return -1;
    for (size_t i = 0; i < c->n_parameters; i++)
        if (!c->parameters[i].used)
            return run_wrong(c, "no command has {%s}", c->parameters[i].name);
    if (!c->options->command.aa)
        return 0;
    return c->n > 1 ? run_wrong(c, "--aa runs one command against itself, and %zu are given", c->n) : combine(c, 0);
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
