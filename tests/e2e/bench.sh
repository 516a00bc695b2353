#!/bin/sh
# tide bench: every kernel set has the bits of the portable one (else the program aborts); every part prints its measurements.
. "$(dirname "$0")/../lib/common.inc"

for isa in avx512 avx2 neon portable; do
    "$tide" bench kernels --isa $isa >"$scratch/bench" 2>"$scratch/stderr" && { grep -q '^  adam .* numbers' "$scratch/bench" ||
        die "bench kernels --isa $isa: $(cat "$scratch/bench")"; }
    case $? in 0 | 2) ;; *) die "bench kernels --isa $isa: $(cat "$scratch/stderr")" ;; esac
done
tide_ok bench step decode --size small --batch 2 --updates 1 >"$scratch/bench"
grep -q '^train small .* target tokens/s' "$scratch/bench" && grep -q '^decode small .*beam 5,  1 at once' "$scratch/bench" ||
    die "bench prints $(cat "$scratch/bench")"
tide_ok bench gemm step --size small --precision bfloat16 --batch 2 --updates 1 >"$scratch/bench"
grep -q '^  dWo ' "$scratch/bench" && grep -q '^train small ' "$scratch/bench" || die "bench with bfloat16 prints $(cat "$scratch/bench")"
refused 2 'give either --int8 or --precision bfloat16' bench decode --int8 --precision bfloat16
"$tide" bench speed 2>"$scratch/stderr" && die "an unknown part of the benchmark is accepted"
[ "$(cat "$scratch/stderr")" = "tide: 'speed' is not a part of the benchmark: kernels|gemm|step|decode" ] || die "$(cat "$scratch/stderr")"
