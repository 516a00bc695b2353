#!/usr/bin/env python3
"""usage: tests/soak/crowd.py KIND COUNT URL QUIET
KIND: halves|senders|training|answers|silent

For tests/soak/crowd.sh: COUNT bad clients of one kind keep the server at URL busy. A client whose connection is closed
comes back after some seconds. Meanwhile, 200 honest requests of two kinds go to this server and to a quiet one by turns.
Prints median and 99th percentile as ratios to the quiet server; fails if one of them is above 2, in each of three
attempts, because something else may run on the machine. Python's standard library is enough."""
import collections
import heapq
import itertools
import json
import multiprocessing
import selectors
import socket
import statistics
import sys
import time
import urllib.parse

MOST, REQUESTS, ATTEMPTS, SECOND, PAUSE = 2.0, 200, 3, 1.0, 2.0
BODY = json.dumps({"q": "潮水退了。", "source": "zh", "target": "en"}).encode()
# a long answer without a search: the searches of bad clients are ordinary load
LONG = json.dumps({"q": "潮" * 20000, "source": "zh", "target": "zh"}).encode()


def request(path, body=None, length=None):
    head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nHost: localhost\r\n"
    if body is not None:
        head += f"Content-Type: application/json\r\nContent-Length: {length or len(body)}\r\n"
    return head.encode() + b"\r\n" + (body or b"")


# ---- bad clients: what each sends at first, and each second afterwards; whether it reads ------------------------------

Kind = collections.namedtuple("Kind", "first more reads closes")
KINDS = {
    "halves": Kind(request("/translate", b'{"q": "', 1000), b"", False, True),
    "senders": Kind(request("/translate", b'{"q": "', 1000), b"x", False, False),
    "training": Kind(request("/training"), b"", True, False),
    "answers": Kind(request("/translate", LONG), b"", True, False),
    "silent": Kind(b"", b"", False, False),
}


def connect(address, kind):
    """A connection of a client far away: it takes small packets, and few of them."""
    s = socket.socket(socket.AF_INET)
    if kind.reads:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    s.setblocking(False)
    s.connect_ex(address)
    return s


class Crowd:
    def __init__(self, kind, count, address):
        self.kind, self.address, self.poll = kind, address, selectors.DefaultSelector()
        self.timers, self.order = [], itertools.count()
        for i in range(count):
            self.later(SECOND * i / count, self.arrive)

    def later(self, seconds, action, *of):
        heapq.heappush(self.timers, (time.monotonic() + seconds, next(self.order), action, of))

    def arrive(self):
        s = connect(self.address, self.kind)
        self.poll.register(s, selectors.EVENT_WRITE)

    def leave(self, s):
        self.poll.unregister(s)
        s.close()
        self.later(PAUSE, self.arrive)

    def connected(self, s):
        """The connection is open: sends what comes first. A reader does not hear of what it can read."""
        try:
            s.send(self.kind.first)
        except OSError:
            self.leave(s)
            return
        if self.kind.closes:
            self.leave(s)
            return
        self.poll.modify(s, 0 if self.kind.reads else selectors.EVENT_READ)
        self.later(SECOND, self.go_on, s)

    def go_on(self, s):
        """Once in a second: sends or reads a little. Notices the end of the connection."""
        if s.fileno() < 0:
            return
        try:
            if self.kind.more:
                s.send(self.kind.more)
            if self.kind.reads and not s.recv(100):
                raise ConnectionError
        except BlockingIOError:
            pass
        except OSError:
            self.leave(s)
            return
        self.later(SECOND, self.go_on, s)

    def readable(self, s):
        try:
            if s.recv(4096):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self.leave(s)

    def run(self):
        while True:
            # clients are independent: each acts when it is due, not together with others
            soon = self.timers[0][0] - time.monotonic() if self.timers else 0.02
            for key, events in self.poll.select(max(0, min(soon, 0.02))):
                if events & selectors.EVENT_WRITE:
                    self.connected(key.fileobj)
                else:
                    self.readable(key.fileobj)
            now = time.monotonic()
            while self.timers and self.timers[0][0] <= now:
                _, _, action, of = heapq.heappop(self.timers)
                action(*of)


def crowd(kind, count, address):
    Crowd(KINDS[kind], count, address).run()


# ---- honest clients ----------------------------------------------------------------------------------------------------


def ask(address, data):
    """Seconds until the answer."""
    began = time.perf_counter()
    with socket.create_connection(address, timeout=60) as s:
        s.sendall(data)
        answer = b""
        while b"\r\n\r\n" not in answer:
            part = s.recv(65536)
            if not part:
                sys.exit(f"FAILED: no answer: {answer}")
            answer += part
    took = time.perf_counter() - began
    if b" 200 " not in answer[:20]:
        sys.exit(f"FAILED: {answer[:200]}")
    return took


def percentile(times, share):
    return sorted(times)[int(share * (len(times) - 1))]


def measure(busy, quiet, data):
    """Ratios of median and 99th percentile."""
    times = ([], [])
    for _ in range(REQUESTS):
        for own, address in zip(times, (busy, quiet)):
            own.append(ask(address, data))
            time.sleep(0.005)
    return [f(times[0]) / f(times[1]) for f in (statistics.median, lambda t: percentile(t, 0.99))]


def address_of(url):
    parts = urllib.parse.urlsplit(url)
    return parts.hostname, parts.port


def main():
    kind, count, busy, quiet = sys.argv[1], int(sys.argv[2]), address_of(sys.argv[3]), address_of(sys.argv[4])
    bad = multiprocessing.Process(target=crowd, args=(kind, count, busy), daemon=True)
    bad.start()
    time.sleep(6)  # all have come
    for name, data in (("/health", request("/health")), ("/translate", request("/translate", BODY))):
        for _ in range(ATTEMPTS):
            median, tail = measure(busy, quiet, data)
            print(f"{count} {kind}, {name}: median × {median:.2f}, 99th percentile × {tail:.2f}", flush=True)
            if max(median, tail) <= MOST:
                break
        else:
            sys.exit(f"FAILED: {count} {kind} hinder {name}")
    bad.kill()


main()
