"""Where a client may connect to: this machine alone. Imported before the client."""

import socket

_connect = socket.socket.connect


def _checked(self, address):
    if isinstance(address, tuple):
        assert address[0] in ("127.0.0.1", "::1", "localhost"), f"connected to {address}"
    return _connect(self, address)


socket.socket.connect = _checked


def refused(kind, call, says=""):
    """That a call raises an error of a kind, whose text says something."""
    try:
        answer = call()
    except kind as error:
        assert says in str(error), f"{error!r} does not say {says!r}"
        return
    raise AssertionError(f"answered with {answer!r} where {kind.__name__} was expected")


def until(call, wanted, patience=60):
    """What a call gives once it is as wanted."""
    import time

    end = time.monotonic() + patience
    while True:
        answer = call()
        if wanted(answer):
            return answer
        assert time.monotonic() < end, f"still {answer!r}"
        time.sleep(0.05)
