"""A weather agent that asks a question and runs the tool that the model calls."""

from dapr.clients import DaprClient
from dapr.clients.grpc.conversation import (
    ConversationInputAlpha2,
    create_tool_message,
    create_user_message,
    execute_registered_tool,
    get_registered_tools,
    tool,
)


@tool
def get_weather(location: str) -> str:
    """Returns the weather in a place."""
    return f'It is sunny and 18 degrees in {location}.'


def chat(client: DaprClient, question: str) -> None:
    """Sends a question and runs tools until the model answers."""
    print('user:     ', question)
    messages = [create_user_message(question)]
    while True:
        answer = client.converse_alpha2(
            name='echo',
            inputs=[ConversationInputAlpha2(messages=messages)],
            tools=get_registered_tools(),
        )
        reply = answer.outputs[0].choices[0].message
        if not reply.tool_calls:
            print('assistant:', reply.content)
            return
        messages += answer.to_assistant_messages()
        for call in reply.tool_calls:
            name, arguments = call.function.name, call.function.arguments
            print('assistant: calls', name, 'with', arguments)
            result = execute_registered_tool(name, arguments)
            print('tool:     ', result)
            messages.append(create_tool_message(call.id, name, result))


if __name__ == '__main__':
    with DaprClient() as client:
        chat(client, "What's the weather in San Francisco?")
