"""Tests of LangChain's OpenAI package with mynah."""

import os
import unittest
from typing import Any
from unittest import mock

import tiktoken
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel

SETTINGS: Any = {
    'base_url': f'http://127.0.0.1:{os.environ["DAPR_HTTP_PORT"]}/v1',
    'api_key': 'any',
    'max_retries': 0,
}
# One token for each byte, because tiktoken would download its own encodings.
BYTES = tiktoken.Encoding(
    'bytes',
    pat_str=r'[\s\S]',
    mergeable_ranks={bytes([byte]): byte for byte in range(256)},
    special_tokens={},
)


@tool
def get_weather(city: str) -> str:
    """Returns the weather in a city"""
    return f'3 degrees in {city}'


class Forecast(BaseModel):
    """The forecast"""

    city: str
    days: int


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other))


class Chat:
    """Tests of one API of OpenAI."""

    responses: bool

    def model(self: Any, **options: Any) -> ChatOpenAI:
        return ChatOpenAI(
            model='echo', use_responses_api=self.responses, **SETTINGS, **options
        )

    def test_answers(self: Any) -> None:
        answer = self.model().invoke([('system', 'Be brief.'), ('human', 'Hello, world!')])
        self.assertEqual((answer.text, answer.usage_metadata['total_tokens']), ('Hello, world!', 8))

    def test_streams(self: Any) -> None:
        chunks = list(self.model().stream('Hello, nice world!'))
        self.assertEqual(''.join(chunk.text for chunk in chunks), 'Hello, nice world!')
        self.assertGreater(len(chunks), 3)

    def test_calls_tools(self: Any) -> None:
        model = self.model().bind_tools([get_weather])
        history: list[Any] = [HumanMessage('What is the weather in Oslo?')]
        for call in [model.invoke(history), sum_of(model.stream(history))]:
            self.assertEqual([it['args'] for it in call.tool_calls], [{'city': 'Oslo'}])
        result = get_weather.invoke(call.tool_calls[0])
        self.assertIsInstance(result, ToolMessage)
        self.assertIn('3 degrees in Oslo', model.invoke([*history, call, result]).text)

    def test_structured_answers(self: Any) -> None:
        model = self.model().with_structured_output(Forecast)
        forecast = model.invoke('The forecast for Oslo for 3 days')
        self.assertEqual(forecast, Forecast(city='Oslo', days=3))


def sum_of(chunks: Any) -> Any:
    first, *rest = chunks
    for chunk in rest:
        first += chunk
    return first


class ChatCompletions(Chat, unittest.TestCase):
    responses = False


class Responses(Chat, unittest.TestCase):
    responses = True

    def test_continues_earlier_responses(self) -> None:
        model = self.model(use_previous_response_id=True)
        history: list[Any] = [HumanMessage('My name is Ada.')]
        first = model.invoke(history)
        second = model.invoke([*history, first, HumanMessage('Hi!')])
        self.assertEqual(second.text, 'Hi!')
        self.assertEqual(second.usage_metadata['input_tokens'], 7)


class Embeddings(unittest.TestCase):
    TEXTS = ['What is the capital of France?', 'Paris is the capital of France', 'Two eggs']

    def test_texts(self) -> None:
        model = OpenAIEmbeddings(model='echo', check_embedding_ctx_length=False, **SETTINGS)
        question, near, far = model.embed_documents(self.TEXTS)
        self.assertEqual((len(question), model.embed_query(self.TEXTS[0])), (1536, question))
        self.assertGreater(cosine(question, near), cosine(question, far) + 0.3)

    def test_tokens(self) -> None:
        model = OpenAIEmbeddings(model='text-embedding-3-small', dimensions=64, **SETTINGS)
        with mock.patch('tiktoken.encoding_for_model', return_value=BYTES):
            vectors = model.embed_documents(self.TEXTS)
            self.assertEqual(model.embed_query(self.TEXTS[2]), vectors[2])
        self.assertEqual([len(vector) for vector in vectors], [64] * 3)
        self.assertAlmostEqual(cosine(vectors[0], vectors[0]), 1, places=5)


if __name__ == '__main__':
    unittest.main()
