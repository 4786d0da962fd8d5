"""A real Chromium without a window, spoken to by its own protocol over two pipes; no port, no library.

    with Browser() as browser:
        page = browser.open("file:///tmp/report.html", dark=True)
        page.evaluate("document.title")

Everything the page asks the network for and everything that goes wrong in its script is kept (requests, errors).
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--force-color-profile=srgb", "--remote-debugging-pipe"]
PATIENCE_S = 60


class Browser:
    def __init__(self):
        program = shutil.which("chromium")
        if program is None:
            raise FileNotFoundError("chromium")
        self.folder = tempfile.mkdtemp(prefix="atmost-chromium.")
        to_it, our_end = os.pipe()
        our_start, from_it = os.pipe()

        def place_pipes():  # it reads from 3 and writes to 4; the copies may not land on each other
            ours = [os.dup2(end, end + 100) for end in (to_it, from_it)]
            os.dup2(ours[0], 3)
            os.dup2(ours[1], 4)

        self.process = subprocess.Popen([program, *FLAGS, f"--user-data-dir={self.folder}", "about:blank"],
                                        preexec_fn=place_pipes, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, "HOME": self.folder})
        os.close(to_it)
        os.close(from_it)
        self.write_end, self.read_end = our_end, our_start
        self.pending, self.number, self.listeners = b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()  # our own child; its helpers end when their pipes to it do
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self, deadline):
        while b"\0" not in self.pending:
            if not select.select([self.read_end], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("chromium does not answer")
            piece = os.read(self.read_end, 1 << 20)
            if not piece:
                raise EOFError("chromium has ended")
            self.pending += piece
        message, _, self.pending = self.pending.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.write_end, text):]
        deadline = time.monotonic() + PATIENCE_S
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            for listen in self.listeners:
                listen(answer)

    def open(self, url, **how):
        return Page(self, url, **how)


class Page:
    def __init__(self, browser, url, dark=False, width=1360, height=1000, media="", wait=True, zone="UTC", before=""):
        self.browser, self.requests, self.errors = browser, [], []
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.listeners.append(self.listen)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.emulate(dark, media)
        self.call("Emulation.setTimezoneOverride", timezoneId=zone)
        if before:  # a script that runs before the page's own
            self.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.call("Page.navigate", url=url)
        if wait:
            self.until("document.documentElement?.dataset.drawn")

    def listen(self, message):
        if message.get("sessionId") != self.session:
            return
        method, params = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif method == "Runtime.consoleAPICalled":
            self.errors.append("console: " + " ".join(str(one.get("value")) for one in params["args"]))
        elif method == "Log.entryAdded":
            self.errors.append(params["entry"]["text"])

    def call(self, method, **params):
        return self.browser.call(method, session=self.session, **params)

    def emulate(self, dark, media=""):
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def evaluate(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, condition):
        deadline = time.monotonic() + PATIENCE_S
        while not self.evaluate(condition):
            if self.errors or time.monotonic() > deadline:
                raise TimeoutError(f"{condition}: {self.errors}")
        return self

    def settle(self):
        """Until what was asked for is drawn: two frames."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def key(self, key):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def mouse(self, kind, x, y, button="left"):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1)
        self.settle()

    def picture(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self, path):
        data = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True, paperWidth=8.27, paperHeight=11.69)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
