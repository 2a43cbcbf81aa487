"""Calls that are repeated after temporary failures."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from dapr.clients.exceptions import DaprGrpcError
from grpc import StatusCode

Answer = TypeVar('Answer')

TEMPORARY = {StatusCode.UNAVAILABLE, StatusCode.RESOURCE_EXHAUSTED}


@dataclass
class Backoff:
    """Repeats a call after a temporary failure, and waits twice as long each time."""

    attempts: int = 4
    first_wait: float = 0.05
    sleep: Callable[[float], None] = time.sleep

    def run(self, call: Callable[[], Answer]) -> Answer:
        wait = self.first_wait
        for _ in range(self.attempts - 1):
            try:
                return call()
            except DaprGrpcError as error:
                if error.code() not in TEMPORARY:
                    raise
                # The server knows best when it is available again.
                self.sleep(requested_delay(error) or wait)
                wait *= 2
        return call()


def requested_delay(error: DaprGrpcError) -> float | None:
    """Returns the seconds in the error's `RetryInfo`, if the server sent one."""
    retry_info = error.status_details().retry_info
    return None if retry_info is None else float(retry_info['retry_delay'].removesuffix('s'))
