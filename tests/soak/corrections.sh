#!/bin/sh
# A server that is killed at twenty random moments of correcting and learning loses no correction, and serves no half model.
KILLS=${KILLS:-20} exec tests/e2e/corrections.sh
