#!/usr/bin/env python3
"""Serves a GGUF model with llama.cpp's own HTTP server on loopback: serve.py MODEL.gguf PORT.

The server is the one of the package `xllamacpp`. It is here to have real bytes from a real model on a real socket in a test;
one thread, one slot and a short context are enough for that, and leave the browser its processor.
"""

import pathlib
import sys
import threading

import xllamacpp


def main() -> None:
    model, port = sys.argv[1], int(sys.argv[2])
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    # The model's own template knows no tools.
    params.use_jinja = True
    params.chat_template = pathlib.Path(__file__).with_name("chat.jinja").read_text(encoding="utf-8")
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
