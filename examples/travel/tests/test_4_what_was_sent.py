"""What the assistant sent to the model."""

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


def test_35_the_tokens_are_counted(assistant):
    conversation = assistant('scripted')
    usage = {'prompt_tokens': 10, 'completion_tokens': 5}
    weather = {**call('get_weather', city='Rome'), 'usage': usage}
    conversation.ask(script('Weather?', weather, text('Sunny.', usage=usage)))
    assert conversation.tokens == 30
