"""Calls that fail, and what the assistant does about it."""

import time

import pytest
from dapr.clients.exceptions import DaprGrpcError
from dapr.conf import settings
from grpc import StatusCode
from scripts import call, failure, script, text


def test_25_an_error_in_the_second_turn_after_tools_ran(assistant, agency):
    cancel = call('cancel_booking', booking_id='BK-1234')
    with pytest.raises(DaprGrpcError, match='the model broke'):
        assistant('scripted').ask(
            script('Cancel it.', cancel, failure('INTERNAL', 'the model broke'))
        )
    assert agency.cancelled == ['BK-1234']


def test_30_latency_and_deadline(assistant, monkeypatch):
    slow = script('Hello!', text('Good evening.', delay='300ms'))
    started = time.monotonic()
    assert assistant('scripted').ask(slow) == 'Good evening.'
    assert time.monotonic() - started >= 0.3
    monkeypatch.setattr(settings, 'DAPR_API_TIMEOUT_SECONDS', 0.1)
    with pytest.raises(DaprGrpcError) as raised:
        assistant('scripted').ask(slow)
    assert raised.value.code() == StatusCode.DEADLINE_EXCEEDED
