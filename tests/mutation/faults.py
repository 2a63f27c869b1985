# SPDX-License-Identifier: MIT
"""Small deliberate faults: where in the C sources one can be put, and the seeded draw of them."""
import random
import re
from collections import namedtuple
from pathlib import Path

# Code that measures, computes, compares and changes settings. The rest only prints, or reads options.
SOURCES = [f"src/{layer}/{pattern}.c" for layer, patterns in {
    "sys": "clock cpu machine machine_counters storage task",
    "stats": "*",
    "rows": "causes reader row text",
    "engine": "core* place plan recorder results trial worker",
    "bench": "*",
    "load": "*",
    "settings": "*",
    "analysis": "*",
    "out": "compare*",
    "cmd": "check compare cpus latency measure noise project unix",
}.items() for pattern in patterns.split()]

# A variable, or an element of a list, and its field.
FIELD = r"(\w+)(?:\[[^][]*\])?(?:->|\.)(?=([a-z]\w*)(?!\w|\())"

# line: its number in the file, from 1. before, after: its text, without the indentation.
Fault = namedtuple("Fault", "path line kind before after")
# fields: by the name of a structure's variable, the fields that its file uses of it.
Line = namedtuple("Line", "path number text masked following fields")


# --- Reading C. ---

def masked(text):
    """The text with comments and preprocessor lines blanked and the inside of strings made '~'; as long as the text."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    def quote(match):
        token = match.group()
        return blank(match) if token[0] == "/" else token[0] + "~" * (len(token) - 2) + token[-1]

    text = re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", quote, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def function_spans(code):
    """First and last character of each function's body. Tables at file scope are none."""
    depth, start = 0, 0
    for match in re.finditer(r"[{}]", code):
        if match.group() == "{":
            if depth == 0:
                start = match.start()
            depth += 1
            continue
        depth -= 1
        if depth == 0:
            if code[:start].rstrip().endswith(")"):
                yield start, match.start()


def lines_of(path, text):
    """The lines within functions that have code on them."""
    code = masked(text)
    texts, codes = text.split("\n"), code.split("\n")
    fields = {}
    for name, field in re.findall(FIELD, code):
        fields.setdefault(name, set()).add(field)
    for first, last in function_spans(code):
        for number in range(code.count("\n", 0, first) + 1, code.count("\n", 0, last)):
            if re.search(r"\w", codes[number]):
                yield Line(path, number + 1, texts[number], codes[number], codes[number + 1].strip(), fields)


def matching(code, opening):
    """Where the bracket that opens there is closed on this line; -1 when it is not."""
    depth = 0
    for at in range(opening, len(code)):
        depth += code[at] in "([{"
        depth -= code[at] in ")]}"
        if depth == 0:
            return at
    return -1


# --- The kinds of faults. Each gives (begin, end, replacement) for a line. ---

def sign(line):
    """+ for -, or - for +."""
    for match in re.finditer(r"(?<=[\w)\]]) ([+-])(=?) (?=[\w(*&])", line.masked):
        yield match.start(1), match.end(1), "-" if match.group(1) == "+" else "+"


def off_by_one(line):
    """A bound, a start or a step that is one too large or too small."""
    for match in re.finditer(r" [+-] 1(?![\w.])", line.masked):
        yield match.start(), match.end(), ""
    for match in re.finditer(r"(?<== )0(?=;)", line.masked):
        yield match.start(), match.end(), "1"
    for match in re.finditer(r"(?<=[<>] )([a-z]\w*(?:(?:->|\.)\w+)*)(?=;| [&|]{2}|\)$)", line.masked):
        yield match.end(), match.end(), " - 1"
    for match in re.finditer(r"\[(\w+)\](?! =[^=])", line.masked):
        if not match.group(1).isdigit() and not match.group(1).isupper():
            yield match.end(1), match.end(1), " + 1"


def relation(line):
    """< for <=, and so on."""
    swap = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
    for match in re.finditer(r"(?<= )(<=|>=|<|>|==|!=)(?= )", line.masked):
        yield match.start(), match.end(), swap[match.group()]


def logic(line):
    """&& for ||, or || for &&."""
    for match in re.finditer(r"&&|\|\|", line.masked):
        yield match.start(), match.end(), "||" if match.group() == "&&" else "&&"


def swapped_arguments(line):
    """Two neighbouring arguments of a call, one for the other; not where their order says nothing."""
    for match in re.finditer(r"\b(?!if\b|while\b|for\b|switch\b|return\b|sizeof\b)[a-z]\w*\(", line.masked):
        end = matching(line.masked, match.end() - 1)
        if re.match(r"f?(?:min|max)\(", match.group()) or (
                re.match(r"(?:str|mem)n?cmp", match.group()) and re.match(r"\) [!=]= 0", line.masked[end:])):
            continue
        cuts, depth = [match.end()], 0
        for at in range(match.end(), end):
            depth += line.masked[at] in "([{"
            depth -= line.masked[at] in ")]}"
            if depth == 0 and line.masked[at] == ",":
                cuts.append(at + 1)
        cuts.append(end + 1)
        for first, second, third in zip(cuts, cuts[1:], cuts[2:]):
            one, two = line.text[first:second - 1].strip(), line.text[second:third - 1].strip()
            if one != two and '"' not in one + two:
                yield first, third - 1, (" " if line.text[first] == " " else "") + two + ", " + one


# Values that are adjacent in rows, structures and lists, and easily confused.
TWINS = ("min max", "low high", "lo hi", "first last", "start end", "begin end", "voluntary involuntary", "mean median",
         "p90 p99", "p99 p999", "user system", "read write", "minor major", "before after", "old new", "soft hard",
         "wall cpu", "sd mean", "lower upper", "left right", "width height", "x y", "x1 x2", "y1 y2", "head tail",
         "offset size", "n_samples n_rows", "count total", "numerator denominator", "a b", "rows columns", "from to")


def swapped_names(line):
    """A field or a variable replaced by the adjacent one."""
    for pair in TWINS:
        one, two = pair.split()
        for name, other in ((one, two), (two, one)):
            for match in re.finditer(rf"(?<![^\W_]){name}(?![^\W_])(?!\()", line.masked):
                yield match.start(), match.end(), other


def swapped_fields(line):
    """Another field of the same structure."""
    for match in re.finditer(FIELD, line.masked):
        for other in sorted(line.fields[match.group(1)] - {match.group(2)}):
            yield match.start(2), match.end(2), other


def dropped_operand(line):
    """Removes an addition, a subtraction or a conversion: the second operand and its operator."""
    for match in re.finditer(r" [-+*/] (?:[a-zA-Z]\w*(?:(?:->|\.)\w+|\[\w+\])*|\d[\w.]*)(?=[;,)\]]| [-+<>=?:&|])", line.masked):
        yield match.start(), match.end(), ""


def dropped_call(line):
    """Removes a call whose value is not used: a row, a write, a clean-up."""
    match = re.match(r"\s*((?:\(void\))?[a-z]\w*\(.*\));$", line.masked)
    if match and matching(line.masked, line.masked.index("(", match.start(1) + 6
                          if match.group(1).startswith("(void)") else match.start(1))) == match.end(1) - 1:
        yield match.start(1), match.end(1), "(void)0"


def dropped_assignment(line):
    """A field that is not filled in, a sum that is not added to."""
    match = (re.match(r"\s*(\w[\w.\[\]>-]*(?:->|\.)\w+(?:\[\w+\])? [-+*/|&]?= [^;]+);$", line.masked) or
             re.match(r"\s*(\w[\w\[\]]* [-+*/|&]= [^;]+|\w[\w.\[\]>-]*(?:\+\+|--));$", line.masked))
    if match:
        yield match.start(1), match.end(1), "(void)0"


def condition(line):
    """Begin and end of what an if or a while of this line asks; None when it does not end here."""
    match = re.match(r"\s*(?:\} else )?(?:if|while) \(", line.masked)
    if not match:
        return None
    end = matching(line.masked, match.end() - 1)
    return (match.end(), end) if end > 0 else None


def dropped_check(line):
    """A failure that is not seen: what is asked still runs, the return does not."""
    found = condition(line)
    if found and "while" not in line.masked and re.match(r"(return|goto|continue|break)\b", line.following):
        yield *found, f"({line.text[slice(*found)]}) && 0"


def negated_condition(line):
    """An if, a while or a choice the wrong way round."""
    found = condition(line)
    if found:
        yield *found, f"!({line.text[slice(*found)]})"
    match = re.search(r"(?:return|=) ([^;?=]+) \? ", line.masked)
    if match:
        yield match.start(1), match.end(1), f"!({line.text[slice(*match.span(1))]})"


UNITS = {"1000": "1024", "1024": "1000", "1e3": "1e6", "1e6": "1e3", "1e9": "1e6", "1000000": "1000", "100": "1000",
         "1000000000": "1000000", "60": "100", "3600": "60", "10": "8", "100.0": "1000.0", "1000.0": "1024.0"}


def wrong_unit(line):
    """A factor between two units that is that of other units."""
    for match in re.finditer(r"(?<=[*/%=,(] )(\d[\de.]*)(?=[uUlL]*\b)", line.masked):
        if match.group(1) in UNITS:
            yield match.start(1), match.end(1), UNITS[match.group(1)]
    for match in re.finditer(r"\b(NS|US|MS|S)_PER_(US|MS|S|MINUTE)\b", line.masked):
        yield match.start(), match.end(), "NS_PER_MS" if match.group() != "NS_PER_MS" else "NS_PER_US"


def wrong_constant(line):
    """Another number, or the other truth value."""
    for match in re.finditer(r"(?<![\w.])(\d+)(?=[uUlL]*(?![\w.]))", line.masked):
        value = match.group(1)
        yield match.start(), match.end(), "1" if value == "0" else str(int(value) + 1)
    for match in re.finditer(r"(?<![\w.])(\d+\.\d+)(?![\w.])", line.masked):
        yield match.start(), match.end(), repr(float(match.group()) * 2 or 1.0)
    for match in re.finditer(r"\b(true|false)\b", line.masked):
        yield match.start(), match.end(), "false" if match.group() == "true" else "true"


KINDS = (sign, off_by_one, relation, logic, swapped_arguments, swapped_names, swapped_fields, dropped_operand,
         dropped_call, dropped_assignment, dropped_check, negated_condition, wrong_unit, wrong_constant)


def faults_of(kind, line):
    for begin, end, replacement in kind(line):
        changed = line.text[:begin] + replacement + line.text[end:]
        yield Fault(line.path, line.number, kind.__name__, line.text.strip(), changed.strip())


# --- The draw. ---

def function_of(text, number):
    """The name of the function that a line is in."""
    code = masked(text)
    for first, last in function_spans(code):
        if code.count("\n", 0, first) < number <= code.count("\n", 0, last) + 1:
            return re.findall(r"^(?!\s|[#}]).*?(\w+)\(", code[:first], re.M)[-1]
    return ""


def draw(top, seed, count, unfit, patterns=SOURCES):
    """Count faults, the kinds in turn, no two of one kind on a line; and how many that were drawn were replaced by the next
    of their kind, by the reason that unfit gives, which is None for one that can be tried."""
    chance = random.Random(seed)
    lines = [line for path in sorted(path for pattern in patterns for path in Path(top).glob(pattern))
             for line in lines_of(str(path.relative_to(top)), path.read_text())]
    choices = {}
    for kind in KINDS:
        choices[kind] = sorted({fault for line in lines for fault in faults_of(kind, line)})
        chance.shuffle(choices[kind])
    chosen, replaced, places, turn = [], {}, set(), []
    while len(chosen) < count and any(choices.values()):
        turn = turn or chance.sample(KINDS, len(KINDS))
        kind = turn.pop()
        while choices[kind]:
            fault = choices[kind].pop()
            if fault[:3] in places:
                continue
            reason = unfit(fault)
            if reason is None:
                places.add(fault[:3])
                chosen.append(fault)
                break
            replaced[reason] = replaced.get(reason, 0) + 1
    return chosen, replaced


def put_in(fault, text):
    """The file's text with the fault on that line, or on the nearest equal one; None when there is none."""
    rows = text.split("\n")
    equal = [number for number, row in enumerate(rows, 1) if row.strip() == fault.before]
    if not equal:
        return None
    row = rows[number := min(equal, key=lambda number: abs(number - fault.line)) - 1]
    rows[number] = row[:len(row) - len(row.lstrip())] + fault.after
    return "\n".join(rows)
