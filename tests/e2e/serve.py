#!/usr/bin/env python3
"""usage: tests/e2e/serve.py URL SOURCES TRANSLATIONS NBEST

Checks the API of a running `tide serve`, for tests/e2e/serve.sh; the files have the lines of a text, what `tide
translate` makes of them, and what it makes with --n-best 4 --beam-size 4. Every JSON answer is checked against /openapi.json. Python's standard library is enough."""
import base64
import hashlib
import http.client
import json
import math
import os
import re
import sys
import threading
import urllib.parse


def die(text):
    sys.exit("FAILED: " + text)


def check(condition, text):
    if not condition:
        die(text)


def together(n, work):
    """Runs work(i) in n threads."""
    threads = [threading.Thread(target=work, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Server:
    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.address = (parts.hostname, parts.port)
        self.paths, self.schemas = {}, {}
        status, _, body = self.raw("GET", "/openapi.json")
        check(status == 200, "no description")
        description = json.loads(body)
        self.paths, self.schemas = description["paths"], description["components"]["schemas"]

    def raw(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(*self.address, timeout=300)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def ask(self, method, path, body=None, headers=None, form=False):
        """Returns status and parsed answer; checks the answer against its schema."""
        headers = dict(headers or {})
        if body is not None and not isinstance(body, (bytes, str)):
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded" if form else "application/json")
            body = urllib.parse.urlencode(body, doseq=True) if form else json.dumps(body)
        status, _, text = self.raw(method, path, body.encode() if isinstance(body, str) else body, headers)
        answer = json.loads(text)
        responses = self.paths.get(path, {}).get(method.lower(), {}).get("responses", {})
        schema = {"$ref": "#/components/schemas/Error"}
        if path in self.paths and method.lower() in self.paths[path] and status not in (421,):
            check(str(status) in responses, f"{method} {path}: status {status} is not in the description: {text}")
            schema = responses[str(status)]["content"]["application/json"]["schema"]
        self.fits(answer, schema, f"{method} {path}")
        return status, answer

    def fits(self, value, schema, where):
        wrong = self.misfit(value, schema)
        check(not wrong, f"{where}: {wrong}: {json.dumps(value, ensure_ascii=False)[:500]}")

    def misfit(self, value, schema):
        """Why a value does not fit a schema; None if it does."""
        if "$ref" in schema:
            return self.misfit(value, self.schemas[schema["$ref"].rsplit("/", 1)[1]])
        if value is None and schema.get("nullable"):
            return None
        if "allOf" in schema:
            return next((w for w in (self.misfit(value, part) for part in schema["allOf"]) if w), None)
        if "oneOf" in schema:
            fitting = [s for s in schema["oneOf"] if not self.misfit(value, s)]
            # an empty array fits any kind of array
            return None if len(fitting) == 1 or (value == [] and fitting) else f"{len(fitting)} of oneOf fit"
        kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
        kind = schema["type"]
        if not isinstance(value, kinds[kind]) or (kind in ("integer", "number") and isinstance(value, bool)):
            return f"not of type {kind}"
        if "enum" in schema and value not in schema["enum"]:
            return f"not one of {schema['enum']}"
        if kind in ("integer", "number"):
            if value < schema.get("minimum", value) or value > schema.get("maximum", value):
                return "out of range"
        if kind == "array":
            return next((w for w in (self.misfit(item, schema["items"]) for item in value) if w), None)
        if kind == "object":
            return self.misfit_object(value, schema)
        return None

    def misfit_object(self, value, schema):
        properties = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value:
                return f"lacks {name}"
        for name, item in value.items():
            if name not in properties:
                if schema.get("additionalProperties") is False:
                    return f"has {name}"
                continue
            wrong = self.misfit(item, properties[name])
            if wrong:
                return f"{name}: {wrong}"
        return None

    def translate(self, q, expected=200, form=False, **fields):
        body = {"q": q, "source": "zh", "target": "en", **fields}
        status, answer = self.ask("POST", "/translate", {k: v for k, v in body.items() if v is not None}, form=form)
        check(status == expected, f"translate {str(q)[:80]} {fields}: {status}, {answer}")
        return answer if expected == 200 else answer["error"]

    def text(self, q, **fields):
        return self.translate(q, **fields)["translatedText"]

    def metric(self, name):
        """The value of a metric without labels, or with the labels in `name`."""
        lines = self.raw("GET", "/metrics")[2].decode().splitlines()
        return float(next(line.rsplit(" ", 1)[1] for line in lines if line.startswith(name + " ")))


# ---- the API ---------------------------------------------------------------------------------------------------------


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def check_translations(s, sources, translations):
    """The same text as tide translate: alone, together, and by many clients at the same time."""
    check(s.text(sources) == translations, "an array of sentences has other translations than tide translate")
    check(s.text(sources[0]) == translations[0], "a sentence alone")
    check(s.text(sources[0], form=True) == translations[0], "a form")
    check(s.text(sources[:2], form=True) == translations[:2], "a form with two texts")
    wrong = []

    def client(own):
        for i in own:
            found = s.text(sources[i])
            if found != translations[i]:
                wrong.append((sources[i], found, translations[i]))

    together(8, lambda k: client(range(k, len(sources), 8)))
    check(not wrong, f"eight clients: {wrong[:3]}")


def check_spaces(s):
    a, b = s.text("潮水退了。"), s.text("他走了。")
    for text, expected in (
        ("潮水退了。他走了。", f"{a} {b}"),
        ("潮水退了。  他走了。", f"{a}  {b}"),
        ("\n 潮水退了。\r\n\n\t他走了。\u3000\n", f"\n {a}\r\n\n\t{b}\u3000\n"),
        ("", ""),
        (" \n ", " \n "),
    ):
        found = s.text(text)
        check(found == expected, f"{text!r} became {found!r}, not {expected!r}")
    html = "<div title='a>b'>\n<p>潮水退了。</p><!-- 他走了。 --><br/><script>if (潮 < 水) 退;</script>他走了。</div> 1 < 2"
    found = s.text(html, format="html")
    start = f"<div title='a>b'>\n<p>{a}</p><!-- 他走了。 --><br/><script>if (潮 < 水) 退;</script>{b}</div> "
    check(found.startswith(start) and "<" not in found[len(start):], f"html: {found!r}")
    check(s.text("&#x6F6E;水退了&#12290;", format="html") == a, "entities are not decoded")
    # inline tags do not cut a sentence; each hypothesis has them
    tagged = s.translate("<p>潮<b>水</b>退了。<i>他</i>走了。&nbsp;</p>", format="html", alternatives=2)
    for text in [tagged["translatedText"], *tagged["alternatives"]]:
        found = re.fullmatch(r"<p>(.*)<b>(.*)</b>(.*)<i>(.*)</i>(.*)&nbsp;</p>", text)
        check(found and found[2] and found[4], f"tags: {text!r}")
    check(re.sub("<[^>]*>", "", tagged["translatedText"]) == f"{a} {b}&nbsp;", f"tags cut a sentence: {tagged}")


def check_fields(s):
    best = s.translate("潮水退了。他走了。", alternatives=2)
    check(len(best["alternatives"]) == 2 and best["translatedText"] not in best["alternatives"], f"n-best: {best}")
    pieces = s.translate("潮水退了。", alignment="piece")["alignment"]
    words = s.translate(["潮水退了。"], alignment="word")["alignment"][0]
    check(len(pieces) == 1 and pieces[0]["source"] == list("潮水退了。") + ["</s>"], f"alignment: {pieces}")
    for alignment in (pieces[0], words[0]):
        check(len(alignment["matrix"]) == len(alignment["target"]), "rows of the matrix")
        for row in alignment["matrix"]:
            check(len(row) == len(alignment["source"]) and abs(sum(row) - 1) < 0.01, f"a row: {row}")
    check(len(words[0]["target"]) <= len(pieces[0]["target"]), "words are more than pieces")
    auto = s.translate("潮水退了。", source="auto")
    check(auto["detectedLanguage"] == {"confidence": 100, "language": "zh"}, f"auto: {auto}")
    for code in ("zh-Hans", "ZH", "zh_CN", "cmn"):
        check(s.text("潮水退了。", source=code) == auto["translatedText"], code)
    check(s.text("Hello.", source="en") == "Hello.", "from a language to itself")
    check(s.translate([])["translatedText"] == [], "no texts")
    check(s.text("潮水退了。", form=True, source=["zh", "xx"]) == auto["translatedText"], "the first of two fields counts")
    twice = '{"q": 1, "source": "xx", "target": "en", "q": "潮水退了。", "source": "zh"}'
    status, answer = s.ask("POST", "/translate", twice, {"Content-Type": "application/json"})
    check(status == 200 and answer["translatedText"] == auto["translatedText"], f"the last of two JSON fields: {answer}")


def check_multipart(s):
    def form(fields, parameters="boundary=b"):
        parts = [f'--b\r\nContent-Disposition: form-data; {name}\r\n\r\n{value}\r\n' for name, value in fields]
        body = ("".join(parts) + "--b--\r\n").encode(errors="surrogateescape")
        return s.ask("POST", "/translate", body, {"Content-Type": f"multipart/form-data; {parameters}"})

    rest = [('name="source"', "zh"), ("name=target", "en"), ('name="source"', "xx"), ('x="\\"; name=q ;"; name=y', "x"),
            ('name="q"; filename="a"', "\udcff\0")]
    for q in ("潮水退了。\n他走了。", "", "100%25 a+b", "--b a=b&c\r\n--"):
        found = form([('name="q"', q)] + rest)
        check(found == (200, s.translate(q)), f"a form of parts, q {q!r}: {found}")
    found = form([('name="q"', "潮水退了。"), ('name="q"', "他走了。")] + rest)
    check(found == (200, s.translate(["潮水退了。", "他走了。"])), f"a form of parts with two texts: {found}")
    for parameters in ('boundary="b"', "boundary=b; charset=UTF-8", 'charset=UTF-8; Boundary="b"'):
        found = form([("name=q", "潮水退了。")] + rest, parameters)
        check(found == (200, s.translate("潮水退了。")), f"a form of parts, {parameters}: {found}")
    check(form(rest) == (400, {"error": "Invalid request: missing q parameter"}), "a file is no text")
    for q, expected in (("\udcff", "the body is not valid UTF-8"), ("a\0b", "the form is not valid")):
        found = form([('name="q"', q)] + rest)
        check(found == (400, {"error": f"Invalid request: {expected}"}), f"a form of parts, q {q!r}: {found}")


def check_errors(s):
    for fields, reason in (
        ({"q": None}, "Invalid request: missing q parameter"),
        ({"source": None}, "Invalid request: missing source parameter"),
        ({"target": None}, "Invalid request: missing target parameter"),
        ({"source": "xx"}, "xx is not supported"),
        ({"source": "zh-Hant"}, "zh-Hant is not supported"),
        ({"target": "fr"}, "fr is not supported"),
        ({"source": "en", "target": "zh"}, "Chinese (zh) is not available as a target language from English (en)"),
        ({"format": "pdf"}, "pdf format is not supported"),
        ({"beam": 17}, "Invalid request: beam and alternatives are limited to 16"),
        ({"alternatives": 16}, "Invalid request: beam and alternatives are limited to 16"),
        ({"alternatives": -1}, "Invalid request: bad alternatives"),
        ({"alternatives": 1.5}, "Invalid request: bad alternatives"),
        ({"q": 7}, "Invalid request: bad q"),
        ({"q": ["a", {}]}, "Invalid request: bad q"),
        ({"source": ["zh"]}, "Invalid request: bad source"),
        ({"alignment": "page"}, "Invalid request: alignment must be piece or word"),
        ({"q": "潮。水。", "prefix": "The"}, "Invalid request: a prefix needs a text of one sentence"),
        ({"q": [" ", ""], "prefix": "The"}, "Invalid request: a prefix needs a text of one sentence"),
        ({"q": "", "prefix": "海"}, "Invalid request: prefix: the vocabulary cannot spell '▁海'"),
        ({"prefix": "The", "prefix_pieces": ["▁The"]}, "Invalid request: give either prefix or prefix_pieces"),
        ({"prefix": "海 the"}, "Invalid request: prefix: the vocabulary has no piece '海'"),
        ({"prefix_pieces": ["nonesuch"]}, "Invalid request: prefix: the vocabulary has no piece 'nonesuch'"),
        ({"prefix_pieces": ["</s>", "a"]}, "Invalid request: prefix: a prefix with pieces after </s>"),
        ({"prefix_pieces": ["a"] * 501}, "Invalid request: request (501) exceeds text limit (500)"),
        ({"glossary": "潮水\ttide\nx"}, "Invalid request: glossary, line 2: a line must be a source text, "
         "one tab and its translation, or with a tab and a probability"),
        ({"glossary": "潮水\t海"}, "Invalid request: glossary: the model cannot write '海'"),
        ({"prefix_pieces": [1]}, "Invalid request: bad prefix_pieces"),
        ({"model": "none"}, "none is not a model that translates from zh to en"),
        ({"q": "潮" * 501}, "Invalid request: request (502) exceeds text limit (500) of pieces in a sentence"),
        ({"q": "潮。" * 257}, "Invalid request: request (257) exceeds text limit (256) of sentences"),
    ):
        fields = {"q": "潮水。", **fields}
        found = s.translate(fields.pop("q"), expected=400, **fields)
        check(found == reason, f"{fields}: {found}, not {reason}")
    for method, path, expected in (("GET", "/translate", 405), ("POST", "/languages", 405), ("GET", "/none", 404),
                                   ("GET", "/../../etc/passwd", 404), ("GET", "/%2e%2e/etc/passwd", 404),
                                   ("DELETE", "/translate", 405), ("POST", "/translate/", 404)):
        status, headers, body = s.raw(method, path)
        check(status == expected and "error" in json.loads(body), f"{method} {path}: {status}")
        check(status != 405 or headers["Allow"], "405 without Allow")
    check(s.ask("POST", "/translate", b"<q/>", {"Content-Type": "text/xml"})[0] == 415, "XML")
    check(s.raw("GET", "/health", headers={"Host": "evil.example"})[0] == 421, "a foreign Host")
    check(s.raw("GET", "/health", headers={"Host": "localhost:99"})[0] == 200, "localhost")
    _, headers, _ = s.raw("OPTIONS", "/translate", headers={"Origin": "http://evil.example"})
    check("Access-Control-Allow-Origin" not in headers, "CORS is on")


def check_glossary(s):
    q = ["潮水退了。他走了。", "我在海边。"]
    terms = {"glossary": "潮水\tHe left\n他走\tthe tide"}
    free, found = (s.translate(q, **fields)["translatedText"] for fields in ({}, terms))
    check("He left" in found[0] and "the tide" in found[0], f"a glossary: {found}")
    check(found[1] == free[1], f"a sentence without terms: {found}")
    check(s.translate(q[0], **terms)["translatedText"] == found[0], "a glossary depends on the batch")


def check_unknown(s):
    q = ["潮水退了龘龘。Tom Smith!", "潮水退了。"]
    answer = s.translate(q, unknown=True, alternatives=2, alignment="piece", piece_scores=True)
    spans = [[(span["begin"], span["end"], span["text"]) for span in sentence] for text in answer["unknown"] for sentence in text]
    check(spans == [[(4, 6, "龘龘")], [(0, 10, "Tom Smith!")], []], f"unknown: {answer['unknown']}")
    check(answer["translatedText"][0].endswith(" Tom Smith!"), f"it stays as it is: {answer['translatedText']}")
    check([bool(one) for one in answer["alignment"][0]] == [True, False], f"an alignment of it: {answer['alignment'][0]}")
    check([bool(one) for one in answer["pieceScores"][0]] == [True, False], f"scores of it: {answer['pieceScores'][0]}")
    check(all(other.endswith(" Tom Smith!") for other in answer["alternatives"][0]), f"others: {answer['alternatives']}")
    check("unknown" not in s.translate(q), "unknown text that nobody asked for")
    check(s.translate("Tom <i>Smith</i>!", format="html")["translatedText"] == "Tom <i>Smith</i>!", "HTML stays as it is")
    check(s.translate("Tom", prefix="The")["translatedText"].startswith("The"), "a beginning asks for a search")
    check(s.ask("POST", "/translate", {"q": "海", "source": "zh", "target": "en", "unknown": "?"})[0] == 400, "unknown: ?")


def check_pairs(s):
    q, en = ["潮水退了。", "他走了。"], ["The tide went out.", "He left."]
    _, aligned = s.ask("POST", "/v1/align", {"q": q, "translation": en, "alignment": "word"})
    check([len(a["source"]) for a in aligned["alignment"]] == [6, 5], f"align: {aligned}")
    _, one = s.ask("POST", "/v1/align", {"q": q[0], "translation": en[0]})
    check(one["alignment"]["target"][-1] == "</s>", f"align: {one}")
    _, scored = s.ask("POST", "/v1/score", {"q": q, "translation": en})
    _, alone = s.ask("POST", "/v1/score", {"q": q[1], "translation": en[1]})
    check(scored["score"][1] == alone["score"], "a score depends on the other pairs")
    check(s.ask("POST", "/v1/score", {"q": q, "translation": en[0]})[0] == 400, "two texts, one translation")
    check(s.ask("POST", "/v1/align", {"q": q[0]})[0] == 400, "no translation")


def check_explanation(s):
    q, pieces = "潮水退了。", s.translate("潮水退了。", piece_scores=True)["pieceScores"][0]
    aligned = s.ask("POST", "/v1/align", {"q": q, "translation": "The tide."})[1]["alignment"]
    for step, row in enumerate(aligned["matrix"]):
        status, answer = s.ask("POST", "/v1/explain", {"q": q, "translation": "The tide.", "step": step, "top": 4})
        found = answer["explanation"]
        numbers = found["numbers"]
        (alpha,), c, h = numbers["attention"]["alpha"], numbers["attention"]["c"], numbers["encoder"]["h"]
        check(status == 200 and found["target"] == ["<s>", *aligned["target"][:step]], f"a step: {found['target']}")
        check(found["source"] == aligned["source"] and len(found["best"]) == 4, f"a step: {found['source']}")
        check(all(abs(a - b) < 1e-4 for a, b in zip(alpha, row, strict=True)), f"weights of a step: {alpha}, not {row}")
        sums = [sum(a * value[k] for a, value in zip(alpha, h, strict=True)) for k in range(len(c))]
        check(all(abs(a - b) < 1e-4 for a, b in zip(sums, c, strict=True)), f"c: {c}, not {sums}")
        check(found["next"]["piece"] == aligned["target"][step], f"the next piece: {found['next']}")
    for step, score in enumerate(pieces["scores"]):
        fields = {"q": q, "translation_pieces": pieces["pieces"], "step": step}
        found = s.ask("POST", "/v1/explain", fields)[1]["explanation"]["next"]
        check(found["piece"] == pieces["pieces"][step], f"pieces: {found}")
        check(abs(found["probability"] - math.exp(score)) < 1e-3, f"a probability: {found}, not exp {score}")
    status, answer = s.ask("POST", "/v1/explain", {"q": q, "translation_pieces": []})
    found = answer["explanation"]
    check((status, found["step"], found["target"], len(found["best"])) == (200, 0, ["<s>"], 10), f"defaults: {found}")
    hard = s.ask("POST", "/v1/explain", {"q": q, "translation": "The", "hard": True})[1]["explanation"]["numbers"]["attention"]
    soft = found["numbers"]["attention"]
    read = soft["e"][0].index(max(soft["e"][0]))
    check(hard["alpha"] == [[float(j == read) for j in range(len(soft["e"][0]))]], f"hard: {hard['alpha']}, not piece {read}")
    for fields, reason in (
        ({"translation": "The", "step": 9}, "step is 9, but the last one is "),
        ({"translation": "The", "top": 101}, "top is limited to 100"),
        ({"translation": "The", "step": -1}, "bad step"),
        ({"translation": ["The"]}, "an explanation takes one text q and one translation"),
        ({"q": [q], "translation": "The"}, "an explanation takes one text q and one translation"),
        ({}, "missing translation parameter"),
        ({"translation": "The", "translation_pieces": ["▁The"]}, "give either translation or translation_pieces"),
        ({"translation_pieces": ["nonesuch"]}, "the vocabulary has no piece 'nonesuch'"),
        ({"translation_pieces": ["</s>", "▁The"]}, "a translation with pieces after </s>"),
        ({"translation_pieces": ["a"] * 500}, "request (501) exceeds text limit (500) of pieces in a sentence"),
        ({"translation": "a " * 501}, "exceeds text limit (500) of pieces in a sentence"),
        ({"q": "潮" * 501, "translation": "The"}, "request (502) exceeds text limit (500) of pieces in a sentence"),
    ):
        status, found = s.ask("POST", "/v1/explain", {"q": q, **fields})
        check(status == 400 and reason in found["error"], f"{fields}: {found}, not {reason}")


def path_of(steps, step, place):
    """The candidates of the hypothesis that ends at a place of a step."""
    path = []
    for step in range(step, -1, -1):
        path.insert(0, steps[step][place])
        place = path[0]["parent"]
    return path


def check_tree(tree, beam, pruned):
    """Steps keep the best candidates; totals are sums; what is extended was kept."""
    for step, candidates in enumerate(tree["steps"]):
        kept = [c for c in candidates if c["kept"]]
        totals = [c["total"] for c in candidates]
        check(candidates[:len(kept)] == kept and 0 < len(kept) <= beam, f"kept: {candidates}")
        check(len(candidates) <= len(kept) + pruned and totals == sorted(totals, reverse=True), f"order: {candidates}")
        for c in candidates:
            before = tree["steps"][step - 1][c["parent"]] if step else {"total": 0, "kept": True, "piece": "<s>"}
            check(abs(before["total"] + c["logProbability"] - c["total"]) < 1e-5, f"sum: {before}, {c}")
            check(before["kept"] and before["piece"] != "</s>", f"parent: {before}, {c}")


def check_search(s, sources, nbest):
    """The hypotheses of a search are those of tide translate --n-best, and paths of the tree."""
    for i, q in enumerate(sources):
        found = s.ask("POST", "/v1/search", {"q": q, "beam": 4, "pruned": 3})[1]["search"]
        expected = [(text, float(score)) for line, text, _, score in nbest if line == str(i)]
        check_tree(found, 4, 3)
        ends = found["hypotheses"]
        check(len(ends) == len(expected), f"{len(ends)} hypotheses, not {len(expected)}")
        for end, (text, score) in zip(ends, expected, strict=True):
            pieces = [c["piece"] for c in path_of(found["steps"], end["step"], end["place"])]
            own = "".join(piece for piece in pieces if piece != "</s>").replace("▁", " ").strip()
            check(own == text and abs(end["score"] - score) < 1e-4, f"a hypothesis: {own} {end}, not {text} {score}")
    q, begun = "潮水退了。", ["▁The"]
    best = s.translate(q, prefix_pieces=begun, piece_scores=True, alternatives=2, normalize=0)["pieceScores"][0]
    found = s.ask("POST", "/v1/search", {"q": q, "prefix_pieces": begun, "alternatives": 2, "normalize": 0})[1]["search"]
    path = path_of(found["steps"], found["hypotheses"][0]["step"], found["hypotheses"][0]["place"])
    check([c["piece"] for c in path] == best["pieces"], f"the tree of a given beginning: {path}, not {best}")
    check(all(abs(c["logProbability"] - p) < 1e-4 for c, p in zip(path, best["scores"], strict=True)), f"ln p: {path}")
    check(len(found["steps"][0]) == 1, f"the given piece: {found['steps'][0]}")
    one = s.ask("POST", "/v1/search", {"q": q, "pruned": 0})[1]["search"]
    check(all(c["kept"] for step in one["steps"] for c in step), "no pruned candidates")
    for fields, reason in (
        ({"q": ""}, "a search tree takes a text q of one sentence"),
        ({"q": q + q}, "a search tree takes a text q of one sentence"),
        ({"q": [q]}, "a search tree takes a text q of one sentence"),
        ({"pruned": 21}, "pruned is limited to 20"),
        ({"pruned": -1}, "bad pruned"),
        ({"sample": True}, "a search tree is not for sample"),
        ({"beam": 1000}, "beam and alternatives are limited to"),
        ({"q": "潮" * 501}, "request (502) exceeds text limit (500) of pieces in a sentence"),
        ({"prefix_pieces": ["nonesuch"]}, "prefix: "),
        ({"source": "zh", "target": "zh"}, "not available as a target language"),
    ):
        status, answer = s.ask("POST", "/v1/search", {"q": q, **fields})
        check(status == 400 and reason in answer["error"], f"{fields}: {answer}, not {reason}")


def check_others(s):
    for path in ("/languages", "/v1/models", "/health", "/frontend/settings"):
        check(s.ask("GET", path)[0] == 200, path)
    check(s.ask("GET", "/languages")[1][0]["targets"] == ["zh", "en"], "languages")
    for q, language in (("潮水", "zh"), ("the tide", "en"), ("12", "zh")):
        _, found = s.ask("POST", "/detect", {"q": q})
        check(found[0]["language"] == language and (found[0]["confidence"] > 0) == (q != "12"), f"detect {q}: {found}")
    readings = ["cháo", "shuǐ", "", "liǎo/le", "lǜ", "lǜ", "", ""]
    for q, expected in (("潮水退了绿綠a。", readings), (["潮水退了绿綠a。", "", "知道"], [readings, [], ["zhī", "dao"]])):
        check(s.ask("POST", "/v1/pinyin", {"q": q}) == (200, {"pinyin": expected}), f"pinyin of {q}")
    check(s.ask("POST", "/v1/pinyin", {"text": "x"})[0] == 400, "pinyin of nothing")
    check(s.ask("GET", "/frontend/settings")[1]["pinyin"], "settings of a server with a dictionary")
    _, _, metrics = s.raw("GET", "/metrics")
    for line in ('tide_requests_total{path="/translate",status="4xx"}', "tide_queue_length 0", "tide_request_seconds_sum",
                 'tide_batch_sentences_bucket{le="+Inf"}', 'tide_pieces_total{side="target"}',
                 "process_resident_memory_bytes"):
        check(line in metrics.decode(), f"no {line} in the metrics")


def check_page(s):
    """The page's policy allows its own style and script by their hashes, and nothing else inline."""
    status, headers, page = s.raw("GET", "/")
    policy = headers["Content-Security-Policy"]
    check(status == 200 and "default-src 'none'" in policy and "unsafe" not in policy, f"the page: {status}, {policy}")
    for name in ("style", "script"):
        text = page.split(f"<{name}>".encode())[1].split(f"</{name}>".encode())[0]
        digest = base64.b64encode(hashlib.sha256(text).digest()).decode()
        check(len(text) > 1000 and f"{name}-src 'sha256-{digest}'" in policy, f"the hash of the page's {name}: {digest}")


def api(s, sources, translations, nbest):
    check_translations(s, lines_of(sources), lines_of(translations))
    check_spaces(s)
    check_fields(s)
    check_multipart(s)
    check_errors(s)
    check_glossary(s)
    check_unknown(s)
    check_pairs(s)
    check_explanation(s)
    check_search(s, lines_of(sources)[:4], [line.split(" ||| ") for line in lines_of(nbest)])
    check_others(s)
    check_page(s)


# A failed check in a thread must fail the program.
def fail_all(args):
    print(args.exc_value, file=sys.stderr)
    os._exit(1)


threading.excepthook = fail_all
if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    api(Server(sys.argv[1]), *sys.argv[2:])
