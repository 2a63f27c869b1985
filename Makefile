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
COMMIT  := $(shell git -C $(CURDIR) rev-parse --short=12 HEAD 2>/dev/null || echo unknown)

# Architecture by folder. What has no folder of its own uses generic.
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
ARCH    := $(if $(wildcard include/sys/arch/$(MACHINE)),$(MACHINE),generic)
BARCH   := $(if $(wildcard src/bench/arch/$(MACHINE)),$(MACHINE),generic)
IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null))

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wvla -Wformat=2 -Wundef

# Benign code placement. Where a loop falls in its cache lines and fetch windows moves a short loop's time by several per cent, and
# an unrelated change to another file would move it. So in all code that runs between two readings of a clock every function
# starts on a cache line (64 bytes) and every loop on a fetch window (32 bytes): a change elsewhere no longer shifts a
# measured loop. The rest is left to the compiler, which keeps the file small. No -march=native: the same bytes run
# on, and are compared between, all machines of one architecture; what profits from newer instructions is
# chosen at run time. -fno-pie -no-pie: code addresses are the same in each process, only data moves (see --layout).
PLACEMENT := -fno-pie
ALIGNED   := -falign-functions=64 -falign-loops=32
CFLAGS_bench := $(ALIGNED)
CFLAGS_load  := $(ALIGNED)
CFLAGS_src/engine/worker.c := $(ALIGNED)
# Nothing of these two runs while anything is measured.
CFLAGS_cmd := -Os
CFLAGS_out := -Os

# Two builds in different folders are the same bytes.
REPRODUCIBLE := -ffile-prefix-map=$(CURDIR)=.

# Nothing is thrown or unwound here; debuggers read .debug_frame instead.
SMALL := -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -fno-unwind-tables

CPPFLAGS_ALL := -D_GNU_SOURCE -Iinclude -Iinclude/sys/arch/$(ARCH) -I$(BUILD) $(CPPFLAGS)
CFLAGS_ALL   := -std=c99 $(WARNINGS) $(PLACEMENT) $(REPRODUCIBLE) -pthread $(SMALL) $(CFLAGS)
LDFLAGS_ALL  := $(LINK) -no-pie -pthread -Wl,--gc-sections -Wl,--build-id=sha1 $(LDFLAGS)

# The array copy must stay scalar 8-byte accesses: no vectors, no call of memcpy, no unrolling.
ifneq ($(IS_CLANG),)
SCALAR_LOOP := -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-builtin
else
SCALAR_LOOP := -fno-tree-vectorize -fno-tree-slp-vectorize -fno-tree-loop-distribute-patterns -fno-unroll-loops
endif
CFLAGS_src/bench/array.c := $(SCALAR_LOOP)

LAYERS  := sys engine bench load out cmd
SOURCES := $(sort $(foreach l,$(LAYERS),$(wildcard src/$(l)/*.c)) $(wildcard src/sys/arch/$(ARCH)/*.c) \
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

# --- tests -------------------------------------------------------------------------------------------------------------

UNIT := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))
CLI  := $(patsubst tests/cli/%.c,%,$(wildcard tests/cli/test_*.c))
# A unit test links its module's layer and those below, so an upward call does not link.
below_sys    := sys
below_engine := engine sys
below_bench  := bench engine sys
below_load   := load engine sys
below_out    := out engine sys
below_cmd    := cmd bench load out engine sys
module_layer = $(or $(patsubst src/%/,%,$(dir $(firstword $(wildcard $(addsuffix /$(1).c,$(addprefix src/,$(LAYERS))))))),cmd)

$(BUILD)/unit/%.o: tests/unit/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -Wno-missing-prototypes -MMD -MP -c -o $@ $<
-include $(wildcard $(BUILD)/unit/*.d $(BUILD)/cli/*.d)

.SECONDEXPANSION:
$(BUILD)/unit/test_%: $(BUILD)/unit/test_%.o $$(call layer_objects,$$(below_$$(call module_layer,$$*)))
	$(CC) $(CFLAGS_ALL) $(filter-out -static,$(LDFLAGS_ALL)) -o $@ $^ -lcmocka -lm

.PHONY: unit
unit: $(UNIT:%=$(BUILD)/unit/%) ## unit tests
	@set -e; for t in $^; do echo "== $$t"; $$t; done

# Tests of the command line drive the real static binary, named by $JITBENCH, from the top folder.
CLI_COMMON := $(patsubst tests/cli/%.c,$(BUILD)/cli/%.o,$(filter-out $(wildcard tests/cli/test_*.c),$(wildcard tests/cli/*.c)))
$(BUILD)/cli/%.o: tests/cli/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Itests/cli $(CFLAGS_ALL) -Wno-missing-prototypes -MMD -MP -c -o $@ $<
$(BUILD)/cli/test_%: $(BUILD)/cli/test_%.o $(CLI_COMMON)
	$(CC) $(CFLAGS_ALL) $(filter-out -static,$(LDFLAGS_ALL)) -o $@ $^ -lcmocka -lm

.PHONY: cli
cli: $(PROGRAM) $(CLI:%=$(BUILD)/cli/%) ## tests of the command line, on the static binary
	@set -e; for t in $(CLI:%=$(BUILD)/cli/%); do echo "== $$t"; JITBENCH=$(CURDIR)/$(PROGRAM) $$t; done
