"""Two calls for one question: a router chooses the topic, then a specialist answers."""

import json

from dapr.clients.grpc.conversation import create_system_message, create_user_message

from .assistant import Model, ModelError, first_choice, usable_text

SPECIALISTS = {
    'booking': 'You book and cancel trips.',
    'weather': 'You know the weather everywhere.',
}
ROUTER = f'Answer with the topic of the question: {" or ".join(SPECIALISTS)}.'


def answer(model: Model, question: str) -> str:
    """Routes a question to a specialist and returns the answer."""
    topic = ask(model, ROUTER, question)
    if topic not in SPECIALISTS:
        raise ModelError(f'the router answered {topic}')
    return ask(model, SPECIALISTS[topic], question)


def answer_from_template(model: Model, question: str) -> str:
    """Puts the question into a prompt as JSON, so that it cannot end the prompt early."""
    return ask(model, SPECIALISTS['booking'], f'Input: {json.dumps({"question": question})}')


def ask(model: Model, system: str, question: str) -> str:
    messages = [create_system_message(system), create_user_message(question)]
    return usable_text(first_choice(model.converse(messages)))
