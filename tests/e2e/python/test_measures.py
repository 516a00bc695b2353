"""BLEU, chrF and the alignment error rate."""

import json

import pytest
import tide
from conftest import ROOT, run_tide

SCORES = ROOT / "tests" / "fixtures" / "scores"
EXPECTED = json.loads((SCORES / "expected.json").read_text())


@pytest.mark.parametrize("case", EXPECTED)
def test_the_scores_are_those_of_sacrebleu(case):
    hypotheses, references = ((SCORES / f"{case}.{kind}").read_text()[:-1].split("\n") for kind in ("hyp", "ref"))
    expected = EXPECTED[case]
    found = tide.bleu(hypotheses, references)
    assert float(found) == found.value == pytest.approx(expected["bleu"], abs=1e-9)
    assert str(found) == found.line == expected["line"]
    assert tide.bleu(hypotheses, references, lowercase=True).value == pytest.approx(expected["bleu_lc"], abs=1e-9)
    assert tide.bleu(hypotheses, references, chinese=True).value == pytest.approx(expected["bleu_zh"], abs=1e-9)
    assert tide.chrf(hypotheses, references).value == pytest.approx(expected["chrf2"], abs=1e-9)


def test_several_references_are_those_of_the_program(tmp_path):
    hypotheses = ["the tide went out today", "who is there"]
    references = [["the tide is out", "who is here"], ["the sea went out today", "who is there now"]]
    paths = [tmp_path / "1", tmp_path / "2"]
    for path, lines in zip(paths, references, strict=True):
        path.write_text("\n".join(lines) + "\n")
    for measure in ("bleu", "chrf"):
        found = getattr(tide, measure)(hypotheses, references)
        expected = run_tide(measure, *paths, "--score-only", stdin="\n".join(hypotheses) + "\n")
        assert found.value == pytest.approx(float(expected[0]), abs=0.01)
        assert found == getattr(tide, measure)(hypotheses, (iter(one) for one in references))
        assert found.value > getattr(tide, measure)(hypotheses, references[0]).value
    with pytest.raises(tide.BadArgument, match="2 hypotheses, but 1 references"):
        tide.bleu(hypotheses, [references[0], ["a"]])


def test_the_alignment_error_rate():
    # A = {0-0, 1-1, 2-1}, S = {0-0, 1-1}, P = S and {2-2}: |A∩S| = |A∩P| = 2
    found = tide.aer(["0-0 1-1 2-1", ""], ["0-0 1-1 2p2", ""])
    assert (found.rate, found.precision, found.recall) == pytest.approx((1 - 4 / 5, 2 / 3, 1))
    assert float(found) == found.rate


def test_the_line_of_a_wrong_link_is_named():
    with pytest.raises(tide.BadText, match="2"):
        tide.aer(["0-0", "0~0"], ["0-0", "0-0"])


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="2 hypotheses, but 1 references"):
        tide.bleu(["a", "b"], ["a"])
    with pytest.raises(tide.BadArgument, match="no hypotheses"):
        tide.chrf([], [])
    with pytest.raises(TypeError, match="hypotheses must be a list of str, not str"):
        tide.bleu("a b", ["a b"])
    with pytest.raises(TypeError, match="reference 2 must be a str, not bytes"):
        tide.bleu(["a", "b"], ["a", b"b"])
    with pytest.raises(tide.BadText, match="hypothesis 2 has a NUL at index 1"):
        tide.bleu(["a", "b\0"], ["a", "b"])
    with pytest.raises(tide.BadText, match=r"hypothesis is not valid Unicode: U\+D800 at index 2"):
        tide.bleu(["ab\ud800"], ["a"])
