#!/bin/sh
# Refuses every single allocation of a host program of libtide: see tests/e2e/host.c.
exec "$(dirname "$0")/../e2e/host.sh" all
