"""Other behavior of models and of the assistant."""

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest
from dapr.aio.clients import DaprClient
from dapr.clients.grpc.conversation import ConversationInputAlpha2, create_user_message
from scripts import script, text

from travel.assistant import ModelError

GO = Path(__file__).parent.parent / 'go'


def test_54_an_answer_without_choices_is_an_error(assistant):
    with pytest.raises(ModelError, match='the model gave no choices'):
        assistant('scripted').ask(script('Hello!', {'empty': 'choices'}))


def test_55_two_inputs_give_one_output(client):
    """Like the providers of Dapr, mynah takes all inputs as one conversation."""
    inputs = [ConversationInputAlpha2([create_user_message(city)]) for city in ('Rome', 'Berlin')]
    response = client.converse_alpha2('echo', inputs)
    assert [output.choices[0].message.content for output in response.outputs] == ['Berlin']


def test_56_personal_data_is_scrubbed(assistant):
    answer = assistant('echo').ask('My address is ann@example.org.', scrub_input=True)
    assert answer == 'My address is <EMAIL_ADDRESS>.'


def test_57_many_calls_at_once_with_asyncio():
    async def ask(client: DaprClient, n: int) -> str:
        question = create_user_message(script('Which number?', text(f'Number {n}')))
        inputs = [ConversationInputAlpha2([question])]
        response = await client.converse_alpha2('scripted', inputs)
        return response.outputs[0].choices[0].message.content

    async def ask_all() -> list[str]:
        async with DaprClient() as client:
            return await asyncio.gather(*(ask(client, n) for n in range(100)))

    assert asyncio.run(ask_all()) == [f'Number {n}' for n in range(100)]


needs_go = pytest.mark.skipif(shutil.which('go') is None, reason='needs Go')


def go_test(name: str) -> None:
    """Runs one test of the Go application."""
    command = ['go', 'test', '-count=1', '-v', '-run', f'^{name}$', '.']
    run = subprocess.run(command, cwd=GO, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f'--- PASS: {name} ' in run.stdout


@needs_go
def test_58_go_follows_a_scripted_loop():
    go_test('Test11SearchThenBookThenText')


@needs_go
def test_59_go_tries_again():
    go_test('Test21UnavailableThenFine')


@needs_go
def test_60_go_gets_arguments_from_echo():
    go_test('Test01FlightsAreSearchedWithWhatTheUserSaid')
