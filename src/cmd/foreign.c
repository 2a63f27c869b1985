/* SPDX-License-Identifier: MIT */
/* Options of programs that latency, noise and run replace, with the names of jitbench's options for the same
 * purpose. */
#include "cmd/foreign.h"

const struct option_foreign foreign_cyclictest[] = {
    {"D", "the length of a sample is --time"},
    {"duration", "the length of a sample is --time"},
    {"p", "the real-time priority is --fifo=PRIO"},
    {"prio", "the real-time priority is --fifo=PRIO"},
    {"priority", "the real-time priority is --fifo=PRIO"},
    {"a", "the CPUs are --cpus LIST"},
    {"affinity", "the CPUs are --cpus LIST"},
    {"cpu", "the CPUs are --cpus LIST"},
    {"json", "'jitbench export -f json FILE.csv' converts the CSV"},
    {NULL, NULL},
};

const struct option_foreign foreign_hyperfine[] = {
    {"r", "the number of runs is --samples"},
    {"min-runs", "an exact number of runs is --samples, and --precision says when there are enough"},
    {"max-runs", "an exact number of runs is --samples, and --max-time ends it early"},
    {"N", "no shell is started without --shell"},
    {"p", "a command before each run is --prepare"},
    {"command-name", "the name is --name"},
    {"export-json", "'jitbench export -f json FILE.csv' converts the CSV"},
    {"export-csv", "the CSV is --output FILE, and 'jitbench export' has hyperfine's"},
    {"export-markdown", "'jitbench compare --format markdown' prints it from the CSV"},
    {NULL, NULL},
};
