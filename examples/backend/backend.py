"""The same backend as main.ts, with Python's standard library only. It queues scans, so they can take any time."""

import base64, hashlib, hmac, json, os, socket, struct, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import Request, urlopen

PORT = int(os.environ.get("PORT", "5176"))
PIGEONHOLE_URL = os.environ.get("PIGEONHOLE_URL", "http://localhost:3000")
KEY = os.environ["PIGEONHOLE_KEY"]
SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
CLAMD = os.environ.get("CLAMD", "127.0.0.1:3310").split(":")
USER = "ada"  # the signed-in user of your app
wake = threading.Event()


def api(method, path, body=None):
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = Request(f"{PIGEONHOLE_URL}/api/admin/{path}", data, headers, method=method)
    with urlopen(request, timeout=30) as response:
        return json.load(response)


def scan(stream):
    """Returns the name of what clamd found, or None. Raises if clamd did not scan all bytes."""
    with socket.create_connection((CLAMD[0], int(CLAMD[1])), timeout=60) as clamd:
        clamd.sendall(b"zINSTREAM\0")
        while chunk := stream.read(65536):
            clamd.sendall(struct.pack("!I", len(chunk)) + chunk)
        clamd.sendall(struct.pack("!I", 0))
        answer = clamd.makefile("rb").read().decode().rstrip("\0")
    if answer == "stream: OK":
        return None
    if not answer.endswith(" FOUND"):
        raise RuntimeError(f"clamd: {answer}")
    return answer.removeprefix("stream: ").removesuffix(" FOUND")


def check(file_id):
    try:
        with urlopen(api("POST", f"files/{file_id}/url", {})["url"], timeout=60) as response:
            virus = scan(response)
        verdict = {"verdict": "reject", "reason": f"The file contains {virus}."} if virus else {"verdict": "accept"}
        api("POST", f"files/{file_id}/verdict", verdict)
    except (OSError, RuntimeError) as error:
        print(file_id, error, flush=True)


def check_held():
    """Checks all held files, also those whose event this process has missed. A failed check is repeated in a minute."""
    while True:
        wake.clear()
        try:
            for file in api("GET", "files?state=HELD&limit=100")["items"]:
                check(file["id"])
        except OSError as error:
            print(error, flush=True)
        wake.wait(60)


def is_signed(headers, body):
    """Verifies a delivery as defined by Standard Webhooks."""
    message, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdigit() or abs(time.time() - int(sent)) > 300:
        return False
    digest = hmac.new(SECRET, f"{message}.{sent}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    return any(hmac.compare_digest(expected, given) for given in headers.get("webhook-signature", "").split())


class Backend(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/":
            self.reply(200, Path(__file__).with_name("index.html").read_bytes(), "text/html; charset=utf-8")
        elif self.path.startswith("/avatar"):
            files = api("GET", "files?" + urlencode({"externalId": USER, "state": "READY", "limit": 1}))["items"]
            if not files:
                return self.reply(404)
            self.send_response(302)
            self.send_header("Location", api("POST", f"files/{files[0]['id']}/url", {})["url"])
            self.end_headers()
        else:
            self.reply(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/upload-token":
            token = api("POST", "user-tokens", {"externalId": USER, "upload": {"policy": "avatar"}})["token"]
            self.reply(200, json.dumps({"url": PIGEONHOLE_URL, "token": token}).encode())
        elif self.path == "/webhooks" and is_signed(self.headers, body):
            # A scan can take longer than a webhook waits, so only wake the thread that scans.
            wake.set()
            self.reply(204)
        else:
            self.reply(400)

    def reply(self, status, body=b"", content_type="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


threading.Thread(target=check_held, daemon=True).start()
print(f"The backend listens on http://127.0.0.1:{PORT}", flush=True)
ThreadingHTTPServer(("127.0.0.1", PORT), Backend).serve_forever()
