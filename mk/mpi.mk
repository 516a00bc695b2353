# tide for several machines: see docs/cluster.md. Only ranks.c uses MPI.
#
#   make mpi        build/tide-mpi
#   make mpi-test   trainings on several ranks (installs Open MPI)

MPICC ?= mpicc
# `make test` builds the program and runs its tests if mpicc is installed.
RANKS := $(if $(filter release asan tsan posix,$(config)),$(if $(shell command -v $(MPICC) 2>/dev/null),build/tide-mpi))

mpi: build/tide-mpi
build/tide-mpi: $B/tide-mpi
	@ln -sfn $(config)/tide-mpi $@

$B/tide-mpi: $(CLI) $B/mpi/ranks.o $B/internal.a
	@echo '  ld $@'
	@$(MPICC) $(LDFLAGS) $^ $(XML_LIBS) $(LDLIBS) -o $@

$B/mpi/ranks.o: src/train/ranks.c Makefile
	@mkdir -p $(@D) && echo '  mpicc $@'
	@$(MPICC) $(CPPFLAGS) $(CFLAGS) -DTIDE_MPI -MMD -MP -c $< -o $@

mpi-test: setup
	scripts/setup mpi
	$(MAKE) -j$(JOBS) build/tide build/tide-mpi
	$(RUN_TESTS) tests/e2e/ranks.sh

.PHONY: mpi build/tide-mpi mpi-test
