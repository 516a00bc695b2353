"""Models: what they return equals what the program prints; errors; threads, interrupts, forks and closing."""

import copy
import gc
import itertools
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import tide
from conftest import MODELS, ROOT, run_tide

SENTENCE = "潮水退了，才知道谁没穿裤子。"


def lines(texts):
    return "".join(text + "\n" for text in texts)


# ---- translating ----


def test_translations_are_those_of_the_program(model, zh):
    expected = run_tide("translate", MODELS / "first", stdin=lines(zh))
    found = model.translate(zh)
    assert [translation.text for translation in found] == [str(translation) for translation in found] == expected
    assert [translation.source_text for translation in found] == zh
    assert model.translate(zh[0]) == found[0]
    assert model.translate(iter(zh)) == found
    assert model.translate([]) == []
    for translation in found:
        assert translation.source[-1] == "</s>" and translation.target
        assert translation.alignment.source == translation.source and translation.alignment.target == translation.target


def test_n_best_lists_and_options_are_those_of_the_program(model, zh):
    options = ["--n-best", "3", "--beam-size", "4", "--normalize", "0", "--coverage-penalty", "0.3"]
    expected = [line.split(" ||| ") for line in run_tide("translate", MODELS / "first", *options, stdin=lines(zh[:4]))]
    found = model.translate(zh[:4], n_best=3, beam=4, normalize=0, coverage=0.3)
    assert [(str(i), t.text) for i, best in enumerate(found) for t in best] == [(line[0], line[1]) for line in expected]
    for translation, line in zip(itertools.chain(*found), expected, strict=True):
        assert translation.score == pytest.approx(float(line[-1]), abs=1e-4)
    assert all(best == sorted(best, key=lambda t: -t.score) and len(best) == 3 for best in found)
    assert model.translate(zh[0], n_best=3, beam=4, normalize=0, coverage=0.3) == found[0]


def test_translations_begin_with_their_prefixes(model, zh):
    free = model.translate(zh[:3])
    prefixes = ["The ", "", "He"]
    found = model.translate(zh[:3], prefix=prefixes, n_best=3)
    assert all(t.text.startswith(p.strip()) for p, best in zip(prefixes, found, strict=True) for t in best)
    assert found[1][0] == free[1]
    assert model.translate(zh[0], prefix="The ") == found[0][0]
    with pytest.raises(tide.BadText, match="prefix 1: the vocabulary has no piece '海'"):
        model.translate(zh[0], prefix="海 The")
    with pytest.raises(TypeError, match="both be a list of str"):
        model.translate(zh[:2], prefix="The")
    with pytest.raises(tide.BadArgument):
        model.translate(zh[:2], prefix=["The"])


def test_translations_contain_the_terms_of_a_glossary(model, zh):
    found = model.translate("潮水。", glossary={"潮水": "He left"}, n_best=3)
    assert all("He left" in t.text for t in found)
    assert model.translate("大家。", glossary={"潮水": "He left"}) == model.translate("大家。")
    with pytest.raises(tide.BadText, match="glossary: the model cannot write '海'"):
        model.translate(zh[0], glossary={"潮": "海"})
    with pytest.raises(tide.BadText, match="glossary, line 1: a line must be"):
        model.translate(zh[0], glossary={"潮": "a\tb\tc"})


def test_a_confidence_is_that_of_the_program(model, zh):
    with tide.load(MODELS / "tuned") as tuned:
        found = run_tide("translate", MODELS / "tuned", "--n-best", 1, stdin=lines(zh))
        features = [line.split(" ||| ")[2].split() for line in found]
        expected = [float(one[one.index("Confidence=") + 1]) for one in features]
        assert [round(translation.confidence, 4) for translation in tuned.translate(zh)] == expected
        assert tuned.translate("Tom").confidence is None
        assert tuned.translate("Tom").text == "Tom"
    assert model.translate(zh[0]).confidence is None


def test_a_tag_is_that_of_the_program(zh, en):
    with tide.load(MODELS / "tagged") as tagged:
        assert tagged.info.tags == ("news",)
        expected = run_tide("translate", MODELS / "tagged", "--tag", "news", stdin=lines(zh))
        assert [translation.text for translation in tagged.translate(zh, tag="news")] == expected
        pair = ("--src", MODELS / "zh", "--tgt", MODELS / "en", "--tag", "news")
        scores = [score.log_probability for score in tagged.score(zh, en, tag="news")]
        expected = [float(line) for line in run_tide("score", MODELS / "tagged", *pair)[:-1]]
        assert scores == pytest.approx(expected, abs=1e-6)
        assert scores != [score.log_probability for score in tagged.score(zh, en)]
        links = [alignment.pharaoh() for alignment in tagged.align(zh, en, tag="news")]
        assert links == run_tide("align", MODELS / "tagged", *pair)
        with pytest.raises(tide.Unsupported, match="has no tag 'sport'"):
            tagged.translate(zh, tag="sport")


def options_of(model, zh, flags, **options):
    """The translations with these options, which are those of the program with these flags."""
    found = [translation.text for translation in model.translate(zh, **options)]
    assert found == run_tide("translate", MODELS / "first", *flags, stdin=lines(zh))
    return found


def test_options_of_the_search_are_those_of_the_program(model, zh, tmp_path):
    plain = options_of(model, zh, [])
    assert options_of(model, zh, ["--word-penalty", "2"], word_penalty=2) != plain
    options_of(model, zh, ["--precision", "bfloat16"], precision="bfloat16")
    scores = [[s.log_probability for s in model.score(zh, zh, precision=p)] for p in ("float32", "bfloat16")]
    assert scores[0] != scores[1]
    assert options_of(model, zh, ["--output-sampling", "full"], sample=True) != plain
    topk = ["--output-sampling", "topk", "5", "0.8", "--seed", "9"]
    options_of(model, zh, topk, sample=True, top_k=5, temperature=0.8, seed=9)
    options_of(model, zh, ["--output-sampling", "nucleus", "0.7"], sample=True, top_p=0.7)
    terms = {"海": "the sea", "大": "big"}
    (tmp_path / "terms").write_text("".join(f"{a}\t{b}\n" for a, b in terms.items()))
    options_of(model, zh, ["--replace-unk", "--lexicon", tmp_path / "terms"], replace_unknown=True, lexicon=terms)
    found = model.translate(zh, alignments=False)
    assert [translation.text for translation in found] == plain
    assert all(translation.alignment is None and translation.target for translation in found)
    for name, options in {
        "word_penalty is nan": {"word_penalty": float("nan")},
        "precision is 'half', but must be float32 or bfloat16": {"precision": "half"},
        "top_k needs sample": {"top_k": 2},
        "temperature is 0.0, but must be above 0": {"sample": True, "temperature": 0},
        "lexicon needs replace_unknown": {"lexicon": terms},
    }.items():
        with pytest.raises(tide.BadArgument, match=name):
            model.translate(zh, **options)


def test_a_shortlist_is_that_of_the_program(model, zh, tmp_path):
    words = [("海", "The sea", 0.5), ("大", "big", 0.25)]
    (tmp_path / "words").write_text("".join(f"{a}\t{b}\t{p}\n" for a, b, p in words))
    few = model.shortlist(words, first=0)
    flags = ["--shortlist", tmp_path / "words", "--shortlist-first", "0"]
    found = options_of(model, zh, flags, shortlist=few)
    assert found != options_of(model, zh, [])
    same = model.shortlist((tmp_path / "words").read_text(), first=0)
    assert [translation.text for translation in model.translate(zh, shortlist=same)] == found
    with pytest.raises(tide.BadText, match="shortlist, line 1: a line must be"):
        model.shortlist("海")
    with tide.load(MODELS / "second") as other, pytest.raises(tide.BadArgument, match="not in the session"):
        other.translate(zh, shortlist=few)


def test_scores_of_pieces_are_those_of_the_program(model, zh, en):
    expected = run_tide("translate", MODELS / "first", "--word-scores", stdin=lines(zh))
    for translation, line in zip(model.translate(zh), expected, strict=True):
        scores = [float(score) for score in line.split(" ||| WordScores= ")[1].split()]
        assert translation.piece_scores == pytest.approx(scores, abs=1e-5)
        assert len(translation.piece_scores) == len(translation.target)
    score = model.score(zh[0], en[0])
    assert sum(score.piece_scores) == pytest.approx(score.log_probability, abs=1e-6)
    assert model.translate("").piece_scores == ()


@pytest.mark.parametrize("in_thread", [False, True])
def test_settled_words_are_told(model, zh, in_thread):
    told = {}

    def settled(i, text):
        assert text.startswith(told.get(i, ""))
        told[i] = text

    def work():
        found = model.translate(zh, settled=settled)
        assert len(told) > len(zh) / 2 and all(found[i].text.startswith(text) for i, text in told.items())
        with pytest.raises(ZeroDivisionError):
            model.translate(zh, settled=lambda i, text: 1 / 0)

    if in_thread:
        with ThreadPoolExecutor() as pool:
            pool.submit(work).result()
    else:
        work()


def test_the_normalisation_is_the_models_unless_it_is_given(model):
    plain, normalized = (model.translate(SENTENCE, beam=1, normalize=value) for value in (0, None))
    assert plain.score == plain.log_probability == normalized.log_probability
    assert normalized.score == pytest.approx(plain.score / len(plain.target) ** model.info.normalize)


def test_results_do_not_depend_on_threads_and_batches(model, zh):
    with tide.load(MODELS / "first", threads=3) as other:
        assert other.translate(zh, mini_batch=2) == model.translate(zh)


def test_an_ensemble_is_that_of_the_program(zh):
    paths = [MODELS / "first", MODELS / "second"]
    expected = run_tide("translate", "--models", *paths, stdin=lines(zh))
    with tide.load(paths) as ensemble:
        assert [translation.text for translation in ensemble.translate(zh)] == expected
        assert ensemble.paths == tuple(map(str, paths))


def test_an_ensemble_scores_as_the_program_does(zh, en):
    paths = [MODELS / "first", MODELS / "second"]
    expected = run_tide("score", "--models", *paths, "--src", MODELS / "zh", "--tgt", MODELS / "en")[:-1]
    with tide.load(paths) as both:
        found = [score.log_probability for score in both.score(zh, en)]
    assert found == pytest.approx([float(line) for line in expected], abs=1e-6)


def test_a_model_may_be_in_memory(model, zh):
    data = (MODELS / "first" / "model.safetensors").read_bytes()
    with tide.load(data) as loaded:
        assert loaded.translate(zh) == model.translate(zh) and loaded.paths == ("memory",)
    with tide.load([data, MODELS / "second"]) as both, tide.load([MODELS / "first", MODELS / "second"]) as files:
        assert both.translate(zh) == files.translate(zh)
    with pytest.raises(tide.BadFile, match="memory: "):
        tide.load(data[:-1])


def test_pieces_are_those_of_the_program(model, zh, en):
    for target, texts in ((False, zh), (True, en)):
        side = ["--side", "tgt"] if target else []
        expected = run_tide("tokenize", MODELS / "first", *side, stdin=lines(texts))
        assert [" ".join(pieces) for pieces in model.tokenize(texts, target=target)] == expected
        assert model.tokenize(texts[0], target=target) == tuple(expected[0].split(" "))


def test_facts_about_a_model(model):
    info = model.info
    assert (info.source_language, info.target_language, info.heads, info.layers, info.beam) == ("zh", "en", 1, 1, 5)
    assert info.configuration == tide.weights(MODELS / "first").configuration
    assert info.source_pieces == tide.weights(MODELS / "first")["encoder.E"].shape[0]
    assert "zh→en" in repr(model)


# ---- alignments and scores ----


def test_alignments_are_those_of_the_program(model, zh, en, tmp_path, arrays):
    for side, texts in (("zh", zh), ("en", en)):
        (tmp_path / side).write_text(lines(texts))
    given = ["align", MODELS / "first", "--src", tmp_path / "zh", "--tgt", tmp_path / "en"]
    found = model.align(zh, en)
    assert [alignment.pharaoh() for alignment in found] == run_tide(*given)
    assert [alignment.pharaoh() for alignment in model.align(zh, en, shift=True)] == run_tide(*given, "--shift")
    assert [alignment.pharaoh() for alignment in model.align(zh, en, words=True)] == run_tide(*given, "--level", "word")
    for alignment, line in zip(found, run_tide(*given, "--format", "soft"), strict=True):
        expected = [[float(weight) for weight in row.split(",")] for row in line.split()]
        assert alignment.weights.shape == (len(alignment.target), len(alignment.source))
        for row, printed in zip(alignment.weights.tolist(), expected, strict=True):
            assert row == pytest.approx(printed, abs=1e-4) and sum(row) == pytest.approx(1, abs=1e-5)
    assert alignment.weights[0, 1] == alignment.weights.tolist()[0][1]
    assert model.align(zh[0], en[0]) == found[0]
    assert found[0].links() == [tuple(map(int, link.split("-"))) for link in found[0].pharaoh().split()]


def test_hard_attention_gives_another_alignment(model, zh, en):
    hard = model.align(zh[0], en[0], hard=True)
    assert sorted({weight for row in hard.weights.tolist() for weight in row}) == [0, 1]


def test_scores_are_those_of_the_program(model, zh, en, tmp_path):
    for side, texts in (("zh", zh), ("en", en)):
        (tmp_path / side).write_text(lines(texts))
    *expected, _ = run_tide("score", MODELS / "first", "--src", tmp_path / "zh", "--tgt", tmp_path / "en")
    found = model.score(zh, en)
    assert [float(score) for score in found] == pytest.approx([float(line) for line in expected], abs=1e-4)
    assert model.score(zh[0], en[0]) == found[0]
    translation = model.translate(zh[0])
    assert len(translation.target) == model.score(zh[0], translation.text).pieces


def test_a_step_has_its_row_of_the_alignment_and_its_piece(model, zh, en, arrays):
    translation = model.translate(zh[0])
    for step, (piece, score) in enumerate(zip(translation.target, translation.piece_scores, strict=True)):
        found = model.explain(zh[0], translation.target, step, top=3)
        numbers = found.numbers
        assert found.source == translation.source and found.target == ("<s>", *translation.target[:step])
        assert found.next[0] == piece and found.next[1] == pytest.approx(math.exp(score), rel=1e-3)
        assert len(found.best) == 3 and found.best[0][1] >= found.best[1][1] >= found.best[2][1]
        (alpha,) = numbers["attention.alpha"].tolist()
        assert alpha == pytest.approx(translation.alignment.weights.tolist()[step], abs=1e-5)
        assert numbers["encoder.h"].shape == (len(found.source), numbers["attention.c"].shape[1])
    assert model.explain(zh[0], en[0], 1) == model.explain(zh[0], (*model.tokenize(en[0], target=True), "</s>"), 1)
    assert model.explain("", "", 0, top=0).best == ()
    with pytest.raises(tide.BadArgument, match="step is 1, but must be between 0 and 0"):
        model.explain(zh[0], "", 1)
    with pytest.raises(tide.BadArgument, match="step is -1, but must be at least 0"):
        model.explain(zh[0], "", -1)
    with pytest.raises(TypeError, match="step must be an integer"):
        model.explain(zh[0], "", "")
    with pytest.raises(tide.BadText, match="no piece 'nonesuch'"):
        model.explain(zh[0], ["nonesuch"], 0)


def test_the_perplexity_is_that_of_one_piece():
    assert tide.Score(-6, 3).perplexity == pytest.approx(7.38905609893065)
    assert tide.Score(-1e6, 1).perplexity == float("inf")


def test_a_notebook_shows_the_heatmap(model):
    translation = model.translate(SENTENCE)
    shown = translation._repr_html_()
    assert shown == f'<div style="overflow: auto">{translation.alignment.svg()}</div>'
    assert shown.count("<svg") == 1 and "潮" in shown and "<?xml" not in shown
    assert translation.alignment.html().lower().startswith("<!doctype html>")
    with tide.load(MODELS / "none") as none:
        shown = none.translate("<b>&")._repr_html_()
        assert shown.startswith("<p>&lt;b&gt;&amp; → ") and "<b>" not in shown


def test_an_empty_sentence_has_an_empty_translation(model):
    empty = model.translate("")
    assert (empty.text, empty.alignment) == ("", None)
    assert empty._repr_html_() == "<p> → </p>"
    assert [translation.text for translation in model.translate(["", SENTENCE])] == ["", model.translate(SENTENCE).text]


def test_results_are_plain_data(model, zh):
    translations = model.translate(zh[:2])
    again = pickle.loads(pickle.dumps(translations))
    assert again == translations == copy.deepcopy(translations)
    assert again[0].alignment.svg() == translations[0].alignment.svg()
    assert hash(again[0]) == hash(translations[0])


def test_an_alignment_without_weights_is_refused_by_a_picture():
    empty = tide.Alignment((), (), b"")
    assert empty._repr_html_() == '<div style="overflow: auto"></div>' and empty.weights.shape == (0,)
    with pytest.raises(tide.BadArgument):
        empty.svg()


# ---- errors ----


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"beam": 0}, "beam is 0, but must be at least 1"),
        ({"beam": -1}, "beam is -1"),
        ({"beam": 1001}, "beam is 1001"),
        ({"beam": 2**32 + 1}, "beam is 4294967297, but must be at most 2147483647"),
        ({"n_best": 6, "beam": 5}, "n_best 6 needs beam 6"),
        ({"n_best": 0}, "n_best is 0"),
        ({"normalize": -1}, "normalize is -1.0"),
        ({"normalize": float("nan")}, "normalize is nan"),
        ({"coverage": float("inf")}, "coverage is inf"),
        ({"mini_batch": 4097}, "mini_batch is 4097"),
        ({"max_length": 0}, "max_length is 0"),
    ],
)
def test_an_option_out_of_range_is_refused(model, options, reason):
    with pytest.raises(tide.BadArgument, match=reason):
        model.translate(SENTENCE, **options)


def test_wrong_types_are_refused(model):
    with pytest.raises(TypeError, match="beam must be an integer, not float"):
        model.translate(SENTENCE, beam=2.5)
    with pytest.raises(TypeError, match="text must be a list of str, not bytes"):
        model.translate(b"abc")
    with pytest.raises(TypeError, match="sentence 2 must be a str, not int"):
        model.translate(["a", 1])
    with pytest.raises(TypeError, match="must both be a str"):
        model.align("a", ["b"])
    with pytest.raises(ValueError, match="2 sources, but 1 targets"):
        model.align(["a", "b"], ["a"])
    with pytest.raises(TypeError):
        model.translate(SENTENCE, bream=5)
    with pytest.raises(ValueError, match="threads is 0"):
        tide.load(MODELS / "first", threads=0)


def test_a_text_that_c_cannot_hold_is_refused(model):
    with pytest.raises(tide.BadText, match="sentence 2 has a NUL at index 1"):
        model.translate(["a", "b\0c"])
    with pytest.raises(tide.BadText, match=r"sentence is not valid Unicode: U\+DC80 at index 0"):
        model.translate("\udc80")


def test_a_long_sentence_is_refused(model, zh):
    with pytest.raises(tide.TooLong, match="sentence 2"):
        model.translate(["我", SENTENCE], max_length=3)
    assert model.translate(SENTENCE, max_length=20).text == model.translate(SENTENCE).text


def test_what_a_model_cannot_do_is_refused():
    with tide.load(MODELS / "none") as none:
        with pytest.raises(tide.Unsupported, match="no attention"):
            none.align("我", "I")
        translation = none.translate(SENTENCE)
        assert [translation.text] == run_tide("translate", MODELS / "none", stdin=SENTENCE)
        assert translation.alignment is None and translation.source[0] == "潮"
        assert none.info.heads == 0


def test_a_model_that_cannot_be_loaded_is_named(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"12345678")
    for path in (tmp_path, tmp_path / "none", "a\0b"):
        with pytest.raises((tide.BadFile, tide.BadText), match="NUL" if isinstance(path, str) else str(path)):
            tide.load(path)
    with pytest.raises(tide.BadArgument, match="no models"):
        tide.load([])
    with pytest.raises(tide.TideError, match="tiny-model"):
        tide.load([MODELS / "first", ROOT / "tests" / "fixtures" / "tiny-model"])


def test_a_file_without_a_checksum_warns(tmp_path):
    change = [sys.executable, ROOT / "tests" / "e2e" / "weights.py", "rewrite", MODELS / "first" / "model.safetensors"]
    subprocess.run([*change, tmp_path / "model.safetensors", "unsigned"], check=True)
    with pytest.warns(tide.TideWarning, match="no checksum") as warned:
        tide.load(tmp_path).close()
    assert warned[0].filename == __file__


# ---- progress and interrupts ----


def test_progress_is_called_in_the_callers_thread(model, zh):
    for thread in (None, ThreadPoolExecutor(1)):
        seen = []

        def progress(done, total):
            seen.append((done, total, threading.get_ident()))

        def work():
            return model.translate(zh, mini_batch=4, progress=progress), threading.get_ident()

        translations, caller = thread.submit(work).result() if thread else work()
        assert translations == model.translate(zh)
        assert {total for _, total, _ in seen} == {len(zh)} and {ident for _, _, ident in seen} == {caller}
        done = [number for number, _, _ in seen]
        assert done == sorted(done) and done[0] == 0 and done[-1] > 0


@pytest.mark.parametrize("call", ["translate", "align", "score"])
@pytest.mark.parametrize("in_thread", [False, True])
def test_progress_can_cancel_or_raise(model, zh, en, call, in_thread):
    def begin(progress):
        given = (zh,) if call == "translate" else (zh, en)
        work = lambda: getattr(model, call)(*given, progress=progress)  # noqa: E731
        return ThreadPoolExecutor(1).submit(work).result() if in_thread else work()

    with pytest.raises(tide.Cancelled):
        begin(lambda done, total: True)
    with pytest.raises(ZeroDivisionError):
        begin(lambda done, total: 1 / 0)
    assert begin(lambda done, total: False) == begin(None)


def test_progress_may_use_the_model(model, zh):
    found = []
    outer = model.translate(zh, progress=lambda done, total: found.append(model.translate(SENTENCE)))
    assert outer == model.translate(zh) and set(found) == {model.translate(SENTENCE)}


def test_ctrl_c_stops_a_call_at_any_moment(model, zh):
    """Sends SIGINT at many moments. None may be lost, and the model must remain usable."""
    expected, long, stopped = model.translate(zh), zh * 200, 0
    for turn in range(12):
        progress = (lambda done, total: None) if turn % 2 else None
        timer = threading.Timer(0.0007 * turn**2, os.kill, (os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            model.translate(long, beam=12, progress=progress)
            stopped += 1  # it ended before the signal
            timer.join()
        timer.join()
    assert stopped == 0
    assert model.translate(zh) == expected


def test_an_exception_of_any_signal_handler_stops_a_call(model, zh):
    def late(_number, _frame):
        raise TimeoutError("too slow")

    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(TimeoutError, match="too slow"):
            model.translate(zh * 200, beam=12)
    finally:
        signal.signal(signal.SIGALRM, before)


# ---- threads, processes, closing ----


def test_threads_share_a_model(zh, en):
    with tide.load(MODELS / "first", threads=1) as model:
        expected = model.translate(zh), model.align(zh, en), model.score(zh, en)
        ready = threading.Barrier(8)

        def work(_):
            ready.wait()
            return model.translate(zh), model.align(zh, en), model.score(zh, en)

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(work, range(8))) == [expected] * 8
        assert 1 <= len(model._sessions) <= 9


def test_a_forked_process_can_use_the_model(zh):
    with tide.load(MODELS / "first", threads=2) as model:
        expected = model.translate(zh)
        child = os.fork()
        if not child:  # leave at once: pytest belongs to the parent
            try:
                os._exit(0 if model.translate(zh) == expected else 1)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert model.translate(zh) == expected


def test_a_closed_model_refuses_calls():
    with tide.load(MODELS / "first") as model:
        pass
    model.close()
    with pytest.raises(ValueError, match="the model is closed"):
        model.translate(SENTENCE)
    assert "closed" in repr(model)


def test_closing_waits_for_nobody_and_breaks_nothing(zh):
    """A call that another thread has begun ends normally after the model is closed."""
    model = tide.load(MODELS / "first", threads=1)
    expected = model.translate(zh)
    begun, closed = threading.Event(), threading.Event()

    def progress(done, total):
        begun.set()
        assert closed.wait(10)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(model.translate, zh, progress=progress)
        assert begun.wait(10)
        model.close()
        closed.set()
        assert running.result() == expected
    assert not model._sessions


def test_a_model_is_freed_when_nothing_refers_to_it():
    model = tide.load([MODELS / "first", MODELS / "second"])
    handles, session = model._models._handles, model._sessions[0]._release
    model.translate(SENTENCE)
    assert len(handles) == 2 and session.alive
    del model
    gc.collect()
    assert not handles and not session.alive


def test_memory_does_not_grow_with_calls(model):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def calls():  # an alignment has 0.25 MB of weights, and a page as many
        for _ in range(6):
            model.align("我" * 250, "the " * 250).html()
            with pytest.raises(tide.TooLong):
                model.align("我" * 250, "the " * 250, max_length=2)

    calls()
    before = resident()
    calls()
    assert resident() - before < 1e6


REFUSED_MEMORY = """
import os, resource, sys, tide
model = tide.load(sys.argv[1], threads=1)
expected = model.translate("潮水退了。")
with open("/proc/self/statm") as file:
    size = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
most = resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (size + (20 << 20), most))
try:
    model.translate("潮水退了。" * 100, beam=1000)
except MemoryError as error:
    print(type(error).__name__, error)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
assert model.translate("潮水退了。") == expected
"""


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer needs memory without a limit")
def test_refused_memory_is_an_error_after_which_the_model_can_be_used():
    command = [sys.executable, "-c", REFUSED_MEMORY, MODELS / "first"]
    assert subprocess.check_output(command, text=True) == "OutOfMemory out of memory\n"


def test_models_cannot_be_pickled_or_copied(model):
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"cannot be pickled or copied; load it in each process: tide.load\("):
            copied(model)


def test_sessions_are_made_on_demand(zh):
    with tide.load(MODELS / "first") as model:
        for _ in range(3):
            model.translate(zh[:1])
        assert len(model._sessions) == 1


def test_a_call_is_quick_to_begin_and_end(model):
    """The thread that makes Ctrl-C possible must not wait for its timeout."""
    begin = time.monotonic()
    for _ in range(20):
        model.score("我", "I")
    assert time.monotonic() - begin < 20 * 0.08
