"""Each way of trying again needs exactly three calls if the first two fail.

The failures come from a script, a sequence of a rule, a rule with `times`, and a fault.
"""

import json
import os
from collections.abc import Callable
from importlib.metadata import version
from types import SimpleNamespace

import grpc
import pytest
from conftest import connect
from dapr.clients import retry
from dapr.clients.exceptions import DaprGrpcError
from dapr.clients.retry import RetryPolicy
from dapr.conf import settings
from dapr.proto import api_service_v1, api_v1
from scripts import failure, script, text

from travel.assistant import Assistant, Model
from travel.backoff import Backoff

Ask = Callable[[str, str], str]

SERVICE_CONFIG = {
    'methodConfig': [
        {
            'name': [{'service': 'dapr.proto.runtime.v1.Dapr'}],
            'retryPolicy': {
                'maxAttempts': 4,
                'initialBackoff': '0.05s',
                'maxBackoff': '1s',
                'backoffMultiplier': 2,
                'retryableStatusCodes': ['UNAVAILABLE'],
            },
        }
    ]
}


@pytest.fixture
def fast(monkeypatch):
    """Removes the waits of the SDK's retry policy, which are at least one second."""
    monkeypatch.setattr(retry, 'time', SimpleNamespace(sleep=lambda _: None))


@pytest.fixture(params=['script', 'sequence', 'times', 'fault'])
def flaky(request) -> tuple[str, str]:
    """A component and a question whose first two calls fail."""
    if request.param == 'script':
        twice = {**failure('UNAVAILABLE'), 'times': 2}
        return 'scripted', script('Hello!', twice, text('Hi.'))
    if request.param == 'sequence':
        return 'assistant', 'Is flight LH-100 on time?'
    if request.param == 'times':
        return 'assistant', 'Is the hotel open?'
    return 'unavailable-twice', 'Hello!'


def assert_two_of_three_failed(mynah) -> None:
    assert [entry['outcome'] for entry in mynah.journal()] == ['failed', 'failed', 'ok']


def test_retry_policy(flaky, session, mynah, fast):
    component, question = flaky
    with connect(session, retry_policy=RetryPolicy(max_attempts=5)) as client:
        assert Assistant(Model(client, component, Backoff(attempts=1))).ask(question)
    assert_two_of_three_failed(mynah)


@pytest.mark.skipif(version('dapr').startswith('1.18'), reason='1.18 reads it at import')
def test_dapr_api_max_retries(flaky, session, mynah, fast, monkeypatch):
    component, question = flaky
    monkeypatch.setattr(settings, 'DAPR_API_MAX_RETRIES', 3)
    with connect(session, retry_policy=None) as client:
        assert Assistant(Model(client, component, Backoff(attempts=1))).ask(question)
    assert_two_of_three_failed(mynah)


def test_the_retry_policy_gives_up(flaky, session, mynah, fast):
    component, question = flaky
    with connect(session, retry_policy=RetryPolicy(max_attempts=2)) as client:
        conversation = Assistant(Model(client, component, Backoff(attempts=1)))
        with pytest.raises(DaprGrpcError) as raised:
            conversation.ask(question)
    assert raised.value.code() == grpc.StatusCode.UNAVAILABLE
    assert [entry['outcome'] for entry in mynah.journal()] == ['failed', 'failed']


def test_backoff_loop(flaky, assistant, mynah):
    component, question = flaky
    assert assistant(component, backoff=Backoff(sleep=lambda _: None)).ask(question)
    assert_two_of_three_failed(mynah)


def test_grpc_service_config(flaky, session, mynah):
    component, question = flaky
    content = [api_v1.ConversationMessageContent(text=question)]
    user = api_v1.ConversationMessage(of_user=api_v1.ConversationMessageOfUser(content=content))
    inputs = [api_v1.ConversationInputAlpha2(messages=[user])]
    request = api_v1.ConversationRequestAlpha2(name=component, inputs=inputs)
    options = [('grpc.service_config', json.dumps(SERVICE_CONFIG))]
    address = f'127.0.0.1:{os.environ["DAPR_GRPC_PORT"]}'
    with grpc.insecure_channel(address, options) as channel:
        stub = api_service_v1.DaprStub(channel)
        assert stub.ConverseAlpha2(request, metadata=[('mynah-session', session)]).outputs
    assert_two_of_three_failed(mynah)


def test_the_verdict_names_a_client_that_ignores_retry_after(assistant, mynah):
    hasty = Backoff(sleep=lambda _: None)
    assert assistant('assistant', backoff=hasty).ask('Which terminal?') == 'Terminal 2.'
    assert [violation['kind'] for violation in mynah.violations()] == ['ignored_retry_after']


def test_the_verdict_names_a_client_that_retries_a_permanent_error(assistant, mynah):
    conversation = assistant('assistant', backoff=Backoff(attempts=1))
    for _ in range(2):
        with pytest.raises(DaprGrpcError):
            conversation.ask('What is the key?')
        conversation.history.pop()
    assert [violation['kind'] for violation in mynah.violations()] == ['retried_permanent_error']


def test_the_verdict_accepts_a_client_that_waits(assistant, mynah):
    assert assistant('assistant').ask('Which terminal?') == 'Terminal 2.'
    assert mynah.violations() == []
