"""The chat client of Dapr Agents, in the session of the test."""

from functools import partial

import pytest
from conftest import connect
from scripts import as_json, call, script
from test_6_structured_output import ROME, TRIP, Trip

dapr_agents = pytest.importorskip('dapr_agents', reason='needs requirements-agents.txt')

PROMPTY = """---
name: Trip planner
model:
  api: chat
  configuration:
    type: openai
  parameters:
    temperature: 0
---
system:
You plan trips.

user:
{{question}}
"""


@pytest.fixture
def connected(session):
    """Creates chat clients whose calls belong to the session of the test."""
    return partial(dapr_agents.DaprChatClient, client_factory=partial(connect, session))


@pytest.fixture
def chat(connected):
    return connected(component_name='scripted')


def test_43_echo_calls_a_function_with_a_valid_instance(connected):
    chat = connected(component_name='echo')
    trip = chat.generate('Plan a trip.', response_format=Trip, structured_mode='function_call')
    assert isinstance(trip, Trip)


def test_44_a_script_gives_the_exact_instance(chat):
    question = script('Plan a trip.', as_json(ROME))
    assert chat.generate(question, response_format=Trip, structured_mode='json') == TRIP


def test_45_a_script_calls_a_function_with_the_exact_instance(chat):
    question = script('Plan a trip.', call('Trip', **ROME))
    assert chat.generate(question, response_format=Trip, structured_mode='function_call') == TRIP


def test_49_a_prompty_template_with_the_script_in_a_variable(tmp_path):
    file = tmp_path / 'planner.prompty'
    file.write_text(PROMPTY)
    chat = dapr_agents.DaprChatClient.from_prompty(file)
    question = script('Plan a trip.', as_json(ROME))
    answer = chat.generate(input_data={'question': question}, llm_component='scripted')
    assert Trip.model_validate_json(answer.get_message().content) == TRIP
