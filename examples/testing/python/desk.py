"""A support desk that routes a question to a specialist, who can give refunds."""

import json
import time
from typing import Any

from dapr.clients import DaprClient
from dapr.clients.exceptions import DaprGrpcError
from dapr.clients.grpc.conversation import (
    ConversationInputAlpha2,
    ConversationMessage,
    ConversationResponseAlpha2,
    ConversationTools,
    ConversationToolsFunction,
    create_system_message,
    create_tool_message,
    create_user_message,
)
from grpc import StatusCode

ROUTER = 'Answer with one word: orders or other.'
SPECIALISTS = {'orders': 'You handle orders and refunds.', 'other': 'You answer questions.'}
REFUND = ConversationTools(
    function=ConversationToolsFunction(
        name='refund',
        description='Refunds an order.',
        parameters={
            'type': 'object',
            'properties': {'order': {'type': 'string'}},
            'required': ['order'],
        },
    )
)


class Desk:
    def __init__(self, client: DaprClient) -> None:
        self.client = client
        self.refunded: list[str] = []

    def answer(self, question: str) -> str:
        """Asks the router for the topic, then the specialist for the answer."""
        topic = self.ask(ROUTER, question)
        return self.ask(SPECIALISTS[topic], question, tools=[REFUND], temperature=0.2)

    def ask(self, system: str, question: str, **options: Any) -> str:
        """Calls the model and runs its tool calls until it answers."""
        messages = [create_system_message(system), create_user_message(question)]
        while True:
            response = self.converse(messages, **options)
            reply = response.outputs[0].choices[0].message
            if not reply.tool_calls:
                return reply.content
            messages += response.to_assistant_messages()
            for call in reply.tool_calls:
                result = self.refund(call.function.arguments)
                messages.append(create_tool_message(call.id, call.function.name, result))

    def converse(
        self, messages: list[ConversationMessage], **options: Any
    ) -> ConversationResponseAlpha2:
        """Calls the model without personal data. If it is unavailable, tries again when it asks."""
        inputs = [ConversationInputAlpha2(messages, scrub_pii=True)]
        for _ in range(3):
            try:
                return self.client.converse_alpha2('model', inputs, **options)
            except DaprGrpcError as error:
                if error.code() != StatusCode.UNAVAILABLE:
                    raise
                retry_info = error.status_details().retry_info or {'retry_delay': '0.1s'}
                time.sleep(float(retry_info['retry_delay'].removesuffix('s')))
        return self.client.converse_alpha2('model', inputs, **options)

    def refund(self, arguments: str) -> str:
        """Refunds an order. The model learns from the result if its arguments are invalid."""
        try:
            self.refunded.append(json.loads(arguments)['order'])
        except (ValueError, KeyError) as error:
            return f'Error: invalid arguments: {error}'
        return 'Refunded.'
