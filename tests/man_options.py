#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the lists of options in the man pages with help, which prints the option tables; --update writes them anew.

    man_options.py [--update] PROGRAM

Of each item the first line and the brackets (range and defaults) come from help, and so do order and number of the items. The
text between is written by hand, and kept; a new option begins with the words of help. Options common to all that measure stand
in jitbench-options(7); the page of a command has those only that differ there."""
import os
import pathlib
import re
import subprocess
import sys

MAN = pathlib.Path(__file__).resolve().parent.parent / "man"
COMMON = "Options common to all that measure"
OPTION = re.compile(r" +(?:-(\w), )?(?: *)--([\w-]+)(\[=\S+\]| [^ ]+(?: [A-Z][^ ]*)*)?(?:  +(.*))?$")


def groups_of(program, command):
    """The groups of options in the help of a command: heading, and a list of options."""
    env = {**os.environ, "COLUMNS": "10000"}
    text = subprocess.run([program, "help", command], capture_output=True, text=True, check=True, env=env).stdout
    groups = {}
    lines = iter(text.split("\n"))
    for line in lines:
        if re.match(r"Options.*:$", line):
            options = groups.setdefault(COMMON if "help options" in line else line[:-1], [])
        elif groups and (found := OPTION.match(line)):
            letter, name, value, words = found.groups()
            options.append(option(letter, name, value, words or next(lines).strip()))
    return groups


def option(letter, name, value, words):
    """Of an option: name, first line of its item, brackets, and help as a sentence."""
    words, _, notes = words.partition("  (")
    also = re.search(r" \(also ([^)]*)\)$", words)
    names = ([letter] if letter else []) + ["-" + name] + (also[1].replace("-", "", 1).replace(" -", " ").split(", ") if also else [])
    head = ".It " + " , ".join("Fl " + each for each in names)
    if value:
        head += f" Ns Op = Ns Ar {value[2:-1]}" if value[0] == "[" else f" Ar{value}"
    words = words[:also.start()] if also else words
    sentence = words[0].upper() + words[1:] + ("" if words[-1] == "." else ".")
    return name, head, escape("(" + notes) if notes else "", escape(sentence)


def escape(text):
    text = re.sub(r"(?<![\w)])-|(?<=-)-", r"\\-", text.replace("\\", r"\e"))
    return "\\&" + text if text[0] in ".'" else text


def items_of(lines):
    """The hand-written text of each item of a list, by the name of the option; brackets are the note None."""
    items, body = {}, None
    for line in lines:
        if line.startswith(".It Fl"):
            body = items.setdefault(re.search(r"Fl -([\w-]+)", line)[1], [])
        elif body is not None:
            body.append(None if line.startswith("(") else line)
    return items


def list_of(options, items, words):
    """The lines of a list of options."""
    lines = [".Bl -tag -width Ds"]
    for name, head, notes, sentence in options:
        body = items.get(name) or [words or sentence] + [None] * bool(notes)
        if notes and None not in body:
            body = body + [None]
        lines.append(head)
        lines += [notes if line is None else line for line in body if line is not None or notes]
    return lines + [".El"]


def page_of(text, groups, common):
    """The page, with its lists of options as help has them."""
    before, section, rest = cut(text)
    lists = {}
    for part in re.split(r"(?=^\.S[sh] )", section, flags=re.M)[1:]:
        lines = part.rstrip("\n").split("\n")
        at = lines.index(".Bl -tag -width Ds") if ".Bl -tag -width Ds" in lines else len(lines)
        end = max((i for i, line in enumerate(lines) if line == ".El"), default=len(lines))
        lists[lines[0]] = (lines[:at], items_of(lines[at + 1:end]), lines[end + 1:])
    out = []
    for heading, options in groups.items():
        title = f".Ss {heading}" if f".Ss {heading}" in lists or heading == COMMON else ".Sh OPTIONS"
        intro, items, after = lists.pop(title, ([title], {}, []))
        words = ""
        if heading == COMMON and common is not None:
            options = [each for each in options if each not in common]
            intro = [title, "See", ".Xr jitbench-options 7 ."] + ["These differ:"] * bool(options)
            items, words, after = {}, "", []
        out += intro + (list_of(options, items, words) if options else []) + after
    out = [line for title, (intro, _, after) in lists.items() for line in intro + after] + out
    return before + "\n".join(out) + "\n" + rest


def cut(text):
    """What is before the section OPTIONS, that section, and what follows."""
    begin = text.index("\n.Sh OPTIONS\n") + 1
    end = text.find("\n.Sh ", begin) + 1 or len(text)
    return text[:begin], text[begin:end], text[end:]


def missing_defaults(text, groups):
    """The options whose text lacks a number that help gives as a default: 5 s and 2 s of "default: 5 s, 2 s with --quick"."""
    words = text.replace("\n", " ")
    for name, head, _, sentence in (each for options in groups.values() for each in options):
        item = re.search(re.escape(head) + r" (.*?)(?=\.It |\.El )", words)
        for number in re.findall(r"(?:(?<=default: )|(?<=, ))\d+(?: [a-z]+)?", sentence.partition("default: ")[1] + sentence.partition("default: ")[2]):
            if item and " " + number not in item[1]:
                yield f"--{name}: '{number}'"


def wrong_prose(text, groups):
    """The sentences 'Without -X ... N' anywhere in the page whose number is not help's default of this option."""
    said = {}
    for _, head, notes, sentence in (each for options in groups.values() for each in options):
        for name in re.findall(r"Fl -?([\w-]+)", head):
            found = re.search(r"default:? (\d+(?: [a-z]+|%)?)", sentence + notes)
            said[name] = found[1] if found else None
    for name, rest in re.findall(r"(?:^|\. )Without \.Fl -?([\w-]+) ([^.]*)", text.replace("\n", " ")):
        for number in re.findall(r"\b\d+(?: (?:[num]?s|min|h|%))?", rest):
            if said.get(name, number) != number:
                yield f"Without {name} {rest}"


SAID = re.compile(r"\(default ([^);]+)\)|([\w.]+(?: (?:[num]?s|min|h|%)(?!\w))?) by default|by default (?:to )?(\d\S*(?: [a-z]+)?)")


def wrong_defaults(text, groups, common):
    """The sentences 'default N', 'N by default' and 'by default N' with an option in them, or in the list's item that they
    are of, of which none has this default in help. That of --max-time is with the tests, and man_pages.py's subject."""
    said = {}
    for _, head, notes, sentence in (each for options in (*groups.values(), common) for each in options):
        for name in re.findall(r"Fl -?([\w-]+)", head):
            said.setdefault(name, " ".join((sentence + " " + notes).replace("\\", "").split()))
    item = []
    for part in re.split(r"\n(?=\.(?:S[sh]|It|El|Pp|Bl)\b)", text):
        head, _, body = part.partition("\n")
        item = re.findall(r"Fl -?([\w-]+)", head) if head.startswith(".It") else [] if head.startswith((".S", ".El")) else item
        for sentence in re.split(r"(?<=[a-z)])\.(?: |$)", body.replace("\n", " ").replace("\\", "")):
            names = [name for name in item + re.findall(r"Fl -?([\w-]+)", sentence) if name in said]
            for number in (next(filter(None, found)) for found in SAID.findall(sentence)):
                if re.match(r"\d", number) and names and "max-time" not in names and not any(
                        re.search(rf"(?<![\w.]){re.escape(number.replace(' %', '%').replace(' hours', ' h'))}(?![\w.])", said[name].replace(" %", "%")) for name in names):
                    yield f"{sentence.strip()}: {number}"


def wrong_sizes(text, groups):
    """The sizes and times of a sentence 'By default ...' or 'Without the option ...' in an option's item that help lacks."""
    for _, head, notes, words in (each for options in groups.values() for each in options):
        item = re.search(re.escape(head) + r" (.*?)(?=\.It |\.El )", text.replace("\n", " "))
        for sentence in re.findall(r"(?:By default|Without the option) .*?[a-z)]\.(?= |$)", item[1] if item else ""):
            for number in re.findall(r"\d[\d.]* (?:[num]?s|min|h|%|[KMGT]iB)(?!\w)", sentence):
                if not re.search(rf"(?<![\w.]){re.escape(number)}(?!\w)", words + notes):
                    yield f"{sentence}: {number}"


def main(arguments):
    update = "--update" in arguments
    program = os.path.join(".", arguments[-1])
    common = groups_of(program, "all")[COMMON]
    differing, missing = [], []
    for path in sorted(MAN.glob("*.[17]")):
        text = path.read_text()
        command = path.stem.partition("-")[2]
        if not command or "\n.Sh OPTIONS\n" not in text:
            missing += [f"{path.name}: {each}" for each in wrong_defaults(text, {}, common)]
            continue
        options_page = command == "options"
        groups = {COMMON: common} if options_page else groups_of(program, command)
        new = page_of(text, groups, None if options_page else common)
        missing += [f"{path.name}: {each}" for each in (*missing_defaults(text, groups), *wrong_prose(text, groups), *wrong_sizes(text, groups), *wrong_defaults(text, groups, common))]
        if new != text:
            differing.append(path.name)
            if update:
                path.write_text(new)
    if differing and not update:
        print(f"man_options: options differ from help: {' '.join(differing)}: make generated", file=sys.stderr)
    for each in missing:
        print(f"man_options: the default of help is not in the text of {each}", file=sys.stderr)
    return bool(missing or differing and not update)


sys.exit(main(sys.argv[1:]))
