"""Calls that fail, and what the assistant does about it."""

import time

import pytest
from conftest import connect
from dapr.clients.exceptions import DaprGrpcError
from dapr.clients.retry import RetryPolicy
from dapr.conf import settings
from grpc import StatusCode
from scripts import call, failure, script, text

from travel.assistant import Assistant, Model
from travel.backoff import Backoff


@pytest.fixture
def waits() -> list[float]:
    """The waits of the backoff, which the tests do not wait for."""
    return []


@pytest.fixture
def backoff(waits) -> Backoff:
    return Backoff(attempts=4, first_wait=1, sleep=waits.append)


def test_21_unavailable_then_fine_with_a_backoff_loop(assistant, backoff, waits):
    answer = assistant('assistant', backoff=backoff).ask('Is flight LH-100 on time?')
    assert answer == 'LH-100 is on time.'
    assert waits == [1, 2]


def test_22_the_delay_of_retry_info_is_honored(assistant, backoff, waits):
    assert assistant('assistant', backoff=backoff).ask('Which terminal?') == 'Terminal 2.'
    assert waits == [0.15]


def test_23_gives_up_after_four_calls(assistant, backoff, waits, mynah):
    with pytest.raises(DaprGrpcError, match='the model is busy'):
        assistant('assistant', backoff=backoff).ask('Is anybody there?')
    assert waits == [1, 2, 4]
    mynah.verify({'user': 'Is anybody there?'}, count=4)


def test_24_a_permanent_error_is_not_retried(assistant, backoff, waits, mynah):
    with pytest.raises(DaprGrpcError) as raised:
        assistant('assistant', backoff=backoff).ask('What is the key?')
    assert raised.value.code() == StatusCode.PERMISSION_DENIED
    assert waits == []
    mynah.verify({'user': 'What is the key?'}, count=1)


def test_25_an_error_in_the_second_turn_after_tools_ran(assistant, agency):
    cancel = call('cancel_booking', booking_id='BK-1234')
    with pytest.raises(DaprGrpcError, match='the model broke'):
        assistant('scripted').ask(
            script('Cancel it.', cancel, failure('INTERNAL', 'the model broke'))
        )
    assert agency.cancelled == ['BK-1234']


def test_26_the_retry_policy_of_the_sdk_recovers(session, mynah):
    with connect(session, retry_policy=RetryPolicy(max_attempts=3)) as client:
        conversation = Assistant(Model(client, backoff=Backoff(attempts=1)))
        assert conversation.ask('Is flight LH-100 on time?') == 'LH-100 is on time.'
    mynah.verify({'user': 'LH-100'}, count=3)


def test_27_the_first_two_calls_fail_and_the_prompt_is_untouched(assistant, backoff, waits):
    assert assistant('unavailable-twice', backoff=backoff).ask('Hello!') == 'Hello!'
    assert waits == [1, 2]


def test_28_only_the_calls_of_the_second_user_fail(session, mynah):
    mynah.set_faults({'error': {'code': 'INTERNAL', 'message': 'broken'}}, session=f'{session}-bob')
    with connect(f'{session}-ann') as ann, connect(f'{session}-bob') as bob:
        assert Assistant(Model(ann, 'echo')).ask('Hello!') == 'Hello!'
        with pytest.raises(DaprGrpcError, match='broken'):
            Assistant(Model(bob, 'echo')).ask('Hello!')


def test_29_a_dropped_connection_is_retried(assistant, mynah):
    assert assistant('disconnects-once').ask('Hello!') == 'Hello!'
    assert [entry['outcome'] for entry in mynah.journal()] == ['failed', 'ok']


def test_30_latency_and_deadline(assistant, monkeypatch):
    slow = script('Hello!', text('Good evening.', delay='300ms'))
    started = time.monotonic()
    assert assistant('scripted').ask(slow) == 'Good evening.'
    assert time.monotonic() - started >= 0.3
    monkeypatch.setattr(settings, 'DAPR_API_TIMEOUT_SECONDS', 0.1)
    with pytest.raises(DaprGrpcError) as raised:
        assistant('scripted').ask(slow)
    assert raised.value.code() == StatusCode.DEADLINE_EXCEEDED
