# SPDX-License-Identifier: MIT
# jitbench: one static binary. `make help` lists the targets.

ifeq ($(origin CC),default)
CC := gcc
endif
CFLAGS  ?= -O2 -g
LDFLAGS ?=
PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   ?= build
# The program's file. Sanitizer and coverage builds use another name, so that ./jitbench is always the normal build.
PROGRAM ?= jitbench
LINK    ?= -static

VERSION := 0.1
COMMIT  := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)

# Code for an architecture is in directories named after it. An architecture without a directory, and a directory
# without the file, use the file in generic. 32-bit x86 uses counter and CPUID of x86_64. ARM before version 7 has no
# generic timer and no ISB.
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
ifneq ($(filter arm%,$(MACHINE)),)
MACHINE := $(if $(shell echo __ARM_ARCH | $(CC) $(CFLAGS) -E -P -x c - 2>/dev/null | grep -E '^[4-6]'),armv6,arm)
endif
FAMILY_i386 := x86_64
FAMILY_i486 := x86_64
FAMILY_i586 := x86_64
FAMILY_i686 := x86_64
FAMILY_powerpc64le := powerpc64
FAMILY  := $(or $(FAMILY_$(MACHINE)),$(MACHINE))
ARCH    := $(if $(wildcard include/sys/arch/$(FAMILY)),$(FAMILY),generic)
BARCH   := $(if $(wildcard src/bench/arch/$(FAMILY)),$(FAMILY),generic)
IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null))

WARNINGS := -Wall -Wextra -pedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wvla -Wformat=2 -Wundef
# WERROR=1: compiler warnings are errors; they are in tests unless WERROR=0.
ifneq ($(filter test check,$(MAKECMDGOALS)),)
export WERROR ?= 1
endif
WARNINGS += $(if $(filter-out 0,$(WERROR)),-Werror)

# Of each layer, what it may include: itself and those below.
below_sys      := sys
below_stats    := stats sys
below_rows     := rows stats sys
below_engine   := engine rows stats sys
below_bench    := bench engine rows stats sys
below_load     := load bench engine rows stats sys
below_settings := settings rows stats sys
below_analysis := analysis rows stats sys
below_out      := out analysis rows stats sys
below_report   := report out analysis rows stats sys
below_cmd      := cmd report out analysis settings load bench engine rows stats sys
LAYERS  := $(below_cmd)

# Code placement. The position of a short loop in cache lines and fetch windows changes its time by several per cent,
# and an unrelated change to another file could move it. So in all code that runs between two readings of a clock,
# functions start on a cache line (64 bytes) and loops on a fetch window (32 bytes). Other placement is left to the
# compiler, which keeps the file small. No -march=native: the same binary runs on all machines of one architecture,
# and results are compared between them; variants for newer instructions are chosen at run time. -fno-pie -no-pie:
# code addresses are the same in each process, only data moves (see --layout).
PLACEMENT := -fno-pie
ALIGNED   := -falign-functions=64 -falign-loops=32
# No hardening in measured code: some distributions' compilers and package builders add it and others do not.
UNGUARDED := -fno-stack-protector -U_FORTIFY_SOURCE
CFLAGS_bench := $(ALIGNED) $(UNGUARDED)
CFLAGS_load  := $(ALIGNED) $(UNGUARDED)
CFLAGS_src/engine/worker.c := -O2 $(ALIGNED) $(UNGUARDED)
CFLAGS_src/sys/clock.c := -O2 $(UNGUARDED)
# Code that reads files of the user and the kernel is hardened; none of it is on the measured path.
GUARDED := -fstack-protector-strong $(if $(findstring -fsanitize,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
# Optimised for speed, because it reads files of 100 MB and more.
CFLAGS_src/rows/reader.c := -O2
# The same for thousands of permutations of up to 10,000 values.
CFLAGS_src/stats/change_points.c := -O2
# Optimised for size: none of this runs during a measurement, except for the files above.
$(foreach layer,$(filter-out bench load,$(LAYERS)),$(eval CFLAGS_$(layer) := -Os $$(GUARDED)))

# Relocated data is read-only after the start (RELRO); no memory is both writable and executable.
HARDENED := -Wl,-z,relro,-z,now,-z,noexecstack

# Builds in different directories give the same bytes. Paths in this file are relative, because make does not support
# paths with spaces; the shell provides the absolute path where one is needed.
REPRODUCIBLE := -ffile-prefix-map="$$PWD"=.

# No unwind tables: there are no exceptions, and debuggers use .debug_frame.
SMALL := -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -fno-unwind-tables

# 64-bit file sizes and times on 32-bit machines too. -iquote: what system headers include as <sys/procfs.h> is the
# system's, not ours.
CPPFLAGS_ALL := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -iquote include -Iinclude/sys/arch/$(ARCH) -I$(BUILD) $(CPPFLAGS)
CFLAGS_ALL   := -std=c99 $(WARNINGS) $(PLACEMENT) $(REPRODUCIBLE) -pthread $(SMALL) $(CFLAGS)
LDFLAGS_ALL  := $(LINK) -no-pie -pthread $(HARDENED) -Wl,--gc-sections -Wl,-z,noseparate-code -Wl,--build-id=sha1 $(LDFLAGS)

# The array copy must stay scalar 8-byte accesses: no vectors, no call of memcpy, no unrolling.
ifneq ($(IS_CLANG),)
SCALAR_LOOP := -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-builtin
else
SCALAR_LOOP := -fno-tree-vectorize -fno-tree-slp-vectorize -fno-tree-loop-distribute-patterns -fno-unroll-loops
endif
CFLAGS_src/bench/array.c := $(SCALAR_LOOP)

# The CPU tests of `jitbench unix` use the compiler flags of their published figures, except for -march=native.
# -ffast-math is used for compiling only: *linking* with it would flush denormals in the whole program. Dhrystone's
# two units must not be optimised together.
CFLAGS_src/bench/dhry2reg.c     := -O3 -ffast-math -fno-lto
CFLAGS_src/bench/dhry2reg_2.c   := -O3 -ffast-math -fno-lto
CFLAGS_src/bench/whetstone.c    := -O3 -ffast-math -fno-lto
ifneq ($(filter i%86,$(MACHINE)),)
# Keeps the compiler from using x87 instructions for these functions, because the C library's functions are the work.
CFLAGS_src/bench/whetstone.c += $(addprefix -fno-builtin-,sin cos atan exp log)
endif
CFLAGS_src/bench/arith.c        := -O3 -ffast-math -fno-lto

ARCH_SOURCES := $(foreach f,$(notdir $(wildcard src/sys/arch/generic/*.c)),$(or \
	$(wildcard src/sys/arch/$(ARCH)/$(f)),src/sys/arch/generic/$(f)))
SOURCES := $(sort $(foreach l,$(LAYERS),$(wildcard src/$(l)/*.c)) $(ARCH_SOURCES) \
	$(wildcard src/bench/arch/$(BARCH)/*.c) src/main.c)
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/%.o)
HEADERS := $(wildcard include/*/*.h include/sys/arch/$(ARCH)/*.h)
layer_objects = $(filter $(addprefix $(BUILD)/,$(addsuffix /%,$(1))),$(OBJECTS))

.PHONY: all
all: $(PROGRAM) ## build ./jitbench, static

$(PROGRAM): $(OBJECTS)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $(OBJECTS) -lm

$(BUILD)/%.o: src/%.c $(BUILD)/flags Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(CFLAGS_$(word 2,$(subst /, ,$<))) $(CFLAGS_$<) -MMD -MP -c -o $@ $<

-include $(OBJECTS:.o=.d)

# Rebuilt when the compiler or its flags change; everything else then is too.
.PHONY: FORCE
FORCE:
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL)' | cmp -s - $@ || \
		echo '$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL)' > $@
# Text of `jitbench version`: no date and no path, so that builds can be compared byte by byte.
$(BUILD)/version.h: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '#define VERSION "$(VERSION)"' '#define VERSION_COMMIT "$(COMMIT)"' \
		'#define VERSION_FLAGS "$(filter-out -ffile-prefix-map=%,$(CFLAGS_ALL) $(LINK))"' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(BUILD)/cmd/help.o: $(BUILD)/version.h
# Shell scripts as C strings, for `jitbench completion`. The \? prevents trigraphs.
$(BUILD)/completion_%.h: src/cmd/completion/jitbench.% Makefile
	@mkdir -p $(@D)
	sed 's/[\\"?]/\\&/g; s/.*/"&\\n"/' $< >$@
GENERATED := $(BUILD)/version.h $(patsubst src/cmd/completion/jitbench.%,$(BUILD)/completion_%.h,$(wildcard src/cmd/completion/*))
$(BUILD)/cmd/completion.o: $(filter-out %/version.h,$(GENERATED))

# --- tests -------------------------------------------------------------------------------------------------------------

UNIT := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))
CLI  := $(filter-out test_smoke,$(patsubst tests/cli/%.c,%,$(wildcard tests/cli/test_*.c)))
# A unit test is linked with its module's layer and the layers below, so that a call of a higher layer fails to link.
module_layer = $(or $(patsubst src/%/,%,$(dir $(firstword $(wildcard $(addsuffix /$(1).c,$(addprefix src/,$(LAYERS))))))),cmd)

# Tests are compiled more often than they are run: -O1 would take twice as long, -g a quarter longer. Most tests do not
# use the state that cmocka passes to each, and their made-up rows are not ISO C99.
CFLAGS_TEST := $(filter-out -pedantic,$(subst -O2 -g,-O0,$(CFLAGS_ALL))) -Wno-missing-prototypes -Wno-unused-parameter
# UNIT_CPPFLAGS and UNIT_LINK select a cmocka in another place, see tests/dist/unit.sh.
$(BUILD)/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(UNIT_CPPFLAGS) $(CFLAGS_TEST) -MMD -MP -c -o $@ $<
-include $(wildcard $(BUILD)/test.d $(BUILD)/unit/*.d $(BUILD)/cli/*.d)

# Functions whose calls all unit tests check, see tests/unit/checked.c.
WRAP_ALL            := malloc calloc realloc strdup free qsort _cmocka_run_group_tests
# Functions whose calls a test counts.
WRAP_test_dhry2reg  := Func_1 Func_2 Proc_6 Proc_7 Proc_8
WRAP_test_whetstone := log exp sin cos sincos atan
WRAP_test_plan      := trial_stopped results_take_again signals_sleep_ns
WRAP_test_results   := trial_party trial_machine
# Functions that are replaced by those of a made-up trial, see tests/unit/made_up_trial.h.
MADE_UP_TRIAL       := trial_recorder trial_party results_sample results_hist \
	results_series results_series_from results_cause results_pages results_remark
# Functions that are replaced by those of a made-up clock, see tests/unit/made_up_clock.h.
MADE_UP_CLOCK       := clock_gettime clock_nanosleep __clock_gettime64 __clock_nanosleep_time64
WRAP_test_bandwidth := $(MADE_UP_TRIAL)
WRAP_test_benches   := $(MADE_UP_TRIAL) $(MADE_UP_CLOCK) chase_map chase_walk pages_map memory_node_bind \
	memory_node_count party_stopped results_clock_hz
WRAP_test_command   := $(MADE_UP_TRIAL)
WRAP_test_unix      := $(MADE_UP_TRIAL)
WRAP_test_noise     := $(MADE_UP_TRIAL) $(MADE_UP_CLOCK) machine_watch_read task_read_usage task_current_cpu \
	core_probe_take cgroup_quota_open trial_machine
WRAP_test_wakeup    := $(MADE_UP_TRIAL) $(MADE_UP_CLOCK)
WRAP_test_sim       := $(MADE_UP_CLOCK)
WRAP_test_noise_trace := detour_end
WRAP_test_who_trace   := trace_functions_name
WRAP_test_who         := trace_functions_name tasks_read cgroup_of
# Functions of the kernel and of other layers that return what the test says.
WRAP_test_worker    := task_read_counters task_read_usage $(MADE_UP_CLOCK) clock_sleep_ns task_current_cpu \
	task_offer_to_oom_killer core_probe_take counters_open counters_none counters_start counters_stop \
	counters_read counters_close place_apply_policy
# A disk that is made up, see tests/unit/made_up_disk.h.
MADE_UP_DISK        := pwrite pwrite64 pread pread64 ftruncate ftruncate64 posix_fadvise posix_fadvise64 fdatasync \
	$(MADE_UP_CLOCK)
WRAP_test_trial     := $(MADE_UP_CLOCK)
WRAP_test_disk      := task_read_io $(MADE_UP_DISK)
WRAP_test_read      := $(MADE_UP_DISK)
WRAP_test_write     := $(MADE_UP_DISK)
WRAP_test_hack      := recv
WRAP_test_memload   := munmap
WRAP_test_core      := $(MADE_UP_CLOCK) clock_sleep_ns task_get_affinity task_set_affinity core_probe_take
WRAP_test_machine   := sysinfo
WRAP_test_settings  := sysconf clock_getres
WRAP_test_task      := getrusage getrlimit getrlimit64 clock_gettime
WRAP_test_clock     := clock_gettime
WRAP_test_snapshot  := fsync
WRAP_test_csv       := fsync fdatasync
WRAP_test_files     := fsync
WRAP_test_program   := wait4 procfs_read
WRAP_test_experiment := core_slice
# Functions that fail where the test says so.
WRAP_test_unix_kernel := fork waitpid pipe2 scratch_free_bytes
# Functions that need rights which may be missing on this machine.
WRAP_test_load_trial := task_set_policy task_realtime_limit
comma := ,

# An archive of the objects of each layer and of those below: the linker reads only what a test needs.
AR_OF_CC := $(or $(shell $(CC) -print-prog-name=ar 2>/dev/null),ar)
.SECONDEXPANSION:
$(LAYERS:%=$(BUILD)/unit/%.a): $(BUILD)/unit/%.a: $$(call layer_objects,$$(below_$$*))
	@mkdir -p $(@D)
	@rm -f $@
	$(AR_OF_CC) rcs $@ $^

$(BUILD)/unit/test_%: $(BUILD)/unit/test_%.o $(BUILD)/unit/checked.o $(BUILD)/test.o $(BUILD)/unit/$$(call module_layer,$$*).a
	$(CC) $(CFLAGS_ALL) $(filter-out -static,$(LDFLAGS_ALL)) $(UNIT_LINK) $(addprefix -Wl$(comma)--wrap=,$(WRAP_ALL) $(WRAP_$(@F))) -o $@ $^ -lcmocka -lm

# These say nothing of how long something takes, or hold with other load too; they run first, in parallel. Many of them
# sleep or wait for the disk, so that there are two for each CPU. Those that take longest are first. The others change
# settings of the machine, look at who else runs, or are real-time and would wait for each other; they run one by one.
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
BESIDE_JOBS ?= $(shell expr 2 \* $(JOBS))
BESIDE := $(patsubst %,$(BUILD)/cli/test_%,unix accept options places security) tests/golden/golden.py \
	$(patsubst %,$(BUILD)/cli/test_%,altered completion init old noise project run output repeat report job \
	payload layout show memory check compare export fleet history) $(patsubst %,$(BUILD)/unit/test_%,reader plan trial \
	settings) $(patsubst %,$(BUILD)/unit/%,$(filter-out test_who_trace test_noise_trace,$(UNIT))) \
	tests/test_runner.py tests/man_options.py tests/man_examples.py tests/cpu_work.sh tests/callers.sh
# Prints the numbers of passed, failed and skipped tests. With REQUIRE=1, a skip that is not listed in tests/skips.txt
# is a failure.
RUN       := tests/runner.py
RUN_TESTS  = @JITBENCH=$(PROGRAM) $(RUN) --jobs $(BESIDE_JOBS) --beside '$(BESIDE)'

.PHONY: unit
unit: $(UNIT:%=$(BUILD)/unit/%) ## unit tests
	$(RUN_TESTS) $^

# Command-line tests run the real static binary, named by $JITBENCH, from the top directory.
CLI_COMMON := $(patsubst tests/cli/%.c,$(BUILD)/cli/%.o,$(filter-out $(wildcard tests/cli/test_*.c),$(wildcard tests/cli/*.c)))
# Keeps the object files: make would remove them after linking and compile them again in the next run.
.SECONDARY: $(BUILD)/test.o $(BUILD)/unit/checked.o $(UNIT:%=$(BUILD)/unit/%.o) $(CLI:%=$(BUILD)/cli/%.o) $(CLI_COMMON)
$(BUILD)/cli/test_%: $(BUILD)/cli/test_%.o $(BUILD)/test.o $(CLI_COMMON)
	$(CC) $(CFLAGS_ALL) $(filter-out -static,$(LDFLAGS_ALL)) -o $@ $^ -lcmocka -lm
# The program with a clock that is stretched: its objects, but the one that reads the counter is compiled anew.
$(BUILD)/cli/stretched/clock.o: src/sys/clock.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -include tests/cli/stretched/stretched.h -MMD -MP -c -o $@ $<
$(BUILD)/cli/stretched/program: $(BUILD)/cli/stretched/clock.o $(BUILD)/cli/stretched/stretched.o $(OBJECTS)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -Wl,--wrap=clock_gettime -o $@ $(filter-out $(BUILD)/sys/clock.o,$^) -lm
$(BUILD)/cli/test_causes: | $(BUILD)/cli/stretched/program

.PHONY: cli
cli: $(PROGRAM) $(CLI:%=$(BUILD)/cli/%) ## tests of the command line, on the static binary
	$(RUN_TESTS) $(CLI:%=$(BUILD)/cli/%)

.PHONY: old
old: $(PROGRAM) $(BUILD)/cli/test_old ## each system call refused, with all commands: minutes
	@JITBENCH_OLD=all JITBENCH=$(PROGRAM) $(RUN) --limit 3600 $(BUILD)/cli/test_old

.PHONY: built test check smoke
built: $(PROGRAM) $(UNIT:%=$(BUILD)/unit/%) $(CLI:%=$(BUILD)/cli/%)
test: ## all tests of the build: unit tests, then command-line tests; a warning of the compiler is an error
	$(MAKE) -j$(JOBS) built
	$(RUN_TESTS) tests/test_runner.py 'tests/golden/golden.py $(PROGRAM)' 'tests/man_options.py $(PROGRAM)' tests/man_examples.py 'tests/cpu_work.sh $(BUILD)' 'tests/callers.sh $(BUILD)' \
		$(UNIT:%=$(BUILD)/unit/%) $(CLI:%=$(BUILD)/cli/%) \
		'env MAKE=$(MAKE) BUILD=$(BUILD) PROGRAM=$(PROGRAM) tests/install.sh'
check: test ## the same as test
# A reviewer reads what changed in the difference of tests/golden/out.
.PHONY: golden
golden: $(PROGRAM) ## write the expected outputs in tests/golden/out anew
	tests/golden/golden.py --update $(PROGRAM)
# Range, defaults, order and number of the options in the man pages are those of help.
.PHONY: generated
generated: $(PROGRAM) ## write the lists of options in the man pages anew
	tests/man_options.py --update $(PROGRAM)
smoke: $(PROGRAM) $(BUILD)/cli/test_smoke ## all --quick, whole: under a minute
	@JITBENCH=$(PROGRAM) $(RUN) $(BUILD)/cli/test_smoke

# Each place (one CPU, not root, other file systems, other load, ...) is set up and removed again; one that cannot be
# set up here is skipped with the reason. Mounts and control groups need root. PLACES="nobody load": only these;
# PROGRAMS="cli/test_tune": only these tests.
.PHONY: test-elsewhere
test-elsewhere: built ## the tests with one CPU, as nobody, on btrfs, under load, ...: an hour
	PROGRAMS='$(PROGRAMS)' tests/elsewhere/elsewhere.py $(PLACES)

# Passes the output of `jitbench export` to the programs that read it; programs that are not installed are skipped
# with the reason.
.PHONY: consumers
consumers: $(PROGRAM) ## check that other programs can read the formats of export
	@JITBENCH=$(PROGRAM) $(RUN) tests/consumers/consumers.py
# Adds a benchmark, a load, an export format and a setting to a copy of the sources, as src/README.md describes.
.PHONY: adding
adding: $(PROGRAM) ## check that a new benchmark, load, export format or setting is one file and one line: half a minute
	@$(RUN) 'tests/adding/adding.py $(BUILD)'
# Boots real kernels under QEMU with nothing but the binary, or one unit test. Needs qemu-system-x86, cpio and e2fsprogs;
# downloads the kernels once.
.PHONY: boot boot-aarch64
boot: $(PROGRAM) $(BUILD)/unit/test_noise_trace $(BUILD)/unit/test_who_trace $(BUILD)/cli/test_noise ## Debian's kernels booted with jitbench as PID 1, about three minutes
	@BUILD=$(BUILD) $(RUN) --one tests/boot/boot.py $(PROGRAM)
boot-aarch64: ## as boot, for aarch64, cross-built
	$(MAKE) CC=aarch64-linux-gnu-gcc BUILD=$(BUILD)/aarch64 PROGRAM=$(BUILD)/aarch64/jitbench
	@$(RUN) --one tests/boot/boot.py --arch aarch64 $(BUILD)/aarch64/jitbench
# Full and failing disks, signal storms, stopped processes, limits: each case in its own mount namespace; needs root.
# A case whose requirements are missing is skipped with the reason. CASES="oom control_z": only these.
.PHONY: hostile
$(BUILD)/hostile/storm: tests/hostile/storm.c
	@mkdir -p $(@D)
	$(CC) -std=c99 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) -o $@ $<
hostile: $(PROGRAM) $(BUILD)/hostile/storm ## full disks, signal storms, stopped processes, limits: a minute and a half
	@$(RUN) --one tests/hostile/hostile.py --storm $(BUILD)/hostile/storm $(PROGRAM) $(CASES)
# Opens pages of `jitbench report` in a real browser (chromium, chromium-driver, python3-selenium); skipped without
# it, with the reason.
.PHONY: browser
browser: $(PROGRAM) ## pages of jitbench report in headless Chromium, at 400, 800 and 1200 pixels, light and dark
	@$(RUN) --one tests/browser/run.sh ./$(PROGRAM)
# Compares statistics with scipy's (python3-scipy; skipped without it), and checks the error rates of intervals and
# verdicts with 2000 simulated experiments of each kind, and the causes of detours with 2000 simulated machines, of which
# the unit tests of the same names run a part.
.PHONY: stats scipy
$(BUILD)/stats/inference: tests/stats/inference.c $(call layer_objects,stats sys)
$(BUILD)/stats/verdicts: tests/stats/verdicts.c $(call layer_objects,analysis rows stats sys)
$(BUILD)/stats/inference $(BUILD)/stats/verdicts:
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(filter-out -static,$(LDFLAGS_ALL)) -o $@ $^ -lm
scipy: $(BUILD)/stats/inference ## compare p values with scipy's
	@$(RUN) --one tests/stats/against_scipy.py $(BUILD)/stats/inference
stats: scipy $(PROGRAM) $(BUILD)/stats/verdicts $(BUILD)/unit/test_coverage $(BUILD)/unit/test_detour_sim $(BUILD)/unit/test_run_pairs ## as scipy, and check intervals, verdicts and causes with 2000 simulated experiments: seven minutes
	@$(BUILD)/stats/verdicts ./$(PROGRAM)
	@JITBENCH_STATS=1 $(RUN) --limit 3600 $(BUILD)/unit/test_coverage $(BUILD)/unit/test_detour_sim $(BUILD)/unit/test_run_pairs

# As stats, for change points: 2000 simulated histories of each kind.
.PHONY: history-sim history-real
HISTORY_SIMS := $(BUILD)/unit/test_change_points $(BUILD)/unit/test_history
history-sim: $(HISTORY_SIMS) ## check change points with thousands of simulated histories: a minute
	@JITBENCH_STATS=1 $(RUN) --limit 3600 $(HISTORY_SIMS)
# HISTORY_ARGS="--runs 12 --quick": shorter.
history-real: $(PROGRAM) ## thirty runs of prime, the last ten beside a busy loop: history finds that change; needs a quiet CPU 1
	@JITBENCH=$(PROGRAM) $(RUN) --one tests/stats/history_real.py $(HISTORY_ARGS)

# Verdicts on this machine, where nothing else may run; what was measured stays in $(BUILD)/decide, and the next call goes
# on. Package hyperfine for the comparison. PARTS="aa found run0 run1 run2 run5 coverage".
.PHONY: decide
$(BUILD)/decide/interval: tests/decide/interval.c $(call layer_objects,stats sys)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(filter-out -static,$(LDFLAGS_ALL)) -o $@ $^ -lm
decide: $(PROGRAM) $(BUILD)/decide/interval ## are verdicts of compare and run right here? over an hour; DECIDE_SHORT=1: seconds, without judging
	@$(RUN) --one tests/decide/decide.py $(PROGRAM) $(BUILD)/decide/interval $(BUILD)/decide $(PARTS)

# Makes each system call fail in turn, in all commands: strace lists the calls (skipped without it),
# tests/faults/inject.c makes them fail. FAULTS=300: only this many, drawn with FAULTS_SEED, which is different each
# time unless given; FAULTS_ARGS: see tests/faults/faults.py.
.PHONY: faults
FAULTS ?= 0
$(BUILD)/faults/inject: tests/faults/inject.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(filter-out -static,$(LDFLAGS_ALL)) -o $@ $<
faults: $(PROGRAM) $(BUILD)/faults/inject ## each system call fails in turn: 40 minutes; FAULTS=300: three minutes
	@$(RUN) --one tests/faults/faults.py --cells $(FAULTS) $(if $(FAULTS_SEED),--seed $(FAULTS_SEED)) $(FAULTS_ARGS) $(PROGRAM) $(BUILD)/faults/inject

# The program with allocations that fail (tests/faults/memory.c). MEMORY="tune init": only these commands.
.PHONY: memory-faults
$(BUILD)/faults/memory.o: tests/faults/memory.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<
$(BUILD)/faults/jitbench: $(OBJECTS) $(BUILD)/faults/memory.o
	$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=strdup -o $@ $^ -lm
memory-faults: $(BUILD)/faults/jitbench ## each allocation of prime, run, compare, tune, untune and init fails in turn
	@$(RUN) --one tests/faults/memory.py $(BUILD)/faults/jitbench $(MEMORY)

# Not part of `test`, because it starts a Slurm cluster. Parts whose packages (slurm-wlm munge, openmpi-bin) are
# missing are skipped by name.
.PHONY: cluster
cluster: $(PROGRAM) ## a Slurm of four nodes and mpirun on this machine; FLEET_SHORT=1: in two minutes
	@JITBENCH=$(PROGRAM) $(RUN) --one tests/fleet/fleet.py $(PARTS)

# --- fuzzing -----------------------------------------------------------------------------------------------------------

# A fuzz target is one file tests/fuzz/fuzz_NAME.c, called with bytes by libFuzzer or by replay.c. It runs on a
# machine simulated in memory (tests/fuzz/world.c replaces the wrapped calls of the C library). FUZZ="rows orders":
# only these.
.PHONY: fuzz fuzz-replay fuzz-corpus fuzz-targets
FUZZ         ?= $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SECONDS ?= 60
FUZZ_CLANG   ?= clang-14
FUZZ_CHECKS  := address,undefined,float-cast-overflow
FUZZ_COMMON  := world.o wellformed.o tables.o readers.o
FUZZ_BUILD    = $(MAKE) BUILD=$(1) PROGRAM=$(1)/jitbench CC=$(2) LINK= FUZZ_LINK=$(3) FUZZ_MAIN=$(4) \
	CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=$(5)$(FUZZ_CHECKS) -fno-sanitize-recover=all' fuzz-targets
PROGRAM_PARTS := $(filter-out $(BUILD)/main.o,$(OBJECTS))

$(BUILD)/fuzz/%.o: tests/fuzz/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<
-include $(wildcard $(BUILD)/fuzz/*.d)
$(BUILD)/fuzz/dictionary: $(BUILD)/fuzz/dictionary.o $(PROGRAM_PARTS)
	$(CC) $(CFLAGS_ALL) $(filter-out -static,$(LDFLAGS_ALL)) -o $@ $^ -lm
$(BUILD)/fuzz/fuzz_%: $(BUILD)/fuzz/fuzz_%.o $(FUZZ_COMMON:%=$(BUILD)/fuzz/%) $(FUZZ_MAIN) $(PROGRAM_PARTS)
	$(CC) $(CFLAGS_ALL) $(filter-out -static,$(LDFLAGS_ALL)) $(FUZZ_LINK) \
		$$(tests/fuzz/wraps.sh tests/fuzz/world.c tests/fuzz/fuzz_$*.c) -o $@ $^ -lm
fuzz-targets: $(FUZZ:%=$(BUILD)/fuzz/fuzz_%) $(BUILD)/fuzz/dictionary
fuzz: ## each fuzz target for FUZZ_SECONDS (60): needs clang-14 and libclang-rt-14-dev
	+$(call FUZZ_BUILD,build-fuzz,$(FUZZ_CLANG),-fsanitize=fuzzer,,fuzzer-no-link$(comma))
	FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/fuzz.sh build-fuzz/fuzz $(FUZZ)
fuzz-corpus: ## add inputs that reach new code, found by fuzz or made by seeds.py, to tests/fuzz/corpus
	+$(call FUZZ_BUILD,build-fuzz,$(FUZZ_CLANG),-fsanitize=fuzzer,,fuzzer-no-link$(comma))
	tests/fuzz/corpus.sh build-fuzz/fuzz $(FUZZ)
fuzz-replay: ## run the fuzz targets on their corpora and on all inputs that ever failed; without clang
	+$(call FUZZ_BUILD,build-fuzz-replay,$(CC),,build-fuzz-replay/fuzz/replay.o,)
	@$(RUN) --one tests/fuzz/replay.sh build-fuzz-replay/fuzz $(FUZZ)

# Both run in their own namespaces if root can create them (util-linux), so that leftovers are detected.
.PHONY: kill-test soak
kill-test: $(PROGRAM) ## SIGKILL to parent, workers, loads and helpers at 200 random moments: KILLS=20, KILL_SEED=N, KILL_ONLY=N
	@$(RUN) --one tests/kill/kill.py $(PROGRAM)
soak: $(PROGRAM) ## all suites in a loop for an hour (SOAK_MINUTES=60): memory, descriptors and scratch must stay flat
	tests/soak/soak.py $(PROGRAM)

# --- more ways to build and run ----------------------------------------------------------------------------------------

.PHONY: run perf asan ubsan tsan coverage repro
run: $(PROGRAM) ## jitbench all --quick
	./$(PROGRAM) all --quick

# A program with AddressSanitizer is dynamic, slow, and needs /proc and shared memory: tests that measure or chroot into
# an empty directory do not run on it.
SANITIZED_CLI ?= $(addprefix test_,options layout causes compare completion export fleet job project report show)
# Its warnings differ from those of the normal build.
sanitize = $(MAKE) WERROR=0 BUILD=build-$(1) PROGRAM=build-$(1)/jitbench \
	CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=$(2) -fno-sanitize-recover=all' CLI='$(3)' $(4)
asan: ## units and command line under AddressSanitizer
	ASAN_OPTIONS=allocator_may_return_null=1 $(call sanitize,asan,address,$(SANITIZED_CLI),LINK= test)
ubsan: ## units and command line under UndefinedBehaviorSanitizer
	$(call sanitize,ubsan,undefined,$(SANITIZED_CLI) $(addprefix test_,check latency run unix),test)
# gcc 12's ThreadSanitizer cannot place its shadow memory on newer kernels, which randomise more address bits, so
# randomisation is turned off.
TSAN_UNITS := test_trial test_plan test_recorder
tsan: ## the engine's units under ThreadSanitizer
	$(call sanitize,tsan,thread,,LINK= $(TSAN_UNITS:%=build-tsan/unit/%))
	@$(RUN) $(TSAN_UNITS:%='setarch -R build-tsan/unit/%')

# The program is static like the normal build, so that all tests run on it. Files are compiled without optimisation,
# so that each line has code of its own, except for Dhrystone and similar files. A test that fails because the program
# is slower only ends its own count.
COVERED := build-coverage
COVERAGE_CLI ?= $(CLI)
COVERAGE_FLAGS = BUILD=$(COVERED) PROGRAM=$(COVERED)/jitbench CFLAGS='-O0 -g --coverage' \
	LDFLAGS='-Wl,--wrap=_exit -Wl,--wrap=getenv $(COVERED)/exit.o' $(foreach f,$(LAYERS) src/engine/worker.c \
	src/sys/clock.c src/rows/reader.c src/stats/change_points.c src/bench/array.c src/bench/arith.c,CFLAGS_$(f)=-O0)
$(COVERED)/exit.o: tests/coverage/exit.c
	@mkdir -p $(@D)
	$(CC) -std=c99 $(WARNINGS) -Wno-missing-prototypes -O1 -c -o $@ $<
.PHONY: covered
covered: $(COVERED)/exit.o
	$(MAKE) -j$(JOBS) $(COVERAGE_FLAGS) built
coverage: covered ## lines and branches that the units and the command line's tests reach, by gcovr
	find $(COVERED) -name '*.gcda' -delete
	$(COVERED)/jitbench version >/dev/null && find $(COVERED) -name '*.gcda' -exec chmod a+rw {} +
	for t in $(UNIT:%=$(COVERED)/unit/%) $(COVERAGE_CLI:%=$(COVERED)/cli/%); do \
		echo "== $$t"; JITBENCH=$(COVERED)/jitbench $$t || :; done >$(COVERED)/tests.log 2>&1
	@grep '^\[  FAILED  \] test_' $(COVERED)/tests.log | sort -u | sed 's/.*\] /fails in the coverage build: /' || :
	gcovr --root . --filter src/ --json-summary $(COVERED)/coverage.json $(COVERED)
	tests/coverage/summary.py $(COVERED)/coverage.json

# Continues an interrupted draw. MINUTES=60: starts no fault after an hour. DRAW=tests/mutation/results/FILE: an
# earlier draw.
.PHONY: mutation
mutation: ## 100 faults drawn at random: do the tests notice them? needs root; some hours, in shards: MINUTES=60
	tests/mutation/mutation.py run $(if $(MINUTES),--minutes $(MINUTES)) $(DRAW)

repro: ## check that two builds in different directories are the same bytes
	tests/repro.sh

# Other tools are built as their users would build them: for this machine, dynamic. The plain loops are linked like
# jitbench. `tests/perf/perf.py SECTION...` runs single sections.
$(BUILD)/perf/loops: PERF_LINK := $(LINK)
# Compiler flag of the original's Whetstone.
$(BUILD)/perf/whetstone: PERF_CFLAGS := -ffast-math
# The time of an exec depends on the size of the program, so the same loops are also built into a program with all of
# jitbench.
SIZED := $(filter-out $(BUILD)/main.o,$(OBJECTS))
$(BUILD)/perf/loops-sized: tests/perf/loops.c $(SIZED)
	@mkdir -p $(@D)
	$(CC) -DLOOPS_WITH_JITBENCH $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(filter-out %--gc-sections,$(LDFLAGS_ALL)) -o $@ $^ -lm
# Linked dynamically like the original's programs, without a library that these loops do not need.
$(BUILD)/perf/loops-dynamic: tests/perf/loops.c
	@mkdir -p $(@D)
	$(CC) -std=c99 -D_GNU_SOURCE -DLOOPS_WITHOUT_MATH $(WARNINGS) -O2 -o $@ $<
# Built with the program's own objects, so that they are as fast as in the program.
$(BUILD)/perf/probed: tests/perf/probed.c $(SIZED)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ -lm
$(BUILD)/perf/read: tests/perf/read.c $(call layer_objects,$(below_out))
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ -lm
PERF := $(patsubst tests/perf/%.c,$(BUILD)/perf/%,$(filter-out tests/perf/read.c tests/perf/probed.c,$(wildcard tests/perf/*.c)))
$(PERF): $(BUILD)/perf/%: tests/perf/%.c
	@mkdir -p $(@D)
	$(CC) -std=c99 -D_GNU_SOURCE $(WARNINGS) -O3 -march=native $(PERF_CFLAGS) -pthread $(PERF_LINK) -o $@ $< -lm
perf: $(PROGRAM) $(PERF) $(BUILD)/perf/loops-sized $(BUILD)/perf/loops-dynamic $(BUILD)/perf/read $(BUILD)/perf/probed ## speed and memory compared with targets and other tools; no pass or fail
	if command -v musl-gcc >/dev/null; then $(MAKE) -s CC=musl-gcc BUILD=$(BUILD)/musl PROGRAM=$(BUILD)/musl/jitbench; fi
	JITBENCH=$(PROGRAM) MUSL_JITBENCH=$(BUILD)/musl/jitbench PERF_PROGRAMS=$(BUILD)/perf tests/perf/perf.py

# --- static analysis ----------------------------------------------------------------------------------------------------

.PHONY: lint lint-style layers format
LINT_SOURCES := $(SOURCES)
FORMATTED    := $(wildcard src/*/*.c src/*/arch/*/*.c src/*.c include/*/*.h include/*/*/*/*.h tests/*/*.c tests/*/*.h tests/*.[ch])
# cppcheck does not know __attribute__((cleanup)), and takes a struct error to be read where it is written; -fanalyzer and
# the sanitizers look for leaks and uninitialised values.
lint-style: ## clang-format, layers, shellcheck, mandoc, draws of mutation, cppcheck: half a minute
	@mkdir -p $(BUILD) && $(MAKE) -s $(GENERATED)
	@$(RUN) 'clang-format --dry-run --Werror $(FORMATTED)' \
		tests/layers.py tests/initialised.sh \
		'shellcheck -x $(wildcard .ci/* tests/*.sh tests/*/*.sh tests/*/*.bash src/cmd/completion/*.bash)' \
		'mandoc -Tlint -Wwarning $(wildcard man/*.[1-9])' \
		'tests/mutation/mutation.py check' \
		tests/mutation/selftest.py \
		'cppcheck --quiet --error-exitcode=1 --std=c99 --enable=warning,performance,portability --inline-suppr \
		--suppress=missingIncludeSystem --suppress=memleak --suppress=ctuuninitvar --suppress=internalAstError:src/bench/bandwidth.c -D_GNU_SOURCE -Iinclude -Iinclude/sys/arch/$(ARCH) -I$(BUILD) $(LINT_SOURCES)'
lint: lint-style ## the same, gcc -fanalyzer and clang-tidy: seven minutes
	$(MAKE) -j$(JOBS) BUILD=build-analyzer PROGRAM=build-analyzer/jitbench CFLAGS='-O1 -fanalyzer -Werror'
	@$(RUN) --limit 3600 --jobs $(JOBS) --beside clang-tidy \
		$(foreach layer,$(LAYERS) main,$(if $(filter src/$(layer)%,$(LINT_SOURCES)),'clang-tidy --quiet --warnings-as-errors=* \
		$(filter src/$(layer)%,$(LINT_SOURCES)) -- $(CPPFLAGS_ALL) -std=c99'))
layers: ## size of each layer beside its budget, and which includes which; fails on an upward include or a layer that is too large
	@tests/layers.py
format: ## clang-format all sources in place
	clang-format -i $(FORMATTED)

# --- release builds ----------------------------------------------------------------------------------------------------

.PHONY: dist
DIST ?=
dist: ## dist/*.tar.gz: eight architectures, tested under emulation; DIST="s390x armhf" only these
	tests/dist/dist.sh $(DIST)

# --- installing --------------------------------------------------------------------------------------------------------

.PHONY: install uninstall installcheck deb debcheck clean help
BINDIR  ?= $(PREFIX)/bin
MANDIR  ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
# Uses the compiler's own strip, because the machine's cannot read other architectures' programs. STRIP=: no
# stripping.
STRIP   ?= $(or $(shell $(CC) -print-prog-name=strip),strip)

MAN := $(wildcard man/*.[1-9])
# Files to be installed, each as FILE:PLACE. Exactly these are installed and removed.
COMPLETION := src/cmd/completion/jitbench
INSTALLED := $(PROGRAM):$(BINDIR)/jitbench $(COMPLETION).bash:$(BASHDIR)/jitbench \
	$(COMPLETION).zsh:$(ZSHDIR)/_jitbench $(COMPLETION).fish:$(FISHDIR)/jitbench.fish \
	$(foreach m,$(MAN),$(m):$(MANDIR)/man$(subst .,,$(suffix $(m)))/$(notdir $(m)))
install: $(PROGRAM) ## to $(DESTDIR)$(PREFIX), stripped, with man pages and completions
	@set -e; for each in $(INSTALLED); do \
		file=$${each%%:*} place='$(DESTDIR)'$${each#*:}; \
		mode=644; test "$$file" != '$(PROGRAM)' || mode=755; \
		echo "install $$place"; install -d "$${place%/*}"; install -m $$mode "$$file" "$$place"; \
	done
	$(STRIP) '$(DESTDIR)$(BINDIR)/jitbench'
uninstall: ## remove the installed files
	@for each in $(INSTALLED); do echo "remove $(DESTDIR)$${each#*:}"; rm -f '$(DESTDIR)'"$${each#*:}"; done
installcheck: $(PROGRAM) ## check install and uninstall in an empty directory
	@MAKE='$(MAKE)' BUILD='$(BUILD)' PROGRAM='$(PROGRAM)' $(RUN) tests/install.sh

# Builds the Debian package with dpkg-buildpackage from a copy of the sources. debian/changelog is generated there, so
# that version and date each have a single source. SOURCE_DATE_EPOCH is that of the commit, so that a commit always
# gives the same package.
DEB := $(BUILD)/deb
MAINTAINER = $(shell sed -n 's/^Maintainer: //p' debian/control)
SOURCE_DATE_EPOCH ?= $(or $(shell git log -1 --format=%ct 2>/dev/null),$(shell stat -c %Y Makefile))
deb: ## a Debian package in $(BUILD)/deb, checked by lintian if installed
	rm -rf $(DEB)
	mkdir -p $(DEB)/jitbench-$(VERSION)
	tar -c --exclude=./.git --exclude='./build*' --exclude=./dist --exclude=./jitbench --exclude='./jitbench-*' . | \
		tar -x -C $(DEB)/jitbench-$(VERSION)
	date -u -R -d @$(SOURCE_DATE_EPOCH) | sed 's/^/ -- $(MAINTAINER)  /' | cat debian/changelog.in - | \
		sed 's/@VERSION@/$(VERSION)/' >$(DEB)/jitbench-$(VERSION)/debian/changelog
	cd $(DEB)/jitbench-$(VERSION) && env -u MAKEFLAGS -u MAKELEVEL SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) COMMIT=$(COMMIT) \
		dpkg-buildpackage -us -uc -b $(DEBFLAGS)
	rm -rf $(DEB)/jitbench-$(VERSION)
	@if command -v lintian >/dev/null; then echo lintian; lintian --fail-on error $(DEB)/*.changes; \
		else echo 'not read by lintian: it is not installed'; fi
	@ls -l $(DEB)/*.deb
debcheck: deb ## check the package: runs from a scratch directory, two builds are the same
	MAKE='$(MAKE)' DEB='$(DEB)' tests/deb.sh
clean: ## remove everything that was built
	rm -rf build build-fuzz build-fuzz-replay build-asan build-ubsan build-tsan build-coverage build-analyzer build-dist dist jitbench
help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1|\2/p; s/^\(install\|\$$(PROGRAM)\):.*## \(.*\)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
		sort -u | awk -F'|' '{printf "  %-12s %s\n", $$1, $$2}'
