#!/bin/sh
# The image of Containerfile, on a base that debootstrap makes: it serves a model that is mounted, as nobody, with the
# translation of the program under test, and ends when it is told to. Needs root and a network.
. "$(dirname "$0")/../lib/common.inc"
for program in podman runc debootstrap curl; do needs $program 'apt-get install podman runc debootstrap curl'; done
# shellcheck source=/dev/null
. /etc/os-release
[ "$VERSION_CODENAME" = bookworm ] || { echo 'needs Debian 12, whose packages Containerfile names'; exit 77; }
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

inspected() { engine inspect --format "$1" "$2"; }
run_words='--network host --ulimit nofile=1024:1024 --ulimit nproc=1024:1024'
[ "$(inspected '{{.Config.Entrypoint}} {{.Config.Cmd}}' localhost/tide)" = '[tide serve --listen 0.0.0.0:5000] [/model]' ] ||
    die "another command: $(inspected '{{.Config.Entrypoint}} {{.Config.Cmd}}' localhost/tide)"
tide_ok help --presets >"$scratch/presets"
# shellcheck disable=SC2086 # words
engine run --rm $run_words --entrypoint '["tide", "help", "--presets"]' localhost/tide | cmp - "$scratch/presets" ||
    die "other presets"

smallest_run "$scratch/model" --after-batches 50
chmod -R a+rX "$scratch/model" # nobody reads it
echo 潮水退了。 >"$scratch/zh"
tide_ok translate "$scratch/model" --input "$scratch/zh" >"$scratch/expected"
grep -q . "$scratch/expected" || die 'an empty translation'
# shellcheck disable=SC2086 # words
engine run -d --name "$name" $run_words -v "$scratch/model:/model:ro" \
    --entrypoint '["tide", "serve", "--listen", "127.0.0.1:5997"]' localhost/tide /model >"$scratch/log" 2>&1 ||
    die "run: $(tail "$scratch/log")"
answers() { curl -sf http://127.0.0.1:5997/health >/dev/null; }
comes_to_hold answers || die "it does not serve: $(engine logs "$name" 2>&1 | tail)"
curl -sf http://127.0.0.1:5997/translate -H 'Content-Type: application/json' \
    -d '{"q": "潮水退了。", "source": "zh", "target": "en"}' | sed 's/.*"translatedText": *"\([^"]*\)".*/\1/' >"$scratch/found"
cmp "$scratch/expected" "$scratch/found" || die "another translation: $(cat "$scratch/found")"
[ "$(engine exec "$name" id -un)" = nobody ] || die "it does not run as nobody"
engine stop --time 20 "$name" >/dev/null 2>&1 || die 'it does not stop'
[ "$(inspected '{{.State.ExitCode}}' "$name")" = 0 ] || die "it ended with $(inspected '{{.State.ExitCode}}' "$name")"
