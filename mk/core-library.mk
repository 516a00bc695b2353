# core/ as a library for other programs: see docs/tape.md.
#
#   make core       libtidecore.a and libtidecore-double.a, which computes with double, for checks of gradients
#   make abi-core   compares their names with tests/fixtures/libtidecore.abi; update=1 writes the list after a change

# The headers are these, and those that they include.
CORE_ROOTS   := $(patsubst %,src/core/%.h,gradient_check notes ops optimizer scope tape_op)
CORE_PUBLIC  := $(sort $(filter src/core/%.h,$(shell $(CC) -Isrc -MM -xc $(CORE_ROOTS) 2>/dev/null)))
CORE_HEADERS := $(CORE_PUBLIC:src/%=$B/include/tide/%) $B/include/tide/core/names.h
CORE_OBJECTS := $(filter $B/core/%,$(OBJECTS))
CORE_DOUBLE  := $(patsubst src/%.c,$B/double/%.o,$(filter src/core/%,$(SOURCES))) \
                $(ONCE_FOR_EACH_SET:%=$B/double/core/%_portable.o)
CORE := $B/libtidecore.a $B/libtidecore-double.a
NM = $(shell $(CC) -print-prog-name=nm)

core: $(CORE) $(CORE_HEADERS)

$B/libtidecore.a: $(CORE_OBJECTS) $B/core.names scripts/dev/core-library
	@echo '  ld $@'
	@CC='$(CC)' scripts/dev/core-library library $@ tide_core_ $B/core.names $(CORE_OBJECTS)

$B/libtidecore-double.a: $(CORE_DOUBLE) $B/core.names scripts/dev/core-library
	@echo '  ld $@'
	@CC='$(CC)' scripts/dev/core-library library $@ tide_core_double_ $B/core.names $(CORE_DOUBLE)

# The names that the public headers declare and that core/ defines.
$B/core.names: $(CORE_OBJECTS) $(CORE_PUBLIC) mk/core-library.mk
	@cat $(CORE_PUBLIC) | $(CC) $(CPPFLAGS) -E -P -xc - | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | LC_ALL=C sort -u >$@.declared
	@$(NM) -gP --defined-only $(CORE_OBJECTS) | sed -n 's/ [A-Z] .*//p' | LC_ALL=C sort | LC_ALL=C comm -12 - $@.declared >$@
	@rm -f $@.declared

$B/include/tide/core/%.h: src/core/%.h scripts/dev/core-library
	@mkdir -p $(@D)
	@scripts/dev/core-library header $< >$@
$B/include/tide/core/names.h: $B/core.names scripts/dev/core-library
	@mkdir -p $(@D)
	@scripts/dev/core-library names $< >$@

# The exported symbols are those of the committed list: `make abi-core update=1` after a change that is meant.
CORE_ABI := tests/fixtures/libtidecore.abi
abi: abi-core
abi-core: $(CORE)
	@$(NM) -gP --defined-only $(CORE) | sed -n 's/ [A-Z] .*//p' | LC_ALL=C sort >$B/libtidecore.abi
	@$(if $(update),cp $B/libtidecore.abi $(CORE_ABI),diff $(CORE_ABI) $B/libtidecore.abi)

PC = $(VERSION) $(PREFIX) $(libdir) $(includedir)
install-core:
	install -D -m 644 -t $(DESTDIR)$(includedir)/tide/core $(CORE_HEADERS)
	install -D -m 644 -t $(DESTDIR)$(libdir) $(CORE)
	mkdir -p $(DESTDIR)$(libdir)/pkgconfig
	scripts/dev/core-library pc tide-core '' $(PC) >$(DESTDIR)$(libdir)/pkgconfig/tide-core.pc
	scripts/dev/core-library pc tide-core-double -DTIDE_DOUBLE $(PC) >$(DESTDIR)$(libdir)/pkgconfig/tide-core-double.pc

uninstall-core:
	rm -f $(CORE:$B/%=$(DESTDIR)$(libdir)/%) $(CORE_HEADERS:$B/include/%=$(DESTDIR)$(includedir)/%)
	rm -f $(patsubst %,$(DESTDIR)$(libdir)/pkgconfig/%.pc,tide-core tide-core-double)
	[ ! -d $(DESTDIR)$(includedir)/tide/core ] || \
	    { cd $(DESTDIR)$(includedir) && rmdir --ignore-fail-on-non-empty -p tide/core; }

.PHONY: core abi abi-core
