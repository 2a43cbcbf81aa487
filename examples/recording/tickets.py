"""Summarizes the tickets of a support desk with a model."""

from datetime import datetime, timezone

from dapr.clients import DaprClient
from dapr.clients.grpc.conversation import (
    ConversationInputAlpha2,
    create_system_message,
    create_user_message,
)


def summarize(ticket: str) -> str:
    """Returns a summary of a ticket in one sentence."""
    now = datetime.now(timezone.utc).isoformat(timespec='seconds')
    messages = [
        create_system_message(f'Summarize the ticket in one sentence. It is {now}.'),
        create_user_message(ticket),
    ]
    with DaprClient() as client:
        response = client.converse_alpha2(
            'model', [ConversationInputAlpha2(messages)], temperature=0.2
        )
    return response.outputs[0].choices[0].message.content
