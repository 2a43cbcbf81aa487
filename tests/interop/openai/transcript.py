"""Prints a conversation with OpenAI's client: all answers, in whole or as the chunks of a stream."""

import os
from typing import Any

from openai import OpenAI

PARAMETERS = {'type': 'object', 'properties': {'location': {'type': 'string'}}}
TOOLS: Any = [
    {'type': 'function', 'function': {'name': 'get_weather', 'parameters': PARAMETERS}},
]


def converse(client: OpenAI, question: str, stream: bool) -> None:
    """Asks a question, and answers the calls of the model until it calls no more tools."""
    messages: list[Any] = [{'role': 'user', 'content': question}]
    calls: Any = True
    while calls:
        request: Any = {'model': 'echo', 'messages': messages, 'tools': TOOLS}
        if stream:
            request['stream_options'] = {'include_usage': True}
            with client.chat.completions.stream(**request) as events:
                for event in events:
                    if event.type == 'chunk':
                        print(event.chunk.model_dump_json(exclude_unset=True))
                completion: Any = events.get_final_completion()
        else:
            completion = client.chat.completions.create(**request)
            print(completion.model_dump_json(exclude_unset=True))
        message = completion.choices[0].message
        calls = message.tool_calls
        messages.append(message)
        for call in calls or []:
            result = {'role': 'tool', 'tool_call_id': call.id, 'content': 'It rains.'}
            messages.append(result)


if __name__ == '__main__':
    base_url = f'http://127.0.0.1:{os.environ["DAPR_HTTP_PORT"]}/v1'
    with OpenAI(base_url=base_url, api_key='any', max_retries=0) as client:
        converse(client, 'What is the weather in Paris?', stream=False)
        converse(client, 'What is the weather in Paris tomorrow?', stream=True)
