# Programs for any Linux: files that need no library, with musl.
#
#   make static         build/static/tide and build/static/tide-serve
#   make static-arm     the same for aarch64: build/static-arm/

gcc.static     := gcc
gcc.static-arm := aarch64-linux-gnu-gcc

static static-arm:
	scripts/setup $@
	[ -e build/$@/lib/libmicrohttpd.a ] || scripts/dev/libraries build/$@ $(gcc.$@) musl expat libmicrohttpd
	$(MAKE) -j$(JOBS) config=$@ build/$@/tide build/$@/tide-serve
.PHONY: static static-arm
