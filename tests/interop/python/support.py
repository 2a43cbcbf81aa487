"""Helpers for the test modules: create inputs and select the sidecar that requires a token."""

import os
from contextlib import AbstractContextManager
from unittest.mock import patch

from dapr.clients.grpc.conversation import ConversationInputAlpha2, ConversationMessage

TOKEN = os.environ['GUARDED_API_TOKEN']


def inputs(
    *messages: ConversationMessage, scrub_pii: bool | None = None
) -> list[ConversationInputAlpha2]:
    return [ConversationInputAlpha2(messages=list(messages), scrub_pii=scrub_pii)]


def guarded(token: str | None) -> AbstractContextManager[object]:
    """Sets environment variables so that clients use the sidecar that requires a token."""
    environment = {
        'DAPR_GRPC_PORT': os.environ['GUARDED_GRPC_PORT'],
        'DAPR_HTTP_PORT': os.environ['GUARDED_HTTP_PORT'],
    }
    if token is not None:
        environment['DAPR_API_TOKEN'] = token
    return patch.dict(os.environ, environment)
