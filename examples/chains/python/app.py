"""Four conversations with a model whose words stand in the prompt."""

import json
from typing import Any

import grpc
from dapr.clients import DaprClient
from dapr.clients.grpc.conversation import (
    ConversationInputAlpha2,
    ConversationMessage,
    ConversationResponseAlpha2,
    ConversationTools,
    ConversationToolsFunction,
    create_assistant_message,
    create_tool_message,
    create_user_message,
)

CITY = {'type': 'object', 'properties': {'location': {'type': 'string'}}}
RESULTS = {'get_weather': 'rain', 'get_forecast': 'sun'}


def script(prompt: str, *steps: dict[str, Any]) -> str:
    """A prompt that says what the model shall say, turn by turn."""
    chain = json.dumps({'instruction_chain': steps})
    return f'{prompt}\n<|instruction_start|>{chain}<|instruction_end|>'


def says(text: str) -> dict[str, Any]:
    return {'messages': [{'text': text}]}


def calls(name: str, args: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    said = [{'text': text}] if text else []
    return {'messages': [*said, {'tool_call': [{'name': name, 'args': args}]}]}


def ask(
    client: DaprClient, messages: list[ConversationMessage], *tools: str
) -> ConversationResponseAlpha2:
    functions = [ConversationToolsFunction(name=name, parameters=CITY) for name in tools]
    return client.converse_alpha2(
        name='scripted',
        inputs=[ConversationInputAlpha2(messages=messages)],
        tools=[ConversationTools(function=function) for function in functions],
    )


def weather(client: DaprClient) -> None:
    prompt = script(
        'What is the weather in Paris?',
        calls('get_weather', {'location': 'Paris'}, 'Let me look that up.'),
        calls('get_forecast', {'location': 'Paris', 'days': 1}, 'And tomorrow?'),
        says('Take an umbrella: rain, then sun.'),
    )
    messages = [create_user_message(prompt)]
    while True:
        answer = ask(client, messages, *RESULTS)
        reply = answer.outputs[0].choices[0].message
        if not reply.tool_calls:
            print('model:', reply.content)
            return
        messages += answer.to_assistant_messages()
        for call in reply.tool_calls:
            name = call.function.name
            print('model:', reply.content, f'-> {name}({call.function.arguments})')
            messages.append(create_tool_message(call.id, name, RESULTS[name]))


def flaky(client: DaprClient) -> None:
    error = {'code': 'UNAVAILABLE', 'message': 'the model is warming up', 'retry_after': '1s'}
    messages = [create_user_message(script('Hello?', {'error': error}, says('Here I am.')))]
    try:
        ask(client, messages)
    except grpc.RpcError as failed:
        print('error:', failed.details().split(': ', 1)[1])
    # The history says which turn it is, and a turn that failed is one, too.
    messages.append(create_assistant_message('(failed)'))
    print('model:', ask(client, messages).outputs[0].choices[0].message.content)


def structured(client: DaprClient) -> None:
    prompt = script('Report.', {'messages': [{'json': {'city': 'Paris', 'degrees': 18}}]})
    answer = ask(client, [create_user_message(prompt)])
    print('model:', answer.outputs[0].choices[0].message.content)


def parent_and_child(client: DaprClient) -> None:
    task = script('Find papers.', says('Found three papers.'))
    prompt = script(
        'Research this.',
        calls('Agent', {'prompt': task}),
        {'messages': [{'text': 'The agent says:'}, {'tool_results': {}}]},
    )
    messages = [create_user_message(prompt)]
    answer = ask(client, messages, 'Agent')
    (call,) = answer.outputs[0].choices[0].message.tool_calls
    print('parent: ->', call.function.name)
    task = json.loads(call.function.arguments)['prompt']
    child = ask(client, [create_user_message(task)]).outputs[0].choices[0].message.content
    print('child:', child)
    messages += answer.to_assistant_messages()
    messages.append(create_tool_message(call.id, 'Agent', child))
    answer = ask(client, messages, 'Agent')
    print('parent:', answer.outputs[0].choices[0].message.content.replace('\n\n', ' '))


if __name__ == '__main__':
    with DaprClient() as client:
        for conversation in (weather, flaky, structured, parent_and_child):
            print('==', conversation.__name__.replace('_', ' '))
            conversation(client)
