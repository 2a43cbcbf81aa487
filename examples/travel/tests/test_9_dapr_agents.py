"""The chat client of Dapr Agents, in the session of the test."""

import pytest
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
def chat(mynah):
    return dapr_agents.DaprChatClient(component_name='assistant')


def test_43_echo_calls_a_function_with_a_valid_instance(mynah):
    chat = dapr_agents.DaprChatClient(component_name='echo')
    trip = chat.generate('Plan a trip.', response_format=Trip, structured_mode='function_call')
    assert isinstance(trip, Trip)


def test_44_a_rule_gives_the_exact_instance(chat, mynah):
    mynah.when(user='Plan a trip').respond([{'json': ROME}])
    assert chat.generate('Plan a trip.', response_format=Trip, structured_mode='json') == TRIP


def test_45_a_rule_calls_a_function_with_the_exact_instance(chat, mynah):
    mynah.when(user='Plan a trip').call_tool('Trip', **ROME)
    question = 'Plan a trip.'
    assert chat.generate(question, response_format=Trip, structured_mode='function_call') == TRIP


def test_49_a_prompty_template_with_the_question_in_a_variable(tmp_path, mynah):
    mynah.when(system='You plan trips.', user='Plan a trip').respond([{'json': ROME}])
    file = tmp_path / 'planner.prompty'
    file.write_text(PROMPTY)
    chat = dapr_agents.DaprChatClient.from_prompty(file)
    answer = chat.generate(input_data={'question': 'Plan a trip.'}, llm_component='assistant')
    assert Trip.model_validate_json(answer.get_message().content) == TRIP
