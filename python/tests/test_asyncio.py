"""Tests of asynchronous tests."""

import asyncio

import pytest
from dapr.aio.clients import DaprClient
from dapr.clients.grpc.conversation import ConversationInputAlpha2, create_user_message

from mynah import Session


async def ask(client: DaprClient, question: str) -> str:
    inputs = [ConversationInputAlpha2([create_user_message(question)])]
    answer = await client.converse_alpha2('echo', inputs)
    return answer.outputs[0].choices[0].message.content


@pytest.mark.asyncio
async def test_an_asynchronous_application(mynah: Session):
    mynah.when(user='weather').respond('Sunny')
    async with DaprClient() as client:
        assert await ask(client, 'How is the weather?') == 'Sunny'
    mynah.verify(count=1, user='weather')


@pytest.mark.asyncio
async def test_concurrent_tasks_have_sessions(mynah: Session):
    async def caller(number: int) -> str:
        session = mynah.session(str(number))
        session.when(user='Who').respond(f'You are {number}.')
        async with session.connect_async() as client:
            answer = await ask(client, 'Who am I?')
        session.verify(count=1)
        return answer

    answers = await asyncio.gather(*map(caller, range(50)))
    assert answers == [f'You are {number}.' for number in range(50)]


@pytest.mark.asyncio
async def test_a_check_in_a_thread_waits_for_a_task(mynah: Session):
    mynah.when(user='slow').respond('Late', delay='1h')
    async with DaprClient() as client:
        task = asyncio.create_task(ask(client, 'slow'))
        await asyncio.to_thread(mynah.wait_for_calls, 1)
        mynah.end_waits()
        assert await task == 'Late'
