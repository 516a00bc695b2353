#!/usr/bin/env python3
"""usage: tests/e2e/serve_limits.py TEST URL [ARGUMENT...]
TEST: hostile|crowd|address|large|deadline|leave|keys|overload|memory|drain|stop|replace|glossary|unaligned|load

Checks of a running `tide serve` that need special flags, for tests/e2e/serve.sh and tests/soak/serve.sh: hostile clients,
limits, keys, the end of the server, replaced models. The functions below say which flags."""
import base64
import itertools
import json
import os
import resource
import select
import shutil
import signal
import socket
import statistics
import sys
import threading
import time

from serve import Server, check, lines_of, together

JSON = {"Content-Type": "application/json"}


def wait_until(condition, what):
    until = time.time() + 60
    while not condition():
        check(time.time() < until, f"after a minute: not {what}")
        time.sleep(0.01)


# ---- connections -----------------------------------------------------------------------------------------------------


def open_socket(s):
    return socket.create_connection(s.address, timeout=20)


def post(body, more="", kind="application/json"):
    head = f"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


def answer_of(connection):
    """Status and body of the next answer; status 0 if the server closed the connection without one."""
    answer = b""
    try:
        while part := connection.recv(65536):
            answer += part
            head, _, body = answer.partition(b"\r\n\r\n")
            sizes = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
            if sizes and len(body) >= int(sizes[0]):
                break
    except (ConnectionResetError, BrokenPipeError):
        pass
    return (int(answer.split()[1]), answer.partition(b"\r\n\r\n")[2]) if answer else (0, b"")


def send(s, data, half_close=False):
    """Sends bytes until the server answers or closes the connection; returns status and body of the answer."""
    with open_socket(s) as connection:
        try:
            for at in range(0, len(data), 65536):
                if select.select([connection], [], [], 0)[0]:
                    break
                connection.sendall(data[at:at + 65536])
            if half_close:
                connection.shutdown(socket.SHUT_WR)
        except (ConnectionResetError, BrokenPipeError):
            pass
        return answer_of(connection)


def closed(connection):
    """Whether the server has answered with 408 or 503, or closed the connection."""
    connection.setblocking(False)
    try:
        part = connection.recv(4096)
        check(not part or b" 408 " in part or b" 503 " in part, f"a slow client got {part}")
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        connection.settimeout(20)


# ---- hostile clients -------------------------------------------------------------------------------------------------

FORM = "application/x-www-form-urlencoded"
GET, POST = (f"{method} HTTP/1.1\r\nHost: localhost\r\n".encode() for method in ("GET /", "POST /translate"))


def hostile_requests():
    """What is wrong, the expected status, the bytes. Some have 100 MB, so they are made only when they are needed."""
    return (
        ("invalid UTF-8", 400, post(b'{"q": "\xff\xfe", "source": "zh", "target": "en"}')),
        ("a NUL", 400, post(b'{"q": "a\\u0000b", "source": "zh", "target": "en"}')),
        ("a NUL byte", 400, post(b'{"q": "a\0b", "source": "zh", "target": "en"}')),
        ("deep JSON", 400, post(b'{"q": ' + b"[" * 1000000)),
        ("deep JSON with its ends", 400, post(b'{"q": ' + b"[" * 500000 + b"]" * 500000 + b"}")),
        ("deep objects", 400, post(b'{"q":' * 200000)),
        ("JSON of many values", 400, post(b'{"q": [' + b'"a",' * 100000 + b'"a"]}')),
        ("cut JSON", 400, post(b'{"q": "a')),
        ("JSON that is no object", 400, post(b"[]")),
        ("a broken form", 400, post(b"q=%zz", kind=FORM)),
        ("a form of many fields", 400, post(b"q=a&" * 20000, kind=FORM)),
        ("a form of many parts", 400, post(b"--b\r\nContent-Disposition: form-data; name=q\r\n\r\n\r\n" * 2000,
                                           kind="multipart/form-data; boundary=b")),
        ("a form without a boundary", 400, post(b"--b--\r\n", kind="multipart/form-data")),
        ("a form that does not end", 400, post(b"--b\r\n", kind="multipart/form-data; boundary=b")),
        ("many sentences", 400, post(b'{"q": "' + "潮。".encode() * 20000 + b'", "source": "zh", "target": "en"}')),
        ("a long sentence", 400, post(b'{"q": "' + "潮".encode() * 20000 + b'", "source": "zh", "target": "en"}')),
        ("a million sentences", 413, post(b'{"q": "' + "潮。".encode() * 1000000 + b'", "source": "zh", "target": "en"}')),
        ("a body of 100 MB", 413, post(b"x" * 100000000)),
        ("a body of 100 MB after 100-continue", 413, post(b"x" * 100000000, more="Expect: 100-continue\r\n")),
        ("100 MB in chunks", 413, POST + b"Transfer-Encoding: chunked\r\n\r\n"
         + (b"100000\r\n" + b"x" * 0x100000 + b"\r\n") * 100 + b"0\r\n\r\n"),
        ("a chunk without a size", 400, POST + b"Transfer-Encoding: chunked\r\n\r\nx\r\n"),
        ("a header of 1 MB", 431, GET + b"A: " + b"x" * 1000000 + b"\r\n\r\n"),
        ("headers of 1 MB", 431, GET + b"A: x\r\n" * 200000 + b"\r\n"),
        ("a path of 1 MB", 414, b"GET /" + b"x" * 1000000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("path traversal", 404, GET.replace(b"/ ", b"/../../../etc/passwd ") + b"\r\n"),
        ("escaped path traversal", 404, GET.replace(b"/ ", b"/%2e%2e%2f%2e%2e%2fetc%2fpasswd%00 ") + b"\r\n"),
        ("no Host", 400, b"GET / HTTP/1.1\r\n\r\n"),
        ("a length that is no number", 400, POST + b"Content-Length: x\r\n\r\n"),
        ("a negative length", 400, POST + b"Content-Length: -1\r\n\r\n"),
    )


def slow_clients(s, ended):
    """Clients that send a byte now and then, and one that sends nothing sensible, get 408. Appends to `ended`."""
    slow = [open_socket(s) for _ in range(3)]
    for connection, start in zip(slow, (b"GET / HT", post(b"x" * 10000)[:-9000], b"\0\1\2\3\r\n\r\n")):
        connection.sendall(start)

    def sends_slowly():
        for connection in slow[:2]:
            try:
                connection.sendall(b"T")
            except OSError:
                pass
        return all(c in ended or (closed(c) and not ended.append(c)) for c in slow)

    wait_until(sends_slowly, "all slow clients get 408")


def hostile(s):
    """The server runs with a --timeout of some seconds and --max-connections 200."""
    expected = s.text("潮水。")
    alive = lambda what: check(s.text("潮水。") == expected, f"after {what} the server does not answer")
    ended = []
    slow = threading.Thread(target=slow_clients, args=(s, ended))
    slow.start()
    for what, status, data in hostile_requests():
        found = send(s, data)
        check(found[0] == status, f"{what}: {found}, not {status}")
        alive(what)
    found = send(s, post(b'{"q":"a","source":"zh","target":"en"}'), half_close=True)[0]
    check(found in (200, 400), f"a half-closed socket: {found}")
    found = send(s, POST, half_close=True)
    check(found[0] in (0, 400, 408), f"a half-closed socket without a request: {found}")
    alive("half-closed sockets")
    slow.join()
    check(len(ended) == 3, "slow clients")
    idle = []
    for _ in range(1000):
        try:
            idle.append(open_socket(s))
        except OSError:
            break
    check(len(idle) > 900, f"{len(idle)} idle connections")
    alive("1,000 idle connections")
    for connection in idle:
        connection.close()


HALF = post(b'{"q": "')[:-7].replace(b": 7", b": 1000") + b'{"q": "'


def distant(s, data):
    """Sends bytes as a client that takes small packets, and few of them: a long answer waits in the server."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    connection.settimeout(20)
    connection.connect(s.address)
    connection.sendall(data)
    return connection


def sent(s, data):
    connection = open_socket(s)
    connection.sendall(data)
    return connection


def within(seconds, work, what):
    """Runs work(), which must take at most this time."""
    started = time.time()
    found = work()
    check(time.time() - started < seconds, f"{what}: {time.time() - started:.1f} s")
    return found


def crowd(s, pid):
    """The server has 64 descriptors and --batch-wait 1000. Whatever 60 clients do to keep it waiting, other clients have their
    answers at once, and so does SIGTERM."""
    same = post(json.dumps({"q": "潮" * 30000, "source": "zh", "target": "zh"}).encode())
    kinds = (("silent clients", lambda: open_socket(s)), ("slow senders", lambda: sent(s, HALF)),
             ("slow heads", lambda: sent(s, HALF[:20])), ("slow readers", lambda: distant(s, same)),
             ("clients that left", lambda: sent(s, HALF).close()))
    expected = s.text("潮水。")

    def honest():
        check(s.raw("GET", "/health")[0] == 200, "/health")
        status, answer = 429, {}
        while status == 429:  # until the long answers of the slow readers are made
            status, answer = s.ask("POST", "/translate", {"q": "潮水。", "source": "zh", "target": "en"})
        return answer.get("translatedText")

    for what, client in kinds:
        clients = [client() for _ in range(60)]
        check(within(0.9, honest, what) == expected, f"{what}: another translation")
        for connection in filter(None, clients):
            connection.close()
    wait_until(lambda: s.metric("tide_connections") == 1, "clients that left are gone")
    clients = [open_socket(s) for _ in range(3)]
    clients[0].sendall(HALF)
    clients[1].sendall(HALF[:20])
    os.kill(int(pid), signal.SIGTERM)
    within(5, lambda: wait_until(lambda: all(map(closed, clients)), "the server stops"), "SIGTERM")


def large(s):
    """While a large request is prepared, other clients have their answers, and the server can end."""
    texts = {"q": "潮水。", "source": "zh", "target": "en"}
    for what, body in (("a text that grows when it is normalised", {**texts, "q": "\ufdfa" * 40000}),
                       ("a long prefix", {**texts, "prefix": "tide " * 40000}),
                       ("a long glossary", {**texts, "glossary": "".join(f"潮{i}\ttide\n" for i in range(40000))})):
        took, worst = [], 0
        body = json.dumps(body).encode()

        def client():
            started = time.time()
            s.raw("POST", "/translate", body, JSON)
            took.append(time.time() - started)

        thread = threading.Thread(target=client)
        thread.start()
        while thread.is_alive():
            started = time.time()
            s.raw("GET", "/health")
            worst = max(worst, time.time() - started)
        print(f"{what}: {took[0]:.2f} s; /health: {worst:.3f} s")
        check(worst < 0.05 + took[0] / 3, f"{what}: the server did not answer for {worst} s")
    sent(s, post(body)).close()  # is still prepared when the server ends


def address(s, most):
    """The server listens on an address that is not of loopback, with --connections-per-address."""
    clients = [open_socket(s) for _ in range(int(most))]
    with open_socket(s) as refused:
        check(answer_of(refused)[0] == 429, "one connection too many is served")
    clients.pop().close()
    wait_until(lambda: send(s, GET + b"\r\n")[0] == 200, "another connection is served")
    for connection in clients:
        connection.close()


# ---- long searches: the model translates every sentence to the greatest length -----------------------------------------


def long_body(sentences, pieces=490):
    """A request whose search takes far longer than the tests."""
    return json.dumps({"q": ["潮" * pieces] * sentences, "source": "zh", "target": "en", "beam": 16}).encode()


def target_pieces(s):
    return s.metric('tide_pieces_total{side="target"}')


def search_starts(s, queued):
    """Waits until a batch has been taken out of the queue, and `queued` sentences wait."""
    wait_until(lambda: s.metric("tide_queue_length") == queued, "the search starts")


def deadline(s):
    """The server runs with a --timeout of at least 2 s: a search that takes longer is answered and stopped."""
    before, cancelled, started = target_pieces(s), s.metric("tide_cancelled_total"), time.time()
    status, _, body = s.raw("POST", "/translate", long_body(128), JSON)
    check((status, json.loads(body)) == (503, {"error": "The translation took too long"}), f"deadline: {status} {body[:200]}")
    check(time.time() - started >= 2, "the deadline is early")
    check(s.metric("tide_cancelled_total") == cancelled + 1, "the deadline is not counted")
    s.text("潮水。")
    check(target_pieces(s) - before < 490, "the search went on")


def leave(s):
    """The server runs with --threads 1: the search of a client that leaves stops."""
    for half in (False, True):
        before, cancelled = target_pieces(s), s.metric("tide_cancelled_total")
        connection = open_socket(s)
        connection.sendall(post(long_body(33)))
        search_starts(s, 1)
        if half:
            connection.shutdown(socket.SHUT_WR)
        else:
            connection.close()
        wait_until(lambda: s.metric("tide_cancelled_total") == cancelled + 1, "the request is cancelled")
        check(s.metric("tide_queue_length") == 0, "a cancelled sentence waits")
        s.text("潮水。")  # by the only worker
        check(target_pieces(s) - before < 490, "the search went on")
        connection.close()


def memory(s, pid):
    """The server runs with --max-length 5000 and has not had a long search: one that needs more memory than there is fails;
    the next one is served."""
    expected = s.text("潮水。")
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        used = next(int(line.split()[1]) for line in file if line.startswith("VmData:"))
    before = resource.prlimit(int(pid), resource.RLIMIT_DATA)
    resource.prlimit(int(pid), resource.RLIMIT_DATA, ((used << 10) + (12 << 20), before[1]))
    status, _, body = s.raw("POST", "/translate", long_body(3, 4900), JSON)
    check(status == 503 and b"out of memory" in body, f"memory: {status} {body}")
    counted = s.metric("tide_memory_refused_total")
    check(counted > 0, "refused memory is not counted")
    status, _, body = s.raw("POST", "/translate", long_body(1, 4900), JSON)
    check(status == 503, f"the memory of one sentence: {status} {body}")
    check(s.metric("tide_memory_refused_total") == counted + 1, "a refusal is not counted once")
    check(s.text("潮水。") == expected, "after refused memory the server does not answer")
    resource.prlimit(int(pid), resource.RLIMIT_DATA, before)


def stop(s, pid):
    """The server runs with --threads 1. After a SIGTERM, its port is free for another server; a second one ends the
    searches."""
    answers = []
    client = threading.Thread(target=lambda: answers.append(s.raw("POST", "/translate", long_body(33), JSON)))
    client.start()
    search_starts(s, 1)
    os.kill(int(pid), signal.SIGTERM)

    def refuses():
        try:
            open_socket(s).close()
        except OSError:
            return True
        return False

    wait_until(refuses, "the server refuses connections")
    socket.create_server(s.address).close()
    check(not answers, f"one SIGTERM ended a search: {answers}")
    os.kill(int(pid), signal.SIGTERM)
    client.join()
    status, _, body = answers[0]
    check((status, json.loads(body)) == (503, {"error": "The server stops"}), f"a second signal: {status} {body}")


# ---- keys, overload, the end, replaced models --------------------------------------------------------------------------


def keys(s, key):
    """The server runs with --api-key-file, --host tide.example and --cors https://page.example."""
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
    for path in ("/training", "/training/log"):
        found = s.raw("GET", path)
        check(found[0] == 401 and found[1]["WWW-Authenticate"].startswith("Basic realm="), f"{path} without a key: {found[:1]}")
        for given, status in ((":" + key, 200), ("me:" + key, 200), (key, 401), (":" + key + "x", 401), (":" + "x" * 500, 401)):
            basic = {"Authorization": "Basic " + base64.b64encode(given.encode()).decode()}
            check(s.raw("GET", path, headers=basic)[0] == status, f"{path}: {given}")
        check(s.raw("GET", path, headers={"Authorization": "Bearer " + key})[0] == 200, f"{path} with a key")
    check(s.ask("GET", "/frontend/settings")[1]["keyRequired"], "settings")
    check(s.raw("GET", "/health", headers={"Host": "Tide.example:80"})[0] == 200, "--host")
    _, headers, _ = s.raw("OPTIONS", "/translate", headers={"Origin": "https://page.example"})
    check(headers["Access-Control-Allow-Origin"] == "https://page.example", "--cors")


def overload(s, source):
    """The server runs with --max-queue 4 and --max-sentences 4."""
    counts, lock, text = {}, threading.Lock(), source * 60

    def client(_):
        for _ in range(6):
            started = time.time()
            status, headers, _ = s.raw("POST", "/translate", json.dumps({"q": [text] * 4, "source": "zh", "target": "en"}),
                                       JSON)
            with lock:
                counts[status] = counts.get(status, 0) + 1
                check(status != 429 or headers["Retry-After"], "429 without Retry-After")
                counts["late"] = counts.get("late", 0) + (status == 429 and time.time() - started > 1)

    together(12, client)
    check(set(counts) <= {200, 429, "late"} and counts.get(200) and counts.get(429), f"overload: {counts}")
    print(counts)


def drain(s, pid):
    """Requests that have arrived when SIGTERM comes are answered, also those that the server has not read."""
    body = post(json.dumps({"q": ["潮水退了。" * 20] * 6, "source": "zh", "target": "en"}).encode())
    clients = [open_socket(s) for _ in range(4)]
    wait_until(lambda: s.metric("tide_connections") == 5, "four connections are open")
    for connection in clients:
        connection.sendall(body)
    os.kill(int(pid), signal.SIGTERM)
    answers = [answer_of(connection)[0] for connection in clients]
    check(answers == [200] * 4, f"after SIGTERM: {answers}")


def replace(s, count, watched, *runs):
    """Replaces the model in the directory `watched` by those of two runs in turn, while clients use it: every answer is
    that of a run, the text of RUN.out."""
    expected, counts, done = [lines_of(run + ".out")[0] for run in runs], {}, threading.Event()

    def client(_):
        while not done.is_set():
            found = s.text("潮水退了，才知道谁没穿裤子。")
            check(found in expected, f"{found} is not of {expected}")
            counts[found] = counts.get(found, 0) + 1

    clients = threading.Thread(target=together, args=(8, client))
    clients.start()
    for i in range(int(count)):
        shutil.copy(runs[i % 2] + "/model.safetensors", watched + "/new")
        os.rename(watched + "/new", watched + "/model.safetensors")
        wait_until(lambda: s.metric("tide_models_replaced_total") == i + 1, f"model {i + 1} is read")
        before = counts.get(expected[i % 2], 0)
        wait_until(lambda: counts.get(expected[i % 2], 0) > before, f"model {i + 1} answers")
    done.set()
    clients.join()
    print(counts)


def glossary(s, file):
    """--glossary FILE with the line 潮水 TAB he left, and --watch: the terms of the server and of requests, and a file
    that changes."""
    q = ["潮水退了。他走了。", "我在海边。"]
    found = s.translate(q)["translatedText"]
    check("he left" in found[0] and "he left" not in found[1], f"the server's terms: {found}")
    found = s.translate(q, glossary="潮水\tthe sea\n海边\tthe tide")["translatedText"]
    check("the sea" in found[0] and "he left" not in found[0] and "the tide" in found[1], f"a request's terms: {found}")
    check("he left" in s.translate(q[0], glossary="他\tshe")["translatedText"], "a request removes the server's terms")
    check("he left" in s.translate("潮水退了。", prefix="She ")["translatedText"], "a prefix and the server's terms")
    said = s.translate(q, 400, sample=True)
    check(said == "Invalid request: sample cannot follow the glossary of the server", f"sample and the server's terms: {said}")

    def write(text):
        with open(file + ".new", "w", encoding="utf-8") as out:
            out.write(text)
        os.rename(file + ".new", file)

    write("潮水\tthe shoes\n")
    wait_until(lambda: "the shoes" in s.translate(q[0])["translatedText"], "new terms")
    write("潮水 without a tab\n")
    time.sleep(1.5)
    check("the shoes" in s.translate(q[0])["translatedText"], "a broken glossary removes the old one")
    write("")
    wait_until(lambda: "the shoes" not in s.translate(q[0])["translatedText"], "no terms")


def unaligned(s):
    """The server has one model, without attention."""
    body = {"q": "潮水。", "source": "zh", "target": "en"}
    check(s.ask("GET", "/v1/models")[1][0]["alignment"] is False, "/v1/models")
    check(s.ask("POST", "/translate", body)[0] == 200, "a translation without attention")
    for path, fields in (("/translate", {"alignment": "piece"}), ("/v1/align", {"translation": "The tide."})):
        found = s.ask("POST", path, {**body, **fields})
        check(found == (400, {"error": "Invalid request: this model has no alignment"}), f"{path}: {found}")
    for kind, expected in (("text", "&"), ("html", "&amp;")):  # this model knows the character
        found = s.text("", prefix="&", format=kind)
        check(found == expected, f"the prefix of an empty {kind}: {found}")
    found = s.translate("潮水。", 400, head=1)
    check("head needs a model with attention" in found, f"a head: {found}")
    found = s.ask("POST", "/v1/pinyin", {"q": "潮水"})
    check(found == (404, {"error": "Not found: this server has no dictionary of pinyin"}), f"no dictionary: {found}")
    check(s.ask("GET", "/frontend/settings")[1]["pinyin"] is False, "settings of a server without a dictionary")


def load(s, seconds, sources, translations):
    """Clients of all kinds for a time; prints the server's memory every minute, which must not grow: it changes
    with the batches."""
    sources, translations = lines_of(sources), lines_of(translations)
    until, kinds = time.time() + float(seconds), (
        lambda k: check(s.text(sources[k]) == translations[k], f"{sources[k]} has another translation"),
        lambda k: check(s.text(sources, form=True) == translations, "a form with many texts"),
        lambda k: s.translate(sources[k:], alternatives=3, alignment="word", beam=8),
        lambda k: s.ask("POST", "/v1/score", {"q": sources[k], "translation": translations[k]}),
        lambda k: s.raw("GET", "/metrics"),
        lambda k: s.ask("POST", "/translate", b'{"q": "' + b"x" * (1 << 16 + k % 4)),
        lambda k: open_socket(s).close())

    def client(i):
        for n in itertools.count(i):
            if time.time() > until:
                return
            kinds[n % len(kinds)](n % len(sources))

    clients = threading.Thread(target=together, args=(8, client))
    clients.start()
    sizes = []
    while clients.is_alive():
        clients.join(min(60, float(seconds) / 8))
        sizes.append(s.metric("process_resident_memory_bytes") / 1e6)
        print(f"{sizes[-1]:.1f} MB", flush=True)
    half = len(sizes) // 2
    check(statistics.median(sizes[half:]) <= 1.1 * max(sizes[:half]), "the memory grows")


def main():
    commands = {f.__name__: f for f in (hostile, crowd, address, large, deadline, leave, keys, overload, memory, drain, stop, replace, glossary,
                                        unaligned, load)}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](Server(sys.argv[2]), *sys.argv[3:])


main()
