"""The assistant: calls the model, runs the tools that it calls, and returns its answer."""

from dataclasses import dataclass, field
from typing import Any

from dapr.clients import DaprClient
from dapr.clients.grpc.conversation import (
    ConversationInputAlpha2,
    ConversationMessage,
    ConversationResponseAlpha2,
    ConversationResultAlpha2Choices,
    create_system_message,
    create_tool_message,
    create_user_message,
)

from .backoff import Backoff
from .tools import Agency, Toolbox

SYSTEM = 'You are a travel assistant. Book only what the user has confirmed.'


class ModelError(Exception):
    """The model gave no usable answer."""


@dataclass
class Model:
    """A language model behind a Dapr component."""

    client: DaprClient
    component: str = 'assistant'
    backoff: Backoff = field(default_factory=Backoff)
    options: dict[str, Any] = field(default_factory=dict)

    def converse(
        self, messages: list[ConversationMessage], **options: Any
    ) -> ConversationResponseAlpha2:
        """Sends a conversation, with the options of the model and those of this call."""
        scrub = options.pop('scrub_input', None)
        inputs = [ConversationInputAlpha2(messages=messages, scrub_pii=scrub)]
        options = {**self.options, **options}
        return self.backoff.run(
            lambda: self.client.converse_alpha2(self.component, inputs, **options)
        )


class Assistant:
    """A conversation with one user."""

    def __init__(self, model: Model, agency: Agency | None = None, max_turns: int = 6) -> None:
        self.model = model
        self.toolbox = Toolbox(agency or Agency())
        self.max_turns = max_turns
        self.history = [create_system_message(SYSTEM)]
        self.tokens = 0

    def ask(self, question: str, **options: Any) -> str:
        """Adds a question, runs tools until the model answers, and returns the answer."""
        self.history.append(create_user_message(question))
        for _ in range(self.max_turns):
            choice = self.turn(**options)
            if not choice.message.tool_calls:
                return usable_text(choice)
            self.run_tools(choice)
        raise ModelError(f'no answer after {self.max_turns} turns')

    def turn(self, **options: Any) -> ConversationResultAlpha2Choices:
        """Asks the model for its next message and adds the message to the history."""
        tools = self.toolbox.definitions()
        response = self.model.converse(self.history, tools=tools, **options)
        choice = first_choice(response)
        self.history += response.to_assistant_messages()
        self.tokens += response.outputs[0].usage.total_tokens
        return choice

    def run_tools(self, choice: ConversationResultAlpha2Choices) -> None:
        """Runs the tools that the model calls. A call with the id of an earlier one is an error."""
        answered = {message.of_tool.tool_id for message in self.history if message.of_tool}
        for call in choice.message.tool_calls:
            if call.id in answered:
                raise ModelError(f'the model used the call id {call.id} twice')
            answered.add(call.id)
            result = self.toolbox.run(call)
            self.history.append(create_tool_message(call.id, call.function.name, result))


def first_choice(response: ConversationResponseAlpha2) -> ConversationResultAlpha2Choices:
    """Returns the only choice of a response."""
    choices = [choice for output in response.outputs for choice in output.choices]
    if not choices:
        raise ModelError('the model gave no choices')
    return choices[0]


def usable_text(choice: ConversationResultAlpha2Choices) -> str:
    """Returns the text of an answer that is complete."""
    if choice.finish_reason == 'content_filter':
        raise ModelError('the answer was filtered')
    if choice.finish_reason == 'length':
        raise ModelError(f'the answer was cut off: {choice.message.content}')
    if not choice.message.content:
        raise ModelError('the answer was empty')
    return choice.message.content
