"""Prints a conversation with LangChain's OpenAI package, whose answers are whole or streamed."""

import os
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI


@tool
def get_weather(location: str) -> str:
    """Returns the weather in a place"""
    return f'It rains in {location}.'


def streamed(model: Any, messages: list[Any]) -> Any:
    """Returns the sum of the chunks of an answer."""
    total = None
    for chunk in model.stream(messages):
        print('chunk:', chunk.content, chunk.tool_call_chunks)
        total = chunk if total is None else total + chunk
    return total


def converse(model: Any, question: str, ask: Any) -> None:
    """Asks a question, and runs tools until the model calls no more of them."""
    messages: list[Any] = [HumanMessage(question)]
    calls: Any = True
    while calls:
        answer = ask(model, messages)
        print('answer:', answer.content, answer.tool_calls, answer.usage_metadata)
        results = [get_weather.invoke(call) for call in answer.tool_calls]
        print('results:', [result.content for result in results])
        messages += [answer, *results]
        calls = answer.tool_calls


if __name__ == '__main__':
    url = f'http://127.0.0.1:{os.environ["DAPR_HTTP_PORT"]}/v1'
    chat = ChatOpenAI(
        model='echo', base_url=url, api_key='any', max_retries=0, stream_usage=True
    )
    model = chat.bind_tools([get_weather])
    converse(model, 'What is the weather in Paris?', lambda model, asked: model.invoke(asked))
    converse(model, 'What is the weather in Paris tomorrow?', streamed)
