#!/bin/sh
# Runs tests/e2e/limits.sh with a million characters or tokens in a line.
SIZE=1000000 exec "$(dirname "$0")/../e2e/limits.sh"
