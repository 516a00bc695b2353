# Programs for other systems, made on Debian. Their libraries are compiled from Debian's sources.
#
#   make static         build/static/tide and tide-serve: files for any Linux that need no library, with musl
#   make static-arm     the same for aarch64: build/static-arm/
#   make macos          tide, tide-serve and libtide.dylib for macOS 12: build/macos-arm/ and build/macos-x86/

gcc.static     := gcc
gcc.static-arm := aarch64-linux-gnu-gcc

static static-arm:
	scripts/setup $@
	[ -e build/$@/lib/libmicrohttpd.a ] || scripts/dev/libraries build/$@ $(gcc.$@) musl expat libmicrohttpd
	$(MAKE) -j$(JOBS) config=$@ build/$@/tide build/$@/tide-serve

machine.macos-arm := aarch64
machine.macos-x86 := x86_64
macos: macos-arm macos-x86
macos-arm macos-x86:
	scripts/setup macos
	[ -e build/$@/cc ] || scripts/dev/macos-compiler build/$@ $(machine.$@)
	[ -e build/$@/lib/libmicrohttpd.a ] || AR=build/$@/ar scripts/dev/libraries build/$@ build/$@/cc expat libmicrohttpd
	$(MAKE) -j$(JOBS) config=$@ $(patsubst %,build/$@/%,tide tide-serve libtide.dylib)
.PHONY: static static-arm macos macos-arm macos-x86
