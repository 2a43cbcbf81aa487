"""What the assistant sent to the model."""

from google.protobuf.struct_pb2 import Struct
from mynah import tool_call

from travel.assistant import SYSTEM

TOOLS = [
    'search_flights',
    'book_trip',
    'cancel_booking',
    'send_itinerary',
    'search_hotels',
    'get_weather',
]


def test_31_the_system_prompt(assistant, mynah):
    mynah.when(user='Hello!').respond('Hi.')
    assistant().ask('Hello!')
    mynah.verify(count=1, system={'equals': SYSTEM})


def test_32_six_tools_are_offered(assistant, mynah):
    mynah.when(user='Hello!').respond('Hi.')
    assistant().ask('Hello!')
    assert [tool.name for tool in mynah.last_call.tools] == TOOLS


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
    (call,) = mynah.calls()
    assert call.parameters == {
        'temperature': 0.5,
        'metadata': {'tier': 'gold'},
        'tool_choice': 'none',
        'response_format': {'type': 'object'},
        'scrub_pii': True,
    }
    assert call.request['inputs'][0]['scrubPii'] is False
    assert [message.role for message in call.messages] == ['system', 'user']


def test_34_the_number_of_calls_in_this_test(assistant, mynah):
    weather = [tool_call('get_weather', city='Rome')]
    mynah.when(user='Weather?').chain([weather, weather, 'Sunny.'])
    assistant().ask('Weather?')
    assert len(mynah.calls()) == 3


def test_35_the_tokens_are_counted(assistant, mynah):
    usage = {'prompt_tokens': 10, 'completion_tokens': 5}
    weather = [tool_call('get_weather', city='Rome')]
    answers = [{'respond': answer, 'usage': usage} for answer in (weather, 'Sunny.')]
    mynah.when(user='Weather?').chain(answers)
    conversation = assistant()
    conversation.ask('Weather?')
    assert conversation.tokens == 30
