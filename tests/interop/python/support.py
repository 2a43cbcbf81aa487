"""Helpers for the test modules: create inputs and select another sidecar."""

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
    return sidecar('GUARDED', {} if token is None else {'DAPR_API_TOKEN': token})


def owner() -> AbstractContextManager[object]:
    """Sets environment variables so that clients use the sidecar whose components own tools."""
    return sidecar('OWNER', {})


def sidecar(prefix: str, environment: dict[str, str]) -> AbstractContextManager[object]:
    ports = {f'DAPR_{api}_PORT': os.environ[f'{prefix}_{api}_PORT'] for api in ('GRPC', 'HTTP')}
    return patch.dict(os.environ, {**ports, **environment})
