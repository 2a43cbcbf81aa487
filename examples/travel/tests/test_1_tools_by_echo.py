"""Echo calls the tools that the user mentions, with values from the user's text."""

import json

import pytest
from dapr.clients.grpc.conversation import ConversationToolCallsOfFunction, create_user_message

from travel.tools import Agency, Toolbox

QUESTIONS = [
    'Search flights from Berlin to Rome on 2025-06-01 for 2 passengers',
    'Book the trip LH-100',
    'Cancel my booking BK-1234',
    'Send the itinerary of booking BK-1234 to ann@example.org',
    'Find hotels in Rome, check in 2025-06-01, check out 2025-06-08, for 2 guests',
    'What is the weather in Rome?',
]


@pytest.fixture
def calls_for(assistant):
    """Returns the calls that the model makes after a question."""

    def ask(question: str, **options) -> list[ConversationToolCallsOfFunction]:
        conversation = assistant('echo')
        conversation.history.append(create_user_message(question))
        return [call.function for call in conversation.turn(**options).message.tool_calls]

    return ask


def test_01_flights_are_searched_with_what_the_user_said(calls_for):
    (call,) = calls_for('Search flights from Berlin to Rome on 2025-06-01')
    arguments = json.loads(call.arguments)
    assert call.name == 'search_flights'
    assert (arguments['origin'], arguments['destination']) == ('Berlin', 'Rome')


def test_02_dates_and_counts_come_from_the_text(calls_for):
    (call,) = calls_for('Find flights from Berlin to Rome on 1 June 2025 for 2 passengers')
    arguments = json.loads(call.arguments)
    assert (arguments['departure_date'], arguments['passengers']) == ('2025-06-01', 2)


def test_03_one_turn_calls_two_tools(calls_for):
    calls = calls_for('Search flights from Berlin to Rome, and what is the weather in Rome?')
    assert [call.name for call in calls] == ['search_flights', 'get_weather']


@pytest.mark.parametrize('question', QUESTIONS)
def test_04_all_arguments_are_valid(calls_for, question):
    tools = Toolbox(Agency()).tools
    calls = calls_for(question)
    assert calls
    for call in calls:
        model, _ = tools[call.name]
        model.model_validate_json(call.arguments)


def test_05_cancel_takes_the_booking_id(assistant, agency):
    assert assistant('echo').ask('Please cancel booking BK-9876') == 'Cancelled BK-9876.'
    assert agency.cancelled == ['BK-9876']


def test_06_the_itinerary_goes_to_the_address_in_the_text(assistant, agency):
    assistant('echo').ask('Send the itinerary of booking BK-1234 to ann@example.org')
    (sent,) = agency.sent
    assert (sent.booking_id, sent.to) == ('BK-1234', 'ann@example.org')


def test_07_small_talk_calls_no_tool(assistant):
    assert assistant('echo').ask('Hello! How are you?') == 'Hello! How are you?'


@pytest.mark.parametrize(
    'question', ["Don't book the trip yet.", "I don't want to book a trip.", 'Do not book it.']
)
def test_08_negation_books_nothing(assistant, agency, question):
    assert assistant('echo').ask(question) == question
    assert agency.booked == []


def test_09_a_second_question_calls_the_tool_again(assistant):
    conversation = assistant('echo')
    assert conversation.ask('What is the weather in Rome?') == 'It is sunny in Rome.'
    assert conversation.ask('And what is the weather in Berlin?') == 'It is sunny in Berlin.'


def test_10_tool_choice_required_and_none(calls_for):
    assert [call.name for call in calls_for('Hello!', tool_choice='required')] == ['search_flights']
    assert calls_for('What is the weather in Rome?', tool_choice='none') == []
