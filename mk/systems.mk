# Programs for other systems, made on Debian. Their libraries are compiled from Debian's sources.
#
#   make static         build/static/tide and tide-serve: files for any Linux that need no library, with musl
#   make static-arm     the same for aarch64: build/static-arm/
#   make macos          tide, tide-serve and libtide.dylib for macOS 12: build/macos-arm/ and build/macos-x86/
#   make windows        tide.exe, tide-serve.exe and libtide.dll for Windows 10, x86-64: build/windows/
#   make binaries       all of these as zips for people who compile nothing: build/binaries/

gcc.static     := gcc
gcc.static-arm := aarch64-linux-gnu-gcc

build/static/libraries build/static-arm/libraries: build/%/libraries: scripts/dev/libraries
	scripts/dev/libraries build/$* $(gcc.$*) musl expat libmicrohttpd
	touch $@
static static-arm:
	scripts/setup $@
	$(MAKE) build/$@/libraries
	$(MAKE) -j$(JOBS) config=$@ build/$@/tide build/$@/tide-serve

machine.macos-arm := aarch64
machine.macos-x86 := x86_64
macos: macos-arm macos-x86
macos-x86: | macos-arm # both fetch the same compiler
build/macos-arm/cc build/macos-x86/cc: build/%/cc: scripts/dev/macos-compiler
	scripts/dev/macos-compiler build/$* $(machine.$*)
build/macos-arm/libraries build/macos-x86/libraries: build/%/libraries: scripts/dev/libraries build/%/cc
	AR=build/$*/ar scripts/dev/libraries build/$* build/$*/cc expat libmicrohttpd
	touch $@
macos-arm macos-x86:
	scripts/setup macos
	$(MAKE) build/$@/libraries
	$(MAKE) -j$(JOBS) config=$@ $(patsubst %,build/$@/%,tide tide-serve libtide.dylib)

build/windows/libraries: scripts/dev/libraries
	scripts/dev/libraries build/windows x86_64-w64-mingw32-gcc-posix expat libmicrohttpd
	touch $@
windows:
	scripts/setup windows
	$(MAKE) build/windows/libraries
	$(MAKE) -j$(JOBS) config=windows $(patsubst %,build/windows/%,tide.exe tide-serve.exe libtide.dll)
$B/tests/windows/system.exe: tests/windows/system.c $B/internal.a
	$(COMPILE) $(LDFLAGS) $(filter %.c %.a,$^) $(XML_LIBS) $(LDLIBS) -o $@

binaries:
	for system in static static-arm macos windows; do $(MAKE) $$system || exit; done # each uses all processors
	scripts/dev/binaries build/binaries
.PHONY: static static-arm macos macos-arm macos-x86 windows binaries
