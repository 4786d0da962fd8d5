#!/usr/bin/env python3
"""A monitor for the tests of --ping: ping_server.py PORT_FILE LOG [CERTIFICATE]

Writes its port to PORT_FILE, and each request to LOG as one line of JSON: method, path, query, body.
The first part of the path says how it answers: ok, 500, 404, once (500 the first time), hang (never),
trickle (a byte a second), http and loop (redirects), long (an endless body). With CERTIFICATE, a file
with key and certificate, it speaks TLS.
"""
import json
import os
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

lock = threading.Lock()
seen = set()


class Monitor(BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(size).decode("latin-1")
        path, _, query = self.path.partition("?")
        kind = path.split("/")[1]
        with lock:
            with open(sys.argv[2], "a") as log:
                log.write(json.dumps({"method": self.command, "path": path, "query": query, "body": body}) + "\n")
            first = path not in seen
            seen.add(path)
        getattr(self, "answer_" + kind, self.answer_ok)(first)

    do_GET = do_POST

    def reply(self, code, text="", **headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def answer_ok(self, first):
        self.reply(200, "OK")

    def answer_500(self, first):
        self.reply(500)

    def answer_404(self, first):
        self.reply(404, "(not found)")

    def answer_once(self, first):
        self.reply(500 if first else 200)

    def answer_hang(self, first):
        time.sleep(60)

    def answer_trickle(self, first):
        for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + 100 * b".":
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(1)

    def answer_http(self, first):
        self.reply(302, Location=f"http://127.0.0.1:{port}/ok/redirected")

    def answer_loop(self, first):
        self.reply(307, Location=self.path)

    def answer_long(self, first):
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(65536 * b".")

    def log_message(self, *words):
        pass

    def handle(self):
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Monitor)
server.daemon_threads = True
port = server.server_address[1]
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(sys.argv[1] + ".new", "w") as out:
    print(port, file=out)
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
