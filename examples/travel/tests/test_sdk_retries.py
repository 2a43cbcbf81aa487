"""Each way of trying again needs exactly three calls if the first two fail.

The failures come from a chain, a sequence, a rule with `times`, and a fault.
"""

import json
from importlib.metadata import version
from types import SimpleNamespace

import grpc
import pytest
from dapr.clients import DaprClient, retry
from dapr.clients.exceptions import DaprGrpcError
from dapr.clients.retry import RetryPolicy
from dapr.conf import settings
from dapr.proto import api_service_v1, api_v1

from travel.assistant import Assistant, Model
from travel.backoff import Backoff

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


BUSY = {'code': 'UNAVAILABLE', 'message': 'the model is busy'}
QUESTION = 'Hello!'


@pytest.fixture(params=['chain', 'sequence', 'times', 'fault'])
def flaky(request, mynah) -> None:
    """The first two calls fail."""
    hello = mynah.when(user=QUESTION)
    if request.param == 'chain':
        hello.chain([{'error': BUSY, 'times': 2}, 'Hi.'])
    if request.param == 'sequence':
        hello.sequence([{'error': BUSY}, {'error': BUSY}, 'Hi.'])
    if request.param == 'times':
        hello.fails(**BUSY, times=2).respond('Hi.')
    if request.param == 'fault':
        hello.respond('Hi.')
        mynah.fault(fail_first=2, error=BUSY)


def assert_two_of_three_failed(mynah) -> None:
    assert [call.outcome for call in mynah.calls()] == ['failed', 'failed', 'ok']


def test_retry_policy(flaky, mynah, fast):
    with DaprClient(retry_policy=RetryPolicy(max_attempts=5)) as client:
        assert Assistant(Model(client, backoff=Backoff(attempts=1))).ask(QUESTION)
    assert_two_of_three_failed(mynah)


@pytest.mark.skipif(version('dapr').startswith('1.18'), reason='1.18 reads it at import')
def test_dapr_api_max_retries(flaky, mynah, fast, monkeypatch):
    monkeypatch.setattr(settings, 'DAPR_API_MAX_RETRIES', 3)
    with DaprClient(retry_policy=None) as client:
        assert Assistant(Model(client, backoff=Backoff(attempts=1))).ask(QUESTION)
    assert_two_of_three_failed(mynah)


def test_the_retry_policy_gives_up(flaky, assistant, mynah, fast):
    with DaprClient(retry_policy=RetryPolicy(max_attempts=2)) as client:
        conversation = Assistant(Model(client, backoff=Backoff(attempts=1)))
        with pytest.raises(DaprGrpcError) as raised:
            conversation.ask(QUESTION)
    assert raised.value.code() == grpc.StatusCode.UNAVAILABLE
    assert [call.outcome for call in mynah.calls()] == ['failed', 'failed']
    assert assistant().ask(QUESTION)  # So that no rule is unused.


def test_backoff_loop(flaky, assistant, mynah):
    assert assistant(backoff=Backoff(sleep=lambda _: None)).ask(QUESTION)
    assert_two_of_three_failed(mynah)


def test_grpc_service_config(flaky, mynah):
    content = [api_v1.ConversationMessageContent(text=QUESTION)]
    user = api_v1.ConversationMessage(of_user=api_v1.ConversationMessageOfUser(content=content))
    inputs = [api_v1.ConversationInputAlpha2(messages=[user])]
    request = api_v1.ConversationRequestAlpha2(name='assistant', inputs=inputs)
    options = [('grpc.service_config', json.dumps(SERVICE_CONFIG))]
    with grpc.insecure_channel(mynah.grpc, options) as channel:
        stub = api_service_v1.DaprStub(channel)
        assert stub.ConverseAlpha2(request).outputs
    assert_two_of_three_failed(mynah)


@pytest.fixture
def quota(mynah) -> None:
    """The first call asks for a wait."""
    terminal = mynah.when(user='Which terminal')
    terminal.fails('RESOURCE_EXHAUSTED', times=1, retry_after='150ms').respond('Terminal 2.')


def test_the_verdict_names_a_client_that_ignores_retry_after(assistant, quota, mynah):
    hasty = Backoff(sleep=lambda _: None)
    assert assistant(backoff=hasty).ask('Which terminal?') == 'Terminal 2.'
    (violation,) = mynah.verdict().violations
    assert violation.kind == 'ignored_retry_after'


def test_the_verdict_names_a_client_that_retries_a_permanent_error(assistant, mynah):
    mynah.when(user='What is the key').fails('PERMISSION_DENIED')
    conversation = assistant(backoff=Backoff(attempts=1))
    for _ in range(2):
        with pytest.raises(DaprGrpcError):
            conversation.ask('What is the key?')
        conversation.history.pop()
    (violation,) = mynah.verdict().violations
    assert violation.kind == 'retried_permanent_error'


def test_the_verdict_accepts_a_client_that_waits(assistant, quota, mynah):
    assert assistant().ask('Which terminal?') == 'Terminal 2.'
    assert mynah.verdict().ok
