#!/bin/sh
# Runs all commands of the documents, also the slow ones, with the presets as they are and the model of scripts/demo, and
# compares what they print with the pages: scripts/dev/docs-check --soak.
set -u
cd "$(dirname "$0")/../.." && exec scripts/dev/docs-check --soak
