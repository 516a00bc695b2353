#!/bin/sh
# Refuses every single allocation of a host program of libtide: see tests/host.c.
exec "$(dirname "$0")/host.sh" all
