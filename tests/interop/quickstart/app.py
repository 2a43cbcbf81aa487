"""A small application like Dapr's quickstart, which asks a model and runs the model's tool calls."""

import json
import sys

from dapr.clients import DaprClient
from dapr.clients.grpc import conversation

WEATHER = conversation.ConversationTools(
    function=conversation.ConversationToolsFunction(
        name='get_weather',
        description='Current weather of a place',
        parameters={
            'type': 'object',
            'properties': {'location': {'type': 'string'}},
            'required': ['location'],
        },
    )
)


def get_weather(location):
    return f'Sunny in {location}'


def inputs(*messages):
    return [conversation.ConversationInputAlpha2(messages=list(messages))]


def ask(component, question):
    """Returns the model's answer."""
    with DaprClient() as client:
        answer = client.converse_alpha2(
            name=component,
            inputs=inputs(conversation.create_user_message(question)),
            temperature=0.7,
            context_id='chat-123',
        )
    return answer.outputs[0].choices[0].message.content


def ask_with_tools(component, question):
    """Runs the tools that the model calls, and returns the model's final answer."""
    messages = [conversation.create_user_message(question)]
    with DaprClient() as client:
        while True:
            answer = client.converse_alpha2(
                name=component, inputs=inputs(*messages), tools=[WEATHER], tool_choice='auto'
            )
            message = answer.outputs[0].choices[0].message
            if not message.tool_calls:
                return message.content
            messages.extend(answer.to_assistant_messages())
            for call in message.tool_calls:
                arguments = json.loads(call.function.arguments)
                messages.append(
                    conversation.create_tool_message(
                        tool_id=call.id, name=call.function.name, content=get_weather(**arguments)
                    )
                )


if __name__ == '__main__':
    print('Answer:', ask(sys.argv[1], 'What is dapr?'))
