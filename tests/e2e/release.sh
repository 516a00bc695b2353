#!/bin/sh
# scripts/verify-release: the archive of `make dist`, made again in another folder, has the same bytes; another file, one that
# is not made, and a folder without files of a release are found. The zips and packages take long: they are made by hand.
. "$(dirname "$0")/../lib/common.inc"
git rev-parse --verify -q HEAD >/dev/null 2>&1 || { echo 'needs a clone of the repository'; exit 77; }
mkdir "$scratch/release" "$scratch/none"
git clone -q . "$scratch/clone"
git -C "$scratch/clone" checkout -q --detach "$(git rev-parse HEAD)"
make -s -C "$scratch/clone" dist || die 'make dist'
cp "$scratch/clone/build/"tide-*.tar.gz "$scratch/release"
archive=$(basename "$scratch/release/"*)
tar -tzf "$scratch/release/$archive" | grep -q "^${archive%.tar.gz}/src/tide.h$" || die 'an archive without tide.h'

verify() { scripts/verify-release "$1" >"$scratch/said" 2>"$scratch/stderr"; }
verify "$scratch/release" || die "$(cat "$scratch/said" "$scratch/stderr")"
grep -qx "$archive: the same bytes: $(sha256sum <"$scratch/release/$archive" | cut -d' ' -f1)" "$scratch/said" || die "$(cat "$scratch/said")"
cp "$scratch/release/$archive" "$scratch/release/tide-0.0.1.tar.gz"
echo x >>"$scratch/release/$archive"
verify "$scratch/release" && die "other bytes: $(cat "$scratch/said")"
grep -qx "$archive: other bytes" "$scratch/said" && grep -qx 'tide-0.0.1.tar.gz: was not made' "$scratch/said" || die "$(cat "$scratch/said")"
verify "$scratch/none" && die 'an empty folder'
grep -q 'none: has no file of a release$' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
verify "$scratch/nowhere"
[ $? = 2 ] || die 'a folder that does not exist'
