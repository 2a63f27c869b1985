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
# The program's file; sanitizer and coverage builds name another, so that ./jitbench is always the real one.
PROGRAM ?= jitbench
LINK    ?= -static

VERSION := 0.1
COMMIT  := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)

# Architecture by folder. What has no folder of its own uses generic; so does a file that a folder lacks. 32-bit x86 has the
# counter and the CPUID of x86_64. ARM before version 7 has no generic timer, and no ISB.
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

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wvla -Wformat=2 -Wundef
# WERROR=1: a warning ends the build.
WARNINGS += $(if $(filter-out 0,$(WERROR)),-Werror)

# Benign code placement. Where a loop falls in its cache lines and fetch windows moves a short loop's time by several per cent, and
# an unrelated change to another file would move it. So in all code that runs between two readings of a clock every function
# starts on a cache line (64 bytes) and every loop on a fetch window (32 bytes): a change elsewhere no longer shifts a
# measured loop. The rest is left to the compiler, which keeps the file small. No -march=native: the same bytes run
# on, and are compared between, all machines of one architecture; what profits from newer instructions is
# chosen at run time. -fno-pie -no-pie: code addresses are the same in each process, only data moves (see --layout).
PLACEMENT := -fno-pie
ALIGNED   := -falign-functions=64 -falign-loops=32
# Nor are there guards in it that one distribution's compiler or package builder adds and another's does not.
UNGUARDED := -fno-stack-protector -U_FORTIFY_SOURCE
CFLAGS_bench := $(ALIGNED) $(UNGUARDED)
CFLAGS_load  := $(ALIGNED) $(UNGUARDED)
CFLAGS_src/engine/worker.c := -O2 $(ALIGNED) $(UNGUARDED)
CFLAGS_src/sys/clock.c := -O2 $(UNGUARDED)
# What reads the user's files and the kernel's is guarded: nothing of it is on the measured path.
GUARDED := -fstack-protector-strong $(if $(findstring -fsanitize,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
# Files of 100 MB and more.
CFLAGS_src/out/reader.c := -O2
# Nothing of these runs while anything is measured, but for the two files above.
CFLAGS_sys    := -Os $(GUARDED)
CFLAGS_engine := -Os $(GUARDED)
CFLAGS_cmd    := -Os $(GUARDED)
CFLAGS_out    := -Os $(GUARDED)

# What the linker can make read-only is so once the program runs; no memory is both written and executed.
HARDENED := -Wl,-z,relro,-z,now,-z,noexecstack

# Two builds in different folders are the same bytes. The shell names the folder: all paths here are relative, since those of
# make have no blanks, and a checkout's may have some.
REPRODUCIBLE := -ffile-prefix-map="$$PWD"=.

# Nothing is thrown or unwound here; debuggers read .debug_frame instead.
SMALL := -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -fno-unwind-tables

# Files and times of 64 bits on 32-bit machines too; elsewhere they are so anyway.
CPPFLAGS_ALL := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -Iinclude -Iinclude/sys/arch/$(ARCH) -I$(BUILD) $(CPPFLAGS)
CFLAGS_ALL   := -std=c99 $(WARNINGS) $(PLACEMENT) $(REPRODUCIBLE) -pthread $(SMALL) $(CFLAGS)
LDFLAGS_ALL  := $(LINK) -no-pie -pthread $(HARDENED) -Wl,--gc-sections -Wl,-z,noseparate-code -Wl,--build-id=sha1 $(LDFLAGS)

# The array copy must stay scalar 8-byte accesses: no vectors, no call of memcpy, no unrolling.
ifneq ($(IS_CLANG),)
SCALAR_LOOP := -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-builtin
else
SCALAR_LOOP := -fno-tree-vectorize -fno-tree-slp-vectorize -fno-tree-loop-distribute-patterns -fno-unroll-loops
endif
CFLAGS_src/bench/array.c := $(SCALAR_LOOP)

# The CPU tests of `jitbench unix`: as their published figures were built, but for -march=native. Only compiled so: *linking* with
# -ffast-math would flush denormals in the whole program. Dhrystone's two units must not be optimised together.
CFLAGS_src/bench/dhry2reg.c     := -O3 -ffast-math -fno-lto
CFLAGS_src/bench/dhry2reg_2.c   := -O3 -ffast-math -fno-lto
CFLAGS_src/bench/whetstone.c    := -O3 -ffast-math -fno-lto
ifneq ($(filter i%86,$(MACHINE)),)
# The x87 has instructions for these functions; the work is the C library's.
CFLAGS_src/bench/whetstone.c += $(addprefix -fno-builtin-,sin cos atan exp log)
endif
CFLAGS_src/bench/arith.c        := -O3 -ffast-math -fno-lto
CFLAGS_src/bench/hanoi.c        := -O3 -ffast-math -fno-lto

ARCH_SOURCES := $(foreach f,$(notdir $(wildcard src/sys/arch/generic/*.c)),$(or \
	$(wildcard src/sys/arch/$(ARCH)/$(f)),src/sys/arch/generic/$(f)))
LAYERS  := sys engine bench load out cmd
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

# Rebuilt when the compiler or its flags change, and then everything with it.
.PHONY: FORCE
FORCE:
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL)' | cmp -s - $@ || \
		echo '$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL)' > $@
# What `jitbench version` prints: no date, no folder, so that builds can be compared byte by byte.
$(BUILD)/version.h: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '#define VERSION "$(VERSION)"' '#define VERSION_COMMIT "$(COMMIT)"' \
		'#define VERSION_FLAGS "$(filter-out -ffile-prefix-map=%,$(CFLAGS_ALL) $(LINK))"' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(BUILD)/cmd/version.o: $(BUILD)/version.h
# Shell scripts as strings, for `jitbench completion`. The \? keeps trigraphs out.
$(BUILD)/completion_%.h: src/cmd/completion/jitbench.% Makefile
	@mkdir -p $(@D)
	sed 's/[\\"?]/\\&/g; s/.*/"&\\n"/' $< >$@
GENERATED := $(BUILD)/version.h $(patsubst src/cmd/completion/jitbench.%,$(BUILD)/completion_%.h,$(wildcard src/cmd/completion/*))
$(BUILD)/cmd/completion.o: $(filter-out %/version.h,$(GENERATED))

# --- tests -------------------------------------------------------------------------------------------------------------

UNIT := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))
CLI  := $(patsubst tests/cli/%.c,%,$(wildcard tests/cli/test_*.c))
# A unit test links its module's layer and those below, so an upward call does not link.
below_sys    := sys
below_engine := engine sys
below_bench  := bench engine sys
below_load   := load bench engine sys
below_out    := out engine sys
below_cmd    := cmd bench load out engine sys
module_layer = $(or $(patsubst src/%/,%,$(dir $(firstword $(wildcard $(addsuffix /$(1).c,$(addprefix src/,$(LAYERS))))))),cmd)

# Tests are compiled more often than they are run: at -O2 that would take twice as long.
# cmocka gives each test a state, which most do not use.
CFLAGS_TEST := $(CFLAGS_ALL:-O2=-O1) -Wno-missing-prototypes -Wno-unused-parameter
# UNIT_CPPFLAGS and UNIT_LINK are for a cmocka of another place, see tests/dist/unit.sh.
$(BUILD)/unit/%.o: tests/unit/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(UNIT_CPPFLAGS) $(CFLAGS_TEST) -MMD -MP -c -o $@ $<
-include $(wildcard $(BUILD)/unit/*.d $(BUILD)/cli/*.d)

# Functions that a test counts the calls of.
WRAP_test_dhry2reg  := Func_1 Func_2 Proc_6 Proc_7 Proc_8
WRAP_test_whetstone := log exp sin cos sincos atan
# And one that a test has fail. Whose comparisons are looked at themselves, see tests/unit/order_fixture.h.
WRAP_test_pairs     := calloc qsort
WRAP_test_machine   := qsort
WRAP_test_results   := qsort trial_party trial_copy_machine
WRAP_test_projection := calloc qsort
WRAP_test_report_figures := calloc qsort
WRAP_test_report_rows := calloc qsort
# Those that a made-up trial answers, see tests/unit/made_up_trial.h.
MADE_UP_TRIAL       := trial_spec_of trial_recorder trial_party trial_gate_ns results_sample results_hist \
	results_series_from results_cause results_pages
WRAP_test_bandwidth := $(MADE_UP_TRIAL)
WRAP_test_command   := $(MADE_UP_TRIAL)
WRAP_test_unix      := $(MADE_UP_TRIAL)
WRAP_test_noise     := $(MADE_UP_TRIAL) machine_watch_read
# Counters of the kernel, where a test wants some that it knows.
WRAP_test_worker    := task_read_counters task_read_usage
WRAP_test_disk      := task_read_io
WRAP_test_task      := getrusage
WRAP_test_program   := wait4 tree_read
# Rights that this machine may not give.
WRAP_test_load_trial := task_set_policy task_realtime_limit
comma := ,

.SECONDEXPANSION:
$(BUILD)/unit/test_%: $(BUILD)/unit/test_%.o $$(call layer_objects,$$(below_$$(call module_layer,$$*)))
	$(CC) $(CFLAGS_ALL) $(filter-out -static,$(LDFLAGS_ALL)) $(UNIT_LINK) $(addprefix -Wl$(comma)--wrap=,$(WRAP_$(@F))) -o $@ $^ -lcmocka -lm

# It holds the program to a model in a file of its own.
$(BUILD)/unit/test_sim: $(BUILD)/unit/classic_model.o

# Most tests measure, and would disturb each other: they run one after the other. These look at no time, and run beside each
# other first.
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
BESIDE := $(patsubst %,$(BUILD)/unit/test_%,comparison coverage hist inference judge pairs project projection reader scale \
	settings stats) $(patsubst %,$(BUILD)/cli/test_%,options places security old \
	completion init layout compare export fleet project report show)
# Prints what passed, failed and was skipped. With REQUIRE=1 a skip fails that tests/skips.txt does not list.
RUN       := tests/runner.py
RUN_TESTS  = @JITBENCH=$(PROGRAM) $(RUN) --jobs $(JOBS) --beside '$(BESIDE)'

.PHONY: unit
unit: $(UNIT:%=$(BUILD)/unit/%) ## unit tests
	$(RUN_TESTS) $^

# Tests of the command line drive the real static binary, named by $JITBENCH, from the top folder.
CLI_COMMON := $(patsubst tests/cli/%.c,$(BUILD)/cli/%.o,$(filter-out $(wildcard tests/cli/test_*.c),$(wildcard tests/cli/*.c)))
$(BUILD)/cli/%.o: tests/cli/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Itests/cli $(CFLAGS_TEST) -MMD -MP -c -o $@ $<
# Else make removes them when their programs are linked, and compiles them anew when it is called next.
.SECONDARY: $(UNIT:%=$(BUILD)/unit/%.o) $(CLI:%=$(BUILD)/cli/%.o) $(CLI_COMMON)
$(BUILD)/cli/test_%: $(BUILD)/cli/test_%.o $(CLI_COMMON)
	$(CC) $(CFLAGS_ALL) $(filter-out -static,$(LDFLAGS_ALL)) -o $@ $^ -lcmocka -lm

.PHONY: cli
cli: $(PROGRAM) $(CLI:%=$(BUILD)/cli/%) ## tests of the command line, on the static binary
	$(RUN_TESTS) $(CLI:%=$(BUILD)/cli/%)

.PHONY: old
old: $(PROGRAM) $(BUILD)/cli/test_old ## each system call refused, with all commands: minutes
	@JITBENCH_OLD=all JITBENCH=$(PROGRAM) $(RUN) $(BUILD)/cli/test_old

.PHONY: built test check smoke
built: $(PROGRAM) $(UNIT:%=$(BUILD)/unit/%) $(CLI:%=$(BUILD)/cli/%)
test: ## all tests of the build: units, then the command line
	$(MAKE) -j$(JOBS) built $(COMPLETIONS)
	$(RUN_TESTS) tests/test_runner.py 'tests/cpu_work.sh $(BUILD)' 'tests/callers.sh $(BUILD)' \
		$(UNIT:%=$(BUILD)/unit/%) $(CLI:%=$(BUILD)/cli/%) \
		'env MAKE=$(MAKE) BUILD=$(BUILD) PROGRAM=$(PROGRAM) tests/install.sh'
check: test ## the same
smoke: $(PROGRAM) ## a run of everything that takes seconds
	./$(PROGRAM) all --quick --samples 1 --no-csv

# One CPU, not root, other file systems, other load and more, each set up and taken down; what cannot be set up here is skipped,
# with the reason. Mounts and control groups need root. PLACES="nobody load": only these; PROGRAMS="cli/test_tune": only these tests.
.PHONY: test-elsewhere
test-elsewhere: built ## the tests with one CPU, as nobody, on btrfs, under load, ...: an hour
	PROGRAMS='$(PROGRAMS)' tests/elsewhere/elsewhere.py $(PLACES)

# What `jitbench export` writes, given to the programs that read it; those that are not installed are skipped, with the reason.
.PHONY: consumers
consumers: $(PROGRAM) ## export's formats, read by their real consumers
	@JITBENCH=$(PROGRAM) $(RUN) tests/consumers/consumers.py
# Real kernels under QEMU, with nothing but the binary: needs qemu-system-x86, cpio and e2fsprogs, and fetches the kernels once.
.PHONY: boot boot-aarch64
boot: $(PROGRAM) ## Debian's kernels booted with jitbench as PID 1, about three minutes
	@$(RUN) --one tests/boot/boot.py $(PROGRAM)
boot-aarch64: ## the same for aarch64, cross-built
	$(MAKE) CC=aarch64-linux-gnu-gcc BUILD=$(BUILD)/aarch64 PROGRAM=$(BUILD)/aarch64/jitbench
	@$(RUN) --one tests/boot/boot.py --arch aarch64 $(BUILD)/aarch64/jitbench
# Full and dying disks, storms of signals, stopped processes, limits: each case in a mount namespace of its own; as root. What a
# case lacks it names, and is skipped. CASES="oom control_z" runs these alone.
.PHONY: hostile
$(BUILD)/hostile/storm: tests/hostile/storm.c
	@mkdir -p $(@D)
	$(CC) -std=c99 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) -o $@ $<
hostile: $(PROGRAM) $(BUILD)/hostile/storm ## full disks, signal storms, stopped processes, limits: a minute and a half
	@$(RUN) --one tests/hostile/hostile.py --storm $(BUILD)/hostile/storm $(PROGRAM) $(CASES)
# Pages of `jitbench report` in a real browser (chromium, chromium-driver, python3-selenium); skipped without one, with the reason.
.PHONY: browser
browser: $(PROGRAM) ## pages of jitbench report in headless Chromium, at 400, 800 and 1200 pixels, light and dark
	@$(RUN) --one tests/browser/run.sh ./$(PROGRAM)
# Statistics beside scipy's (skipped without it: python3-scipy), and whether intervals and verdicts keep their word: 2000
# made-up experiments of each kind, of which the unit test of the same name has a part.
.PHONY: stats scipy
$(BUILD)/stats/inference: tests/stats/inference.c $(call layer_objects,engine sys)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(filter-out -static,$(LDFLAGS_ALL)) -o $@ $^ -lm
scipy: $(BUILD)/stats/inference ## p values beside scipy's
	@$(RUN) --one tests/stats/against_scipy.py $(BUILD)/stats/inference
stats: scipy $(BUILD)/unit/test_coverage ## the same, and the intervals and verdicts of 2000 simulated experiments: four minutes
	@JITBENCH_STATS=1 $(RUN) $(BUILD)/unit/test_coverage

# Each system call fails in turn, in all commands: strace finds the calls (skipped without it), tests/faults/inject.c lets them
# fail. FAULTS=300: only so many, drawn by FAULTS_SEED, which is another one each time unless given; FAULTS_ARGS: see
# tests/faults/faults.py.
.PHONY: faults
FAULTS ?= 0
$(BUILD)/faults/inject: tests/faults/inject.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(filter-out -static,$(LDFLAGS_ALL)) -o $@ $<
faults: $(PROGRAM) $(BUILD)/faults/inject ## each system call fails in turn: 40 minutes; FAULTS=300: three minutes
	@$(RUN) --one tests/faults/faults.py --cells $(FAULTS) $(if $(FAULTS_SEED),--seed $(FAULTS_SEED)) $(FAULTS_ARGS) $(PROGRAM) $(BUILD)/faults/inject

# Not one of `test`: it starts a Slurm. Parts whose packages are missing (slurm-wlm munge, openmpi-bin) are skipped by name.
.PHONY: cluster
cluster: $(PROGRAM) ## a Slurm of four nodes and mpirun on this machine; FLEET_SHORT=1: in two minutes
	@JITBENCH=$(PROGRAM) $(RUN) --one tests/fleet/fleet.py $(PARTS)

# --- fuzzing -----------------------------------------------------------------------------------------------------------

# A target is one file tests/fuzz/fuzz_NAME.c, given bytes by libFuzzer, or by replay.c. It runs in a machine made up in memory
# (tests/fuzz/world.c, which takes the place of the calls of the C library that it wraps). FUZZ="rows orders": only these.
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
fuzz-corpus: ## what fuzz found (and seeds.py makes) of new ways through the program, into tests/fuzz/corpus
	+$(call FUZZ_BUILD,build-fuzz,$(FUZZ_CLANG),-fsanitize=fuzzer,,fuzzer-no-link$(comma))
	tests/fuzz/corpus.sh build-fuzz/fuzz $(FUZZ)
fuzz-replay: ## the fuzz targets on their corpora and on all that ever failed; without clang
	+$(call FUZZ_BUILD,build-fuzz-replay,$(CC),,build-fuzz-replay/fuzz/replay.o,)
	@$(RUN) --one tests/fuzz/replay.sh build-fuzz-replay/fuzz $(FUZZ)

# Both in namespaces of their own where root may make them (util-linux), so that whatever is left can be seen.
.PHONY: kill-test soak
kill-test: $(PROGRAM) ## SIGKILL to parent, workers, loads and helpers at 200 random moments: KILLS=20, KILL_SEED=N, KILL_ONLY=N
	@$(RUN) --one tests/kill/kill.py $(PROGRAM)
soak: $(PROGRAM) ## all suites in a loop for an hour (SOAK_MINUTES=60): memory, descriptors and scratch must stay flat
	tests/soak/soak.py $(PROGRAM)

# --- more ways to build and run ----------------------------------------------------------------------------------------

.PHONY: run perf asan ubsan tsan coverage repro
run: $(PROGRAM) ## jitbench all --quick
	./$(PROGRAM) all --quick

# A sanitizer's program is dynamic and slower: the tests that chroot into an empty folder or measure do not run on it, and
# AddressSanitizer's needs /proc and shared memory.
SANITIZED_CLI ?= $(addprefix test_,options layout causes compare completion export fleet job project report show)
sanitize = $(MAKE) BUILD=build-$(1) PROGRAM=build-$(1)/jitbench LINK= \
	CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=$(2) -fno-sanitize-recover=all' CLI='$(3)' $(4)
asan: ## units and command line under AddressSanitizer
	$(call sanitize,asan,address,$(SANITIZED_CLI),test)
ubsan: ## units and command line under UndefinedBehaviorSanitizer
	$(call sanitize,ubsan,undefined,$(SANITIZED_CLI) $(addprefix test_,check latency run unix),test)
# gcc 12's ThreadSanitizer cannot place its shadow memory where newer kernels randomise more bits: no randomisation then.
TSAN_UNITS := test_trial test_plan test_recorder
tsan: ## the engine's units under ThreadSanitizer
	$(call sanitize,tsan,thread,,$(TSAN_UNITS:%=build-tsan/unit/%))
	@$(RUN) $(TSAN_UNITS:%='setarch -R build-tsan/unit/%')

# The program is static as the real one, so that all tests run on it. Each object is compiled without optimisation, so that each
# line has code of its own; but for Dhrystone and its like. A test that fails for the slower program only ends its own count.
COVERED := build-coverage
COVERAGE_CLI ?= $(CLI)
COVERAGE_FLAGS = BUILD=$(COVERED) PROGRAM=$(COVERED)/jitbench CFLAGS='-O0 -g --coverage' \
	LDFLAGS='-Wl,--wrap=_exit -Wl,--wrap=getenv $(COVERED)/exit.o' $(foreach f,sys engine bench load cmd out src/engine/worker.c \
	src/sys/clock.c src/out/reader.c src/bench/array.c src/bench/arith.c src/bench/hanoi.c,CFLAGS_$(f)=-O0)
$(COVERED)/exit.o: tests/coverage/exit.c
	@mkdir -p $(@D)
	$(CC) -std=c99 $(WARNINGS) -Wno-missing-prototypes -O1 -c -o $@ $<
coverage: $(COVERED)/exit.o ## lines and branches that the units and the command line's tests reach, by gcovr
	find $(COVERED) -name '*.gcda' -delete
	$(MAKE) -j$(JOBS) $(COVERAGE_FLAGS) built
	$(COVERED)/jitbench version >/dev/null && find $(COVERED) -name '*.gcda' -exec chmod a+rw {} +
	for t in $(UNIT:%=$(COVERED)/unit/%) $(COVERAGE_CLI:%=$(COVERED)/cli/%); do \
		echo "== $$t"; JITBENCH=$(COVERED)/jitbench $$t || :; done >$(COVERED)/tests.log 2>&1
	@grep '^\[  FAILED  \] test_' $(COVERED)/tests.log | sort -u | sed 's/.*\] /fails in the coverage build: /' || :
	gcovr --root . --filter src/ --json-summary $(COVERED)/coverage.json $(COVERED)
	tests/coverage/summary.py $(COVERED)/coverage.json

# Goes on where it stopped; MINUTES=60: begins no fault after an hour. DRAW=tests/mutation/results/FILE: an earlier draw.
.PHONY: mutation
mutation: ## 100 faults drawn by machine: do the tests notice them? needs root; some hours, in shards: MINUTES=60
	tests/mutation/mutation.py run $(if $(MINUTES),--minutes $(MINUTES)) $(DRAW)

repro: ## two builds in different folders are the same bytes
	tests/repro.sh

# Rivals are built as their users would build them: for this machine, dynamic; the plain loops are linked as jitbench is.
# `tests/perf/perf.py SECTION...` runs some parts alone.
$(BUILD)/perf/loops: PERF_LINK := $(LINK)
# As the original's Whetstone is built.
$(BUILD)/perf/whetstone: PERF_CFLAGS := -ffast-math
# How long an exec takes goes with the size of the program: the same loops within one that has all of jitbench in it too.
SIZED := $(filter-out $(BUILD)/main.o,$(OBJECTS))
$(BUILD)/perf/loops-sized: tests/perf/loops.c $(SIZED)
	@mkdir -p $(@D)
	$(CC) -DLOOPS_WITH_JITBENCH $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(filter-out %--gc-sections,$(LDFLAGS_ALL)) -o $@ $^ -lm
# And as the original's programs are: dynamic, and without a library that these loops do not need.
$(BUILD)/perf/loops-dynamic: tests/perf/loops.c
	@mkdir -p $(@D)
	$(CC) -std=c99 -D_GNU_SOURCE -DLOOPS_WITHOUT_MATH $(WARNINGS) -O2 -o $@ $<
# With the objects of the program, as fast as they are in it.
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
perf: $(PROGRAM) $(PERF) $(BUILD)/perf/loops-sized $(BUILD)/perf/loops-dynamic $(BUILD)/perf/read $(BUILD)/perf/probed ## speed and memory beside their targets; no pass or fail
	if command -v musl-gcc >/dev/null; then $(MAKE) -s CC=musl-gcc BUILD=$(BUILD)/musl PROGRAM=$(BUILD)/musl/jitbench; fi
	JITBENCH=$(PROGRAM) MUSL_JITBENCH=$(BUILD)/musl/jitbench PERF_PROGRAMS=$(BUILD)/perf tests/perf/perf.py

# --- what reads the code -----------------------------------------------------------------------------------------------

.PHONY: lint layers format
LINT_SOURCES := $(SOURCES)
FORMATTED    := $(wildcard src/*/*.c src/*/arch/*/*.c src/*.c include/*/*.h include/*/*/*/*.h tests/*/*.c tests/*/*.h tests/*.h)
lint: ## clang-tidy, cppcheck, gcc -fanalyzer, clang-format, mandoc, shellcheck, layers, draws of mutation
	@mkdir -p $(BUILD) && $(MAKE) -s $(GENERATED)
	$(MAKE) -j$(JOBS) BUILD=build-analyzer PROGRAM=build-analyzer/jitbench CFLAGS='-O1 -fanalyzer -Werror'
	@$(RUN) --jobs $(JOBS) --beside 'cppcheck clang-tidy' \
		'clang-format --dry-run --Werror $(FORMATTED)' \
		tests/layers.sh \
		'shellcheck -x $(wildcard .ci/* tests/*.sh tests/*/*.sh tests/*/*.bash src/cmd/completion/*.bash)' \
		'mandoc -Tlint -Wwarning $(wildcard man/*.[1-9])' \
		'tests/mutation/mutation.py check' \
		tests/mutation/selftest.py \
		'cppcheck --quiet --error-exitcode=1 --std=c99 --enable=warning,performance,portability --inline-suppr \
		--suppress=missingIncludeSystem -D_GNU_SOURCE -Iinclude -Iinclude/sys/arch/$(ARCH) -I$(BUILD) $(LINT_SOURCES)' \
		$(foreach layer,$(LAYERS) main,$(if $(filter src/$(layer)%,$(LINT_SOURCES)),'clang-tidy --quiet --warnings-as-errors=* \
		$(filter src/$(layer)%,$(LINT_SOURCES)) -- $(CPPFLAGS_ALL) -std=c99'))
layers: ## the layers, their lines of code and which includes which; fails on an upward include
	@tests/layers.sh
format: ## clang-format all sources in place
	clang-format -i $(FORMATTED)

# --- release builds ----------------------------------------------------------------------------------------------------

.PHONY: dist
DIST ?=
dist: ## dist/*.tar.gz: eight architectures, tested under emulation; DIST="s390x armhf" only these
	tests/dist/dist.sh $(DIST)

# --- installing --------------------------------------------------------------------------------------------------------

.PHONY: install uninstall installcheck completions deb debcheck clean help
BINDIR  ?= $(PREFIX)/bin
MANDIR  ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
# That of the compiler's target: the machine's own cannot read other machines' programs. STRIP=: leaves the program whole.
STRIP   ?= $(or $(shell $(CC) -print-prog-name=strip),strip)

COMPLETIONS := $(BUILD)/completion/jitbench $(BUILD)/completion/_jitbench $(BUILD)/completion/jitbench.fish
completions: $(COMPLETIONS) ## what shells read to complete command lines
# Printed by the program itself. Where that is for another machine and cannot run, one for this machine is built, which
# has the same tables.
BUILD_CC ?= cc
$(COMPLETIONS): $(BUILD)/completion/made ;
$(BUILD)/completion/made: $(PROGRAM)
	@mkdir -p $(@D)
	@set -e; program='$(abspath $(PROGRAM))' native=$(BUILD)/native/jitbench; if ! "$$program" version >/dev/null 2>&1; then \
		$(MAKE) -s BUILD=$(BUILD)/native PROGRAM=$$native CC='$(BUILD_CC)' CFLAGS=-O1 CPPFLAGS= LDFLAGS= LINK= $$native; \
		program=$$native; \
	fi; \
	"$$program" completion bash >$(BUILD)/completion/jitbench; \
	"$$program" completion zsh >$(BUILD)/completion/_jitbench; \
	"$$program" completion fish >$(BUILD)/completion/jitbench.fish; touch $@

MAN := $(wildcard man/*.[1-9])
# Each as FILE:PLACE. Only this list is installed, and only this list is removed.
INSTALLED := $(PROGRAM):$(BINDIR)/jitbench $(BUILD)/completion/jitbench:$(BASHDIR)/jitbench \
	$(BUILD)/completion/_jitbench:$(ZSHDIR)/_jitbench $(BUILD)/completion/jitbench.fish:$(FISHDIR)/jitbench.fish \
	$(foreach m,$(MAN),$(m):$(MANDIR)/man$(subst .,,$(suffix $(m)))/$(notdir $(m)))
install: $(PROGRAM) $(COMPLETIONS) ## to $(DESTDIR)$(PREFIX), stripped, with man pages and completions
	@set -e; for each in $(INSTALLED); do \
		file=$${each%%:*} place='$(DESTDIR)'$${each#*:}; \
		mode=644; test "$$file" != '$(PROGRAM)' || mode=755; \
		echo "install $$place"; install -d "$${place%/*}"; install -m $$mode "$$file" "$$place"; \
	done
	$(STRIP) '$(DESTDIR)$(BINDIR)/jitbench'
uninstall: ## what install put there
	@for each in $(INSTALLED); do echo "remove $(DESTDIR)$${each#*:}"; rm -f '$(DESTDIR)'"$${each#*:}"; done
installcheck: $(PROGRAM) $(COMPLETIONS) ## install and uninstall into an empty folder
	@MAKE='$(MAKE)' BUILD='$(BUILD)' PROGRAM='$(PROGRAM)' $(RUN) tests/install.sh

# The Debian package, built by dpkg-buildpackage from a copy of the sources, in which debian/changelog is written: version and
# date have one source each. SOURCE_DATE_EPOCH: that of the commit, so that a commit has one package.
DEB := $(BUILD)/deb
MAINTAINER = $(shell sed -n 's/^Maintainer: //p' debian/control)
SOURCE_DATE_EPOCH ?= $(or $(shell git log -1 --format=%ct 2>/dev/null),$(shell stat -c %Y Makefile))
deb: ## a Debian package in $(BUILD)/deb, which lintian reads when it is there
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
debcheck: deb ## the package: run from a scratch folder, built twice alike
	MAKE='$(MAKE)' DEB='$(DEB)' tests/deb.sh
clean: ## all that was built
	rm -rf build build-fuzz build-fuzz-replay build-asan build-ubsan build-tsan build-coverage build-analyzer build-dist dist jitbench
help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1|\2/p; s/^\(install\|\$$(PROGRAM)\):.*## \(.*\)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
		sort -u | awk -F'|' '{printf "  %-12s %s\n", $$1, $$2}'
