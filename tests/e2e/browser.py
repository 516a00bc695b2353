"""Drives headless Chromium over its DevTools protocol, for tests and screenshots. Python's standard library is enough.

The browser resolves no names, so a page can only reach servers on 127.0.0.1. All requests, messages of the console and
uncaught errors of a page are recorded."""
import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


CHROMIUM = shutil.which("chromium-headless-shell") or "chromium"  # the first has no windows, and starts in half the time


class Browser:
    """One Chromium with one page at a time. Use it in a `with` statement."""

    def __init__(self, *flags, language="en"):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                 "--disable-component-update", "--hide-scrollbars",
                 "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                 f"--user-data-dir={self.profile.name}", f"--accept-lang={language}", f"--lang={language}", *flags]

        def place_pipes():
            # the browser reads from descriptor 3 and writes to descriptor 4; copies first, because they may be these
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen([CHROMIUM, "--remote-debugging-pipe", *flags, "about:blank"],
                                        close_fds=False, preexec_fn=place_pipes, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.last, self.rest, self.session = 0, b"", None
        self.problems, self.requests = [], []
        self.agent = self.send("Browser.getVersion")["userAgent"]
        self.create_tab()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.output)  # the browser ends when its pipe is closed
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.input)
        self.profile.cleanup()

    def create_tab(self):
        """Makes a tab, in which all other methods work. Returns its name."""
        self.session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        return target

    def prefer(self, language):
        """Lets the pages that open in this tab know that the user prefers a language."""
        self.send("Emulation.setUserAgentOverride", userAgent=self.agent, acceptLanguage=language)

    @contextlib.contextmanager
    def tab(self):
        """A tab for a `with` statement; after it, the methods work in the tab before."""
        before = self.session
        target = self.create_tab()
        self.send("Emulation.setFocusEmulationEnabled", enabled=True)  # a new tab may not have the focus yet
        try:
            yield
        finally:
            self.session = None
            self.send("Target.closeTarget", targetId=target)
            self.session = before

    def expect(self, method, seconds):
        """Waits for an event."""
        end = time.monotonic() + seconds
        while True:
            event = self.receive(max(end - time.monotonic(), 0))
            if event is None:
                raise TimeoutError(method)
            if event.get("method") == method:
                return
            self.note(event)

    def send(self, method, **params):
        """Calls a method of the protocol and returns its result."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive(60)
            if answer is None:
                raise TimeoutError(method)
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def receive(self, seconds):
        """The next message of the browser; None if there is none in this time."""
        while b"\0" not in self.rest:
            if not select.select([self.input], [], [], seconds)[0]:
                return None
            data = os.read(self.input, 1 << 20)
            if not data:
                raise RuntimeError("chromium ended")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def note(self, event):
        """Keeps the requests and the problems of the page."""
        params = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            self.requests.append(params["request"])
        elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        elif event.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append(str([argument.get("value") for argument in params["args"]]))
        elif event.get("method") == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))

    # ---- the page ----

    def look(self, width=1280, height=800, scale=1, dark=False, media=""):
        """Gives the window this size, and the page these media."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=width < 500)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", media=media, features=features)

    def open(self, url, **looks):
        """Opens a page. looks: as in `look`."""
        self.look(**looks)
        self.send("Page.navigate", url="about:blank")  # so that an address that differs in its hash only is loaded, too
        self.problems.clear()
        self.requests.clear()
        self.send("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.protocol !== 'about:'")
        if self.value("location.protocol") == "chrome-error:":
            raise RuntimeError(f"{url} cannot be opened")

    def value(self, expression):
        """The value of a JavaScript expression; waits for a promise."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return result["result"].get("value")

    def wait(self, expression, seconds=20):
        """Waits until an expression is true."""
        end = time.monotonic() + seconds
        while True:
            try:
                if self.value(f"Boolean({expression})"):
                    return
            except RuntimeError as error:  # a page that is being left has no values
                if "navigated or closed" not in str(error):
                    raise
            if time.monotonic() > end:
                raise TimeoutError(f"{expression} does not hold; problems: {self.problems}")
            time.sleep(0.02)

    # ---- mouse and keyboard ----

    CODES = {"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "Delete": 46, "ArrowLeft": 37, "ArrowUp": 38,
             "ArrowRight": 39, "ArrowDown": 40}

    def press(self, *keys):
        """Presses keys, one after the other: names, or characters. "Shift+" may precede a name."""
        for key in keys:
            modifiers, key = (8, key[6:]) if key.startswith("Shift+") else (0, key)
            code = self.CODES.get(key, ord(key.upper()) if len(key) == 1 else 0)
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
            fields = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
            self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **fields)
            self.send("Input.dispatchKeyEvent", type="keyUp", **fields)

    def middle(self, element):
        """The middle of an element, which an expression gives, after it was scrolled into view."""
        return self.value(f"""(() => {{
            const element = {element};
            element.scrollIntoView({{ block: "nearest", inline: "nearest" }});
            const box = element.getBoundingClientRect();
            return {{ x: box.left + box.width / 2, y: box.top + box.height / 2 }}; }})()""")

    def point(self, element):
        """Moves the mouse pointer onto an element."""
        self.send("Input.dispatchMouseEvent", type="mouseMoved", **self.middle(element))

    def click(self, element):
        place = self.middle(element)
        self.send("Input.dispatchMouseEvent", type="mouseMoved", **place)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)

    # ---- pictures ----

    def screenshot(self, path, whole=False):
        """Writes a picture of the window, or of the whole page."""
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self, path, **options):
        """Prints the page, with options of Page.printToPDF. Returns the number of pages."""
        options = {"printBackground": False, "preferCSSPageSize": True, **options}
        data = base64.b64decode(self.send("Page.printToPDF", **options)["data"])
        with open(path, "wb") as file:
            file.write(data)
        return data.count(b"/Type /Page\n") + data.count(b"/Type /Page/") + data.count(b"/Type /Page ")
