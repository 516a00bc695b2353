#!/bin/sh
# Tests what tide says about itself: each flag of each command is explained in its man page, with default and limits, and is
# completed by the shells; the installation has all pages and completions, and is removed completely.
. "$(dirname "$0")/../lib/common.inc"

config=$(basename "$(dirname "$(readlink -f "$tide")")")
build() { make -s config="$config" "$@" >"$scratch/made" 2>&1 || die "make $*: $(cat "$scratch/made")"; }
build install DESTDIR="$scratch/root" PREFIX=/usr
share=$scratch/root/usr/share

commands=$(tide_ok help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 15 ] || die "the commands: $commands"
PATH=$scratch/root/usr/bin:$PATH
export PATH

# ---- help ----

for command in train translate align aer bleu chrf corpus tokenize score evaluate tune info attend report serve bench lexicon \
    quantize export verify learn help; do
    tide_ok "$command" --help | grep "usage: tide $command" >/dev/null || die "$command --help"
done
tide_ok score --help >"$scratch/score"
tide_ok help score | cmp - "$scratch/score" || die "help score"
tide_ok train --help-all | grep -- '--learn-rate R .* (default: 0.001)$' >/dev/null || die "train --help without defaults"
tide_ok --version | grep '^tide ' >/dev/null || die "--version"

# the lines fit into the terminal, and the words are the same; in a pipe without COLUMNS, lines are as in the sources
words() { tr ' ' '\n' | grep .; }
for command in '' $commands; do
    # shellcheck disable=SC2086 # no word for tide --help
    tide_ok ${command:---help} ${command:+--help-all} >"$scratch/whole"
    for columns in 50 80 132; do
        # shellcheck disable=SC2086
        COLUMNS=$columns tide_ok ${command:---help} ${command:+--help-all} >"$scratch/wrapped"
        grep ".\{$((columns + 1))\}" "$scratch/wrapped" | grep -v '^  -\|^ *[^ ]*$' && die "$command: wider than $columns columns"
        grep -n ' $' "$scratch/wrapped" && die "$command: blanks at the end of a line of $columns columns"
        words <"$scratch/whole" >"$scratch/words"
        words <"$scratch/wrapped" | cmp - "$scratch/words" || die "$command: other words in $columns columns"
    done
done
if has script 'the help at a terminal' bsdutils; then
    script -qec "stty cols 61; '$tide' train --help" /dev/null </dev/null | tr -d '\r' >"$scratch/shown"
    grep '.\{62\}' "$scratch/shown" && die "help is wider than the terminal"
    COLUMNS=61 tide_ok train --help | cmp - "$scratch/shown" || die "the help at a terminal"
fi
tide_ok train --help | grep -A 3 -- '^  --tsv FILE' | grep -q -- '^  --valid-tsv FILE' || die "train --help has --tsv, but not --valid-tsv"

# ---- man pages ----

# Prints the explanations of a page, a line for each flag: FLAG EXPLANATION. Reads the page as a person sees it, without roff.
items() { # COMMAND
    sed 's/\\-/-/g' "$share/man/man1/tide-$1.1" |
        awk '/^\.It Fl / { if (line) print line; line = $0; sub(/^\.It Fl ([a-z] , Fl )?-/, "", line); sub(/ .*/, "", line); next } /^\.El/ { exit } /^[^.]/ && line { line = line " " $0 } END { print line }'
}

for command in $commands; do
    tide_ok "$command" --help-all | sed -nE 's/^  (-[a-z], )?--//p' >"$scratch/help"
    items "$command" >"$scratch/items"
    # --help-all shows each flag of the page once, --help some of them
    grep -v '^help' "$scratch/items" | sed 's/ .*//' | sort >"$scratch/page"
    sed 's/ .*//' "$scratch/help" | sort | diff "$scratch/page" - || die "$command --help-all"
    tide_ok "$command" --help | sed -nE 's/^  (-[a-z], )?--//p' | grep -vxFf "$scratch/help" && die "$command --help"
    sections=$(sed -n 's/^\.Sh //p' "$share/man/man1/tide-$command.1" | tr '\n' ' ')
    echo "$sections" | grep -qxE 'NAME SYNOPSIS DESCRIPTION OPTIONS (FILES )?EXIT STATUS EXAMPLES SEE ALSO ' ||
        die "tide-$command(1) has the sections $sections"
    # each flag of the help is in the page, with its default
    awk 'NR == FNR { text[$1] = tolower($0); next }
         !($1 in text) { print "does not explain --" $1; next }
         match($0, /\(default: [^)]*\)$/) && !index(text[$1], substr($0, RSTART + 1, RLENGTH - 2)) { print "no default of --" $1 }' \
        "$scratch/items" "$scratch/help" >"$scratch/missing"
    [ ! -s "$scratch/missing" ] || die "tide-$command(1): $(cat "$scratch/missing")"
    { echo "tide-$command"; sed 's/ .*//' "$scratch/help"; } >>"$scratch/all"
done
[ "$(grep -vc '^tide-' "$scratch/all")" -gt 120 ] || die "few flags: $(cat "$scratch/all")"
items translate | grep -q '^beam-size .*a whole number from 1 to 1000\.$' || die "no limits of --beam-size"
grep -q '^\.It Fl b , Fl ..beam..size Ar N$' "$share/man/man1/tide-translate.1" || die "no letter of --beam-size"
# the values and the default of each flag that has them, and whether it may change when a training continues
for command in $commands; do
    sed 's/\\-/-/g' "$share/man/man1/tide-$command.1" | awk -v command="$command" '
        function put() { if (line) print command " --" flag ":" line }
        /^\.El/ { exit }
        /^\.It Fl / { put(); line = ""; flag = $0; sub(/^\.It Fl ([a-z] , Fl )?-/, "", flag); sub(/ .*/, "", flag) }
        /^(Value|Default|For each side): |^Fixed when/ { line = line " " $0 }
        /^When a training/ { getline more; sub(/^\.Fl -/, "--", more); sub(/ \.$/, ".", more); line = line " " $0 " " more }
        END { put() }'
done >"$scratch/flags"
diff tests/fixtures/flags.txt "$scratch/flags" || die "other limits or defaults; if they are meant, correct the file"
# words to be typed and names of values look different
synopsis() { sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/ { /^\.Sh/d; p; }' "$share/man/man1/tide-$1.1" | tr '\n' ' '; } # COMMAND
[ "$(synopsis translate)" = '.Nm tide .Cm translate .Ar MODEL .Oo .Ar flags .Oc < .Ar source > .Ar translation ' ] &&
    [ "$(synopsis help)" = '.Nm tide .Cm help .Oo .Ar COMMAND .Oc | .Fl \-man .Oo .Ar COMMAND .Oc | .Fl \-completion .Cm bash | zsh | fish | .Fl \-presets ' ] ||
    die "the synopsis: $(synopsis translate) $(synopsis help)"
items train | grep -q '^tokenizer .*Fixed when a training continues\.$' || die "nothing of continuing"
tide_ok help --man | grep -c '^\.It Xr tide-' | grep -qx "$(echo "$commands" | wc -l)" || die "tide(1) does not list all commands"
if has mandoc 'the syntax of the man pages' mandoc; then
    MANPATH=$share/man mandoc -T lint -W style "$share"/man/man1/*.1 >"$scratch/lint" 2>"$scratch/stderr" ||
        die "mandoc: $(cat "$scratch/lint" "$scratch/stderr")"
fi

# ---- the version and the day of the release ----

release=$(sed -n 's/^## \([0-9.]*\) (\([0-9-]*\))$/\1 \2/p' docs/changelog.md | head -n 1)
[ "$(tide_ok --version | head -n 1)" = "tide ${release% *}" ] || die "tide --version, but docs/changelog.md begins with $release"
tide_ok --version | grep -qE '^commit [0-9a-f]{7,}, kernels (avx512(vnni)?|avx(2|vnni)|neon(dot)?|portable)$' || die "$(tide_ok --version)"
grep -qx ".Dd $(LC_ALL=C date -d "${release#* }" '+%B %-d, %Y')" "$share/man/man1/tide.1" || die "tide(1) is not of ${release#* }"
head -n 1 debian/changelog | grep -qF "tide (${release% *}) " || die "debian/changelog is not of ${release% *}"

# ---- presets ----

tide_ok help --presets >"$scratch/presets"
printf '%s\n' bahdanau2015 base small tiny >"$scratch/names"
sed -n 's/^\([a-z0-9]*\)  *[^ ].*/\1/p' "$scratch/presets" | diff "$scratch/names" - || die "the presets: $(cat "$scratch/presets")"
mkdir "$scratch/here" "$scratch/here/models"
echo '# mine: of my own. More.' >"$scratch/here/models/mine.conf"
echo 'dim-emb = 3' >"$scratch/here/models/tiny.conf" # share/tide has it, too
(cd "$scratch/here" && "$scratch/root/usr/bin/tide" help --presets) >"$scratch/presets" || die "presets"
grep -qx 'mine  *of my own' "$scratch/presets" && [ "$(grep -c . "$scratch/presets")" = 5 ] || die "$(cat "$scratch/presets")"

# a copy of the program has the presets itself; a file in models/ beside it comes first
mkdir -p "$scratch/copy/bin" "$scratch/nothing"
cp "$(readlink -f "$tide")" "$scratch/copy/bin/tide"
cd "$scratch/nothing" || exit 1
tide_ok help --presets >"$scratch/presets"
"$scratch/copy/bin/tide" help --presets | diff "$scratch/presets" - || die "a copy of the program has other presets"
one_update() { # PROGRAM MODEL
    "$1" train --preset tiny --model "$2" --tsv "$scratch/train.tsv" --after-batches 1 2>"$scratch/stderr" ||
        die "$1 with a preset: $(cat "$scratch/stderr")"
}
one_update "$tide" files
one_update "$scratch/copy/bin/tide" own
cmp files/model.safetensors own/model.safetensors || die "the presets of the program are not the files in models/"
"$scratch/copy/bin/tide" export --html model page 2>"$scratch/stderr" && die "export without the browser edition"
grep -q 'there is no .*/copy/bin/../share/tide/page.html. In the sources of tide, .make browser. makes it' "$scratch/stderr" ||
    die "export: $(cat "$scratch/stderr")"
mkdir "$scratch/copy/bin/models"
sed 's/^dim-emb.*/dim-emb = 32/' "$OLDPWD/models/tiny.conf" >"$scratch/copy/bin/models/tiny.conf"
one_update "$scratch/copy/bin/tide" beside
tide_ok info beside | grep -qx 'dim-emb *= 32' || die "a preset beside a copy is not used: $(tide_ok info beside | grep dim-emb)"
cd "$OLDPWD" || exit 1

refused 2 "unknown command 'none'" help none
refused 2 'one COMMAND' help train translate
refused 2 'one thing at a time' help --man --presets
refused 2 'one thing at a time' help train --completion bash
refused 2 'completion must be one of bash|zsh|fish' help --completion ksh

# ---- completions: command lines, and the words that their last word can become ----

touch "$scratch/here/file" "$scratch/here/a b"
mkdir "$scratch/here/folder"
cat >"$scratch/lines" <<'LINES'
tide trans=translate
tide --v=--version
tide train --dim-m=--dim-maxout
tide train --preset m=mine
tide train --preset b=bahdanau2015 base
tide train -m fo=folder
tide train --model fo=folder
tide train --config fi=file
tide train --train-sets file fi=file
tide train --tokenizer char n=none
tide train --dim-emb 1=
tide train --allow-change seed learn=learn-rate
tide train --allow-change dim-rnn=
tide translate fi=file
tide translate file --shift fo=folder
tide translate file --alignment =hard soft
tide aer --one-ref --s=--score-only
tide align --symmetrize gr=grow-diag-final-and
tide bench kernels g=gemm
tide bench --size p=paper
tide help sc=score
LINES

# asks SHELL FOUND: compares what a shell completes (a line for each of lines) with the expected words
asks() { cut -d = -f 2 "$scratch/lines" | diff - "$2" >"$scratch/diff" || die "$1 completes: $(paste -d = "$scratch/lines" "$2")"; }

cat >"$scratch/ask.bash" <<'BASH'
. "$1/bash-completion/completions/tide"
ask() { COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tide; }
while read -r name; do
    case $name in
    tide-*) command=${name#tide-} ;;
    *) COMP_WORDS=(tide "$command" "--$name")
        ask
        [[ " ${COMPREPLY[*]} " == *" --$name "* ]] || echo "tide $command --$name"
        ;;
    esac
done <"$2" >"$2.missing"
while IFS= read -r line; do
    line=${line%%=*}
    read -r -a COMP_WORDS <<<"$line"
    [[ $line != *' ' ]] || COMP_WORDS+=('')
    ask
    echo "${COMPREPLY[*]}"
done
COMP_WORDS=(tide train --config a)
ask
[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == 'a b' ]] || echo "a file with a space: ${COMPREPLY[*]}"
BASH
(cd "$scratch/here" && bash "$scratch/ask.bash" "$share" "$scratch/all" <"$scratch/lines" >"$scratch/found") || die "bash failed"
asks bash "$scratch/found"
[ ! -s "$scratch/all.missing" ] || die "bash does not complete $(cat "$scratch/all.missing")"

cat >"$scratch/ask.fish" <<'FISH'
source $argv[1]/fish/vendor_completions.d/tide.fish
while read -l line
    set -l found (complete -C (string replace -r '=.*' '' -- $line) | string replace -r '\t.*' '' | string trim -r -c /)
    echo "$found"
end
FISH
if has fish 'the completion of fish' fish; then
    (cd "$scratch/here" && fish --no-config "$scratch/ask.fish" "$share" <"$scratch/lines" >"$scratch/found") || die "fish failed"
    asks fish "$scratch/found"
fi

# zsh: types each line and the tab key in a terminal. A line that can become several words, or none, stays as it is. The shell
# writes what a line became to a pipe.
cat >"$scratch/ask.zsh" <<'ZSH'
zmodload zsh/zpty
exec {answers}<>$2
zpty shell zsh -f -i
zpty -w shell "fpath=($1/zsh/site-functions \$fpath); autoload -U compinit; compinit -u -D; show() { print -r -- \"\$BUFFER\" >$2; BUFFER= }
zle -N show; bindkey '^T' show; bindkey '^I' complete-word; setopt no_beep no_auto_menu; print ready >$2"
read -r -t 60 -u $answers || exit 1
while IFS= read -r line; do
    zpty -w -n shell "${line%%=*}"$'\t\x14'
    IFS= read -r -t 60 -u $answers became || exit 1
    print -r -- "$became"
done
zpty -d shell
ZSH
if has zsh 'the completion of zsh' zsh; then
    grep -v '=.* \|=$' "$scratch/lines" >"$scratch/single" # one word
    mkfifo "$scratch/answers"
    (cd "$scratch/here" && zsh -f "$scratch/ask.zsh" "$share" "$scratch/answers" <"$scratch/single") >"$scratch/found.zsh" || die "zsh failed"
    sed 's/[ /]*$//' "$scratch/found.zsh" >"$scratch/typed"
    sed 's/[^ ]*=//' "$scratch/single" | diff - "$scratch/typed" >"$scratch/diff" || die "zsh completes: $(cat "$scratch/diff")"
fi

# ---- uninstall ----

touch "$scratch/root/usr/bin/other" "$share/man/man1/tide-other.1"
build uninstall DESTDIR="$scratch/root" PREFIX=/usr
find "$scratch/root" ! -type d | sed "s|^$scratch/root||" | sort >"$scratch/left"
printf '%s\n' /usr/bin/other /usr/share/man/man1/tide-other.1 | diff - "$scratch/left" || die "uninstall"
[ ! -e "$share/tide" ] || die "share/tide is left"
