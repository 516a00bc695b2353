#!/bin/sh
# Runs all commands of the documents, also the slow ones: scripts/dev/docs-check --soak.
set -u
cd "$(dirname "$0")/../.." && exec scripts/dev/docs-check --soak
