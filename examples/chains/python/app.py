"""Four conversations with a scripted model, in which the prompts contain the answers."""

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
    """Appends a script to a prompt, with one step for each model turn."""
    chain = json.dumps({'instruction_chain': steps})
    return f'{prompt}\n<|instruction_start|>{chain}<|instruction_end|>'


def text_step(text: str) -> dict[str, Any]:
    return {'messages': [{'text': text}]}


def call_step(name: str, args: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    texts = [{'text': text}] if text else []
    return {'messages': [*texts, {'tool_call': [{'name': name, 'args': args}]}]}


def converse(
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
        call_step('get_weather', {'location': 'Paris'}, 'Let me look that up.'),
        call_step('get_forecast', {'location': 'Paris', 'days': 1}, 'And tomorrow?'),
        text_step('Take an umbrella: rain, then sun.'),
    )
    messages = [create_user_message(prompt)]
    while True:
        answer = converse(client, messages, *RESULTS)
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
    failure = {'code': 'UNAVAILABLE', 'message': 'the model is warming up', 'retry_after': '1s'}
    messages = [create_user_message(script('Hello?', {'error': failure}, text_step('Here I am.')))]
    try:
        converse(client, messages)
    except grpc.RpcError as error:
        print('error:', error.details().split(': ', 1)[1])
    # The history selects the step, so add a message for the failed turn.
    messages.append(create_assistant_message('(failed)'))
    print('model:', converse(client, messages).outputs[0].choices[0].message.content)


def structured(client: DaprClient) -> None:
    prompt = script('Report.', {'messages': [{'json': {'city': 'Paris', 'degrees': 18}}]})
    answer = converse(client, [create_user_message(prompt)])
    print('model:', answer.outputs[0].choices[0].message.content)


def parent_and_child(client: DaprClient) -> None:
    task = script('Find papers.', text_step('Found three papers.'))
    prompt = script(
        'Research this.',
        call_step('Agent', {'prompt': task}),
        {'messages': [{'text': 'The agent says:'}, {'tool_results': {}}]},
    )
    messages = [create_user_message(prompt)]
    answer = converse(client, messages, 'Agent')
    (call,) = answer.outputs[0].choices[0].message.tool_calls
    print('parent: ->', call.function.name)
    task = json.loads(call.function.arguments)['prompt']
    child = converse(client, [create_user_message(task)]).outputs[0].choices[0].message.content
    print('child:', child)
    messages += answer.to_assistant_messages()
    messages.append(create_tool_message(call.id, 'Agent', child))
    answer = converse(client, messages, 'Agent')
    print('parent:', answer.outputs[0].choices[0].message.content.replace('\n\n', ' '))


if __name__ == '__main__':
    with DaprClient() as client:
        for conversation in (weather, flaky, structured, parent_and_child):
            print('==', conversation.__name__.replace('_', ' '))
            conversation(client)
