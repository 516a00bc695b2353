#!/bin/sh
# shellcheck disable=SC2012,SC2046,SC2059,SC2086,SC3045 # words of arguments are in one variable; dash knows ulimit -v
# Extreme inputs: for any lines, a command ends soon, in bounded memory, with the right result or with one line that gives
# the reason. Line endings and byte order marks make no difference.
. "$(dirname "$0")/../lib/common.inc"
smallest_run "$scratch/run" --after-batches 12
cd "$scratch" || exit 1
sed "s/max-length.*//" smallest.conf >short.conf

# ---- enormous lines ----

repeat() { yes "$1" | head -n "$2" | tr -d '\n'; }
size=${SIZE:-120000} # characters, or tokens, of a line
repeat 潮 "$size" >han && echo >>han
repeat a "$size" >word && echo >>word
repeat 'a ' "$size" >tokens && echo >>tokens
repeat "$(printf 'e\314\201\314\243')" "$size" >marks && echo >>marks
repeat '<' "$size" >open && echo >>open
repeat '\' 600 >backslashes && echo >>backslashes # each backslash gives two pieces
enormous="han word tokens marks open"

# ends STATUS PATTERN COMMAND...: checks that the command ends soon, in little memory, and prints one line if it fails;
# standard input is $in
ends() {
    status=$1 pattern=$2
    shift 2
    (case $tide:$(ldd "$tide" 2>/dev/null) in *libasan* | *libtsan* | *libubsan* | *-under-wine:*) ;; *) ulimit -v 1500000 ;; esac
    exec timeout 60 "$tide" "$@" <"$in" >stdout 2>stderr)
    got=$?
    [ $got = "$status" ] || die "$* <$in: exit $got, not $status: $(tail -n 3 stderr | cut -c 1-300)"
    [ $got = 0 ] || [ "$(wc -l <stderr)" = 1 ] || die "$* <$in: $(cut -c 1-300 stderr)"
    [ -z "$pattern" ] || grep -Eq "$pattern" stderr || die "$* <$in: printed '$(cut -c 1-300 stderr)', not /$pattern/"
}
in=/dev/null
for kind in $enormous; do
    limit="$kind:1: a sentence of [0-9]* pieces, where 1000 are the limit"
    in=$kind
    ends 1 "standard input:1: a sentence of [0-9]* pieces, where 1000" translate run
    in=/dev/null
    for command in align score; do ends 1 "$limit" $command run --src $kind --tgt $kind; done
    ends 1 "$limit" evaluate run --src $kind --ref $kind
    ends 1 "$limit" train --config short.conf --tsv train.tsv --valid-sets $kind $kind --model refused --after-batches 1
    [ ! -e refused/train.jsonl ] || die "a training began"
done
for kind in $enormous; do
    in=$kind
    for side in src tgt; do ends 0 '' tokenize run --side $side; done
    cp stdout pieces && in=pieces
    ends 0 '' tokenize run --side tgt --join
    in=$kind
    ends 0 '' bleu $kind
    ends 0 '' bleu $kind --tokenize zh
    ends 0 '' chrf $kind
    ends 1 "$kind:1: .* is not a link|standard input:1: .* is not a link" aer $kind
    in=/dev/null
    printf 'x\t' | cat - $kind >long-target && ends 0 '' translate run --replace-unk --lexicon long-target
    tr -d '\n' <$kind >long-source && printf '\tx\n' >>long-source
    ends 1 'long-source:1: a source text of [0-9]* bytes, where 256 are the limit' translate run --replace-unk --lexicon long-source
    # tide corpus drops the line
    paste $kind $kind >pair
    cat train.tsv pair >corpus.tsv
    rm -rf out
    ends 0 '' corpus --output out --tsv corpus.tsv --dev 0 --test 0
    grep -Eq ' 1 (too-long|not-chinese|ratio|same|identical|markup|not-english)' stdout || die "$kind: $(cat stdout)"
    [ $kind = tokens ] || continue # the other kinds are split alike, and a training takes a while
    cut -f 2 corpus.tsv >zh && cut -f 1 corpus.tsv >en
    sed 's/.*/0-0/' en >links
    rm -rf out
    ends 0 '300 pairs .*1 too long' train --train-sets zh en --guided-alignment links --config short.conf --model out --after-batches 1
    ends 1 "no sentence pair of at most" train --train-sets $kind $kind --config short.conf --model out --after-batches 1
    for file in config guided-alignment; do
        rm -rf out
        ends 1 "$kind:1: |has 1 lines, but" train --tsv train.tsv --$file $kind --model out --after-batches 1
    done
done

head -n 1 train.tsv | cut -f 2 >one
ends 1 'backslashes:1: a sentence of 120[0-9] pieces' score run --src one --tgt backslashes

# as many links as an enormous line has words
seq 1 "$size" | sed 's/.*/&-&/' | tr '\n' ' ' >many && echo >>many
in=many
ends 0 '' aer many
grep -q "^AER = 0.0000 .*links = $size " stdout || die "aer: $(cat stdout)"
sed 's/.*/0-0/' train.tsv >links && head -n 299 links >few && cat few many >wrong
in=/dev/null
ends 1 'wrong:300: the link ' train --tsv train.tsv --guided-alignment wrong --config short.conf --model out2 --after-batches 1

ends 1 'huge: a model of [0-9]* weights, where 2147483647 are the limit' train --tsv train.tsv --dim-rnn 65536 --model huge

# a matrix with more rows than an int can count
repeat 潮 262144 >long && echo >>long
yes 潮 | head -n 8191 | cat - long >many.zh
yes tide | head -n 8192 >many.en
ends 1 'many.zh: a batch of 8192 pairs of up to 262145 and 2 pieces is too large: .* at most 2147483647 rows and columns; give a smaller --mini-batch, ' \
    train --train-sets many.zh many.en --config short.conf --max-length 0 --mini-batch 8192 --model large
[ ! -e large ] || die "a training that could not start left a directory"

# the default limit and another one
repeat 海 1000 >limit && echo >>limit
repeat 海 1001 >above && echo >>above
in=limit
ends 0 '' translate run --beam-size 1
in=above
ends 1 'standard input:1: a sentence of 1001 pieces' translate run
ends 0 '' translate run --max-length 1001 --beam-size 1
in=limit
ends 1 'standard input:1: a sentence of 1000 pieces, where 999 are the limit' translate run --max-length 999
ends 2 'max-length must be between' translate run --max-length 0

# more lines than are translated in one batch
head -n 40 train.tsv | cut -f 2 >zh
(cat zh && yes '' | head -n 4070 && cat zh) >apart
in=zh
ends 0 '' translate run --n-best 2 --beam-size 2 --alignment hard --mini-batch 1
mv stdout alone
in=apart
ends 0 '' translate run --n-best 2 --beam-size 2 --alignment hard --html page.html --heatmap pictures
cut -d ' ' -f 1 stdout | uniq | awk '$1 != NR - 1 { bad = 1 } END { exit bad || NR != 4150 }' || die "the numbers of an n-best list"
grep -v '||| *||| *||| F0= 0.000000' stdout | cut -d ' ' -f 2- >written
(cut -d ' ' -f 2- alone && cut -d ' ' -f 2- alone) | cmp - written || die "translations depend on the other lines"
[ "$(ls pictures | wc -l)" = 80 ] && [ -s pictures/4150.svg ] || die "$(ls pictures | wc -l) pictures"
[ "$(grep -c '^{"text":.*"hypotheses"' page.html)" = 4150 ] || die "$(grep -c hypotheses page.html) sentences on the page"

# ---- blank lines, and lines with a NUL ----

yes '' | head -n 100 >blank
: >nothing
printf 'one\ntw\0o\nthree\n' >zero
in=blank
prints() { # checks the number of printed lines for an input of blank lines
    ends 0 '' "$@"
    [ "$(wc -l <stdout)" = "$lines" ] || die "$*: $(wc -l <stdout) lines"
}
lines=100
prints translate run --html page.html --heatmap none
prints translate run --n-best 2 --beam-size 2 --alignment soft
prints tokenize run
for format in pharaoh soft json; do prints align run --src blank --tgt blank --format $format; done
lines=101 && prints score run --src blank --tgt blank
lines=4 && prints evaluate run --src blank --ref blank
lines=2 && prints bleu blank && prints chrf blank
lines=1 && prints aer blank
in=nothing lines=0 && prints translate run && prints tokenize run
for file in blank nothing; do
    ends 1 'no sentence pairs' train --train-sets $file $file --model out3
    ends 1 'no sentence pairs' train --tsv train.tsv --valid-tsv $file --model out3
    ends 1 'has [0-9]* lines, but the training set has 300' train --tsv train.tsv --guided-alignment $file --model out3
    ends 1 'no sentence pairs' corpus --tsv $file --output out4
    ends 1 'is not a gettext catalogue' corpus --mo $file --output out4
done
for command in align score; do ends 1 'nothing: file is empty' $command run --src nothing --tgt nothing; done
ends 1 'nothing: file is empty' evaluate run --src nothing --ref nothing
for command in bleu chrf aer; do ends 1 'nothing: file is empty' $command nothing; done
in=zero
for command in translate tokenize; do ends 1 'standard input:2: .* NUL \(byte 3\)' $command run; done
for command in align score; do ends 1 'zero:2: .* NUL' $command run --src zero --tgt zero; done
ends 1 'zero:2: .* NUL' evaluate run --src zh --ref zero
ends 1 'zero:2: .* NUL' bleu zero
ends 1 'zero:2: .* NUL' train --train-sets zh zero --model out3
{ printf '\n0-0\0\n'; yes '' | head -n 298; } >zero.links
ends 1 'zero.links:2: .* NUL' train --tsv train.tsv --guided-alignment zero.links --model out3
ends 1 'zero:2: .* NUL' translate run --replace-unk --lexicon zero
printf 'One.\t一。\nTwo\0.\t二。\n' >zero.tsv
ends 0 '' corpus --tsv zero.tsv --output out4 --dev 0 --test 0
grep -q ' 1 broken' stdout || die "a NUL: $(cat stdout)"
printf '0-0\n' >good.links && printf '0-0 \0\n' >zero.links
in=zero.links
ends 1 'standard input:1: line holds a NUL' aer good.links

# ---- other line endings, and byte order marks ----

head -n 4 zh >lf.src && head -n 4 train.tsv | cut -f 1 >lf.tgt && head -n 4 links >lf.links
for ext in src tgt links; do
    sed 's/$/\r/' lf.$ext >crlf.$ext
    { printf '\357\273\277' && cat lf.$ext; } >bom.$ext
    head -c -1 lf.$ext >open.$ext
done
for as in crlf bom open; do
    # with files of this kind, the command prints the same as with plain files
    prints() {
        before=$("$tide" $(echo "$*" | sed 's/@/lf/g') <lf.$from 2>stderr) || die "$*: $(cat stderr)"
        after=$("$tide" $(echo "$*" | sed "s/@/$as/g") <$as.$from 2>stderr) || die "$* ($as): $(cat stderr)"
        [ "$before" = "$after" ] || die "$*: $as is not as lf"
    }
    from=src
    prints translate run
    prints tokenize run
    prints align run --src @.src --tgt @.tgt
    prints score run --src @.src --tgt @.tgt
    prints evaluate run --src @.src --ref @.tgt
    prints bleu @.src
    prints chrf @.src
    from=links
    prints aer @.links
done
for as in crlf bom; do
    mark='' end=''
    [ $as = crlf ] && end='\r' || mark='\357\273\277'
    for file in train.tsv dev.tsv links short.conf; do { printf "$mark" && sed "s/\$/$end/" $file; } >$as.$file; done
    rm -rf lf $as
    tide_ok train --tsv train.tsv --valid-tsv dev.tsv --guided-alignment links --config short.conf --model lf --after-batches 4
    tide_ok train --tsv $as.train.tsv --valid-tsv $as.dev.tsv --guided-alignment $as.links --config $as.short.conf --model $as --after-batches 4
    alike lf $as "training on $as"
done
