"""Tests of a session: say, ask, break."""

import json
import os
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import openai
import pytest
from dapr.clients import DaprClient
from dapr.clients.exceptions import DaprGrpcError
from dapr.clients.grpc.conversation import (
    ConversationInputAlpha2,
    ConversationTools,
    ConversationToolsFunction,
    create_system_message,
    create_tool_message,
    create_user_message,
)
from dapr.conf import settings
from grpc import StatusCode

from mynah import Message, MynahError, Session, Tool, ToolCall, tool_call

SCHEMA = {'type': 'object', 'properties': {'city': {'type': 'string'}}}
WEATHER = ConversationTools(
    function=ConversationToolsFunction(
        name='get_weather', description='Tells the weather.', parameters=SCHEMA
    )
)


def converse(client, *messages, **options):
    return client.converse_alpha2('echo', [ConversationInputAlpha2(list(messages))], **options)


def ask(client, question, **options):
    answer = converse(client, create_user_message(question), **options)
    return answer.outputs[0].choices[0].message.content


def run_tools(client, question, *results):
    """Calls the model until it answers with a text."""
    messages = [create_user_message(question)]
    for result in (*results, None):
        answer = converse(client, *messages, tools=[WEATHER])
        reply = answer.outputs[0].choices[0].message
        if not reply.tool_calls:
            return reply.content
        messages += answer.to_assistant_messages()
        for call in reply.tool_calls:
            messages.append(create_tool_message(call.id, call.function.name, result))


def post(session, path, body):
    request = urllib.request.Request(
        f'http://{session.http}{path}',
        json.dumps(body).encode(),
        {'content-type': 'application/json'},
    )
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read())


def test_the_variables_point_at_the_session(mynah):
    host, port = mynah.grpc.split(':')
    assert os.environ['DAPR_GRPC_PORT'] == port
    assert os.environ['DAPR_RUNTIME_HOST'] == host
    assert os.environ['DAPR_HTTP_ENDPOINT'] == f'http://{mynah.http}'
    assert 'DAPR_GRPC_ENDPOINT' not in os.environ
    assert (settings.DAPR_GRPC_PORT, settings.DAPR_RUNTIME_HOST) == (int(port), host)
    assert settings.DAPR_HTTP_ENDPOINT == f'http://{mynah.http}'
    with DaprClient() as client:
        assert ask(client, 'Hello') == 'Hello'
    mynah.verify(count=1, user='Hello')


def test_the_first_rule_that_was_said_wins(mynah):
    mynah.when(user='weather').respond('Sunny')
    mynah.when(user='weather').respond('Rainy')
    mynah.when().respond('What?')
    assert ask(mynah.client, 'How is the weather?') == 'Sunny'
    assert ask(mynah.client, 'Hello') == 'What?'
    start = test_the_first_rule_that_was_said_wins.__code__.co_firstlineno
    first, third = (f'rule {n} (test_session.py:{start + n})' for n in (1, 3))
    assert [call.rules for call in mynah.calls()] == [(first,), (third,)]


def test_fails_then_responds(mynah):
    mynah.when(user='weather').fails('UNAVAILABLE', times=2, message='busy', retry_after='1ms')
    mynah.when(user='weather').respond('Sunny')
    for _ in range(2):
        with pytest.raises(DaprGrpcError) as raised:
            ask(mynah.client, 'How is the weather?')
        assert raised.value.code() == StatusCode.UNAVAILABLE
    assert ask(mynah.client, 'How is the weather?') == 'Sunny'
    error = mynah.calls()[0].error
    assert (error.code, error.retry_after_ms) == ('UNAVAILABLE', 1)
    assert 'busy' in error.message


def test_calls_a_tool_then_responds(mynah):
    mynah.when(user='weather').call_tool('get_weather', city='Paris').respond('Sunny')
    assert run_tools(mynah.client, 'How is the weather?', '18 degrees') == 'Sunny'
    first, second = mynah.calls()
    assert first.tools == (Tool('get_weather', 'Tells the weather.', SCHEMA),)
    (call,) = first.answer.tool_calls
    assert (call.name, call.args) == ('get_weather', {'city': 'Paris'})
    assert second.messages == (
        Message('user', 'How is the weather?'),
        Message('assistant', '', (ToolCall(call.id, 'get_weather', '{"city":"Paris"}'),)),
        Message('tool', '18 degrees', (), 'get_weather', call.id),
    )
    assert second.answer.text == 'Sunny'
    assert second.answer.finish_reason == 'stop'


def test_arguments_of_a_tool(mynah):
    pay = tool_call('get_weather', {'id': 'A17', 'delay': 'none'}, id='call_1')
    mynah.when(user='object').respond([pay])
    mynah.when(user='keywords').call_tool('get_weather', id='A17', delay='none')
    text = mynah.when(user='text', turn={'at_least': 0})
    text.call_tool('get_weather', '{"ci', id='call_2', delay='1ms', times=1).respond('Sunny')
    for question in 'object', 'keywords', 'text', 'text':
        converse(mynah.client, create_user_message(question), tools=[WEATHER])
    first, second, third, last = (call.answer for call in mynah.calls())
    assert (first.tool_calls[0].id, third.tool_calls[0].id) == ('call_1', 'call_2')
    assert first.tool_calls[0].args == second.tool_calls[0].args == {'id': 'A17', 'delay': 'none'}
    assert third.tool_calls[0].arguments == '{"ci'
    assert last.text == 'Sunny'
    with pytest.raises(MynahError, match='unknown key `delay`'):
        mynah.when().respond([tool_call('get_weather', {}, delay='1s')])


def test_a_delay_of_a_step(mynah):
    mynah.when().respond({'respond': 'Rome is', 'finish_reason': 'length'}, delay='1ms')
    mynah.when(user='list').respond([{'text': 'Rome'}], delay='1ms')
    assert ask(mynah.client, 'Hello') == 'Rome is'
    assert mynah.last_call.answer.finish_reason == 'length'


def test_answers_the_result_of_a_tool(mynah):
    mynah.when(tool_result={'tool': 'get_weather', 'contains': '18'}).respond('Sunny')
    mynah.when(user='weather', not_={'system': 'x'}).call_tool('get_weather')
    assert run_tools(mynah.client, 'How is the weather?', '18 degrees') == 'Sunny'


def test_chains_and_sequences(mynah):
    mynah.when(user='two').chain([[tool_call('get_weather')], [tool_call('get_weather')], 'Both'])
    mynah.when(user='count').sequence(['One', 'Two'], on_exhausted='loop')
    assert run_tools(mynah.client, 'two cities', '18', '20') == 'Both'
    assert [ask(mynah.client, 'count') for _ in range(3)] == ['One', 'Two', 'One']


def test_rules_keep_their_counts_when_another_is_added(mynah):
    mynah.when(user='count').sequence(['One', 'Two'])
    assert ask(mynah.client, 'count') == 'One'
    mynah.when(user='other').respond('Other')
    assert ask(mynah.client, 'count') == 'Two'


YAML = """
# Rules of a file, with the indentation of another tool
rules:  # the list
    - name: bye
      match: {user: Bye}
      respond: |
        See you,
          Ann

    # The second one
    - {match: {user: Ciao}, respond: "Ciao
        Ann"}
expect:
- {match: {user: Bye}}
"""


def test_rules_of_files(mynah, tmp_path):
    (tmp_path / 'rules.yaml').write_text(YAML)
    (tmp_path / 'more.yaml').write_text('rules:\n- {match: {user: Tschüs}, respond: Auf 😀}')
    (tmp_path / 'rules.json').write_text('{"rules": [{"match": {"user": "Hi"}, "respond": "Ho"}]}')
    mynah.when(user='weather\x7f\u2028\u0085"\\').respond('Sunny\x85')
    for name in ('rules.yaml', 'more.yaml', 'rules.json'):
        mynah.rules(tmp_path / name)
    asked = ['Bye', 'Ciao', 'Tschüs', 'Hi', 'weather\x7f\u2028\u0085"\\']
    answers = ['See you,\n  Ann\n', 'Ciao Ann', 'Auf 😀', 'Ho', 'Sunny\x85']
    assert [ask(mynah.client, question) for question in asked] == answers


def test_a_file_without_rules(mynah, tmp_path):
    (tmp_path / 'rules.yaml').write_text('{rules: []}')
    with pytest.raises(MynahError, match='rules must not be empty'):
        mynah.rules(tmp_path / 'rules.yaml')


def test_a_wrong_rule_is_rejected_and_not_kept(mynah):
    with pytest.raises(MynahError, match='unknown key `usr`; expected one of'):
        mynah.when(usr='weather').respond('Sunny')
    mynah.when(user='weather').respond('Sunny')
    assert ask(mynah.client, 'weather') == 'Sunny'


def test_a_delay_is_ended(mynah):
    mynah.when(user='slow').respond('Late', delay='1h')
    with ThreadPoolExecutor() as threads:
        answer = threads.submit(ask, mynah.client, 'slow')
        mynah.wait_for_calls(1)
        assert ask(mynah.client, 'quick') == 'quick'
        mynah.end_waits()
        assert answer.result() == 'Late'


def test_faults_add_up(mynah):
    mynah.fault(fail_first=1, error='ABORTED')
    mynah.fault(component='echo', every=3, error={'code': 'INTERNAL'})
    codes = []
    for _ in range(4):
        try:
            ask(mynah.client, 'Hello')
            codes.append('OK')
        except DaprGrpcError as error:
            codes.append(error.code().name)
    assert codes.count('ABORTED') == 1 and 'INTERNAL' in codes
    assert '(failed, ' in mynah.report() and ', a fault)' in mynah.report()
    mynah.verify_rules()
    mynah.end_waits()
    assert ask(mynah.client, 'Hello') == 'Hello'


def test_the_control_api(mynah):
    with urllib.request.urlopen(f'{mynah.endpoint}/sessions') as response:
        sessions = json.load(response)['sessions']
    assert mynah.http in [session['http'] for session in sessions]


def test_parameters_of_a_call(mynah):
    messages = create_system_message('Be brief.'), create_user_message('Hello')
    converse(mynah.client, *messages, temperature=0.5, tools=[WEATHER], tool_choice='none')
    call = mynah.last_call
    assert call.parameters == {'temperature': 0.5, 'tool_choice': 'none'}
    assert call.messages == (Message('system', 'Be brief.'), Message('user', 'Hello'))
    assert (call.component, call.surface, call.outcome) == ('echo', 'grpc', 'ok')
    assert call.request['inputs'][0]['messages'][1]['ofUser']['content'] == [{'text': 'Hello'}]


def test_no_call_has_ended(mynah):
    with pytest.raises(AssertionError, match='no call has ended'):
        _ = mynah.last_call


@pytest.mark.parametrize('key', ['ofUser', 'of_user'])
def test_messages_over_http(mynah, key):
    message = {key: {'content': [{'text': 'Hello'}, {'text': 'Ann'}]}}
    body = {'inputs': [{'messages': [message]}], 'contextId': 'a'}
    post(mynah, '/v1.0-alpha2/conversation/echo/converse', body)
    assert mynah.last_call.messages == (Message('user', 'Hello\nAnn'),)
    assert mynah.last_call.parameters == {'context_id': 'a'}


def test_messages_of_the_first_version(mynah):
    body = {'inputs': [{'content': 'Hello', 'role': 'user'}]}
    post(mynah, '/v1.0-alpha1/conversation/echo/converse', body)
    assert mynah.last_call.messages == (Message('user', 'Hello'),)


def test_messages_of_openai(mynah):
    call = {'id': 'c1', 'type': 'function', 'function': {'name': 'f', 'arguments': '{}'}}
    history = [
        {'role': 'user', 'content': [{'type': 'text', 'text': 'Hello'}]},
        {'role': 'assistant', 'content': None, 'tool_calls': [call]},
        {'role': 'tool', 'tool_call_id': 'c1', 'content': 'done'},
    ]
    expected = (
        Message('user', 'Hello'),
        Message('assistant', '', (ToolCall('c1', 'f', '{}'),)),
        Message('tool', 'done', tool='f', id='c1'),
    )
    post(mynah, '/v1/chat/completions', {'model': 'echo', 'messages': history})
    assert mynah.last_call.messages == expected
    items = [
        {'role': 'user', 'content': [{'type': 'input_text', 'text': 'Hello'}]},
        {'type': 'function_call', 'call_id': 'c1', 'name': 'f', 'arguments': '{}'},
        {'type': 'function_call_output', 'call_id': 'c1', 'output': 'done'},
    ]
    post(mynah, '/v1/responses', {'model': 'echo', 'instructions': 'Be brief.', 'input': items})
    assert mynah.last_call.messages == (Message('system', 'Be brief.'), *expected)
    post(mynah, '/v1/responses', {'model': 'echo', 'input': 'Hello'})
    assert mynah.last_call.messages == (Message('user', 'Hello'),)


def test_a_request_that_is_not_json(mynah):
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(
            f'http://{mynah.http}/v1.0-alpha2/conversation/echo/converse', b'{"a'
        ).close()
    call = mynah.last_call
    assert call.messages == () and call.request == {'body': '{"a'}
    assert '{"a' not in mynah.report() and call.error.code in mynah.report()
    with pytest.raises(
        AssertionError, match=r'neither a rule nor a chain answered call \d+\n  failed'
    ):
        mynah.verify_rules()
    mynah.forget_failed_calls()
    assert mynah.calls() == []
    mynah.verify_rules()


def test_more_calls_than_a_page(mynah):
    for _ in range(1005):
        post(mynah, '/v1.0-alpha1/conversation/echo/converse', {'inputs': [{'content': 'a'}]})
    assert len(mynah.calls()) == 1005
    mynah.verify(count=1005, user='a')
    assert 'has 1005 calls' in mynah.report()


def test_verify_shows_the_nearest_calls(mynah):
    ask(mynah.client, 'Hello')
    mynah.verify(user='Hello')
    mynah.verify(count={'at_most': 2}, user='Hello')
    with pytest.raises(AssertionError) as raised:
        mynah.verify(count=2, user='Bye', wait='0s')
    assert str(raised.value) == (
        'expected exactly 2 calls with {"user":"Bye"}, found 0\n'
        f'  call {mynah.last_call.number} does not match:\n'
        '    user: expected a text that contains "Bye"\n'
        '          the call has "Hello"'
    )
    with pytest.raises(AssertionError, match=r'found 1 \(\d+\)'):
        mynah.verify(count=0, user='Hello')
    with pytest.raises(MynahError, match='unknown key `usr`'):
        mynah.verify(usr='Hello')


def test_verify_waits_for_a_call(mynah):
    mynah.when(user='Hello').respond('Hi!', delay='50ms')
    thread = threading.Thread(target=ask, args=[mynah.client, 'Hello'])
    thread.start()
    mynah.verify(count=1, user='Hello', wait='10s')
    thread.join()


def test_verify_rules(mynah):
    mynah.when(user='weather').respond('Sunny')
    with pytest.raises(AssertionError, match=r'rule "rule 1 .*" in session .* did not answer'):
        mynah.verify_rules()
    assert ask(mynah.client, 'weather') == 'Sunny'
    mynah.verify_rules()
    assert ask(mynah.client, 'Hello') == 'Hello'
    mynah.verify_rules()
    with pytest.raises(AssertionError, match=r'answered call \d+: "Hello"\n  the nearest is'):
        mynah.verify_rules(every_call=True)


def test_verify_rules_of_further_sessions(mynah):
    further = mynah.session('further')
    further.when(user='weather').respond('Sunny')
    with pytest.raises(AssertionError, match=r'"rule 1 .*" in session .*/further did not'):
        mynah.verify_rules()
    further.close()
    mynah.verify_rules()


def test_verify_scrubbed(mynah):
    inputs = [
        ConversationInputAlpha2([create_user_message('I am ann@example.org')], scrub_pii=True)
    ]
    mynah.client.converse_alpha2('echo', inputs)
    mynah.verify(count=1, user='<EMAIL_ADDRESS>', scrubbed=True)
    mynah.verify(count=1, user='ann@example.org')


def test_wait_for_calls_that_do_not_wait(mynah):
    with pytest.raises(AssertionError, match='expected 1 waiting call, found 0'):
        mynah.wait_for_calls(1, wait='10ms')


def test_verdict(mynah):
    mynah.when(user='weather').fails('UNAVAILABLE', times=1, retry_after='1h').respond('Sunny')
    with pytest.raises(DaprGrpcError):
        ask(mynah.client, 'weather')
    ask(mynah.client, 'weather')
    verdict = mynah.verdict()
    assert (verdict.ok, verdict.retries, verdict.recovered, verdict.gave_up) == (False, 1, 1, [])
    (violation,) = verdict.violations
    assert violation.kind == 'ignored_retry_after' and len(violation.calls) == 2


def test_openai(mynah):
    mynah.when(user='weather').respond('Sunny')
    with openai.OpenAI(base_url=mynah.openai_base_url, api_key='any') as client:
        messages = [{'role': 'user', 'content': 'How is the weather?'}]
        answer = client.chat.completions.create(model='echo', messages=messages)
    assert answer.choices[0].message.content == 'Sunny'
    assert mynah.last_call.surface == 'openai'


def test_further_sessions_at_the_same_time(mynah):
    def caller(number: int) -> str:
        session = mynah.session(f'caller {number}')
        session.when(user='Who').respond(f'You are {number}.')
        with session.connect() as client:
            answer = ask(client, 'Who am I?')
        session.verify(count=1)
        return answer

    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(caller, range(64)))
    assert answers == [f'You are {number}.' for number in range(64)]
    assert mynah.calls() == []


def test_variables_point_at_one_session_only(mynah):
    further = mynah.session('further')
    with pytest.raises(MynahError) as raised, further.variables():
        pass
    assert f"already point at session '{mynah.name}'" in str(raised.value)
    assert 'use its `client`' in str(raised.value)
    assert os.environ['DAPR_HTTP_PORT'] == mynah.http.split(':')[1]


def test_a_session_that_the_application_closes(mynah):
    further = mynah.session('further')
    with urllib.request.urlopen(f'http://{further.http}/v1.0/shutdown', b''):
        pass
    further.close()
    assert ask(mynah.client, 'Hello') == 'Hello'


NAMES = ['a[1-b]', 'Zürich 🌦/é', 'a' * 256, 'ü' * 150, 'a/../b?c=d&e#f%2F+ "', '\ud800']


@pytest.mark.parametrize('name', NAMES, ids=range(len(NAMES)))
def test_names(mynah_sidecar, name):
    with mynah_sidecar.session(name) as session:
        assert len(session.name.encode()) <= 256
        session.when(user='Who').respond('{{ session }}')
        with session.connect() as client:
            assert ask(client, 'Who am I?') == session.name
        session.verify(count=1)
    with mynah_sidecar.session(name) as session:
        assert session.calls() == []
        with session.connect() as client:
            assert ask(client, 'Who am I?') == 'Who am I?'


def test_long_names_stay_different(mynah_sidecar):
    with (
        mynah_sidecar.session('ü' * 150 + '1') as one,
        mynah_sidecar.session('ü' * 150 + '2') as two,
    ):
        assert one.name != two.name and one.grpc != two.grpc
        assert one.name.startswith('üüü')


def test_a_type_can_be_named(mynah: Session):
    assert isinstance(mynah, Session)
