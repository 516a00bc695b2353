#!/bin/sh
# usage: tests/e2e/floors.sh [SOURCE]
# Checks the architecture of src/: a file includes only files of its own floor or of a floor below. model/ computes with ops:
# it does not use the members v and g of a Var.
set -u
cd "${1:-$(dirname "$0")/../../src}" || exit 1
floors='core model io text score corpus aligner translate train view api serve browser bench cli'
for floor in $floors; do [ -d "$floor" ] || { echo "there is no $floor/"; exit 1; }; done

# Prints the number of a file's floor; 0 if it has none. tide.h, the public API, includes nothing of tide, so any file may
# include it.
floor_of() {
    number=0
    case $1 in tide.h) set -- core/ ;; esac
    for floor in $floors; do
        number=$((number + 1))
        case $1 in "$floor"/*) echo $number; return ;; esac
    done
    echo 0
}
system() { case $1 in '<'*) [ ! -e "${1#<}" ] ;; *) false ;; esac; }

upward=$(grep -noE '^ *# *include *["<][^">]+' -r --include='*.[ch]' . | sed 's|^\./||; s|: *# *include *|:|' |
    while IFS=: read -r file line included; do
        system "$included" && continue
        from=$(floor_of "$file") to=$(floor_of "${included#[\"<]}")
        [ "$from" != 0 ] || echo "$file is on no floor"
        [ "$to" != 0 ] || echo "$file:$line includes $included, on no floor"
        [ "$to" -le "$from" ] || echo "$file:$line includes $included, of a floor above"
    done)
by_hand=$(grep -nE '(->|\.)[vg]\>' -r --include='*.[ch]' model | sed 's|$|: the values of a matrix|')
[ -z "$upward$by_hand" ] || { echo "$upward$by_hand"; exit 1; }
