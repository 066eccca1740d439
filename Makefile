# SPDX-License-Identifier: MIT
#
# Sets up what is missing, then drives CMake.  `make help` lists what there is.
#
#   PREFIX, LIBDIR, DESTDIR   where `make install` puts things
#   JOBS                      how many compilers and tests run at once
#   TEST_ARGS, BENCH_ARGS     more words for ctest, and for the benchmarks
#   RESULTS_ARGS              what to measure again
#   BINDINGS_ARGS             the same for the tests of the bindings
#   SOAK_ARGS, VM_ARGS        the same for the soak, and for tests in a virtual machine
#   MODELS=full               the searches of fw-model in full, and the other tests that take long
#   MODELS=most               the same, without the searches of more than 250,000 states
#   RIVALS=full               with MODELS=most or full: the contract tests of others' locks in as
#                             many rounds as of ours
#   SETUP=no                  install no packages: stop, or go on without, where one is missing
#                             (install, uninstall and dist never install any)
#   TAG                       of which release `make dist` is
#   V=1                       show what the build says, not only when it fails

PREFIX ?= /usr/local
LIBDIR ?=
DESTDIR ?=
JOBS ?= $(shell nproc)
TEST_ARGS ?=
BENCH_ARGS ?=
RESULTS_ARGS ?=
BINDINGS_ARGS ?=
SOAK_ARGS ?= --seconds 60
VM_ARGS ?=
MODELS ?= quick
RIVALS ?= quick
SETUP ?= yes
TAG ?=
V ?=

SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:

# $(call quietly,NAME,COMMAND,WHAT IT DOES): the command's output goes to build/NAME.log; how far it
# is, is shown, and where it fails, what failed.
ifeq ($(V)$(if $(shell command -v python3),,no Python),)
quietly = @tools/quietly --say "$(strip $(3))" build/$(1).log $(2)
else
quietly = $(2)
endif

# $(call compile,PRESET,MORE CMAKE OPTIONS,TARGETS)
define compile
$(call quietly,configure-$(1),cmake --preset $(1) $(2),Configuring $(1))
$(call quietly,build-$(1),cmake --build build/$(1) -j $(JOBS) $(3) -- $(KEEP_GOING),Building $(1))
endef

# $(call compile_library,MORE CMAKE OPTIONS,TARGETS): the preset library, by make without ninja.
define compile_library
@command -v cmake > /dev/null || { echo "make: cmake is missing (3.22 or later): install it," \
    "with a C compiler, by the system's package manager (apt, dnf, pacman, apk, zypper)"; exit 1; }
$(call quietly,configure-library,cmake --preset library $(by_make) $(1),Configuring library)
$(call quietly,build-library,cmake --build build/library -j $(JOBS) $(2),Building library)
endef
by_make = $(if $(wildcard build/library/Makefile),-G "Unix Makefiles",$(if \
    $(wildcard build/library/build.ninja),,$(if $(shell command -v ninja),,-G "Unix Makefiles")))

# A step that fails stops none that does not need it: all that is wrong is seen at once.
KEEP_GOING := -k 10

# Many tests wait for something most of the time: twice as many of them run at once.
run_tests = tools/tests build/$(1) -j $(shell echo $$(($(JOBS) * 2))) --output-on-failure $(2) \
    $(TEST_ARGS)

# `python3` is one that has the modules of reports.
export PATH := $(shell tools/python-path "$(CURDIR)/build/python")$(PATH)

setup = tools/setup $(if $(filter no,$(SETUP)),--check)

# Not abspath, which takes a path with spaces for several.
prefix = $(shell realpath -ms -- "$(PREFIX)")
target = $(DESTDIR)$(prefix)

# What a run of the tests leaves out, by label.
left_out_quick := -(most|full)$$
left_out_most := -quick$$|^model-full$$
left_out_full := -quick$$|^model-most$$

# ThreadSanitizer wants its usual address-space layout; newer kernels randomise more than it bears.
fixed_layout = $(shell setarch -R true 2> /dev/null && echo setarch -R)
# Other people's locks are tested once, by `make test MODELS=most`; the other runs are of builds of
# ours.
# (What else is tested once is not built for them: FURWOCK_ONCE in CMakePresets.json.)
rivals := ^contract\.[a-z-]+\.(abseil|boost|c11|ck-|fcntl|flock|nsync|ofd|parking|posix)
rivals := $(rivals)|^contract\.[a-z-]+\.(pthread|rust|sem-|std-|sysv|tbb)
instrumented_tests = -LE '^(model.*|litmus|install.*|style)$$' -E '$(rivals)$(1)'
# These have one thread in each process, or look at words that the test itself writes over: there is
# nothing for ThreadSanitizer to see.  (Nor in what loads, starts and stops the assist; the locks
# beside an assist that comes and goes are tested.)
single_threaded := |^atomic_sequential_|^rt_sim|^unit_atomic_abi$$
single_threaded := $(single_threaded)|^command_(assist|doctor|rt_analyze)$$
single_threaded := $(single_threaded)|^command_(hostile|manual|region|usage)$$
single_threaded := $(single_threaded)|^assist_(collision|loader|page|steady)
single_threaded := $(single_threaded)|^assist_storm_(ids|twins|unprivileged)$$
single_threaded := $(single_threaded)|^ipc_atomic_makers$$|^ipc_region_(words|each_word)$$
# The locks of papers, which are compared with, have no part that is another for another machine.
papers := ^contract\.[a-z-]+\.(drepper|furwock-classic|futex|gustedt|musl|smpl|spin-yield)
papers := $(papers)|^contract\.[a-z-]+\.(ulock|usema)
# Of the tests of the drop-in those of label emulated run in an emulator; others stop there.  What
# a benchmark shows is none of its matters, either, nor are the locks of papers; there they have to
# compile.  (What these two leave out is not built: CMakePresets.json.)
emulated_tests := -L '^(unit|contract|example|atomic|emulated)$$' -LE '^preload$$' \
    -E '$(rivals)|$(papers)|^ulockflex_|^bench\.'
# The generic build has in another variant how a lock is released, claimed and counted by CPU: what
# the mutex and the lock for many readers use, and conditions, which move waiters to a mutex.  What
# else is tested there would be the same as in the release build; directories that use nothing of
# it are not built (CMakePresets.json).
same_there := $(papers)|^contract\.rw-[a-z-]+\.furwock-rw|^contract\.(sem|event|barrier)-
same_there := $(same_there)|^contract\.[a-z-]+\.furwock-ipc
generic_tests := -L '^(unit|contract)$$' -LE '^preload$$' -E '$(rivals)|$(same_there)'

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

setup: ## install what is missing for all of this (Debian packages)
	@tools/setup build test demo bench style headers litmus

build: ## compile everything, optimised
	@$(setup) test
	$(call compile,release)

demo: ## furwock beside the locks you know: a table and a picture, in three minutes
	@$(setup) demo
	$(call compile,release,,--target bench/all)
	@tools/demo

test: build ## build and run the tests (MODELS=most, full: also those that take long)
	@$(if $(filter most full,$(MODELS)),TESTS_IN_FULL=yes) \
	    $(if $(filter full,$(RIVALS)),RIVALS_IN_FULL=yes) \
	    $(call run_tests,release,-LE '$(or $(left_out_$(MODELS)),$(error \
        MODELS=$(MODELS): there are quick, most and full))')

test-models: ## run fw-model's searches in full (less than ten minutes of CPU time)
	@$(setup) test
	$(call compile,release,,--target fw-model)
	@$(call run_tests,release,-L '^model-full$$')

model-tables: ## the same searches, and the tables that tell what they found
	@$(setup) test
	$(call compile,release,,--target fw-model)
	test/model/tables.py test/model/README.md build/release/test/model/fw-model --run \
	    --out build/release/test/model/tables.md

bench: ## measure in full (long; BENCH_ARGS goes to ulockflex)
	@$(setup) bench
	$(call compile,release,,--target bench/all)
	@tools/bench $(BENCH_ARGS)

results: ## measure again what the documents quote (RESULTS_ARGS=PART, or --list)
	@$(setup) bench
	$(call compile,release)
	@tools/results $(RESULTS_ARGS)

install: ## install libraries, headers, program (PREFIX=DIR, DESTDIR=DIR, LIBDIR=DIR)
	@mkdir -p "$(target)" 2> /dev/null && test -w "$(target)" || { \
	    echo "make: cannot write into $(target): give PREFIX=DIR, or be root"; exit 1; }
	$(call compile_library,"-DCMAKE_INSTALL_PREFIX=$(prefix)" \
	    $(if $(LIBDIR),-DCMAKE_INSTALL_LIBDIR=$(LIBDIR),-UCMAKE_INSTALL_LIBDIR))
	$(call quietly,install,env "DESTDIR=$(DESTDIR)" cmake --install build/library,\
	    Installing in $(target))
	@echo "Installed in $(target)"
	@tools/after-install "$(target)" build/library "$(DESTDIR)"

uninstall: ## remove what the last `make install` from here installed (DESTDIR=DIR)
	@env "DESTDIR=$(DESTDIR)" cmake --build build/library --target uninstall

dist: ## the tarball of a release, and its checksum, in build/dist (TAG=TAG)
	@tools/dist $(TAG)

reproducible: ## build what is installed twice, elsewhere, and compare the bytes
	@tools/reproducible

packages: ## build packages, as far as their tools are there (tools/packages --help)
	@tools/packages

site: ## guide, examples, reference, manual, results and design as a site (build/site/html)
	@$(setup) site
	@tools/site

check-style: ## hold the tree against the house style
	@$(setup) style
	$(call compile_library,,--target furwock_shared)
	@tools/check-style --library build/library/src/libfurwock.so

format: ## lay out the C sources with clang-format
	@$(setup) style
	@tools/check-style --fix

test-tsan: ## run the tests under ThreadSanitizer
	@$(setup) tsan
	$(call compile,tsan)
	@$(fixed_layout) $(call run_tests,tsan,$(call instrumented_tests,$(single_threaded)))

test-asan: ## run the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(setup) asan
	$(call compile,asan)
	@$(call run_tests,asan,$(call instrumented_tests))

test-generic: ## run the tests with the atomic release instead of the rseq one
	@$(setup) test
	$(call compile,generic)
	@TESTS_IN_FULL=yes $(call run_tests,generic,$(generic_tests))

test-aarch64: ## cross-compile for aarch64, and run the tests under qemu-user
	@$(setup) aarch64
	@status=0; tools/arm64-packages build/aarch64/arm64 || status=$$?; \
	if [ $$status = 77 ]; then exit 0; elif [ $$status != 0 ]; then exit $$status; fi; \
	$(MAKE) --no-print-directory run-aarch64

build-ahead: # those of the four runs of the tests above
	$(call compile,generic)
	$(call compile,tsan)
	$(call compile,asan)
	@! tools/arm64-packages build/aarch64/arm64 || \
	    $(MAKE) --no-print-directory build-aarch64
	@tools/bindings rust --build || true

build-aarch64:
	$(call compile,aarch64)

run-aarch64:
	$(call compile,aarch64)
	@$(call run_tests,aarch64,$(emulated_tests))

test-python: ## build and test the package for Python (PYTHON=PROGRAM, BINDINGS_ARGS for pytest)
	@$(setup) python
	@status=0; tools/bindings python $(BINDINGS_ARGS) || status=$$?; \
	if [ $$status != 77 ]; then exit $$status; fi

test-languages: build ## kill processes in C, Python and Rust that share a table (after test-python)
	@$(setup) python rust
	@status=0; tools/bindings all $(BINDINGS_ARGS) || status=$$?; \
	if [ $$status != 77 ]; then exit $$status; fi

test-rust: ## build and test the crates for Rust (BINDINGS_ARGS for bindings/rust/check)
	@$(setup) rust
	@status=0; tools/bindings rust $(BINDINGS_ARGS) || status=$$?; \
	if [ $$status != 77 ]; then exit $$status; fi

soak: ## kill processes that use locks between them (SOAK_ARGS="--seconds 600", "--kills 100000")
	@$(setup) test
	$(call compile,release,,--target test_ipc_soak)
	@build/release/test/ipc/test_ipc_soak $(SOAK_ARGS)

test-vm: ## run tests of locks between processes on Debian's newest kernel, in an emulator (VM_ARGS)
	@$(setup) vm
	$(call compile,release)
	@status=0; tools/vm build/release $(VM_ARGS) || status=$$?; \
	if [ $$status != 77 ]; then exit $$status; fi

test-vm-rt: ## run the tests of the real-time scheduler there (VM_ARGS)
	@$(setup) vm
	$(call compile,release)
	@status=0; tools/vm build/release --labels '^scx$$' \
	    --program build/release/command/furwock $(VM_ARGS) || status=$$?; \
	if [ $$status != 77 ]; then exit $$status; fi

test-vm-waits: ## see locks there: furwock top, record and who (VM_ARGS="--kernel 6.1")
	@$(setup) vm
	$(call compile,release)
	@status=0; tools/vm build/release --labels '^vm-waits$$' \
	    --program build/release/command/furwock $(VM_ARGS) || status=$$?; \
	if [ $$status != 77 ]; then exit $$status; fi

kmod: ## build the kernel module for the running kernel (KMOD_ARGS=--debian: for Debian's kernels)
	@status=0; tools/kmod build $(KMOD_ARGS) || status=$$?; \
	if [ $$status != 77 ]; then exit $$status; fi

test-kmod: ## test the kernel module on Debian's 6.1, 6.12 and newest, in an emulator (KMOD_ARGS)
	@$(setup) vm
	$(call compile,release,,--target vm-init --target test_kmod_selftest \
        --target test_kmod_command --target test_kmod_contracts --target contract \
        --target furwock_command)
	@status=0; tools/kmod test $(KMOD_ARGS) || status=$$?; \
	if [ $$status != 77 ]; then exit $$status; fi

hot-locks: ## show the lock that real programs wait for (root; HOT_ARGS="--only postgres")
	$(call compile,release,,--target furwock_command)
	@status=0; tools/hot-locks build/release/command/furwock $(HOT_ARGS) || status=$$?; \
	if [ $$status != 77 ]; then exit $$status; fi

clean: ## remove everything that was built
	rm -rf build

.PHONY: help setup build demo test bench results install uninstall dist reproducible packages \
        check-style format clean soak test-vm kmod test-kmod hot-locks \
        test-vm-rt test-vm-waits test-python test-rust test-languages test-models model-tables \
        test-tsan test-asan test-generic test-aarch64 run-aarch64 build-ahead build-aarch64
