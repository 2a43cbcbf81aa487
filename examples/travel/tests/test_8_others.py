"""Other behavior of models and of the assistant."""

import asyncio

import pytest
from dapr.aio.clients import DaprClient
from dapr.clients.grpc.conversation import ConversationInputAlpha2, create_user_message

from travel.assistant import ModelError


def test_54_an_answer_without_choices_is_an_error(assistant, mynah):
    mynah.when(user='Hello!').respond({'empty': 'choices'})
    with pytest.raises(ModelError, match='the model gave no choices'):
        assistant().ask('Hello!')


def test_55_two_inputs_give_one_output(mynah):
    """Like the providers of Dapr, mynah takes all inputs as one conversation."""
    inputs = [ConversationInputAlpha2([create_user_message(city)]) for city in ('Rome', 'Berlin')]
    response = mynah.client.converse_alpha2('echo', inputs)
    assert [output.choices[0].message.content for output in response.outputs] == ['Berlin']


def test_56_personal_data_is_scrubbed(assistant):
    answer = assistant('echo').ask('My address is ann@example.org.', scrub_input=True)
    assert answer == 'My address is <EMAIL_ADDRESS>.'


def test_57_many_calls_at_once_with_asyncio(mynah):
    mynah.when(user={'matches': r'Which number is (?<n>\d+)'}).respond('Number {{ n }}')

    async def ask(client: DaprClient, n: int) -> str:
        inputs = [ConversationInputAlpha2([create_user_message(f'Which number is {n}?')])]
        response = await client.converse_alpha2('assistant', inputs)
        return response.outputs[0].choices[0].message.content

    async def ask_all() -> list[str]:
        async with DaprClient() as client:
            return await asyncio.gather(*(ask(client, n) for n in range(100)))

    assert asyncio.run(ask_all()) == [f'Number {n}' for n in range(100)]
