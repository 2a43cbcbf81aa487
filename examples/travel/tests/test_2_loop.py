"""Rules of the test say what the model answers, turn by turn."""

import pytest
from mynah import tool_call

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


def test_11_search_then_book_then_text(assistant, agency, mynah):
    mynah.when(user='A trip to Rome').chain(
        [
            [tool_call('search_flights', **SEARCH)],
            [tool_call('book_trip', flight='LH-100', passengers=[ANN])],
            'Your trip is booked.',
        ]
    )
    conversation = assistant()
    assert conversation.ask('A trip to Rome for Ann, please.') == 'Your trip is booked.'
    assert results(conversation) == [
        'LH-100, Berlin to Rome, 2025-06-01, 95 EUR',
        'Booked LH-100 as BK-1001.',
    ]
    assert [passenger.name for passenger in agency.booked[0].passengers] == ['Ann']


def test_12_arguments_that_break_the_schema_are_reported_to_the_model(assistant, agency, mynah):
    thirty = {**ANN, 'age': 'thirty'}
    mynah.when(user='Book LH-100').chain(
        [
            [tool_call('book_trip', flight='LH-100', passengers=[thirty])],
            [tool_call('book_trip', flight='LH-100', passengers=[ANN])],
            'Done.',
        ]
    )
    conversation = assistant()
    assert conversation.ask('Book LH-100 for Ann.') == 'Done.'
    wrong, right = results(conversation)
    assert wrong.startswith('Error: the arguments of book_trip are invalid: passengers.0.age: ')
    assert right == 'Booked LH-100 as BK-1001.'
    assert len(agency.booked) == 1


def test_13_malformed_json_arguments_are_reported_to_the_model(assistant, agency, mynah):
    malformed = {'tool_call': [{'name': 'cancel_booking', 'raw_args': '{"booking_id": "BK-12'}]}
    sorry = 'Sorry, I could not cancel your booking.'
    mynah.when(user='Cancel BK-1234').respond([malformed]).respond(sorry)
    conversation = assistant()
    assert conversation.ask('Cancel BK-1234.') == sorry
    (result,) = results(conversation)
    assert result.startswith('Error: the arguments of cancel_booking are not JSON: ')
    assert agency.cancelled == []


def test_14_a_tool_that_was_never_offered_is_reported_to_the_model(assistant, mynah):
    rent = [tool_call('rent_car', city='Rome')]
    mynah.when(user='Rent a car').respond(rent, allow_unoffered=True).respond('I cannot rent cars.')
    conversation = assistant()
    assert conversation.ask('Rent a car.') == 'I cannot rent cars.'
    assert results(conversation)[0].startswith('Error: there is no tool rent_car; use one of: ')


def test_15_a_loop_that_never_ends_is_cut_at_the_limit(assistant, mynah):
    mynah.when(user='Weather?', turn={'at_least': 0}).call_tool('get_weather', city='Rome')
    conversation = assistant(max_turns=3)
    with pytest.raises(ModelError, match='no answer after 3 turns'):
        conversation.ask('Weather?')
    assert results(conversation) == ['It is sunny in Rome.'] * 3


def test_16_a_filtered_answer_is_an_error(assistant, mynah):
    mynah.when(user='Hello!').respond({'respond': '', 'finish_reason': 'content_filter'})
    with pytest.raises(ModelError, match='the answer was filtered'):
        assistant().ask('Hello!')


def test_17_an_answer_that_was_cut_off_is_an_error(assistant, mynah):
    mynah.when(user='Rome').respond({'respond': 'Rome is the', 'finish_reason': 'length'})
    with pytest.raises(ModelError, match='the answer was cut off: Rome is the'):
        assistant().ask('Tell me about Rome.')


def test_18_one_message_has_text_and_calls(assistant, mynah):
    looking = [{'text': 'Let me look.'}, tool_call('get_weather', city='Rome')]
    mynah.when(user='Weather?').respond(looking).respond('Sunny.')
    conversation = assistant()
    assert conversation.ask('Weather?') == 'Sunny.'
    said = [message.of_assistant for message in conversation.history if message.of_assistant]
    assert said[0].content[0].text == 'Let me look.'
    assert said[0].tool_calls[0].function.arguments == '{"city":"Rome"}'


def test_19_an_empty_answer_is_an_error(assistant, mynah):
    mynah.when(user='Hello!').respond('')
    with pytest.raises(ModelError, match='the answer was empty'):
        assistant().ask('Hello!')


def test_20_repeated_call_ids_are_an_error(assistant, agency, mynah):
    cancel = {'name': 'cancel_booking', 'args': {'booking_id': 'BK-1234'}, 'id': 'call_1'}
    mynah.when(user='Cancel BK-1234').respond([{'tool_call': [cancel, cancel]}])
    with pytest.raises(ModelError, match='the model used the call id call_1 twice'):
        assistant().ask('Cancel BK-1234.')
    assert agency.cancelled == ['BK-1234']
