#!/usr/bin/env python3
"""usage: tests/serve.py api|hostile|keys|drain URL [ARGUMENT...]

Checks of a running `tide serve`, for tests/e2e_serve.sh. Every JSON answer is checked against /openapi.json. Python's
standard library is enough."""
import http.client
import json
import socket
import sys
import threading
import time
import urllib.parse


def die(text):
    sys.exit("FAILED: " + text)


def check(condition, text):
    if not condition:
        die(text)


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
        connection = http.client.HTTPConnection(*self.address, timeout=30)
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

    clients = [threading.Thread(target=client, args=(range(k, len(sources), 8),)) for k in range(8)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
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
    start = f"<div title='a>b'>\n<p>{a}</p><!-- 他走了。 --><br/><script>if (潮 < 水) 退;</script> {b}</div> "
    check(found.startswith(start) and "<" not in found[len(start):], f"html: {found!r}")
    check(s.text("&#x6F6E;水退了&#12290;", format="html") == a, "entities are not decoded")


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
        ({"prefix": "The"}, "Invalid request: prefix is not supported by this server"),
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


def check_others(s):
    for path in ("/languages", "/v1/models", "/health", "/frontend/settings"):
        check(s.ask("GET", path)[0] == 200, path)
    check(s.ask("GET", "/languages")[1][0]["targets"] == ["zh", "en"], "languages")
    for q, language in (("潮水", "zh"), ("the tide", "en"), ("12", "zh")):
        _, found = s.ask("POST", "/detect", {"q": q})
        check(found[0]["language"] == language and (found[0]["confidence"] > 0) == (q != "12"), f"detect {q}: {found}")
    status, headers, page = s.raw("GET", "/")
    check(status == 200 and b"curl" in page and "default-src 'none'" in headers["Content-Security-Policy"], "the page")
    _, _, metrics = s.raw("GET", "/metrics")
    for line in ('tide_requests_total{path="/translate",status="4xx"}', "tide_queue_length 0", "tide_request_seconds_sum",
                 'tide_batch_sentences_bucket{le="+Inf"}', 'tide_pieces_total{side="target"}',
                 "process_resident_memory_bytes"):
        check(line in metrics.decode(), f"no {line} in the metrics")


def api(s, sources, translations):
    check_translations(s, lines_of(sources), lines_of(translations))
    check_spaces(s)
    check_fields(s)
    check_errors(s)
    check_pairs(s)
    check_others(s)


# ---- hostile clients -------------------------------------------------------------------------------------------------


def open_socket(s):
    return socket.create_connection(s.address, timeout=20)


def status_of(connection):
    """The status of the next answer; 0 if the server closed the connection."""
    answer = b""
    try:
        while b"\r\n" not in answer:
            part = connection.recv(4096)
            if not part:
                break
            answer += part
    except (ConnectionResetError, BrokenPipeError):
        return 0
    return int(answer.split()[1]) if answer else 0


def send(s, data, half_close=False):
    connection = open_socket(s)
    try:
        connection.sendall(data)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
    except (ConnectionResetError, BrokenPipeError):
        pass
    status = status_of(connection)
    connection.close()
    return status


def post(body, more="", kind="application/json"):
    head = f"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


def hostile(s, timeout):
    """The server runs with --timeout 2 and --max-connections 200."""
    json_post = lambda text: send(s, post(text))
    alive = lambda what: check(s.text("潮水。") == expected, f"after {what} the server does not answer")
    expected = s.text("潮水。")
    for what, status, data in (
        ("invalid UTF-8", 400, post(b'{"q": "\xff\xfe", "source": "zh", "target": "en"}')),
        ("a NUL", 400, post(b'{"q": "a\\u0000b", "source": "zh", "target": "en"}')),
        ("deep JSON", 400, post(b'{"q": ' + b"[" * 100000)),
        ("JSON of many values", 400, post(b'{"q": [' + b'"a",' * 100000 + b'"a"]}')),
        ("cut JSON", 400, post(b'{"q": "a')),
        ("JSON that is no object", 400, post(b"[]")),
        ("a broken form", 400, post(b"q=%zz", kind="application/x-www-form-urlencoded")),
        ("a million sentences", 413, post(b'{"q": "' + "潮。".encode() * 1000000 + b'"}')),
        ("a body of 100 MB", 413, post(b"x" * 100000000)),
        ("a header of 1 MB", 431, b"GET / HTTP/1.1\r\nHost: localhost\r\nA: " + b"x" * 1000000 + b"\r\n\r\n"),
        ("a path of 1 MB", 414, b"GET /" + b"x" * 1000000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("no Host", 400, b"GET / HTTP/1.1\r\n\r\n"),
        ("no HTTP", 400, b"\0\1\2\3\r\n\r\n"),
        ("a length that is no number", 400, b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n"),
        ("a negative length", 400, b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"),
    ):
        found = send(s, data)
        check(found in (status, 0, 408 if what == "no HTTP" else 0), f"{what}: status {found}, not {status}")
        check(found != 0 or "MB" in what or what == "no HTTP", f"{what}: closed without an answer")
        alive(what)
    json_post(b'{"q": "\xe6\xbd\xae' + b'", "source": "zh", "target": "en"}')
    check(send(s, post(b'{"q":"a","source":"zh","target":"en"}'), half_close=True) in (200, 400), "a half-closed socket")
    alive("a half-closed socket")

    started = time.time()
    slow = [open_socket(s) for _ in range(3)]
    slow[0].sendall(b"GET / HT")
    slow[1].sendall(post(b"x" * 100)[:-50])
    answers = []
    while time.time() - started < timeout + 2 and len(answers) < 2:
        for connection in slow[:2]:
            try:  # one byte at a time
                connection.sendall(b"T")
            except OSError:
                pass
        time.sleep(0.2)
        answers = [c for c in slow[:2] if closed(c)]
    check(len(answers) == 2, f"slow clients are still connected after {time.time() - started:.1f} s")
    alive("slow clients")

    idle = []
    for _ in range(1000):
        try:
            idle.append(open_socket(s))
        except OSError:
            break
    alive(f"{len(idle)} idle connections")
    for connection in idle + slow:
        connection.close()
    left = [open_socket(s) for _ in range(20)]
    for connection in left:
        connection.sendall(post(json.dumps({"q": ["潮水退了。"] * 100, "source": "zh", "target": "en"}).encode()))
        connection.close()
    alive("clients that left")
    print(f"{len(idle)} idle connections")


def closed(connection):
    """Whether the server has answered with 408 and closed the connection."""
    connection.setblocking(False)
    try:
        part = connection.recv(4096)
        check(not part or b" 408 " in part, f"a slow client got {part}")
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        connection.settimeout(20)


# ---- keys, overload, the end -----------------------------------------------------------------------------------------


def keys(s, key):
    body = {"q": "潮水。", "source": "zh", "target": "en"}
    answer = s.ask("POST", "/translate", body)
    check(answer == (403, {"error": "Please contact the server operator to get an API key"}), f"no key: {answer}")
    for wrong in (key[:-1], key + "x", "", "x" * 500):
        answer = s.ask("POST", "/translate", {**body, "api_key": wrong})
        check(answer == (403, {"error": "Invalid API key"}), f"key {wrong}: {answer}")
    check(s.ask("POST", "/translate", {**body, "api_key": key})[0] == 200, "the key in the body")
    check(s.ask("POST", "/translate", {**body, "api_key": key}, form=True)[0] == 200, "the key in a form")
    check(s.ask("POST", "/translate", body, {"Authorization": "Bearer " + key})[0] == 200, "the key in a header")
    check(s.raw("GET", "/metrics")[0] == 403, "metrics without a key")
    check(s.raw("GET", "/metrics", headers={"Authorization": "Bearer " + key})[0] == 200, "metrics")
    check(s.ask("GET", "/frontend/settings")[1]["keyRequired"], "settings")
    check(s.raw("GET", "/health", headers={"Host": "Tide.example:80"})[0] == 200, "--host")
    _, headers, _ = s.raw("OPTIONS", "/translate", headers={"Origin": "https://page.example"})
    check(headers["Access-Control-Allow-Origin"] == "https://page.example", "--cors")


def overload(s, source):
    """The server runs with --max-queue 4, --max-sentences 4."""
    counts, lock, text = {}, threading.Lock(), source * 60

    def client():
        for _ in range(6):
            started = time.time()
            status, headers, _ = s.raw("POST", "/translate", json.dumps({"q": [text] * 4, "source": "zh", "target": "en"}),
                                       {"Content-Type": "application/json"})
            with lock:
                counts[status] = counts.get(status, 0) + 1
                check(status != 429 or headers["Retry-After"], "429 without Retry-After")
                counts["late"] = counts.get("late", 0) + (status == 429 and time.time() - started > 1)

    clients = [threading.Thread(target=client) for _ in range(12)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    check(set(counts) <= {200, 429, "late"} and counts.get(200) and counts.get(429), f"overload: {counts}")
    print(counts)


def queued(s):
    return b"tide_queue_length 0\n" not in s.raw("GET", "/metrics")[2]


def drain(s, pid):
    """Requests that have begun when SIGTERM arrives are answered."""
    import os
    import signal
    answers = []

    def client():
        answers.append(s.raw("POST", "/translate", json.dumps({"q": ["潮水退了。" * 20] * 6, "source": "zh",
                                                               "target": "en"}), {"Content-Type": "application/json"})[0])

    clients = [threading.Thread(target=client) for _ in range(4)]
    for thread in clients:
        thread.start()
    while b"tide_connections 5\n" not in s.raw("GET", "/metrics")[2] or not queued(s):
        pass
    os.kill(int(pid), signal.SIGTERM)
    for thread in clients:
        thread.join()
    check(answers == [200] * 4, f"after SIGTERM: {answers}")


def replace(s, seconds, a, b):
    """Translates while models are replaced: every answer is that of one of the models."""
    expected, counts = {lines_of(a)[0], lines_of(b)[0]}, {}
    until = time.time() + float(seconds)

    def client():
        while time.time() < until:
            found = s.text("潮水退了，才知道谁没穿裤子。")
            check(found in expected, f"{found} is not of {expected}")
            counts[found] = counts.get(found, 0) + 1

    clients = [threading.Thread(target=client) for _ in range(4)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    check(len(counts) == 2, f"only one model answered: {counts}")
    print(counts)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    server = Server(sys.argv[2])
    commands = {"api": api, "keys": keys, "overload": overload, "drain": drain, "replace": replace,
                "hostile": lambda s: hostile(s, 2)}
    commands[sys.argv[1]](server, *sys.argv[3:])


# A failed check in a thread must fail the program.
def fail_all(args):
    print(args.exc_value, file=sys.stderr)
    import os
    os._exit(1)


threading.excepthook = fail_all
main()
