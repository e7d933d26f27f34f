"""Headless Chromium through chromedriver's WebDriver protocol, with nothing but the standard library.

Only what the tests of the report need: open a page, run a script in it, press keys, move and click the mouse,
take screenshots, read the console and the network log, and Chromium's own DevTools commands (emulated media)."""

import base64
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Space": " ", "ArrowUp": "\ue013",
        "ArrowDown": "\ue015", "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "Shift": "\ue008",
        "Home": "\ue011", "End": "\ue010"}


class Missing(Exception):
    """Chromium or chromedriver is not installed."""


def program(*names):
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    raise Missing(f"none of {', '.join(names)} is installed: apt-get install chromium chromium-driver")


class Driver:
    """chromedriver with one browser, for a `with` statement."""

    def __init__(self, width=1280, height=900):
        self.size = (width, height)

    def __enter__(self):
        driver = program("chromedriver")
        self.profile = tempfile.mkdtemp(prefix="sinkproof-browser-")
        # Started here and reached by its number: chromedriver would look up the name "localhost", which a
        # machine without /etc/hosts does not know.
        self.browser = subprocess.Popen(
            [program("chromium", "chromium-browser", "google-chrome"), "--headless=new", "--no-sandbox",
             "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1",
             "--force-color-profile=srgb", "--disable-dev-shm-usage", "--no-first-run",
             "--remote-debugging-port=0", "--user-data-dir=" + self.profile,
             "--window-size=%d,%d" % self.size, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        try:
            self.url = f"http://127.0.0.1:{self._port()}"
            options = {"debuggerAddress": f"127.0.0.1:{self._debugging_port()}"}
            capabilities = {"browserName": "chrome", "goog:chromeOptions": options,
                            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
            answer = self._send("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
            self.session = "/session/" + answer["sessionId"]
        except BaseException:
            self.process.kill()
            self._end_browser()
            raise
        return self

    def __exit__(self, *_):
        try:
            self._send("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait(timeout=20)
            self.process.stdout.close()
            self._end_browser()

    def _end_browser(self):
        try:
            os.killpg(self.browser.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.browser.wait(timeout=20)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _debugging_port(self):
        place = pathlib.Path(self.profile, "DevToolsActivePort")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.browser.poll() is None:
            if place.is_file() and place.read_text().count("\n"):
                return int(place.read_text().splitlines()[0])
            time.sleep(0.05)
        raise RuntimeError("the browser did not start")

    def _port(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            line = self.process.stdout.readline()
            if "successfully on port" in line:
                return int(line.rsplit("port", 1)[1].strip(" .\n"))
            if not line and self.process.poll() is not None:
                break
        raise RuntimeError("chromedriver did not start")

    def _send(self, method, path, body=None):
        data = None if body is None and method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise RuntimeError(f"{path}: {value['error']}: {value['message'].splitlines()[0]}") from None

    def post(self, path, **body):
        return self._send("POST", self.session + path, body)

    def devtools(self, command, **parameters):
        return self.post("/goog/cdp/execute", cmd=command, params=parameters)

    def open(self, path):
        """The page with its scripts run: chromedriver may answer sooner where the machine is slow."""
        self.post("/url", url="file://" + str(path))
        self.wait_for("return document.readyState === 'complete' && location.pathname === arguments[0]", str(path))

    def run(self, script, *arguments):
        """The value `script`, the body of a function of `arguments`, returns in the page."""
        return self.post("/execute/sync", script=script, args=list(arguments))

    def wait_for(self, script, *arguments):
        """Until the script returns true: what is emulated may reach a page after it is open."""
        deadline = time.monotonic() + 20
        while not self.run(script, *arguments):
            if time.monotonic() > deadline:
                raise RuntimeError(f"never true: {script} {arguments}")
            time.sleep(0.02)

    def resize(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=False)

    def emulate(self, media="", **features):
        """Emulates a medium ("print") and media features: prefers_color_scheme="dark"."""
        listed = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.devtools("Emulation.setEmulatedMedia", media=media, features=listed)

    def press(self, *keys):
        """Keys by their names in KEYS, one after the other; "Shift+Tab" holds Shift."""
        actions = []
        for key in keys:
            held = key.split("+")
            actions += [{"type": "keyDown", "value": KEYS[name]} for name in held]
            actions += [{"type": "keyUp", "value": KEYS[name]} for name in reversed(held)]
        self.post("/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def point(self, x, y, click=False):
        """Moves the mouse to a point of the window, and clicks there."""
        actions = [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y), "origin": "viewport"}]
        if click:
            actions += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.post("/actions", actions=[{"type": "pointer", "id": "mouse", "actions": actions}])

    def log(self, kind):
        """What was logged since the last call: "browser" (the console) or "performance" (the network)."""
        return self.post("/se/log", type=kind)

    def screenshot(self, x, y, width, height, scale=1):
        """A part of the page, also beyond the window, as the bytes of a PNG file."""
        clip = {"x": x, "y": y, "width": width, "height": height, "scale": scale}
        answer = self.devtools("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(answer["data"])
