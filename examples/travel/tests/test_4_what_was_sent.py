"""What the assistant sent to the model."""

from google.protobuf.struct_pb2 import Struct
from scripts import call, script, text

from travel.assistant import SYSTEM

TOOLS = [
    'search_flights',
    'book_trip',
    'cancel_booking',
    'send_itinerary',
    'search_hotels',
    'get_weather',
]


def test_31_the_system_prompt(assistant):
    question = script('Hello!', {'messages': [{'system_prompt_echo': {}}]})
    assert assistant('scripted').ask(question) == SYSTEM


def test_32_six_tools_are_offered(assistant):
    answer = assistant('scripted').ask(script('Hello!', {'messages': [{'tools_list': {}}]}))
    assert [name for name in TOOLS if name in answer] == TOOLS


def test_33_every_field_of_the_request(assistant, mynah):
    response_format = Struct()
    response_format.update({'type': 'object'})
    conversation = assistant('echo', options={'temperature': 0.5, 'metadata': {'tier': 'gold'}})
    conversation.ask(
        'Hello!',
        tool_choice='none',
        response_format=response_format,
        scrub_pii=True,
        scrub_input=False,
    )
    (entry,) = mynah.journal()
    request = entry['request']
    assert request['temperature'] == 0.5
    assert request['metadata'] == {'tier': 'gold'}
    assert request['toolChoice'] == 'none'
    assert request['responseFormat'] == {'type': 'object'}
    assert (request['scrubPii'], request['inputs'][0]['scrubPii']) == (True, False)
    assert [list(message) for message in request['inputs'][0]['messages']] == [
        ['ofSystem'],
        ['ofUser'],
    ]


def test_34_the_number_of_calls_in_this_test(assistant, mynah):
    weather = call('get_weather', city='Rome')
    assistant('scripted').ask(script('Weather?', weather, weather, text('Sunny.')))
    assert len(mynah.journal()) == 3


def test_35_the_tokens_are_counted(assistant):
    conversation = assistant('scripted')
    usage = {'prompt_tokens': 10, 'completion_tokens': 5}
    weather = {**call('get_weather', city='Rome'), 'usage': usage}
    conversation.ask(script('Weather?', weather, text('Sunny.', usage=usage)))
    assert conversation.tokens == 30
