#!/bin/sh
# Runs tests/e2e/outputs.sh with a kill before each call that changes a file, and at twenty random moments.
KILLS=20 EVERY=1 PAIRS=2000 SEED=${SEED:-$(date +%s)} exec "$(dirname "$0")/../e2e/outputs.sh"
