"""A script in the question says what the model answers, turn by turn."""

import pytest
from scripts import call, calls, script, text

from travel.assistant import ModelError

ANN = {'name': 'Ann', 'age': 34}
SEARCH = {
    'origin': 'Berlin',
    'destination': 'Rome',
    'departure_date': '2025-06-01',
    'passengers': 1,
}


def results(conversation) -> list[str]:
    """Returns what the tools of a conversation answered."""
    tools = [message.of_tool for message in conversation.history if message.of_tool]
    return [tool.content[0].text for tool in tools]


def test_11_search_then_book_then_text(assistant, agency):
    conversation = assistant('scripted')
    question = script(
        'A trip to Rome for Ann, please.',
        call('search_flights', **SEARCH),
        call('book_trip', flight='LH-100', passengers=[ANN]),
        text('Your trip is booked.'),
    )
    assert conversation.ask(question) == 'Your trip is booked.'
    assert results(conversation) == [
        'LH-100, Berlin to Rome, 2025-06-01, 95 EUR',
        'Booked LH-100 as BK-1001.',
    ]
    assert [passenger.name for passenger in agency.booked[0].passengers] == ['Ann']


def test_12_arguments_that_break_the_schema_are_reported_to_the_model(assistant, agency):
    conversation = assistant('scripted')
    question = script(
        'Book LH-100 for Ann.',
        call('book_trip', flight='LH-100', passengers=[{'name': 'Ann', 'age': 'thirty'}]),
        call('book_trip', flight='LH-100', passengers=[ANN]),
        text('Done.'),
    )
    assert conversation.ask(question) == 'Done.'
    wrong, right = results(conversation)
    assert wrong.startswith('Error: the arguments of book_trip are invalid: passengers.0.age: ')
    assert right == 'Booked LH-100 as BK-1001.'
    assert len(agency.booked) == 1


def test_13_malformed_json_arguments_are_reported_to_the_model(assistant, agency):
    conversation = assistant('scripted')
    question = script(
        'Cancel BK-1234.',
        calls({'name': 'cancel_booking', 'raw_args': '{"booking_id": "BK-12'}),
        text('Sorry, I could not cancel your booking.'),
    )
    assert conversation.ask(question) == 'Sorry, I could not cancel your booking.'
    (result,) = results(conversation)
    assert result.startswith('Error: the arguments of cancel_booking are not JSON: ')
    assert agency.cancelled == []


def test_14_a_tool_that_was_never_offered_is_reported_to_the_model(assistant):
    conversation = assistant('careless')
    question = script('Rent a car.', call('rent_car', city='Rome'), text('I cannot rent cars.'))
    assert conversation.ask(question) == 'I cannot rent cars.'
    assert results(conversation)[0].startswith('Error: there is no tool rent_car; use one of: ')


def test_15_a_loop_that_never_ends_is_cut_at_the_limit(assistant):
    conversation = assistant('scripted', max_turns=3)
    forever = [call('get_weather', city='Rome')] * 10
    with pytest.raises(ModelError, match='no answer after 3 turns'):
        conversation.ask(script('Weather?', *forever))
    assert results(conversation) == ['It is sunny in Rome.'] * 3


def test_16_a_filtered_answer_is_an_error(assistant):
    question = script('Hello!', text('', finish_reason='content_filter'))
    with pytest.raises(ModelError, match='the answer was filtered'):
        assistant('scripted').ask(question)


def test_17_an_answer_that_was_cut_off_is_an_error(assistant):
    question = script('Tell me about Rome.', text('Rome is the', finish_reason='length'))
    with pytest.raises(ModelError, match='the answer was cut off: Rome is the'):
        assistant('scripted').ask(question)


def test_18_one_message_has_text_and_calls(assistant):
    conversation = assistant('scripted')
    weather = [{'tool_call': [{'name': 'get_weather', 'args': {'city': 'Rome'}}]}]
    looking = {'messages': [{'text': 'Let me look.'}, *weather]}
    assert conversation.ask(script('Weather?', looking, text('Sunny.'))) == 'Sunny.'
    said = [message.of_assistant for message in conversation.history if message.of_assistant]
    assert said[0].content[0].text == 'Let me look.'
    assert said[0].tool_calls[0].function.arguments == '{"city":"Rome"}'


def test_19_an_empty_answer_is_an_error(assistant):
    with pytest.raises(ModelError, match='the answer was empty'):
        assistant('scripted').ask(script('Hello!', text('')))


def test_20_repeated_call_ids_are_an_error(assistant, agency):
    cancel = {'name': 'cancel_booking', 'args': {'booking_id': 'BK-1234'}, 'id': 'call_1'}
    with pytest.raises(ModelError, match='the model used the call id call_1 twice'):
        assistant('scripted').ask(script('Cancel BK-1234.', calls(cancel, cancel)))
    assert agency.cancelled == ['BK-1234']
