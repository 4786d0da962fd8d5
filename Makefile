# make          build Release into build/ (programs in build/bin/)
# make deps     install what building and checking need (Debian packages, see tools/install_deps)
# make check    deps, build, and every kind of test once, on the product itself: five minutes
# make check-all  that, and all other tests, in five variants: what continuous integration runs
# make known-red  the tests that stand for work to come, each of which fails
# make soak     the long tests
# make world    the code in simulated worlds of fresh seeds, ten minutes (docs/internals/proof.md)
# make check-nfs  three virtual machines: a server of NFS and two of its clients; ten minutes
# make nfs-bed  only what those machines start from, in build/nfs
# make fuzz     every parser against made-up texts, 20 s each: 20 minutes with its build
# make demo     watch real programs obey the limits: builds only what that needs, a minute or so
# make pictures  docs/pictures/demo.svg and timeline.svg anew, from real runs
# make bench    the tables of docs/internals/measurements.md
# make deb      Debian packages of the checked-out commit, in build/deb
# make rpm      RPM packages, in build/rpm
# make tarball  static programs for x86_64, aarch64 and riscv64 (or ARCHES=...), in build/tarball
# make npm      the packages for npm, after make tarball, in build/npm
# make wheel    the packages for PyPI, after make tarball, in build/wheel
# make dist     the release: atmost-VERSION.tar.gz of the checked-out commit, and its SHA-256
# make install  PREFIX=/usr/local DESTDIR=
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
ARCHES ?= x86_64 aarch64 riscv64
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
GENERATOR = $(if $(shell command -v ninja 2>/dev/null),Ninja,Unix Makefiles)
# Each test runs once: one that fails now and then is a defect, of the test or of the program.
CTEST = ctest --output-on-failure --no-tests=error -j $(JOBS)

# The variants compile most files alike: ccache remembers for one what another has compiled.
CACHE = $(if $(shell command -v ccache),-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
export CCACHE_DIR ?= $(abspath $(BUILD)-cache)
export CCACHE_SLOPPINESS ?= pch_defines,time_macros

# $(call configured,FOLDER,CMAKE OPTIONS,ENVIRONMENT). Generator and compiler (CC and CXX in the
# environment) are chosen once: CMake keeps them for the life of the folder.
define configured
@[ -f $(1)/CMakeCache.txt ] || $(3) cmake -S . -B $(1) -G "$(GENERATOR)" $(CACHE) $(2)
@cmake -S . -B $(1) $(2) >/dev/null
endef
# The same, and builds all of it.
define variant
$(call configured,$(1),$(2),$(3))
@cmake --build $(1) -j $(JOBS) --target all all_verify_interface_header_sets
endef
comma := ,
CLANG = CC=clang CXX=clang++
THREAD_OPTIONS = -DATMOST_SANITIZE=thread -DCMAKE_BUILD_TYPE=Debug "-DATMOST_TEST_KINDS=contract;library"
SANITIZE_OPTIONS = -DATMOST_SANITIZE=address$(comma)undefined -DCMAKE_BUILD_TYPE=Debug

# CMake decides what has to be made anew.
.PHONY: all build deps check check-once check-all check-variants check-campaigns check-hidden known-red check-system check-portable check-thread check-sanitize fuzz demo pictures bench soak world nfs-bed check-nfs check-nfs-cut format lint \
        dist deb rpm tarball npm wheel install clean
all: build

# The programs alone; the tests join this folder with the first `make check`.
build:
	@command -v cmake >/dev/null || { echo "make: cmake is missing; 'make deps' installs it" >&2; exit 1; }
	@[ -f $(BUILD)/CMakeCache.txt ] || cmake -S . -B $(BUILD) -G "$(GENERATOR)" -DATMOST_TESTS=OFF
	@cmake --build $(BUILD) -j $(JOBS)

deps:
	@tools/install_deps build check

# The main variant is the product. Campaigns, and the tests of fleets over their other channels, are
# left to check-variants. Tests of fleets wait for their servers most of the time, beside the
# others. The tests that stand for later work (known_red) are not run by targets whose names begin
# with check.
check: deps
	+@$(MAKE) --no-print-directory check-once

check-all: check
	+@$(MAKE) --no-print-directory check-variants

# The part that `make check` leaves out, hidden processes, and the other variants, which repeat what
# they can change: the system's libc behind the programs; the POSIX-only os room; and, compiled by
# clang, undefined behaviour, memory errors, and races of threads.
check-variants: deps
	+@$(MAKE) --no-print-directory check-campaigns
	+@$(MAKE) --no-print-directory check-hidden
	+@$(MAKE) --no-print-directory check-sanitize
	+@$(MAKE) --no-print-directory check-thread
	+@$(MAKE) --no-print-directory check-portable
	+@$(MAKE) --no-print-directory check-system
	+@$(MAKE) --no-print-directory check-nfs-cut

check-once:
	$(call variant,$(BUILD),-DATMOST_TESTS=ON)
	$(CTEST) --test-dir $(BUILD) -LE 'soak|campaign|variant|known_red' -j $$((2 * $(JOBS)))

check-campaigns:
	$(call variant,$(BUILD),-DATMOST_TESTS=ON)
	$(CTEST) --test-dir $(BUILD) -L 'campaign|variant' -LE 'soak|known_red' -j $$((2 * $(JOBS)))

# The tests of `make check` once more where /proc hides other users' processes, as on hardened
# machines. The runners of other languages, of documents and of tools use nothing of /proc that
# the rest does not use.
check-hidden:
	$(call variant,$(BUILD),-DATMOST_TESTS=ON)
	@tools/hide_processes $(CTEST) --test-dir $(BUILD) -LE 'soak|campaign|variant|known_red|model' \
	  -E '^(bindings|docs|tools|world)[._]' -j $$((2 * $(JOBS))) || [ $$? = 77 ]

check-system:
	$(call variant,$(BUILD)-system,-DATMOST_MUSL=OFF "-DATMOST_TEST_KINDS=cli;shell;tools")
	$(CTEST) --test-dir $(BUILD)-system -LE 'soak|known_red'

check-portable:
	$(call variant,$(BUILD)-portable,-DPORTABLE=ON "-DATMOST_TEST_KINDS=process;cli")
	$(CTEST) --test-dir $(BUILD)-portable -LE 'soak|layers|model|known_red'

check-sanitize:
	$(call variant,$(BUILD)-sanitize,$(SANITIZE_OPTIONS) "-DATMOST_TEST_KINDS=unit;contract;fault;library;cli",$(CLANG))
	$(CTEST) --test-dir $(BUILD)-sanitize -LE 'soak|layers|model|known_red'

# The parts that have threads: the library, and the stores that renew a lease. Tests fork and start
# threads on both sides of it.
check-thread:
	$(call configured,$(BUILD)-thread,$(THREAD_OPTIONS),$(CLANG))
	@cmake --build $(BUILD)-thread -j $(JOBS) --target library contract_etcd contract_postgres \
	  atmost atmost-history atmost-stats
	@# clang's thread sanitizer does not survive how atmost run starts a command
	TSAN_OPTIONS=die_after_fork=0 $(CTEST) --test-dir $(BUILD)-thread -R '^(library\.(Library|Paper|Interrupt|Links)|contract_(etcd|postgres)$$)' \
	  -E 'Links\.(AreHeldAndReleased|TokensIncreaseAmongProcesses|MaxRuntimeEndsAHold)'

# A test that passes loses its label.
known-red: deps
	$(call variant,$(BUILD),-DATMOST_TESTS=ON)
	ctest --test-dir $(BUILD) -L known_red --no-tests=ignore -j $(JOBS)

fuzz: deps
	$(call variant,$(BUILD)-fuzz,-DATMOST_FUZZ=ON -DATMOST_TEST_KINDS=,$(CLANG))
	$(CTEST) --test-dir $(BUILD)-fuzz -L fuzz

soak: deps
	$(call variant,$(BUILD),-DATMOST_TESTS=ON)
	$(CTEST) --test-dir $(BUILD) -L soak
	+@BUILD=$(BUILD) tools/release "$$(tools/project version)"
	@# only root can make the Debian that these need
	@tools/try_packages $(BUILD) || [ $$? = 77 ]
	@tools/try_rpm $(BUILD) || [ $$? = 77 ]
	@tools/try_release || [ $$? = 77 ]
	@tools/try_tarball $(BUILD)
	+@$(MAKE) --no-print-directory check-nfs

world: deps
	$(call configured,$(BUILD),-DATMOST_TESTS=ON)
	@BUILD=$(BUILD) tools/world --seconds 600 --jobs $(JOBS) --out $(BUILD)

# The packages are kept: only what we built changes from one time to the next.
nfs-bed:
	@tools/install_deps build check nfs
	$(call variant,$(BUILD),-DATMOST_TESTS=ON)
	@tests/nfs/fetch $(BUILD)/nfs/fetched
	@tests/nfs/image $(BUILD)/nfs/fetched $(BUILD)/bin $(BUILD)/nfs/image

check-nfs: nfs-bed
	@timeout 3600 tests/nfs/check_nfs.py $(BUILD)/nfs/image

# The part of it that takes two minutes.
check-nfs-cut: nfs-bed
	@ATMOST_NFS_CALLS=60 timeout 1800 tests/nfs/check_nfs.py $(BUILD)/nfs/image Crowd Others \
	  Mounts.test_a_path_on_a_good_mount_is_a_lock_of_all_machines

# Only the shown program is built, in a folder of its own: that of the front tier, by Debian's
# compiler.
demo:
	@BUILD=$(BUILD)/demo sh tools/demo.sh --build

pictures:
	@tools/install_deps build pictures
	+@$(MAKE) --no-print-directory build
	@tools/make_pictures $(BUILD)/bin

bench:
	@tools/install_deps build bench
	+@$(MAKE) --no-print-directory build
	@BUILD=$(BUILD) bench/run

format:
	@git ls-files '*.cc' '*.h' | xargs -r clang-format -i

# Style: clang-format, the layers, shell syntax, clang-tidy (which reads the clang variant's compile
# commands).
lint: deps
	@[ -f $(BUILD)-sanitize/CMakeCache.txt ] || \
	  $(CLANG) cmake -S . -B $(BUILD)-sanitize -G "$(GENERATOR)" $(SANITIZE_OPTIONS) >/dev/null
	@cmake -S . -B $(BUILD)-sanitize >/dev/null
	@tools/lint $(BUILD)-sanitize $(JOBS)

# The prefix is known to the build, too: the library starts helpers that are installed with it.
install: build
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)
	tools/install $(BUILD) $(PREFIX) $(DESTDIR)

dist:
	@tools/dist

deb:
	@tools/install_deps build deb
	@tools/make_deb $(BUILD)

rpm:
	@tools/install_deps build rpm
	@tools/make_rpm $(BUILD)

tarball:
	@tools/install_deps build tarball
	@tools/make_tarball $(BUILD) $(ARCHES)

npm:
	@tools/install_deps release
	@tools/make_npm $(BUILD) $(ARCHES)

wheel:
	@tools/install_deps release
	@tools/make_wheel $(BUILD) $(ARCHES)

clean:
	rm -rf $(BUILD) $(BUILD)-system $(BUILD)-portable $(BUILD)-sanitize $(BUILD)-thread $(BUILD)-fuzz $(BUILD)-cache
