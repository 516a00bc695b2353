#!/bin/sh
# The image of Containerfile, on a base that debootstrap makes: it serves a model that is mounted, as nobody, with the translation
# of the program under test, and ends when it is told to. Needs root and a network.
. "$(dirname "$0")/../lib/common.inc"
for program in podman runc debootstrap curl; do needs $program "apt-get install podman runc debootstrap curl"; done
[ "$(id -u)" = 0 ] || { echo 'needs root'; exit 77; }
root=$scratch/base home=$PWD name=tide-test-$$
. scripts/dev/system.inc
# the engine has its own folder; few files, because a sandbox may refuse more than it has itself
engine() { podman --root "$scratch/images" --runroot "$scratch/run" --runtime runc --storage-driver vfs "$@"; }
cleanup() {
    engine rm -f "$name" >/dev/null 2>&1
    engine rmi -af >/dev/null 2>&1
}
system_make '' >"$scratch/log" 2>&1 || die "debootstrap: $(tail "$scratch/log")"
tar -C "$root" -c . | engine import - localhost/tide-base >"$scratch/log" 2>&1 || die "import: $(tail "$scratch/log")"
engine build --isolation chroot --network host --build-arg BASE=localhost/tide-base -t localhost/tide "$home" >"$scratch/log" 2>&1 ||
    die "build: $(tail "$scratch/log")"

smallest_run "$scratch/model" --after-batches 50
chmod -R a+rX "$scratch" # nobody reads the model
echo 潮水退了。 >"$scratch/zh"
tide_ok translate "$scratch/model" --input "$scratch/zh" >"$scratch/expected"
engine run -d --name "$name" --network host --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 -v "$scratch/model:/model:ro" \
    --entrypoint '["tide", "serve", "--listen", "127.0.0.1:5997"]' localhost/tide /model >"$scratch/log" 2>&1 || die "run: $(tail "$scratch/log")"
answers() { curl -sf http://127.0.0.1:5997/health >/dev/null; }
comes_to_hold answers || die "it does not serve: $(engine logs "$name" 2>&1 | tail)"
curl -sf http://127.0.0.1:5997/translate -H 'Content-Type: application/json' \
    -d '{"q": "潮水退了。", "source": "zh", "target": "en"}' | sed 's/.*"translatedText": *"\([^"]*\)".*/\1/' >"$scratch/found"
cmp "$scratch/expected" "$scratch/found" || die "another translation: $(cat "$scratch/found")"
[ "$(engine exec "$name" id -un)" = nobody ] || die "it does not run as nobody"
engine stop --time 20 "$name" >/dev/null 2>&1 || die 'it does not stop'
[ "$(engine inspect --format '{{.State.ExitCode}}' "$name")" = 0 ] || die "it ended with $(engine inspect --format '{{.State.ExitCode}}' "$name")"
