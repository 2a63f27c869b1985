/* SPDX-License-Identifier: MIT */
/* Options of the programs that latency, noise, wakeup and run replace, with the options of jitbench for the same. */
#include "cmd/cmd.h"

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

const struct option_foreign foreign_wakeup[] = {
    {"l", "the length of the run is -D TIME"},
    {"loops", "the length of the run is -D TIME"},
    {"d", "the threads of all CPUs wake up at once"},
    {"distance", "the threads of all CPUs wake up at once"},
    {"n", "it always sleeps by clock_nanosleep()"},
    {"nanosleep", "it always sleeps by clock_nanosleep()"},
    {"y", "the policy is SCHED_FIFO, or with -p 0 the normal one"},
    {"policy", "the policy is SCHED_FIFO, or with -p 0 the normal one"},
    {"latency", "/dev/cpu_dma_latency is held at 0, unless --no-hold-latency is given"},
    {"json", "'jitbench export -f cyclictest-json FILE.csv' writes it"},
    {"H", "the histogram of all CPUs together is below the table; -h N sets where it ends"},
    {"histofall", "the histogram of all CPUs together is below the table; -h N sets where it ends"},
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
    {"export-csv", "the CSV is --output FILE, and 'jitbench export -f hyperfine-json' has hyperfine's figures"},
    {"export-markdown", "'jitbench compare --format markdown' prints it from the CSV"},
    {NULL, NULL},
};
