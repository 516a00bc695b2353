#!/bin/sh
# Runs all commands of the documents, also the slow ones: scripts/docs-check --soak.
set -u
cd "$(dirname "$0")/.." && exec scripts/docs-check --soak
