#!/usr/bin/env python3
"""usage: tests/e2e/serve_protocol.py TEST URL [ARGUMENT...]
TEST: heads|origins|asks|passed|log|unread|quotas|files

Checks of a running `tide serve` on the level of HTTP, for tests/e2e/serve_protocol.sh. The functions below say which
flags the server needs."""
import fcntl
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.parse

from serve import check


def connect(url):
    if url.startswith("unix:"):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(20)
        connection.connect(url[len("unix:"):])
        return connection
    parts = urllib.parse.urlsplit(url)
    return socket.create_connection((parts.hostname, parts.port), timeout=20)


def receive(connection, n):
    """The next bytes; none if the server has closed the connection, perhaps without reading all."""
    try:
        return connection.recv(n)
    except ConnectionResetError:
        return b""


def talk(url, data):
    """Sends bytes; returns status, head and body of the answer, and whether the server closes the connection after it.
    Status 0: there is no answer."""
    with connect(url) as connection:
        try:
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server has answered before it has read all
        answer = b""
        while True:
            head, _, body = answer.partition(b"\r\n\r\n")
            sizes = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            if sizes and len(body) >= int(sizes[0]):
                break
            part = receive(connection, 65536)
            if not part:
                return (int(head.split()[1]) if head else 0), head, body, True
            answer += part
        closes = b"connection: close" in head.lower()
        if closes:
            check(not receive(connection, 1), f"more than one answer: {answer}")
        return int(head.split()[1]), head, body, closes


BODY = b"q=a&source=zh&target=en"
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)


def post(*fields, body=BODY, host=b"Host: localhost", version=b"HTTP/1.1", length=True):
    """A request with these lines in its head."""
    lines = [b"POST /translate " + version, host, b"Content-Type: application/x-www-form-urlencoded",
             b"Content-Length: %d" % len(body) if length else b"", *fields]
    return b"\r\n".join(line for line in lines if line) + b"\r\n\r\n" + body


def get(target, *fields, host=b"Host: localhost"):
    return b"\r\n".join([b"GET " + target + b" HTTP/1.1", host, *fields]) + b"\r\n\r\n"


CHUNKED = b"Transfer-Encoding: chunked"


# ---- heads -----------------------------------------------------------------------------------------------------------


def heads(url):
    """A head that another reader may understand differently gets 400, and its connection is closed."""
    for what, data in (
        ("Content-Length and Transfer-Encoding", post(CHUNKED, body=CHUNKS)),
        ("two lengths", post(b"Content-Length: 5")),
        ("two hosts", post(b"Host: localhost")),
        ("two hosts, GET", get(b"/health", b"Host: evil.example")),
        ("no Host", get(b"/health", b"A: b", host=b"B: c")),
        ("a space before the colon", post(b"Transfer-Encoding : chunked")),
        ("a tab before the colon", post(b"Content-Length\t: 2")),
        ("another coding", post(b"Transfer-Encoding: gzip", body=CHUNKS, length=False)),
        ("two codings", post(CHUNKED, CHUNKED, body=CHUNKS, length=False)),
        ("a list of codings", post(b"Transfer-Encoding: gzip, chunked", body=CHUNKS, length=False)),
        ("a coding in HTTP/1.0", post(CHUNKED, body=CHUNKS, length=False, version=b"HTTP/1.0")),
        ("a folded line", post(b"A: b\r\n c")),
        ("a first line that is folded", post(host=b" A: b\r\nHost: localhost")),
        ("a name with a space", post(b"A b: c")),
        ("an empty name", post(b": c")),
        ("a NUL in a value", post(b"A: b\0c")),
        ("a NUL in the last value", get(b"/health", b"C: d\0e")),
        ("a CR in a value", post(b"A: b\rc")),
        ("a DEL in a value", post(b"A: b\x7fc")),
        ("a NUL in the path", get(b"/health\0x")),
        ("a space in the path", get(b"/health x")),
        ("500 parameters", get(b"/health?" + b"&".join(b"a=%d" % i for i in range(500)))),
        ("500 empty parameters", get(b"/health?" + b"&" * 500)),
    ):
        status, _, body, closes = talk(url, data)
        check(status == 400 and closes, f"{what}: {status}, {'closed' if closes else 'kept'}: {body}")
        check(list(json.loads(body)) == ["error"], f"{what}: {body}")
    for what, data in (
        ("a NUL and text after a key", post(b"Authorization: Bearer 0123456789abcdef\0x")),
        ("a NUL and text after the last key", get(b"/health", b"Authorization: Bearer 0123456789abcdef\0x")),
        ("a DEL in a key", get(b"/health", b"Authorization: Bearer 0123456789abcdef\x7f")),
    ):
        status, _, body, closes = talk(url, data)
        check(status == 401 and closes, f"{what}: {status}, {'closed' if closes else 'kept'}: {body}")
        check(json.loads(body) == {"error": "Invalid API key"}, f"{what}: {body}")
    for count, size in ((1, 8001), (60, 500), (120, 250), (10, 3100)):
        status, _, body, closes = talk(url, get(b"/health?" + b"&".join([b"a" * size] * count)))
        check(status == 414 and closes and json.loads(body), f"{count} parameters of {size} bytes: {status}: {body}")
    for what, data in (
        ("a form", post()),
        ("chunks", post(CHUNKED, body=CHUNKS, length=False)),
        ("spaces around values", post(b"A:   b  ", b"C:", b"D:\t\xe6\xbd\xae ")),
        ("all characters of a name", post(b"!#$%&'*+-.^_`|~09AZaz: b")),
        ("lines that end with LF", post(b"A: b").replace(b"\r\n", b"\n")),
        ("HTTP/1.0", post(version=b"HTTP/1.0")),
        ("100 parameters", get(b"/health?" + b"&".join(b"a=%d" % i for i in range(100)))),
        ("a long target", get(b"/health?" + b"a" * 7990)),
        ("a query of letters of all kinds", get("/health?q=潮水&b=%E6&c&=".encode())),
        ("many fields", get(b"/health", *[b"A%d: b" % i for i in range(200)])),
    ):
        status, _, body, closes = talk(url, data)
        check(status == 200 and closes == (what == "HTTP/1.0"), f"{what}: {status}: {body}")


# ---- pages of other sites --------------------------------------------------------------------------------------------


def origins(url, cors=None):
    """Requests that pages send. cors: of the server's --cors."""
    own = urllib.parse.urlsplit(url).netloc
    evil, ext = b"Origin: http://evil.example", b"Origin: moz-extension://0a1b"
    for what, fields, allowed in (
        ("a form of another site", [evil, b"Sec-Fetch-Site: cross-site"], False),
        ("an old browser", [evil], False),
        ("another port", [b"Origin: http://localhost:1", b"Sec-Fetch-Site: same-site"], False),
        ("a file", [b"Origin: null", b"Sec-Fetch-Site: cross-site"], False),
        ("a file, an old browser", [b"Origin: null"], False),
        ("no origin, another site", [b"Sec-Fetch-Site: cross-site"], False),
        ("the page of the server", [b"Origin: http://" + own.encode(), b"Sec-Fetch-Site: same-origin"], True),
        ("the page behind a proxy with TLS", [b"Origin: https://tide.example", b"Sec-Fetch-Site: same-origin"], True),
        ("the page, an old browser", [b"Origin: http://" + own.encode()], True),
        ("an address that was typed", [b"Sec-Fetch-Site: none"], True),
        ("an extension", [ext], True),
        ("an extension, cross-site", [ext, b"Sec-Fetch-Site: cross-site"], True),
        ("the origin of --cors", [b"Origin: https://page.example", b"Sec-Fetch-Site: cross-site"], bool(cors)),
        ("no browser", [], True),
    ):
        status, _, body, _ = talk(url, post(*fields, host=b"Host: " + own.encode()))
        expected = 200 if allowed or cors == "*" else 403
        check(status == expected, f"{what}: {status}, not {expected}: {body}")
        check(status == 200 or "--cors" in json.loads(body)["error"], f"{what}: {body}")
    check(talk(url, get(b"/health", evil, b"Sec-Fetch-Site: cross-site"))[0] == 200, "GET, which costs nothing")


# ---- sockets ---------------------------------------------------------------------------------------------------------


def asks(url):
    status, _, body, _ = talk(url, post())
    check(status == 200, f"{url}: {status}: {body}")


def passed(path, *command):
    """Passes a Unix socket to a server, as systemd does. The next server answers a client that has connected while none
    ran."""
    keeper = socket.socket(socket.AF_UNIX)
    keeper.bind(path)
    keeper.listen()
    os.dup2(keeper.fileno(), 3)

    def serve():
        server = subprocess.Popen(["sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', "sh", *command], pass_fds=[3],
                                  stderr=subprocess.PIPE, text=True)
        line = server.stderr.readline()
        check(line == f"tide: serving unix:{path}\n", f"a passed socket: {line}")
        return server

    for _ in range(2):
        with connect("unix:" + path) as early:
            early.sendall(get(b"/health", b"Connection: close"))
            server = serve()
            check(early.recv(4096).startswith(b"HTTP/1.1 200 "), "a client that came early")
        asks("unix:" + path)
        server.terminate()
        check(server.wait(20) == 0, f"the server exits {server.returncode}")


# ---- the access log --------------------------------------------------------------------------------------------------


def log(url, path):
    """The lines of --access-log PATH."""
    client = "unix:" if url.startswith("unix:") else "127.0.0.1"
    agents = b"Referer: http://localhost/a?text", b'User-Agent: a "b"\\ \xe6\xbd\xae\t'
    stream = post(b"Connection: close").replace(b"/translate", b"/v1/stream")
    expected = []
    for data, request, code, rest in (
        (get(b"/health?q=text"), "GET /health HTTP/1.1", 200, '"-" "-"'),
        (post(*agents), "POST /translate HTTP/1.1", 200, r'"http://localhost/a" "a \x22b\x22\x5C \xE6\xBD\xAE\x09"'),
        (get(b"/health", b"Connection: close").replace(b"GET", b"HEAD"), "HEAD /health HTTP/1.1", 200, '"-" "-"'),
        (get(b"/none", b"User-Agent: c"), "GET /none HTTP/1.1", 404, '"-" "c"'),
        (post(b"Host: b"), "POST /translate HTTP/1.1", 400, '"-" "-"'),
        (get(b"/health?" + b"&" * 500), "-", 400, '"-" "-"'),
        (stream, "POST /v1/stream HTTP/1.1", 200, '"-" "-"'),
    ):
        status, head, body, _ = talk(url, data)
        check(status == code, f"{request}: {status}")
        size = len(body) if b"chunked" not in head.lower() else r"\d{2,}"
        date = r"\[\d\d/[A-Z][a-z][a-z]/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\]"
        expected.append(rf'{client} - - {date} "{re.escape(request)}" {code} {size} {re.escape(rest)} \d+\.\d\d\d')
    until = time.time() + 20
    while len(lines := open(path, encoding="ascii").read().splitlines()) < len(expected) and time.time() < until:
        time.sleep(0.01)
    check(len(lines) == len(expected), f"{len(lines)} lines, not {len(expected)}: {lines}")
    for line, wanted in zip(lines, expected):
        check(re.fullmatch(wanted, line), f"{line} is not {wanted}")


def unread(*command):
    """The access log is a pipe that nobody reads: the server goes on, and says at its end how many lines are lost."""
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    url = server.stderr.readline().split()[-1]
    agent = b"User-Agent: " + b"a" * 1000
    fcntl.fcntl(server.stdout.fileno(), fcntl.F_SETPIPE_SZ, 8192)
    for _ in range(30):
        check(talk(url, get(b"/health", agent))[0] == 200, "no answer")
    server.terminate()
    lines, messages = server.communicate()
    check(lines.startswith("127.0.0.1 - - ["), f"the log: {lines[:100]}")
    lost = re.search(r"^tide: -: (\d+) lines could not be written$", messages, re.M)
    check(server.returncode == 0 and lost and 10 < int(lost[1]) < 30, f"the end: {server.returncode}, {lost}")


# ---- quotas ----------------------------------------------------------------------------------------------------------


def quotas(url, key, free):
    """The server has a key with minute=10 day=25, and one that is free."""
    for own, q, code, reason in (
        (key, "潮水退了啊啊", 200, ""),
        (key, "潮水退了啊啊", 429, "Slowdown: this key has a quota of 10 characters a minute"),
        (key, "a" * 26, 400, "Invalid request: request (26) exceeds text limit (25) of a day"),
        (key, "a" * 11, 400, "Invalid request: request (11) exceeds text limit (10) of a minute"),
        (key, "潮水退了", 200, ""),
        (key, "a", 429, "Slowdown: this key has a quota of 10 characters a minute"),
        (free, "潮水退了啊啊啊啊啊啊啊", 200, ""),
        (free + "x", "a", 403, "Invalid API key"),
    ):
        body = urllib.parse.urlencode({"q": q, "source": "zh", "target": "en", "api_key": own}).encode()
        status, head, answer, _ = talk(url, post(body=body))
        check(status == code and json.loads(answer).get("error", "") == reason, f"{q}: {status}: {answer}")
        wait = re.search(rb"\r\nRetry-After: (\d+)\r\n", head)
        check((status == 429) == bool(wait) and (not wait or 50 <= int(wait[1]) <= 60), f"{q}: {head}")
    check(upload(url, "a.txt", b"a")[0] == 403, "a file without a key")
    check(upload(url, "a.txt", b"a" * 11, api_key=key)[0] == 400, "a file is larger than the quota")


# ---- files -----------------------------------------------------------------------------------------------------------


def upload(url, name, data, *fields, host=b"localhost", **form):
    """POST /translate_file; returns status and answer."""
    form = {"source": "zh", "target": "en", **form}
    parts = [f'name="{k}"\r\n\r\n{v}'.encode() for k, v in form.items()]
    parts.append(f'name="file"; filename="{name}"\r\nContent-Type: text/plain\r\n\r\n'.encode() + data)
    body = b"".join(b"--b\r\nContent-Disposition: form-data; " + part + b"\r\n" for part in parts) + b"--b--\r\n"
    head = b"POST /translate_file HTTP/1.1\r\nHost: %s\r\nContent-Type: multipart/form-data; boundary=b\r\n" % host
    head += b"".join(field + b"\r\n" for field in fields) + b"Content-Length: %d\r\n\r\n" % len(body)
    status, _, answer, _ = talk(url, head + body)
    return status, json.loads(answer)


def files(url, tide, model):
    """A translated file is what `tide translate` makes of it."""
    subtitles = "1\r\n00:00:01,000 --> 00:00:02,000\r\n潮水退了。\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n海\r\n"
    for name, text, flags, kind, saved in (
        ("a.txt", "\ufeff潮水退了。海。\n\n 他走了", ["--split-sentences"], "text/plain", "a_en.txt"),
        ("C:\\\\x\\\\潮 水.srt", subtitles, ["--format", "srt"], "application/x-subrip",
         "%E6%BD%AE%20%E6%B0%B4_en.srt"),
        ("../b.c.HTML", "<p title='潮'>潮水&amp;海</p>", ["--format", "html"], "text/html", "b.c_en.HTML"),
        ("empty.txt", "", None, "text/plain", "empty_en.txt"),
    ):
        status, answer = upload(url, name, text.encode())
        check(status == 200 and list(answer) == ["translatedFileUrl"], f"{name}: {status} {answer}")
        where = re.fullmatch(r"http://localhost(/download_file/[0-9a-f]{32}\.(.*))", answer["translatedFileUrl"])
        check(where and where[2] == saved, f"{name}: {answer}")
        status, head, found, _ = talk(url, get(where[1].encode()))
        check(status == 200 and f"Content-Type: {kind}; charset=utf-8\r\n" in head.decode(), f"{name}: {head}")
        check(f"Content-Disposition: attachment; filename*=UTF-8''{saved}\r\n" in head.decode(), f"{name}: {head}")
        expected = subprocess.run([tide, "translate", model, "--quiet", *flags], input=text.encode(), check=True,
                                  stdout=subprocess.PIPE).stdout if flags else b""
        check(found == expected, f"{name}: {found}, not {expected}")
    _, answer = upload(url, "a.txt", b"a", b"X-Forwarded-Proto: https", host=b"127.0.0.1:9")
    check(answer["translatedFileUrl"].startswith("https://127.0.0.1:9/download_file/"), f"behind a proxy: {answer}")
    for what, answer, reason in (
        ("a format", upload(url, "a.pdf", b"a"), "Invalid request: file format not supported"),
        ("no name", upload(url, "", b"a"), "Invalid request: file format not supported"),
        ("no text", upload(url, "a.txt", b"\xff"), "Invalid request: the file is not text in UTF-8"),
        ("a NUL", upload(url, "a.txt", b"a\0b"), "Invalid request: the file is not text in UTF-8"),
        ("no times", upload(url, "a.srt", b"1\n2\n"), "Invalid request: line 2: a subtitle must have times, such as "
         "00:01:02,345 --> 00:01:05,000"),
    ):
        check(answer == (400, {"error": reason}), f"{what}: {answer}")
    body = json.loads(talk(url, post().replace(b"/translate", b"/translate_file"))[2])
    check(body == {"error": "Invalid request: missing file parameter"}, f"no file: {body}")
    for target in ("", "a", "0" * 32, "0" * 32 + ".txt", "../x", "%2e%2e"):
        check(talk(url, get(b"/download_file/" + target.encode()))[0] == 404, f"a file that does not exist: {target}")
    settings = json.loads(talk(url, get(b"/frontend/settings"))[2])
    check(settings["supportedFilesFormat"] == [".txt", ".srt", ".html"] and settings["filesTranslation"], settings)


def main():
    commands = {f.__name__: f for f in (heads, origins, asks, passed, log, unread, quotas, files)}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])


main()
