#!/usr/bin/env python3
"""usage: tests/e2e/serve_stream.py api|chinese|training|keys|late|overload|drain URL [ARGUMENT...]

Checks of POST /v1/stream of a running `tide serve`, for tests/e2e/serve.sh. The data of every event are checked against
/openapi.json."""
import http.client
import json
import os
import re
import signal
import sys
import time

import serve
from serve import check, lines_of, together

EVENTS = ("source", "settled", "sentence", "done", "error")


class Stream:
    """A streamed answer. Iterating gives (name, data, seconds since the request)."""

    def __init__(self, s, q, key=None, **fields):
        self.s, self.started = s, time.time()
        self.connection = http.client.HTTPConnection(*s.address, timeout=30)
        body = json.dumps({"q": q, "source": "zh", "target": "en", **fields})
        self.connection.request("POST", "/v1/stream", body, {"Content-Type": "application/json",
                                                             **({"Authorization": "Bearer " + key} if key else {})})
        self.answer = self.connection.getresponse()
        self.status = self.answer.status
        self.schemas = s.paths["/v1/stream"]["post"]["responses"]["200"]["x-events"]
        streams = self.answer.headers["Content-Type"] == "text/event-stream"
        check(streams == (self.status == 200), f"stream: {self.status}, {self.answer.headers}")
        self.error = None
        if self.status != 200:
            self.error = json.loads(self.answer.read())
            s.fits(self.error, {"$ref": "#/components/schemas/Error"}, "stream")

    def __iter__(self):
        check(self.status == 200, f"stream: {self.status}, {self.error}")
        while True:
            name = self.answer.readline().decode()
            if not name:
                return
            data, empty = self.answer.readline().decode(), self.answer.readline().decode()
            check(name.startswith("event: ") and data.startswith("data: ") and empty == "\n", f"{name}{data}{empty}")
            name, data = name[7:-1], json.loads(data[6:])
            self.s.fits(data, {"$ref": "#/components/schemas/" + self.schemas[name]}, "event " + name)
            yield name, data, time.time() - self.started

    def close(self):
        self.connection.close()


def check_events(events):
    """Checks the order of the events, and that settled pieces stay. Returns the data of source, sentences and done."""
    names = [name for name, _, _ in events]
    check(names[0] == "source" and names[-1] == "done" and names.count("done") == 1, f"events: {names}")
    source, settled, sentences = events[0][1], {}, {}
    for name, data, _ in events[1:-1]:
        number = data["sentence"]
        check(number not in sentences, f"an event after the end of sentence {number}")
        if name == "settled":
            before = settled.get(number, {"pieces": [], "rows": []})
            n = len(before["pieces"])
            check(data["pieces"][:n] == before["pieces"] and len(data["pieces"]) > n, f"settled: {before}, {data}")
            check(data["rows"][:n] == before["rows"] and len(data["rows"]) == len(data["pieces"]), "settled rows")
            check(all(len(row) == len(source["pieces"][number]) for row in data["rows"]), "columns of settled rows")
            settled[number] = data
        else:
            sentences[number] = data
            check(data["pieces"][:len(settled[number]["pieces"])] == settled[number]["pieces"], f"not settled: {data}")
            check(data["translatedText"].startswith(settled[number]["text"]), f"not settled: {data}")
    check(sorted(sentences) == list(range(len(source["sentences"]))), f"sentences: {sorted(sentences)}")
    return source, [sentences[i] for i in sorted(sentences)], events[-1][1]


def streamed(s, q, **fields):
    return check_events(list(Stream(s, q, **fields)))


def check_answers(s, sources, translations):
    """Streams and answers of /translate at the same time have the texts of tide translate."""
    def client(own):
        for i in own:
            found = streamed(s, sources[i])[2]["translatedText"] if i % 3 else s.text(sources[i])
            check(found == translations[i], f"{sources[i]}: {found}, not {translations[i]}")

    together(6, lambda k: client(range(k, len(sources), 6)))


def check_fields(s):
    text = "潮水退了。\n他走了。"
    plain = s.translate(text, alternatives=2, alignment="word")
    source, (first, second), done = streamed(s, text, alternatives=2, alignment="word", candidates=4)
    check(source["sentences"] == ["潮水退了。", "他走了。"] and source["pieces"][1] == list("他走了。") + ["</s>"], source)
    check(done["translatedText"] == plain["translatedText"], "a stream has another translation")
    check(first["translatedText"] + "\n" + second["translatedText"] == done["translatedText"], "the sentences")
    check([first["alignment"], second["alignment"]] == plain["alignment"], "a stream has another alignment")
    joined = [f"{a['text']}\n{b['text']}" for a, b in zip(first["alternatives"], second["alternatives"])]
    check(joined == plain["alternatives"], "a stream has other alternatives")
    scores = [first["score"]] + [a["score"] for a in first["alternatives"]]
    check(scores == sorted(scores, reverse=True), f"scores: {scores}")
    for sentence in (first, second):
        check(len(sentence["candidates"]) == len(sentence["pieces"]), "candidates for each piece")
        for piece, candidates in zip(sentence["pieces"], sentence["candidates"]):
            chances = [c["probability"] for c in candidates]
            check(len(candidates) == 4 and chances == sorted(chances, reverse=True) and sum(chances) < 1.0001, candidates)
    (greedy,) = streamed(s, "潮水退了。", beam=1, candidates=1)[1]
    check([c[0]["piece"] for c in greedy["candidates"]] == greedy["pieces"], "a beam of one does not take the candidates")
    product = 1
    for candidates in greedy["candidates"]:
        product *= candidates[0]["probability"]
    check(abs(product / 2.718281828459045 ** greedy["logProbability"] - 1) < 1e-3, f"{product}, {greedy['logProbability']}")
    check(streamed(s, "潮水。", source="auto")[2]["detectedLanguage"]["language"] == "zh", "auto")
    events = [(name, data) for name, data, _ in Stream(s, "潮水龘。Tom!", alternatives=1, candidates=2)]
    check(events[0][1]["unknown"] == [[2], [0, 1]], f"unknown pieces: {events[0]}")
    (copied,) = [data for name, data in events if name == "sentence" and data.get("copied")]
    check((copied["sentence"], copied["translatedText"], copied["pieces"]) == (1, "Tom!", ["Tom", "!", "</s>"]), f"{copied}")
    for fields in ({"q": ""}, {"q": " \n"}, {"q": "Hello.", "source": "en"}):
        _, sentences, done = streamed(s, **fields)
        check(done["translatedText"] == fields["q"] and not sentences, f"{fields}: {done}")
    for fields, reason in (
        ({"q": ["潮水。"]}, "Invalid request: a stream takes one text q"),
        ({"q": None}, "Invalid request: missing q parameter"),
        ({"q": "潮", "candidates": 17}, "Invalid request: candidates are limited to 16"),
        ({"q": "潮", "layer": 2}, "Invalid request: layer 2: this model's attention has 1 layer"),
        ({"q": "潮", "head": 2}, "Invalid request: head 2: this model's attention has 1 head"),
        ({"q": "潮", "target": "fr"}, "fr is not supported"),
    ):
        stream = Stream(s, **fields)
        check((stream.status, stream.error) == (400, {"error": reason}), f"{fields}: {stream.status}, {stream.error}")


def check_prefix(s):
    # nothing follows the prefix of an empty text
    for body, expected in (
        ({"q": "", "prefix": "The  tide "}, "The tide"),
        ({"q": [" "], "prefix": "The"}, [" The"]),
        ({"q": "<p>", "prefix": "The", "format": "html"}, "<p>The"),
        ({"q": "", "prefix_pieces": ["▁The", "</s>"]}, "The"),
    ):
        found = s.translate(**body)["translatedText"]
        check(found == expected, f"{body}: {found!r}")
    """A chosen candidate is forced; what the search finds by itself stays the same if it is forced."""
    text = "潮水退了。"
    _, (free,), _ = streamed(s, text, candidates=3)
    for n in range(len(free["pieces"]) + 1):
        _, (found,), _ = streamed(s, text, prefix_pieces=free["pieces"][:n], candidates=3, beam=1)
        check(found["pieces"][:n] == free["pieces"][:n], f"{found['pieces']} for {free['pieces'][:n]}")
    check(found["score"] == free["score"], "a forced translation has another score")
    for i, candidates in enumerate(free["candidates"][:-1]):
        pieces = free["pieces"][:i] + [candidates[2]["piece"]]
        _, (found,), done = streamed(s, text, prefix_pieces=pieces)
        check(found["pieces"][:i + 1] == pieces, f"{found['pieces']} for {pieces}")
        check(s.text(text, prefix_pieces=pieces) == done["translatedText"], "/translate forces something else")
    for prefix in ("The ti", "He ", "I", "Who is"):
        found = s.translate(text, prefix=prefix, alternatives=3, alignment="piece")
        for translation in [found["translatedText"]] + found["alternatives"]:
            check(translation.startswith(prefix), f"{translation!r} does not begin with {prefix!r}")
    check(s.text(text, prefix="") == free["translatedText"], "an empty prefix")
    check(s.text(text, prefix="The", form=True).startswith("The"), "a prefix in a form")
    wrong, texts = [], {}

    def client(prefix):
        found = texts.setdefault(prefix, s.text(text, prefix=prefix))
        for _ in range(5):
            if s.text(text, prefix=prefix) != found:
                wrong.append(prefix)

    prefixes = ("The", "A", "", "He is", "We", "T")
    together(len(prefixes), lambda i: client(prefixes[i]))
    check(not wrong, f"in a batch, a prefix gives something else: {wrong}")


LONG = "潮水退了，才知道谁没穿裤子，" * 30 + "。\n"


def check_time(s):
    """Events arrive while the search runs; a client that leaves ends it."""
    events = list(Stream(s, LONG, beam=12))
    settled = [seconds for name, _, seconds in events if name == "settled"]
    check_events(events)
    check(settled[0] < 0.5 * events[-1][2], f"the first settled words came after {settled[0]} of {events[-1][2]} s")
    before = s.metric("tide_cancelled_total")
    stream = Stream(s, LONG * 40, beam=16)
    for name, _, _ in stream:
        if name == "settled":
            break
    stream.close()
    until = time.time() + 10
    while s.metric("tide_cancelled_total") == before:
        check(time.time() < until, "the search of a client that left goes on")
        time.sleep(0.05)


def api(s, sources, translations):
    check_answers(s, lines_of(sources), lines_of(translations))
    check_fields(s)
    check_prefix(s)
    check_time(s)


def training(s, directory):
    """The page about a training shows the present log; its scripts run under the policy."""
    log = directory + "/train.jsonl"
    status, headers, page = s.raw("GET", "/training")
    policy, page = headers["Content-Security-Policy"], page.decode()
    nonce = re.search("script-src 'nonce-([0-9a-f]{32})'", policy)
    check(status == 200 and nonce and "unsafe" not in policy + page, f"the policy of /training: {policy}")
    check(f'<script nonce="{nonce[1]}">' in page and f'<style nonce="{nonce[1]}">' in page, "the nonce of the page")
    check("default-src 'none'" in policy and "connect-src 'self'" in policy, policy)
    long_ago = time.time() - 60
    os.utime(log, (long_ago, long_ago))
    one, two = (s.raw("GET", "/training")[1]["Content-Security-Policy"] for _ in range(2))
    check(one == two, "the page is made again, although the log is the same")
    before = s.ask("GET", "/training/log")
    check(before == (200, {"bytes": os.path.getsize(log)}) and f'"bytes":{before[1]["bytes"]}' in page, f"log: {before}")
    lines = lines_of(log)
    with open(log, "a", encoding="utf-8") as file:
        file.write(json.dumps({**json.loads(lines[-1]), "update": 987654}) + "\n" + lines[0][:20])
    _, headers, page = s.raw("GET", "/training")
    check('"update":987654' in page.decode(), "the page does not show the present log")
    check(nonce[1] not in headers["Content-Security-Policy"], "two pages have the same nonce")
    check(s.ask("GET", "/training/log")[1]["bytes"] > before[1]["bytes"], "the size of the log")
    with open(log, "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines))
    (model,) = s.ask("GET", "/v1/models")[1]
    name = "".join(f"%{byte:02x}" for byte in model["name"].encode())
    check(model["training"] and s.raw("GET", "/training?model=" + name)[0] == 200, "the name in the query")
    for wrong in ("none", "", "%zz", "..", "../" + model["name"], "/etc", model["name"] + "%00"):
        check(s.raw("GET", "/training?model=" + wrong)[0] == 404, f"/training?model={wrong}")
        check(s.raw("GET", "/training/log?model=" + wrong)[0] == 404, f"/training/log?model={wrong}")
    check(s.raw("GET", "/training/train.jsonl")[0] == 404, "a file")
    os.rename(log, log + ".away")
    found = s.raw("GET", "/training")
    check(found[0] == 404 and b"no log" in found[2] and not s.ask("GET", "/v1/models")[1][0]["training"], f"no log: {found}")
    os.rename(log + ".away", log)


def keys(s, key):
    check(Stream(s, "潮水。").status == 403, "a stream without a key")
    check_events(list(Stream(s, "潮水。", key=key)))


def late(s):
    """The server runs with --timeout 2: a stream that takes longer ends with an error; so does one that nobody reads."""
    unread = Stream(s, LONG * 40, beam=16)
    events = list(Stream(s, LONG * 40, beam=16))
    check(events[-1][:2] == ("error", {"error": "The translation took too long"}), f"the last event: {events[-1][:2]}")
    check(1.5 < events[-1][2] < 6, f"the deadline came after {events[-1][2]} s")
    unread.close()
    streamed(s, "潮水。")


def chinese(s):
    """Translations into Chinese have full-width punctuation from the first event on, and settled text stays."""
    events = list(Stream(s, "The tide.", source="en", target="zh", prefix="潮水?水,"))
    texts = [data["text"] for name, data, _ in events if name == "settled"] + [check_events(events)[2]["translatedText"]]
    check(len(texts) > 1 and all(text.startswith("潮水？水，"[:len(text)]) for text in texts), texts)


def overload(s, source):
    """The server runs with --max-queue 4, --max-sentences 4."""
    counts = {}

    def client():
        for _ in range(4):
            stream = Stream(s, (source * 60 + "\n") * 4)
            check(stream.status in (200, 429), f"status {stream.status}")
            check(stream.status == 200 or stream.answer.headers["Retry-After"], "429 without Retry-After")
            counts[stream.status] = counts.get(stream.status, 0) + 1
            if stream.status == 200:
                check_events(list(stream))

    together(8, lambda _: client())
    check(counts.get(200) and counts.get(429), f"overload: {counts}")


def drain(s, pid, key):
    """Streams that have begun when SIGTERM arrives end as usual."""
    streams = [iter(Stream(s, LONG * 4, key=key)) for _ in range(3)]
    begun = [[next(stream)] for stream in streams]
    os.kill(int(pid), signal.SIGTERM)
    for first, stream in zip(begun, streams):
        check_events(first + list(stream))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    commands = {"api": api, "chinese": chinese, "keys": keys, "late": late, "overload": overload, "drain": drain,
                "training": training}
    commands[sys.argv[1]](serve.Server(sys.argv[2]), *sys.argv[3:])


if __name__ == "__main__":
    main()
