#!/usr/bin/env python3
"""usage: tests/e2e/corrections.py api URL | without URL | written URL | memory URL | keys URL KEY KEY | shared URL KEY |
                                      deleted URL | full URL | learn URL SOURCES TARGETS | served URL SCORE | terms URL FILE |
                                      kills N FOLDER TIDE MODEL FLAG ...

Checks what a running `tide serve --corrections` does with corrections; for tests/e2e/corrections.sh."""
import json
import random
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as xml

from serve import Server, check, die

SENTENCE = "潮水退了。"


def correct(server, q, correction, expected=200, **fields):
    body = {"q": q, "source": "zh", "target": "en", "correction": correction, **fields}
    status, answer = server.ask("POST", "/v1/corrections", body)
    check(status == expected, f"correct {q[:80]}: {status}, {answer}")
    return answer["id"] if expected == 200 else answer["error"]


def corrections(server, **headers):
    status, answer = server.ask("GET", "/v1/corrections", headers=headers)
    check(status == 200, f"the list: {status}, {answer}")
    return answer["corrections"]


def similar(server, q, **fields):
    status, answer = server.ask("POST", "/v1/similar", {"q": q, "source": "zh", "target": "en", **fields})
    check(status == 200, f"similar: {status}, {answer}")
    return answer["similar"]


def events(server, q):
    body = json.dumps({"q": q, "source": "zh", "target": "en", "alignment": "piece"})
    text = server.raw("POST", "/v1/stream", body.encode(), {"Content-Type": "application/json"})[2].decode()
    found = [dict(line.split(": ", 1) for line in event.split("\n")) for event in text.strip().split("\n\n")]
    return [(event["event"], json.loads(event["data"])) for event in found]


def api(url):
    server = Server(url)
    status, settings = server.ask("GET", "/frontend/settings")
    check(settings["corrections"] and settings["memory"], "the settings")
    own = server.text(SENTENCE)
    check("memory" not in server.translate(SENTENCE), "remembered before it was corrected")

    first = correct(server, SENTENCE, "  The sea & its <b>tide</b> went out. ", translation=own, model="run")
    text = "The sea & its <b>tide</b> went out."
    check(server.translate(SENTENCE) == {"translatedText": text, "memory": [first]}, "the sentence")
    check(server.translate(f" {SENTENCE} ")["translatedText"].strip() == text, "blanks around the sentence")
    check(server.text(SENTENCE, memory=False) == own, "memory: false")
    check(server.text(SENTENCE, memory="false", form=True) == own, "memory of a form")
    check("bad memory" in server.translate(SENTENCE, 400, memory="no"), "a wrong value")
    check(server.text(SENTENCE, prefix="The") != text, "a given beginning is searched")
    both = server.translate(["我们走吧。" + SENTENCE, "我们走吧。"], alignment="piece", piece_scores=True, alternatives=2)
    check(both["memory"] == [[None, first], [None]], f"the marks: {both}")
    check(both["translatedText"][0] == both["translatedText"][1] + " " + text, "two sentences")
    check(both["alignment"][0][1] is None and both["alignment"][0][0], "alignments")
    html = server.translate(f"<p>{SENTENCE}</p>", format="html")
    check(html["translatedText"] == "<p>The sea &amp; its &lt;b&gt;tide&lt;/b&gt; went out.</p>", f"HTML: {html}")
    check("memory" not in server.translate("<p>潮<b>水</b>退了。</p>", format="html"), "markup inside of a sentence")

    names = [name for name, _ in events(server, SENTENCE)]
    check(names == ["source", "sentence", "done"], f"a stream: {names}")
    stream = events(server, "我们走吧。" + SENTENCE)
    check([name for name, _ in stream][:2] == ["source", "sentence"] and stream[1][1]["sentence"] == 1, "the first event")
    for name, data in stream:
        if name in ("sentence", "done"):
            server.fits(data, {"$ref": f"#/components/schemas/Stream{name.title()}"}, "a stream")
    check(stream[1][1] == {"sentence": 1, "correction": first, "translatedText": text}, f"an event: {stream[1]}")
    check(stream[-1][1]["translatedText"] == both["translatedText"][0], "the whole text")

    # similar sentences
    found = similar(server, "潮水都退了。")
    check([(one["target"], one["correction"]) for one in found] == [(text, first)], f"similar: {found}")
    check(abs(found[0]["similarity"] - 5 / 6) < 1e-3, "the similarity")
    check(similar(server, SENTENCE)[0]["similarity"] == 1 and similar(server, "今天天气很好。") == [], "same and different")

    # a later correction takes the place of an earlier one; a deleted one gives it back
    second = correct(server, SENTENCE, "The tide is out.")
    check(second > first and server.text(SENTENCE) == "The tide is out.", "a second correction")
    check(correct(server, SENTENCE, "The tide is out.") == second, "the same again")
    for i in range(1000 if len(sys.argv) < 4 else int(sys.argv[3])):
        check(correct(server, SENTENCE, "The tide is out.") == second, "the same a thousand times")
    check([one["id"] for one in corrections(server)] == [second, first], "the list")
    check(corrections(server)[1] == {"id": first, "time": corrections(server)[1]["time"], "model": "run", "source": "zh",
                                     "target": "en", "q": SENTENCE, "translation": own, "correction": text}, "an entry")
    status, _, memory = server.raw("GET", "/v1/corrections.tmx")
    segments = [one.text for one in xml.fromstring(memory).iter("seg")]
    check(status == 200 and segments == [SENTENCE, "The tide is out."], f"TMX: {segments}")
    check(server.ask("POST", "/v1/corrections/delete", {"id": second})[0] == 200, "delete")
    check(server.ask("POST", "/v1/corrections/delete", {"id": second})[0] == 404, "delete again")
    check(server.text(SENTENCE) == text, "the correction before")
    check(server.ask("POST", "/v1/corrections/delete", {"id": first})[0] == 200, "delete the last one")
    check(server.translate(SENTENCE) == {"translatedText": own} and similar(server, SENTENCE) == [], "forgotten")

    # LibreTranslate's name for it
    status, answer = server.ask("POST", "/suggest", {"q": SENTENCE, "s": "Low tide.", "source": "zh", "target": "en"}, form=True)
    check((status, answer) == (200, {"success": True}) and server.text(SENTENCE) == "Low tide.", f"suggest: {answer}")
    check(server.ask("POST", "/v1/corrections/delete", {"id": corrections(server)[0]["id"]})[0] == 200, "delete it")

    # a word that was corrected three times
    for i, q in enumerate(("我爱潮水。", "潮水很冷。", "他看潮水。")):
        correct(server, q, f"{i} spring tide it is.", translation=f"{i} water it is.")
    terms = server.ask("GET", "/v1/corrections")[1]["terms"]
    check(terms == [{"source": "潮水", "before": "water", "after": "spring tide", "count": 3}], f"terms: {terms}")
    for one in corrections(server):
        check(server.ask("POST", "/v1/corrections/delete", {"id": one["id"]})[0] == 200, "delete")

    # what is refused
    for q, correction in ((SENTENCE, ""), (SENTENCE, " \t"), (SENTENCE, SENTENCE), (SENTENCE, "潮水已经退了。"),
                          (SENTENCE, "a\u0007b c d"), (SENTENCE, "The tide\nwent out."), (SENTENCE, "tide " * 2000),
                          ("", "The tide."), ("潮水退了。我们走吧。", "The tide went out. Let us go."), ("好" * 3000, "good " * 300)):
        correct(server, q, correction, 400)
    check(server.ask("POST", "/v1/corrections", {"q": SENTENCE, "source": "zh", "target": "en"})[0] == 400, "no correction")
    check("no model" in correct(server, SENTENCE, "La marée.", 400, target="fr"), "another language")
    status, _, _ = server.raw("POST", "/v1/corrections", b'{"q":"' + b"a" * 10_000_000 + b'"}', {"Content-Type": "application/json"})
    check(status == 413, f"ten megabytes: {status}")
    check(server.raw("POST", "/v1/corrections", b'{"q":"a\\u0000b"}', {"Content-Type": "application/json"})[0] == 400, "a NUL")
    check(server.raw("PUT", "/v1/corrections", b"{}")[:1] == (405,), "another method")
    check(server.raw("PUT", "/v1/corrections", b"{}")[1]["Allow"] == "GET, HEAD, POST, OPTIONS", "the methods")
    check(corrections(server) == [], "something refused was kept")
    check(server.ask("POST", "/v1/learn", {})[0] == 409, "nothing to learn")
    check(server.ask("POST", "/v1/generation", {"generation": 1})[0] == 409, "a generation that there is not")


def keys(url, one, other):
    server = Server(url)
    check(server.ask("GET", "/v1/corrections")[0] == 403 and server.ask("GET", "/v1/learning")[0] == 403, "without a key")
    check(server.raw("GET", "/v1/corrections.tmx")[0] == 401, "the file without a key")
    correct(server, SENTENCE, "The tide.", 403, api_key="0123456789abcdefghij")
    number = correct(server, SENTENCE, "The tide is out.", api_key=one)
    check(server.text(SENTENCE, api_key=one) == "The tide is out.", "the own correction")
    check("memory" not in server.translate(SENTENCE, api_key=other), "the correction of another key")
    check(similar(server, SENTENCE, api_key=other) == [] and len(similar(server, SENTENCE, api_key=one)) == 1, "similar")
    check(len(corrections(server, Authorization=f"Bearer {one}")) == 1, "the own list")
    check(corrections(server, Authorization=f"Bearer {other}") == [], "the list of another key")
    status, answer = server.ask("POST", "/v1/corrections/delete", {"id": number, "api_key": other})
    check(status == 404, f"deleted by another key: {answer}")


def shared(url, key):
    """Keys that learn together, in a folder with one generation."""
    server = Server(url)
    for _ in range(100):
        status, answer = server.ask("GET", "/v1/learning", headers={"Authorization": f"Bearer {key}"})
        check(status == 200 and answer["shared"], f"the state: {answer}")
        if answer["models"][0]["generations"]:
            break
        time.sleep(0.1)
    learned = answer["models"][0]["generations"][0]["learned"]
    check(learned["reason"] == "worse" and "examples" not in learned, f"a text of another key: {learned}")


def deleted(url):
    """A learning was interrupted, and all its corrections were deleted."""
    server = Server(url)
    correct(server, SENTENCE, "The tide is out.")
    check(server.ask("POST", "/v1/learn", {})[0] == 200, "learn")
    state = wait_for(server, lambda s: s["state"] == "idle" and (s["said"] or s["generations"]), "the end of the learning")
    check("too few corrections" in state["said"], f"it learned from what was deleted: {state}")


def full(url):
    """The file system lets the server write only a few lines."""
    server, ids = Server(url), []
    for i in range(100):
        status, answer = server.ask("POST", "/v1/corrections", {"q": f"潮水{i}。", "source": "zh", "target": "en",
                                                                 "correction": f"The tide {i}. " + "out " * 10})
        if status != 200:
            break
        ids.append(answer["id"])
    check(status == 507 and ids, f"a full disk: {status}, {answer}")
    check([one["id"] for one in corrections(server)] == ids[::-1], "the corrections before")
    while ids and (status := server.ask("POST", "/v1/corrections/delete", {"id": ids[-1]})[0]) == 200:
        ids.pop()
    check(status == 507 and [one["id"] for one in corrections(server)] == ids[::-1], f"a deletion on a full disk: {status}")
    check("memory" in server.translate("潮水0。") and server.text(SENTENCE), "the server goes on")


def learning(server, model=0):
    status, answer = server.ask("GET", "/v1/learning")
    check(status == 200, f"the state: {answer}")
    return answer["models"][model]


def probe(server):
    """A number that tells which generation answers."""
    body = {"q": SENTENCE, "translation": "The tide went out.", "source": "zh", "target": "en"}
    return server.ask("POST", "/v1/score", body)[1]["score"]["logProbability"]


def wait_for(server, holds, what):
    for _ in range(3000):
        state = learning(server)
        if holds(state):
            return state
        time.sleep(0.1)
    die(f"{what}: {state}")


def learn(url, sources, targets):
    """Corrects all sentences, and looks at what the model learns. The server needs --learn-after 1000."""
    server = Server(url)
    pairs = [tuple(line.rstrip("\n") for line in pair) for pair in zip(open(sources), open(targets))]
    before = probe(server)
    # a learning that fails does not stop the next one
    correct(server, *pairs[0])
    check(server.ask("POST", "/v1/learn", {})[0] == 200, "learn from one correction")
    state = wait_for(server, lambda s: s["state"] == "idle" and s["said"], "the failure")
    check("too few corrections" in state["said"] and not state["generations"], f"the failure: {state}")
    for q, correction in pairs[1:]:
        correct(server, q, correction)
    state = wait_for(server, lambda s: s["waiting"] == len(pairs), "what waits")
    check(state["generation"] == 0 and state["state"] == "idle", f"the beginning: {state}")
    check(server.ask("POST", "/v1/learn", {})[0] == 200, "learn")
    state = wait_for(server, lambda s: s["generations"] and s["state"] == "idle", "the first generation")
    learned = state["generations"][0]["learned"]
    check(learned["accepted"] and state["generation"] == 1 and state["waiting"] == 0, f"the first generation: {state}")
    check(learned["held_out"]["after"]["perplexity"] < learned["held_out"]["before"]["perplexity"], "what it gained")
    after = probe(server)
    check(after != before, "the model did not change")
    for generation, score in ((0, before), (1, after)):
        status, answer = server.ask("POST", "/v1/generation", {"generation": generation})
        check(status == 200, f"another generation: {answer}")
        check(probe(server) == score and learning(server)["generation"] == generation, f"generation {generation}")
    check(server.ask("POST", "/v1/generation", {"generation": 2})[0] == 409, "a generation that there is not")
    check(server.ask("POST", "/v1/generation", {})[0] == 400 and learning(server)["generation"] == 1, "no generation")
    # a request during a learning asks for one from what was corrected since
    correct(server, "今天潮水很高。", "And so we all know now that the tide is high today.")
    check(server.ask("POST", "/v1/learn", {})[0] == 200, "learn again")
    wait_for(server, lambda s: s["state"] == "learning", "the second learning")
    correct(server, "明天潮水很低。", "And so we all know now that the tide is low tomorrow.")
    check(server.ask("POST", "/v1/learn", {})[0] == 200, "learn while it learns")
    wait_for(server, lambda s: s["state"] == "idle" and len(s["generations"]) == 3, "the third learning")
    check(server.ask("POST", "/v1/generation", {"generation": 1})[0] == 200, "back to the first generation")
    print(after)


def kills(count, folder, tide, *flags):
    """Kills a server `count` times while clients correct and a model learns: what was acknowledged is never lost."""
    random.seed(int(count))
    known, number = {}, 0

    def start():
        command = [tide, "serve", *flags, "--corrections", folder, "--listen", "127.0.0.1:0", "--learn-after", "8"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if line.startswith("tide: serving "):
                threading.Thread(target=process.stderr.read, daemon=True).start()
                return process, Server(line.split()[-1])
        die("the server does not start")

    def client(server, first):
        for i in range(first, first + 100000):
            try:
                known[correct(server, f"潮水退了{i}次。", f"The tide went out {i} times.")] = i
                time.sleep(0.01)  # what is kept is learned before the end
            except (OSError, json.JSONDecodeError, __import__("http.client").client.HTTPException):
                return

    for kill in range(int(count) + 1):
        process, server = start()
        found = {one["id"]: one["correction"] for one in corrections(server)}
        for one, i in known.items():
            check(found.get(one) == f"The tide went out {i} times.", f"correction {one} was lost at kill {kill}")
        check(server.text(SENTENCE, memory=False), "no translation")
        if kill < int(count):
            number += 100000
            threading.Thread(target=client, args=(server, number), daemon=True).start()
            time.sleep(random.random() * 1.2)
            process.kill()
            process.wait()
    wait_for(server, lambda s: s["state"] == "idle" and s["waiting"] < 8 and s["generations"], "the last learning")
    process.terminate()
    check(process.wait() == 0, "the end")
    print(f"{count} kills: {len(known)} corrections, {len(learning_folders(folder))} generations")


def without(url):
    """A server without corrections and memory."""
    server = Server(url)
    settings = server.ask("GET", "/frontend/settings")[1]
    check(not settings["corrections"] and not settings["memory"], "the settings")
    correct(server, SENTENCE, "The tide.", 404)
    for method, path, body in (("GET", "/v1/corrections", None), ("GET", "/v1/learning", None), ("POST", "/v1/learn", {}),
                               ("POST", "/v1/similar", {"q": SENTENCE, "source": "zh", "target": "en"}),
                               ("POST", "/v1/corrections/delete", {"id": 1}), ("POST", "/v1/generation", {"generation": 0})):
        check(server.ask(method, path, body)[0] == 404, f"{method} {path}")


def written(url):
    """The server remembers the second of two corrections that were in its folder; the first one has no source."""
    check(Server(url).translate(SENTENCE) == {"translatedText": "The tide is low.", "memory": [2]}, "the second one")


def memory(url):
    """The server has a translation memory in a file, and keeps no corrections."""
    server = Server(url)
    settings = server.ask("GET", "/frontend/settings")[1]
    check(not settings["corrections"] and settings["memory"], "the settings")
    check(server.translate(SENTENCE) == {"translatedText": "The tide is low.", "memory": [0]}, "the pair of the file")
    check([one["correction"] for one in similar(server, "潮水都退了。")] == [0], "similar")
    correct(server, SENTENCE, "The tide.", 404)


def served(url, score):
    """After another start, the server has the generation that was chosen last."""
    server = Server(url)
    state = learning(server)
    check(str(probe(server)) == score and state["generation"] == 1 and state["waiting"] == 0, f"another start: {state}")


def terms(url, path):
    """A glossary that changes changes a model that has learned, too."""
    server = Server(url)
    check("the boat" in server.text(SENTENCE, memory=False), "the first glossary")
    with open(path, "w", encoding="utf-8") as file:
        file.write("潮水\tthe children\n")
    wait_for(server, lambda s: "the children" in server.text(SENTENCE, memory=False), "the second glossary")
    check(learning(server)["generation"] == 1, "another generation")


def learning_folders(folder):
    import glob
    return glob.glob(f"{folder}/everyone/*/*/learned.json")


{f.__name__: f for f in (api, without, written, memory, keys, shared, deleted, full, learn, served, terms, kills)}[sys.argv[1]](*sys.argv[2:])
