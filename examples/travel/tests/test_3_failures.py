"""Calls that fail, and what the assistant does about it."""

import time

import pytest
from dapr.clients import DaprClient
from dapr.clients.exceptions import DaprGrpcError
from dapr.clients.retry import RetryPolicy
from dapr.conf import settings
from grpc import StatusCode

from travel.assistant import Assistant, Model
from travel.backoff import Backoff

BUSY = 'the model is busy'


@pytest.fixture
def waits() -> list[float]:
    """The waits of the backoff, which the tests do not wait for."""
    return []


@pytest.fixture
def backoff(waits) -> Backoff:
    return Backoff(attempts=4, first_wait=1, sleep=waits.append)


def test_21_unavailable_then_fine_with_a_backoff_loop(assistant, backoff, waits, mynah):
    on_time = mynah.when(user='Is flight LH-100 on time')
    on_time.fails('UNAVAILABLE', times=2, message=BUSY).respond('LH-100 is on time.')
    answer = assistant(backoff=backoff).ask('Is flight LH-100 on time?')
    assert answer == 'LH-100 is on time.'
    assert waits == [1, 2]


def test_22_the_delay_of_retry_info_is_honored(assistant, backoff, waits, mynah):
    terminal = mynah.when(user='Which terminal')
    terminal.fails('RESOURCE_EXHAUSTED', times=1, retry_after='150ms').respond('Terminal 2.')
    assert assistant(backoff=backoff).ask('Which terminal?') == 'Terminal 2.'
    assert waits == [0.15]


def test_23_gives_up_after_four_calls(assistant, backoff, waits, mynah):
    mynah.when(user='Is anybody there').fails('UNAVAILABLE', message=BUSY)
    with pytest.raises(DaprGrpcError, match='the model is busy'):
        assistant(backoff=backoff).ask('Is anybody there?')
    assert waits == [1, 2, 4]
    mynah.verify(count=4, user='Is anybody there?')


def test_24_a_permanent_error_is_not_retried(assistant, backoff, waits, mynah):
    mynah.when(user='What is the key').fails('PERMISSION_DENIED', message='not for you')
    with pytest.raises(DaprGrpcError) as raised:
        assistant(backoff=backoff).ask('What is the key?')
    assert raised.value.code() == StatusCode.PERMISSION_DENIED
    assert waits == []
    mynah.verify(count=1, user='What is the key?')


def test_25_an_error_in_the_second_turn_after_tools_ran(assistant, agency, mynah):
    broke = mynah.when(user='Cancel it').call_tool('cancel_booking', booking_id='BK-1234')
    broke.fails('INTERNAL', message='the model broke')
    with pytest.raises(DaprGrpcError, match='the model broke'):
        assistant().ask('Cancel it.')
    assert agency.cancelled == ['BK-1234']


def test_26_the_retry_policy_of_the_sdk_recovers(mynah):
    mynah.when(user='LH-100').fails('UNAVAILABLE', times=2).respond('LH-100 is on time.')
    with DaprClient(retry_policy=RetryPolicy(max_attempts=3)) as client:
        conversation = Assistant(Model(client, backoff=Backoff(attempts=1)))
        assert conversation.ask('Is flight LH-100 on time?') == 'LH-100 is on time.'
    mynah.verify(count=3, user='LH-100')


def test_27_the_first_two_calls_fail_and_the_prompt_is_untouched(assistant, backoff, waits, mynah):
    mynah.fault(fail_first=2, error={'code': 'UNAVAILABLE', 'message': BUSY})
    assert assistant('echo', backoff=backoff).ask('Hello!') == 'Hello!'
    assert waits == [1, 2]


def test_28_only_the_calls_of_the_second_user_fail(mynah):
    ann, bob = mynah.session('ann'), mynah.session('bob')
    bob.fault(error={'code': 'INTERNAL', 'message': 'broken'})
    assert Assistant(Model(ann.client, 'echo')).ask('Hello!') == 'Hello!'
    with pytest.raises(DaprGrpcError, match='broken'):
        Assistant(Model(bob.client, 'echo')).ask('Hello!')


def test_29_a_dropped_connection_is_retried(assistant, mynah):
    mynah.fault(fail_first=1, reset=True)
    assert assistant('echo').ask('Hello!') == 'Hello!'
    assert [call.outcome for call in mynah.calls()] == ['failed', 'ok']


def test_30_latency_and_deadline(assistant, mynah, monkeypatch):
    mynah.when(user='Hello!').respond('Good evening.', delay='300ms')
    started = time.monotonic()
    assert assistant().ask('Hello!') == 'Good evening.'
    assert time.monotonic() - started >= 0.3
    monkeypatch.setattr(settings, 'DAPR_API_TIMEOUT_SECONDS', 0.1)
    with pytest.raises(DaprGrpcError) as raised:
        assistant().ask('Hello!')
    assert raised.value.code() == StatusCode.DEADLINE_EXCEEDED
