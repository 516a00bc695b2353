#!/bin/sh
# scripts/setup installs only the missing packages, as root or with sudo, and asks no questions. `make` names it if a header
# is missing.
. "$(dirname "$0")/../lib/common.inc"

# fake NAME BODY: makes a command of a simulated machine, which has only these commands, env and grep
fake() { printf '#!/bin/sh\n%s\n' "$2" >"$scratch/bin/$1" && chmod +x "$scratch/bin/$1"; }
mkdir "$scratch/bin"
ln -s "$(command -v env)" "$(command -v grep)" "$scratch/bin"
# shellcheck disable=SC2016
fake dpkg-query 'case $3 in
libstb-dev) exit 1 ;;
libcjson-dev | cppcheck | npm | zsh) echo "deinstall ok config-files" ;;
*) echo "install ok installed" ;;
esac'
fake apt-get "echo \"\$DEBIAN_FRONTEND apt-get \$*\" >>$scratch/asked"
user() { uid=$1 && fake id "echo $1"; }
unset DEBIAN_FRONTEND

# asks STATUS [ARGUMENT]: checks the exit status of setup, and its calls of apt-get and sudo against standard input
asks() {
    ends=$1
    shift
    : >"$scratch/asked"
    PATH=$scratch/bin scripts/setup "$@" >"$scratch/out" 2>"$scratch/stderr"
    status=$?
    diff - "$scratch/asked" >"$scratch/diff" && [ $status = "$ends" ] && [ ! -s "$scratch/out" ] ||
        die "setup $* of user $uid: $status, $(cat "$scratch/out" "$scratch/stderr" "$scratch/diff")"
}
user 0
asks 0 <<ASKED
noninteractive apt-get update -qq
noninteractive apt-get install -y -qq --no-install-recommends libstb-dev libcjson-dev
ASKED
[ "$(cat "$scratch/stderr")" = 'installing libstb-dev libcjson-dev' ] || die "as root: $(cat "$scratch/stderr")"

user 1000
asks 1 </dev/null
grep -q 'needs root or sudo to install: libstb-dev libcjson-dev$' "$scratch/stderr" || die "without sudo: $(cat "$scratch/stderr")"

# sudo does not pass on the caller's variables
fake sudo "echo sudo >>$scratch/asked; exec env -i PATH=\"\$PATH\" \"\$@\""
asks 0 lint <<ASKED
sudo
noninteractive apt-get update -qq
sudo
noninteractive apt-get install -y -qq --no-install-recommends libstb-dev libcjson-dev cppcheck
ASKED

# all: the packages of each kind
user 0
asks 0 all <<ASKED
noninteractive apt-get update -qq
noninteractive apt-get install -y -qq --no-install-recommends libstb-dev libcjson-dev cppcheck zsh npm
ASKED
# a Node.js from elsewhere, with its npm
fake npm true
asks 0 tests <<ASKED
noninteractive apt-get update -qq
noninteractive apt-get install -y -qq --no-install-recommends libstb-dev libcjson-dev zsh
ASKED
user 1000

fake apt-get 'exit 100'
printf 'sudo\n' | asks 100

fake dpkg-query 'echo "install ok installed"'
asks 0 </dev/null
[ ! -s "$scratch/stderr" ] || die "nothing is missing: $(cat "$scratch/stderr")"

# pkg-config finds nothing
PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH='' make B="$scratch/build" build/tide >"$scratch/out" 2>&1 && die "make without headers"
grep -q 'does not find stb_ds.h; scripts/setup installs' "$scratch/out" || die "make without headers: $(cat "$scratch/out")"
make help >"$scratch/out" && grep -q '^make  .*`make all`$' "$scratch/out" && grep -q '^make lint  *clang-tidy' "$scratch/out" ||
    die "make help: $(cat "$scratch/out")"
