#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Adds a benchmark, a load, an export format and a setting to a copy of the sources, in the way that src/README.md describes:
one file and one line each; for the setting, one entry. Builds the copy, and checks that the program lists, runs,
describes and completes what was added. Takes the directory whose objects the build starts from."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ADDED = [  # the file, its directory, the list, the line, and the line before which it is put
    ('yield.c', 'src/bench', 'include/bench/list.h', 'ENTRY(yield)', 'ENTRY(calibrate)'),
    ('yielding.c', 'src/load', 'include/load/list.h', 'ENTRY(yielding)', 'ENTRY(hack)'),
    ('export_tsv.c', 'src/out', 'include/out/export.h', 'ENTRY(tsv, "tsv")', 'ENTRY(unixbench, "unixbench")'),
]
SETTINGS = 'src/settings/settings.c'
OWN = 'tests/adding/'
COMPLETE = '''eval "$(jitbench completion bash)"
COMP_WORDS=(jitbench "$@") COMP_CWORD=$#
COMP_LINE=${COMP_WORDS[*]} COMP_POINT=${#COMP_LINE}
_jitbench jitbench "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
echo "${COMPREPLY[@]}"'''

failures = 0


def fail(text):
    global failures
    failures += 1
    print('adding: ' + text, file=sys.stderr)


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def insert(path, before, text):
    """Puts the text before the line."""
    old = read(path)
    if old.count(before) != 1:
        sys.exit(f'adding: {path} has {before!r} {old.count(before)} times')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(old.replace(before, text + before))


def add(copy, readme):
    for name, directory, header, line, before in ADDED:
        shutil.copy(OWN + name, f'{copy}/{directory}')
        insert(f'{copy}/{header}', '    ' + before, f'    {line} \\\n')
        for path in (directory, header):
            if path not in readme:
                fail(f'src/README.md does not name {path}')
    insert(f'{copy}/{SETTINGS}', '};\nconst size_t settings_count', read(OWN + 'dirty_ratio'))
    if SETTINGS not in readme:
        fail(f'src/README.md does not name {SETTINGS}')


def says(pattern, *command, status=0, **arguments):
    """Runs the command and looks for the pattern in its output."""
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                         check=False, **arguments)
    if run.returncode not in (status if isinstance(status, tuple) else (status,)):
        fail(f'{command}: status {run.returncode}\n{run.stdout}')
    elif not re.search(pattern, run.stdout, re.M):
        fail(f'{command} does not say {pattern!r}, but:\n{run.stdout}')


def check(copy):
    program = f'{copy}/jitbench'
    environment = dict(os.environ, PATH=copy + ':' + os.environ['PATH'])

    def offers(word, *words):
        says(rf'(^| )(\S+,)?{word}( |$)', 'bash', '-c', COMPLETE, 'bash', *words, env=environment)

    def quick(*words):
        return (program, *words, '--quick', '--samples', '1', '--time', '100ms', '-o', 'r.csv', '--force')

    # The benchmark.
    says(r'^  yield +sched_yield\(\)$', program, 'list', 'unix')
    says(r'^    rate +lps ', program, 'list', '--metrics', 'unix')
    says(r'^sched_yield\(\) .* lps ', *quick('unix', 'yield'), cwd=copy)
    says(r',unix,yield,.*,rate,lps,higher,', 'cat', f'{copy}/r.csv')
    says(r'sched_yield\(\)', program, 'show', 'r.csv', cwd=copy)
    says(r'^sched_yield\(\) ', *quick('unix', 'misc', '--copies', '1'), cwd=copy)
    says(r"did you mean 'yield'", program, 'unix', 'yeild', status=2)
    offers('yield', 'unix', 'yie')
    # The format.
    says(r'^unix\tyield\trate\t[0-9.]+$', program, 'export', '--format', 'tsv', 'r.csv', cwd=copy)
    says(r'openmetrics,\s+tsv,\s+unixbench', program, 'export', '--help')
    offers('tsv', 'export', '--format', 't')
    # The load.
    says(r'memload,\s+yielding,\s+hack', program, 'latency', '--help')
    says(r'^yielding ', *quick('latency', 'audio', '--load', 'yielding', '--loops-per-ms', '100000'), cwd=copy)
    says(r',latency,audio,yielding,', 'cat', f'{copy}/r.csv')
    offers('yielding', 'latency', '--load', 'yi')
    # The setting. The value of this machine may be good or noisy; where there is no such file, it is n/a.
    says(r'^dirty_ratio +\S+', program, 'check', 'dirty_ratio', status=(0, 4))
    says(r'"id": "dirty_ratio"', program, 'check', '--json', 'dirty_ratio', status=(0, 4))
    offers('dirty_ratio', 'check', 'dirty')
    offers('dirty_ratio', 'tune', 'dirty')


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else 'build'
    directory = tempfile.mkdtemp()
    try:
        for each in ('include', 'src'):
            shutil.copytree(each, f'{directory}/{each}')
        shutil.copy('Makefile', directory)
        if os.path.isdir(build):
            shutil.copytree(build, f'{directory}/build', ignore=lambda path, names: [
                name for name in names if not name.endswith(('.o', '.d', '.h')) and '.' in name] + ['unit', 'cli'])
        add(directory, read('src/README.md'))
        environment = {name: value for name, value in os.environ.items() if not name.startswith('MAKE')}
        made = subprocess.run(['make', '-C', directory, 'WERROR=1', f'-j{os.cpu_count()}'], text=True, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if made.returncode:
            sys.exit('adding: the copy does not build:\n' + made.stdout)
        check(directory)
    finally:
        shutil.rmtree(directory)
    sys.exit(failures > 0)


if __name__ == '__main__':
    main()
