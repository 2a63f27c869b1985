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
# The same for thousands of permutations of up to 10,000 values, and for Fourier transforms of 262,144.
CFLAGS_src/stats/change_points.c := -O2
CFLAGS_src/stats/project.c := -O2
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

# --- build ------------------------------------------------------------------------------------------------------------

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

.PHONY: run clean help
run: $(PROGRAM) ## jitbench all --quick
	./$(PROGRAM) all --quick
clean: ## remove everything that was built
	rm -rf build build-fuzz build-fuzz-replay build-asan build-ubsan build-tsan build-coverage build-analyzer build-dist dist jitbench
help: ## this list
	@awk -F ':.*## ' '/^# ---/ { gsub(/^# -+ | -+$$/, ""); group = $$0 } \
		/^[$$a-z].*:.*## / { if (group) print "\n" group ":"; group = ""; \
		printf "  %-14s %s\n", $$1 == "$$(PROGRAM)" ? "jitbench" : $$1, $$2 }' $(wildcard Makefile tests/Makefile)

# --- tests ------------------------------------------------------------------------------------------------------------

# The rules of the other tests, and what those here are made of. A copy of the sources builds without.
-include tests/Makefile

.PHONY: test check perf
test: ## all tests of the build: unit tests, then command-line tests; a warning of the compiler is an error
	$(MAKE) -j$(JOBS) built
	$(RUN_TESTS) tests/test_runner.py 'tests/golden/golden.py $(PROGRAM)' 'tests/man_options.py $(PROGRAM)' 'tests/man_pages.py $(PROGRAM) $(BUILD)/man_tables' 'tests/man_examples.py $(PROGRAM) $(BUILD)/man_tables' 'tests/cpu_work.sh $(BUILD)' 'tests/callers.sh $(BUILD)' \
		$(UNIT:%=$(BUILD)/unit/%) $(CLI:%=$(BUILD)/cli/%) \
		'env MAKE=$(MAKE) BUILD=$(BUILD) PROGRAM=$(PROGRAM) tests/install.sh'
check: test ## the same as test
perf: $(PROGRAM) $(PERF) $(BUILD)/perf/loops-sized $(BUILD)/perf/loops-dynamic $(BUILD)/perf/read $(BUILD)/perf/probed ## speed and memory compared with targets and other tools; no pass or fail
	if command -v musl-gcc >/dev/null; then $(MAKE) -s CC=musl-gcc BUILD=$(BUILD)/musl PROGRAM=$(BUILD)/musl/jitbench; fi
	JITBENCH=$(PROGRAM) MUSL_JITBENCH=$(BUILD)/musl/jitbench PERF_PROGRAMS=$(BUILD)/perf tests/perf/perf.py

# --- reading the code -------------------------------------------------------------------------------------------------

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

# --- installing -------------------------------------------------------------------------------------------------------

.PHONY: install uninstall installcheck
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

# --- releases ---------------------------------------------------------------------------------------------------------

.PHONY: deb debcheck dist repro
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
DIST ?=
dist: ## dist/*.tar.gz: eight architectures, tested under emulation; DIST="s390x armhf" only these
	tests/dist/dist.sh $(DIST)
repro: ## check that two builds in different directories are the same bytes
	tests/repro.sh
