import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.request import Request, urlopen

import pytest
from dapr.clients import DaprClient
from dapr.clients.exceptions import DaprGrpcError
from dapr.clients.grpc.conversation import ConversationInputAlpha2, create_user_message
from dapr.conf import settings
from google.protobuf.struct_pb2 import Struct
from grpc import StatusCode

from desk import REFUND, ROUTER, Desk


def test_router_and_specialist_get_the_same_question(mynah):
    with DaprClient() as client:
        desk = Desk(client)
        assert desk.answer('Please refund order A17.') == 'Your money is on its way.'
    assert desk.refunded == ['A17']
    mynah.verify(count=1, system=ROUTER)
    mynah.verify(count=3, user='Please refund order A17.')


def test_closed_on_holidays(mynah):
    mynah.when(system=ROUTER).respond('other')
    mynah.when(user='Are you open').respond('Not today.')
    assert Desk(mynah.client).answer('Are you open?') == 'Not today.'


def test_what_was_sent(mynah):
    Desk(mynah.client).answer('Please refund order A17.')
    router, question, result = mynah.calls()
    assert router.tools == ()
    assert question.parameters['temperature'] == 0.2
    assert [tool.name for tool in question.tools] == ['refund']
    assert question.answer.tool_calls[0].args == {'order': 'A17'}
    assert result.messages[-1].text == 'Refunded.'


def test_a_structured_answer_and_its_tokens(mynah):
    answer = {'messages': [{'json': {'topic': 'orders'}}]}
    answer['usage'] = {'prompt_tokens': 900, 'completion_tokens': 8, 'cached_tokens': 850}
    mynah.when(response_format={'contains': 'topic'}).respond(answer)
    response_format = Struct()
    response_format.update({'type': 'object', 'properties': {'topic': {'type': 'string'}}})
    messages = [create_user_message('Where is my order?')]
    output = mynah.client.converse_alpha2(
        'model', [ConversationInputAlpha2(messages)], response_format=response_format
    ).outputs[0]
    assert json.loads(output.choices[0].message.content) == {'topic': 'orders'}
    assert output.usage.total_tokens == 908
    assert output.usage.prompt_tokens_details.cached_tokens == 850


def test_tries_again_when_the_model_says_so(mynah):
    assert Desk(mynah.client).answer('Are you open?') == 'Yes, until six.'
    mynah.verify(count=3, system='You answer questions.')
    assert mynah.verdict().ok


def test_malformed_arguments_are_reported_to_the_model(mynah):
    desk = Desk(mynah.client)
    assert desk.answer('Refund my broken order.') == 'Which order do you mean?'
    assert desk.refunded == []


def test_a_slow_model(mynah, monkeypatch):
    desk = Desk(mynah.client)
    started = time.monotonic()
    assert desk.answer('How long does it take?') == 'Two days.'
    assert time.monotonic() - started >= 0.5
    monkeypatch.setattr(settings, 'DAPR_API_TIMEOUT_SECONDS', 0.1)
    with pytest.raises(DaprGrpcError) as raised:
        desk.answer('How long does it take?')
    assert raised.value.code() == StatusCode.DEADLINE_EXCEEDED
    mynah.verify(count=4, user='How long does it take?')


def test_the_model_sees_no_key(mynah):
    key = 'sk-0123456789abcdef'
    Desk(mynah.client).answer('Please refund order A17.')
    sent = json.dumps([call.request for call in mynah.calls()])
    assert key not in sent and '[redacted]' not in sent


def test_a_question_while_another_one_waits(mynah):
    mynah.when(system=ROUTER).respond('other')
    mynah.when(user='first').respond('One.', delay='1h')
    mynah.when(user='second').respond('Two.')
    with ThreadPoolExecutor() as threads:
        first = threads.submit(Desk(mynah.client).answer, 'the first question')
        mynah.wait_for_calls(1)
        assert Desk(mynah.client).answer('the second question') == 'Two.'
        mynah.end_waits()
        assert first.result() == 'One.'


def test_a_stream(mynah):
    mynah.when(user='How long').respond('Two days.')
    message = {'ofUser': {'content': [{'text': 'How long does it take?'}]}}
    stream = Request(
        f'http://{mynah.http}/v1.0-alpha2/conversation/model/converse',
        json.dumps({'inputs': [{'messages': [message]}]}).encode(),
        {
            'Accept': 'text/event-stream',
            'dapr-api-token': os.environ.get('DAPR_API_TOKEN', ''),
        },
    )
    with urlopen(stream) as lines:
        events = [json.loads(line[6:]) for line in lines if line.startswith(b'data: ')]
    assert [event['chunk']['content'] for event in events[:-1]] == ['Two', ' days.']
    assert 'complete' in events[-1]


def test_callers_at_the_same_time(mynah):
    def ask(n: int) -> str:
        session = mynah.session(f'caller {n}')
        session.when(user='Which number', system='You answer').respond(f'You are {n}.')
        with session.connect() as client:
            answer = Desk(client).answer('Which number am I?')
        session.verify(count=2)
        return answer

    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(ask, range(64))) == [f'You are {n}.' for n in range(64)]


def test_gives_up_when_the_model_stays_away(mynah):
    mynah.fault(fail_first=9, error='UNAVAILABLE')
    with pytest.raises(DaprGrpcError) as raised:
        Desk(mynah.client).answer('Are you open?')
    assert raised.value.code() == StatusCode.UNAVAILABLE
    mynah.verify(count=4, system=ROUTER)


def test_an_invalid_request(mynah):
    with pytest.raises(DaprGrpcError) as raised:
        Desk(mynah.client).ask(ROUTER, 'Hello', tools=[REFUND], tool_choice='pay')
    assert raised.value.code() == StatusCode.INVALID_ARGUMENT
    mynah.forget_failed_calls()


def test_the_model_sees_no_address(mynah):
    question = 'Please refund order A17. I am ann@example.org.'
    assert Desk(mynah.client).answer(question) == 'Your money is on its way.'
    mynah.verify(count=3, scrubbed=True, any_message='<EMAIL_ADDRESS>')
    mynah.verify(count=0, scrubbed=True, any_message='ann@example.org')
