# core/ and model/ compiled with double: for the gradient checks, and for scripts/dev/compare-curves.

DOUBLE_OBJECTS := $(patsubst src/%.c,$B/double/%.o,$(filter src/core/% src/model/%,$(SOURCES))) \
                  $(ONCE_FOR_EACH_SET:%=$B/double/core/%.o)

$B/double/%.o: src/%.c Makefile
	$(COMPILE) -UTIDE_X86 -UTIDE_ARM -DTIDE_DOUBLE -c $< -o $@

# The kernels twice: portable, as the core library has them; and with the machine's fused multiply-add, which gives the same
# bits as libc's but is much faster.
define DOUBLE_KERNELS_RULE
$B/double/core/$1_portable.o: src/core/$1.c Makefile
	$$(COMPILE) -DTIDE_DOUBLE -DTABLE=$1_portable -c $$< -o $$@
$B/double/core/$1.o: src/core/$1.c Makefile
	$$(COMPILE) -march=native -DTIDE_DOUBLE -DTABLE=$1_portable -c $$< -o $$@
endef
$(foreach file,$(ONCE_FOR_EACH_SET),$(eval $(call DOUBLE_KERNELS_RULE,$(file))))

$B/tests/unit/double_%: tests/unit/double_%.c $(DOUBLE_OBJECTS)
	$(COMPILE) -Itests/lib -DTIDE_DOUBLE $(LDFLAGS) $(filter %.c %.o,$^) -lcmocka $(LDLIBS) -o $@
	@scripts/dev/every-op-is-checked $@ $(filter $B/double/core/ops_%.o,$^)

# The program that scripts/dev/compare-curves builds and runs for tide.
build/curve: $B/curve
	@ln -sfn $(config)/curve $@
$B/curve: scripts/dev/curve.c $(DOUBLE_OBJECTS)
	$(COMPILE) -DTIDE_DOUBLE $(LDFLAGS) $(filter %.c %.o,$^) -lm $(PTHREAD) -o $@

.PHONY: build/curve
