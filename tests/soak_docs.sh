#!/bin/sh
# All commands of the documents, those too that take long: scripts/docs-check --soak.
set -u
cd "$(dirname "$0")/.." && exec scripts/docs-check --soak
