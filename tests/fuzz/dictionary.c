/* SPDX-License-Identifier: MIT */
/* Prints a dictionary for libFuzzer: the words of the option tables, commands, tests, settings, causes and columns. */

#include "bench/noise.h"
#include "cmd/cmd.h"
#include "load/list.h"

static void put(const char *before, const char *word, size_t length, const char *behind)
{
    if (!length)
        return;
    (void)printf("\"%s", before);
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)word[i];
        (void)printf(c >= ' ' && c < 0x7f && c != '"' && c != '\\' ? "%c" : "\\x%02x", c);
    }
    (void)printf("%s\"\n", behind);
}

static void put_word(const char *word)
{
    put("", word, word ? strlen(word) : 0, "");
}

static void put_option(const struct option *row)
{
    put("--", row->name, strlen(row->name), row->type == OPTION_FLAG ? "" : "\\x00");
    if (row->letter)
        put("-", &row->letter, 1, "");
    for (const char *alias = row->aliases; alias && *alias; alias += strcspn(alias, " "), alias += *alias == ' ')
        put("--", alias, strcspn(alias, " "), "");
    for (size_t i = 0; row->choices && row->choices[i]; i++)
        put_word(row->choices[i]);
    for (size_t i = 0; i < PRESET_COUNT; i++)
        put_word(row->preset[i]);
}

static void put_command(const struct command *command)
{
    struct option_table tables[TABLES_MAX];
    const struct operands *operands = command_operands(command);
    struct operand_word word;

    memset(tables, 0, sizeof(tables));
    put_word(command->name);
    const size_t n = command_tables(command, tables);
    for (size_t t = 0; t < n; t++)
        for (size_t r = 0; r < tables[t].n; r++)
            put_option(&tables[t].rows[r]);
    for (size_t i = 0; operands->word && operands->word(command, i, &word); i++)
        put_word(word.name);
}

int main(void)
{
    char others[] =
        "ns us ms s % lps yes no 1e9 nan inf -0 1e308 18446744073709551615 0x1p3 ;+ \xef\xbb\xbf \"\" <script> "
        "&amp; \xc3\xa9 ../ %h kB -- jitbench.run= jitbench.out= lower higher";

    for (size_t i = 0; command_list[i]; i++)
        put_command(command_list[i]);
    for (size_t i = 0; i < row_n_columns; i++)
        put("", row_columns[i].name, strlen(row_columns[i].name), "");
    for (size_t i = 0; i < settings_count; i++)
        put_word(settings_list[i].name);
    for (size_t i = 0; bench_list[i]; i++) {
        put_word(bench_list[i]->name);
        for (unsigned m = 0; m < bench_list[i]->n_metrics; m++)
            put_word(bench_metric(bench_list[i], m)->id);
    }
    for (size_t i = 0; i < DETOUR_CAUSES; i++)
        put("", detour_cause_names[i], strlen(detour_cause_names[i]), ":");
    for (enum row_status status = ROW_OK; status <= ROW_FAILED; status++)
        put_word(row_status_name(status));
    for (char *word = strtok(others, " "); word; word = strtok(NULL, " "))
        put_word(word);
    return 0;
}
