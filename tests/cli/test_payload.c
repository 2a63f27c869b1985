/* SPDX-License-Identifier: MIT */
/* Checks the code between the two readings of the clock: the disassembly of the real program, and time that doubles
 * with the work. */
#include <ctype.h>
#include <elf.h>

#include "../test.h"
#include "payload_util.h"
#include "program.h"

#define INSTRUCTIONS_MAX 1024

struct instruction {
    uint64_t address;
    char mnemonic[16], operands[104];
};

struct code {
    size_t n;
    struct instruction at[INSTRUCTIONS_MAX];
};

static bool is(const struct instruction *i, const char *mnemonic)
{
    return !strcmp(i->mnemonic, mnemonic);
}

static bool is_nop(const struct instruction *i)
{
    return strstr(i->mnemonic, "nop") || strstr(i->operands, "nop") ||
           (is(i, "xchg") && !strcmp(i->operands, "%ax,%ax"));
}

static bool is_jump(const struct instruction *i)
{
    return i->mnemonic[0] == 'j';
}

/* As "  401a2c:\tmov    %rbx,%rdi   # comment". */
static bool parse_instruction(const char *line, struct instruction *out)
{
    memset(out, 0, sizeof(*out));
    if (sscanf(line, " %lx:\t%15s %103[^\n#<]", &out->address, out->mnemonic, out->operands) < 2)
        return false;
    for (size_t end = strlen(out->operands); end && out->operands[end - 1] == ' ';)
        out->operands[--end] = 0;
    return true;
}

/* The instructions of a function; none when there is no such function. */
static void disassemble(const char *function, struct code *out)
{
    char option[64];
    bool inside = false;

    (void)snprintf(option, sizeof(option), "--disassemble=%s", function);
    assert_int_equal(PAYLOAD_RUN(NULL, "code", "objdump", "-d", "--no-show-raw-insn", option, payload_program), 0);
    char *text = payload_read("code");
    assert_non_null(text);
    out->n = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        struct instruction i;
        if (strstr(line, ">:"))
            inside = strstr(line, function) != NULL;
        if (!inside || !parse_instruction(line, &i))
            continue;
        assert_true(out->n < INSTRUCTIONS_MAX);
        out->at[out->n++] = i;
    }
    free(text);
}

static void require_objdump(void)
{
    bool known = program_machine(payload_program) == EM_X86_64;

    if (known && payload_has("objdump"))
        return;
    skip_because("%s", known ? "no objdump" : "the disassembly is known for x86-64 only");
}

/* Returns the code between the only two rdtscp of a function. */
static void between_readings(const char *function, struct code *out)
{
    static struct code all;
    size_t n = 0, reading[2] = {0, 0};

    disassemble(function, &all);
    for (size_t i = 0; i < all.n; i++)
        if (is(&all.at[i], "rdtscp")) {
            assert_true(n < 2);
            reading[n++] = i;
        }
    assert_int_equal(n, 2);
    out->n = reading[1] - reading[0] - 1;
    memcpy(out->at, &all.at[reading[0] + 1], out->n * sizeof(out->at[0]));
    assert_true(out->n > 0);
    /* Nothing leaves it but by its end, which is the second reading, so that what is here is all that is timed. */
    for (size_t i = 0; i < out->n; i++)
        if (is_jump(&out->at[i])) {
            uint64_t target = strtoul(out->at[i].operands, NULL, 16);
            assert_true(target >= out->at[0].address && target <= all.at[reading[1]].address);
        }
}

static size_t index_of(const struct code *code, uint64_t address)
{
    size_t i = 0;

    while (i < code->n && code->at[i].address != address)
        i++;
    return i;
}

enum colour { NEW, ON_PATH, DONE };

static bool cycle_from(const struct code *code, size_t i, size_t without, enum colour *colour)
{
    if (i >= code->n || i == without || colour[i] == DONE)
        return false;
    if (colour[i] == ON_PATH)
        return true;
    colour[i] = ON_PATH;
    bool found = !is(&code->at[i], "jmp") && cycle_from(code, i + 1, without, colour);
    if (!found && is_jump(&code->at[i]))
        found = cycle_from(code, index_of(code, strtoul(code->at[i].operands, NULL, 16)), without, colour);
    colour[i] = DONE;
    return found;
}

/* True when control can go round a loop that does not pass instruction number without (code->n: none is left out). */
static bool loops_without(const struct code *code, size_t without)
{
    enum colour colour[INSTRUCTIONS_MAX] = {NEW};

    return cycle_from(code, 0, without, colour);
}

/* Memory is what has parentheses, a segment, or is a bare address. Some instructions use the stack without naming it.
 */
static bool touches_memory(const struct instruction *i)
{
    static const char *const stack[] = {"push", "pop", "pushf", "popf", "call", "ret", "leave", "enter"};

    if (is_nop(i) || is(i, "lea") || is_jump(i))
        return false;
    for (size_t k = 0; k < COUNT(stack); k++)
        if (is(i, stack[k]))
            return true;
    return strpbrk(i->operands, "(:") || !strncmp(i->operands, "0x", 2) || strstr(i->operands, ",0x");
}

static void assert_no_call(const struct code *code)
{
    for (size_t i = 0; i < code->n; i++)
        if (!strncmp(code->at[i].mnemonic, "call", 4))
            fail_msg("%lx: call %s", code->at[i].address, code->at[i].operands);
}

TEST(test_prime_touches_no_memory_between_the_readings)
{
    static struct code code;

    require_objdump();
    between_readings("prime_measure_counter", &code);
    assert_no_call(&code);
    for (size_t i = 0; i < code.n; i++)
        if (touches_memory(&code.at[i]))
            fail_msg("%lx: %s %s", code.at[i].address, code.at[i].mnemonic, code.at[i].operands);
}

static bool is_32_bit_register(const char *operand)
{
    return !strncmp(operand, "%e", 2) || (!strncmp(operand, "%r", 2) && operand[strlen(operand) - 1] == 'd');
}

/* Additions in six registers in turn, so that none waits for the one before, and nothing else but the loop's count. */
TEST(test_core_probe_adds_in_six_chains)
{
    static struct code code;
    const char *chain[6];
    size_t adds = 0, others = 0;

    require_objdump();
    disassemble("core_work_adds", &code);
    for (size_t i = 0; i < code.n; i++) {
        const struct instruction *one = &code.at[i];
        if (!is(one, "add")) {
            bool of_loop = is(one, "dec") || is(one, "jne");
            others += of_loop;
            assert_true(of_loop || adds == 0 || adds == 600); /* elsewhere: the function's entry and return */
            continue;
        }
        assert_memory_equal(one->operands, "$0x3,%", 6);
        if (adds < 6)
            chain[adds] = one->operands;
        for (size_t k = 0; k < 6 && k < adds; k++)
            assert_int_equal(!strcmp(one->operands, chain[k]), k == adds % 6);
        adds++;
    }
    assert_int_equal(adds, 600);
    assert_int_equal(others, 2);
    disassemble("core_work_chain", &code);
    adds = 0;
    for (size_t i = 0; i < code.n; i++)
        adds += is(&code.at[i], "imul") && !strcmp(code.at[i].operands, "%edx,%eax");
    assert_int_equal(adds, 300);
}

/* Sixteen loads a turn, each from the address that the one before it gave, and nothing else of memory. */
TEST(test_chase_loads_depend_on_each_other)
{
    static struct code code;
    char place[16];
    size_t loads = 0, first = 0, last = 0;

    require_objdump();
    disassemble("chase_walk", &code);
    assert_true(code.n > 16);
    for (size_t i = 0; i < code.n; i++)
        if (sscanf(code.at[i].operands, "(%%%15[a-z0-9])", place) == 1 && is(&code.at[i], "mov")) {
            char chained[40];
            (void)snprintf(chained, sizeof(chained), "(%%%s),%%%s", place, place);
            if (strcmp(code.at[i].operands, chained) != 0)
                continue;
            first = loads++ ? first : i;
            last = i;
            assert_string_equal(code.at[i].operands, code.at[first].operands);
        }
    assert_int_equal(loads, 16);
    for (size_t i = first; i <= last; i++)
        loads -= strchr(code.at[i].operands, '(') != NULL;
    assert_int_equal(loads, 0);
}

TEST(test_prime_divides_once_a_turn)
{
    /* Instructions by which compilers replace a division or its remainder. */
    static const char *const shortcuts[] = {"and", "shr",  "sar", "mul",   "imul", "mulx",
                                            "bt",  "idiv", "rcp", "tzcnt", "bsf"};
    static struct code code;
    size_t divisions = 0, at = 0;

    require_objdump();
    between_readings("prime_measure_counter", &code);
    for (size_t i = 0; i < code.n; i++) {
        const struct instruction *one = &code.at[i];
        if (is(one, "div") || is(one, "divl")) {
            assert_true(is_32_bit_register(one->operands));
            divisions++;
            at = i;
        }
        for (size_t k = 0; k < COUNT(shortcuts); k++)
            if (!strncmp(one->mnemonic, shortcuts[k], strlen(shortcuts[k])))
                fail_msg("%lx: %s %s", one->address, one->mnemonic, one->operands);
        if (!strncmp(one->mnemonic, "test", 4) && one->operands[0] == '$')
            fail_msg("%lx: %s %s", one->address, one->mnemonic, one->operands);
    }
    assert_int_equal(divisions, 1);
    /* Each turn of the inner and the outer loop divides. */
    assert_true(loops_without(&code, code.n));
    assert_false(loops_without(&code, at));
}

/* %rax, %rdx and the like, or %r8 without a suffix. */
static bool is_64_bit_register(const char *operand)
{
    return !strncmp(operand, "%r", 2) &&
           (!isdigit((unsigned char)operand[2]) || isdigit((unsigned char)operand[strlen(operand) - 1]));
}

/* The last operand of those that are separated by commas outside of parentheses. */
static const char *destination(const struct instruction *i)
{
    const char *last = i->operands;
    int depth = 0;

    for (const char *p = i->operands; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (*p == ',' && depth == 0)
            last = p + 1;
    }
    return last;
}

TEST(test_array_moves_each_element_by_one_load_and_two_stores)
{
    static struct code code;
    size_t loads = 0, stores = 0, load_at = 0, store_at[2] = {0, 0};

    require_objdump();
    between_readings("array_measure_counter", &code);
    assert_no_call(&code);
    for (size_t i = 0; i < code.n; i++) {
        const struct instruction *one = &code.at[i];
        if (strstr(one->operands, "mm") || strstr(one->operands, "%st"))
            fail_msg("a vector register, %lx: %s %s", one->address, one->mnemonic, one->operands);
        if (!touches_memory(one))
            continue;
        assert_true(is(one, "mov"));
        if (strchr(destination(one), '(')) {
            char from[sizeof(one->operands)];
            (void)snprintf(from, sizeof(from), "%.*s", (int)strcspn(one->operands, ","), one->operands);
            assert_true(is_64_bit_register(from));
            assert_true(stores < 2);
            store_at[stores++] = i;
        } else {
            assert_true(is_64_bit_register(destination(one)));
            load_at = i;
            loads++;
        }
    }
    assert_int_equal(loads, 1);
    assert_int_equal(stores, 2);
    assert_true(loops_without(&code, code.n));
    assert_false(loops_without(&code, load_at));
    assert_false(loops_without(&code, store_at[0]));
    assert_false(loops_without(&code, store_at[1]));
}

static void check_stream_kernel(const char *name, bool nontemporal)
{
    static struct code code;
    size_t streaming = 0;

    disassemble(name, &code);
    if (code.n == 0)
        fail_msg("no function %s", name);
    assert_no_call(&code);
    assert_true(loops_without(&code, code.n));
    for (size_t i = 0; i < code.n; i++) {
        const struct instruction *one = &code.at[i];
        if (is_jump(one)) { /* a tail call would leave the function */
            uint64_t target = strtoul(one->operands, NULL, 16);
            assert_true(target >= code.at[0].address && target <= code.at[code.n - 1].address);
        }
        assert_int_not_equal(strncmp(one->mnemonic, "rep", 3), 0);
        streaming += strstr(one->mnemonic, "movnt") != NULL;
    }
    assert_true(nontemporal == (streaming > 0));
}

TEST(test_stream_kernels_call_nothing)
{
    static const char *const forms[] = {"avx512", "avx2", "sse2"}, *const kernels[] = {"copy", "scale", "add", "triad"};
    char name[64];

    require_objdump();
    for (size_t f = 0; f < COUNT(forms); f++)
        for (size_t k = 0; k < COUNT(kernels); k++) {
            (void)snprintf(name, sizeof(name), "%s_ordinary_%s", forms[f], kernels[k]);
            check_stream_kernel(name, false);
            (void)snprintf(name, sizeof(name), "%s_nontemporal_%s", forms[f], kernels[k]);
            check_stream_kernel(name, true);
        }
}

/* --- Time. --- */

#define ROUNDS_MIN 3
#define ROUNDS_MAX 15

/* Rounds of one run that samples both sizes in turn. Noise goes away with more rounds; a bias stays. */
static void assert_time_doubles(const char *const *arguments, const char *key, const char *column)
{
    static char names[ROUNDS_MAX][16];
    char rows[2 * sizeof(payload_top)];
    const char *check[8 + ROUNDS_MAX] = {"python3", rows, "doubled", key, column}, *run[24] = {payload_program};
    size_t n = 1;
    int wrong = -1;

    if (program_emulated(payload_program))
        skip_because("an emulator's time does not go with the work");
    payload_need("python3");
    (void)snprintf(rows, sizeof(rows), "%s/tests/cli/rows.py", payload_top);
    while (*arguments)
        run[n++] = *arguments++;
    run[n++] = "-q";
    run[n++] = "-o";
    for (size_t round = 0; round < ROUNDS_MAX && wrong; round++) {
        (void)snprintf(names[round], sizeof(names[round]), "double%zu.csv", round);
        run[n] = check[5 + round] = names[round];
        payload_remove(names[round]);
        assert_int_equal(payload_run(NULL, NULL, run), 0);
        if (round + 1 >= ROUNDS_MIN)
            wrong = payload_run(NULL, NULL, check);
    }
    assert_int_equal(wrong, 0);
}

/* 22,373 divisions and 44,603: half a percent less than twice as many. */
TEST(test_prime_time_doubles_with_the_divisions)
{
    assert_time_doubles((const char *const[]){"prime", "--limit", "500:739:239", "-n", "1000", "--samples", "3", NULL},
                        "limit", "median");
}

/* Both sizes fit into a first-level cache of 32 KiB. The placement of the arrays' pages in it changes a run's median by
 * a third on some CPUs, but not the least time. */
TEST(test_array_time_doubles_with_the_elements)
{
    assert_time_doubles(
        (const char *const[]){"stream", "array", "--sizes", "700,1400", "-n", "10000", "--samples", "3", NULL},
        "elements", "min");
}

GROUP(payload_setup, payload_teardown);
