"""Answers that are instances of pydantic models."""

from typing import TypeVar

from dapr.clients.grpc.conversation import (
    ConversationMessage,
    create_assistant_message,
    create_user_message,
)
from google.protobuf.struct_pb2 import Struct
from pydantic import BaseModel, ValidationError

from .assistant import Model, ModelError, first_choice
from .tools import definition

Schema = TypeVar('Schema', bound=BaseModel)


def ask_for(model: Model, schema: type[Schema], question: str) -> Schema:
    """Asks for JSON that is valid against the schema."""
    return schema.model_validate_json(json_answer(model, schema, [create_user_message(question)]))


def ask_by_call(model: Model, schema: type[Schema], question: str) -> Schema:
    """Asks the model to call a function whose arguments are the answer."""
    name = schema.__name__
    response = model.converse(
        [create_user_message(question)],
        tools=[definition(name, schema)],
        tool_choice='required',
    )
    for call in first_choice(response).message.tool_calls:
        if call.function.name == name:
            return schema.model_validate_json(call.function.arguments)
    raise ModelError(f'the model did not call {name}')


def ask_and_repair(
    model: Model, schema: type[Schema], question: str, keep_answers: bool = True, attempts: int = 3
) -> Schema:
    """Asks again while the answer is invalid.

    With `keep_answers`, the model sees its invalid answer and what is wrong with it. Otherwise, it
    gets the same request again.
    """
    messages = [create_user_message(question)]
    for _ in range(attempts):
        answer = json_answer(model, schema, messages)
        try:
            return schema.model_validate_json(answer)
        except ValidationError as error:
            if keep_answers:
                messages.append(create_assistant_message(answer))
                messages.append(create_user_message(f'That is invalid: {error}'))
    raise ModelError(f'no valid answer after {attempts} attempts')


def json_answer(model: Model, schema: type[BaseModel], messages: list[ConversationMessage]) -> str:
    response_format = Struct()
    response_format.update(schema.model_json_schema())
    response = model.converse(messages, response_format=response_format)
    return first_choice(response).message.content
