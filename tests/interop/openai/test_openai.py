"""Tests of OpenAI's Python client with mynah."""

import json
import os
import unittest
from typing import Any

import openai
from pydantic import BaseModel

# Errors are expected, so retries would only take time.
SETTINGS = {'base_url': f'http://127.0.0.1:{os.environ["DAPR_HTTP_PORT"]}/v1', 'max_retries': 0}
WEATHER: Any = {
    'type': 'function',
    'function': {
        'name': 'get_weather',
        'description': 'Returns the weather in a city',
        'parameters': {
            'type': 'object',
            'properties': {'city': {'type': 'string'}},
            'required': ['city'],
        },
    },
}
ERRORS = [
    ('INVALID_ARGUMENT', openai.BadRequestError, 400),
    ('UNAUTHENTICATED', openai.AuthenticationError, 401),
    ('PERMISSION_DENIED', openai.PermissionDeniedError, 403),
    ('NOT_FOUND', openai.NotFoundError, 404),
    ('RESOURCE_EXHAUSTED', openai.RateLimitError, 429),
    ('INTERNAL', openai.InternalServerError, 500),
    ('UNAVAILABLE', openai.InternalServerError, 503),
    ('DEADLINE_EXCEEDED', openai.InternalServerError, 504),
]


class Forecast(BaseModel):
    """An answer of the model, as an application declares it."""

    city: str
    days: int
    tags: list[str]


def user(text: str) -> Any:
    return {'role': 'user', 'content': text}


def failing(code: str) -> Any:
    """Returns a message that makes the call fail."""
    error = {'code': code, 'message': 'as asked', 'retry_after': '2s'}
    return user(f'<|instruction_start|>{json.dumps({"error": error})}<|instruction_end|>')


class Completions(unittest.TestCase):
    def setUp(self) -> None:
        self.client = openai.OpenAI(api_key='any', **SETTINGS)
        self.addCleanup(self.client.close)

    def create(self, *messages: Any, **options: Any) -> Any:
        return self.client.chat.completions.create(
            model='echo', messages=list(messages), **options
        )

    def test_answers(self) -> None:
        completion = self.create(user('Hello, world!'), seed=7, temperature=0.2)
        choice = completion.choices[0]
        self.assertEqual((choice.message.content, choice.finish_reason), ('Hello, world!', 'stop'))
        self.assertEqual(completion.usage.total_tokens, 6)
        self.assertEqual(self.create(user('Hello, world!'), seed=7, temperature=0.2), completion)

    def test_several_choices(self) -> None:
        texts = [choice.message.content for choice in self.create(user('hi'), n=3).choices]
        self.assertEqual(texts, ['hi'] * 3)

    def test_streams_text_with_usage(self) -> None:
        options = {'include_usage': True}
        chunks = list(self.create(user('Hello, nice world!'), stream=True, stream_options=options))
        texts = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]
        self.assertEqual(''.join(text or '' for text in texts), 'Hello, nice world!')
        self.assertGreater(len(texts), 3)
        self.assertEqual(chunks[-1].usage.completion_tokens, 4)
        self.assertEqual([chunk.usage for chunk in chunks[:-1]], [None] * (len(chunks) - 1))

    def test_the_stream_helper_builds_the_whole_message(self) -> None:
        arguments: Any = {'model': 'echo', 'messages': [user('Weather in Oslo?')], 'tools': [WEATHER]}
        with self.client.chat.completions.stream(**arguments) as stream:
            message = stream.get_final_completion().choices[0].message
        self.assertEqual(message.tool_calls[0].function.name, 'get_weather')
        self.assertEqual(json.loads(message.tool_calls[0].function.arguments), {'city': 'Oslo'})

    def test_tools_and_their_results(self) -> None:
        question = user('What is the weather in Oslo?')
        asked = self.create(question, tools=[WEATHER])
        message = asked.choices[0].message
        self.assertEqual(asked.choices[0].finish_reason, 'tool_calls')
        call = message.tool_calls[0]
        self.assertEqual(json.loads(call.function.arguments), {'city': 'Oslo'})
        result = {'role': 'tool', 'tool_call_id': call.id, 'content': '3 degrees'}
        answer = self.create(question, message, result, tools=[WEATHER]).choices[0]
        self.assertEqual((answer.finish_reason, answer.message.tool_calls), ('stop', None))
        self.assertIn('3 degrees', answer.message.content)

    def test_parses_answers_into_models(self) -> None:
        messages = [user('The forecast for Oslo for 3 days')]
        completion = self.client.chat.completions.parse(
            model='echo', messages=messages, response_format=Forecast
        )
        forecast = completion.choices[0].message.parsed
        self.assertEqual((forecast.city, forecast.days), ('Oslo', 3))

    def test_models_are_components(self) -> None:
        self.assertEqual([model.id for model in self.client.models.list()], ['echo'])
        for model in ['echo', 'gpt-5-nano', 'meta/llama-3:8b']:
            self.assertEqual(self.client.models.retrieve(model).id, model)

    def test_reasoning(self) -> None:
        step = json.dumps({'reasoning': {'length': 3}, 'messages': [{'text': 'It rains.'}]})
        question = user(f'<|instruction_start|>{step}<|instruction_end|>')
        message = self.create(question).choices[0].message
        self.assertEqual((message.reasoning_content, message.content), ('lorem ipsum dolor', 'It rains.'))
        deltas = [chunk.choices[0].delta for chunk in self.create(question, stream=True)]
        reasoning = [getattr(delta, 'reasoning_content', None) or '' for delta in deltas]
        self.assertEqual(''.join(reasoning), 'lorem ipsum dolor')
        self.assertEqual(''.join(delta.content or '' for delta in deltas), 'It rains.')

    def test_json_without_a_schema(self) -> None:
        message = self.create(user('Oslo'), response_format={'type': 'json_object'}).choices[0].message
        self.assertEqual(json.loads(message.content), {'text': 'Oslo'})

    def test_errors_have_their_classes(self) -> None:
        for code, error, status in ERRORS:
            with self.subTest(code), self.assertRaises(error) as raised:
                self.create(failing(code))
            self.assertEqual(raised.exception.status_code, status)
            self.assertEqual(raised.exception.body['message'], 'as asked')
            self.assertEqual(raised.exception.response.headers['retry-after'], '2')

    def test_invalid_requests_name_the_parameter(self) -> None:
        with self.assertRaises(openai.BadRequestError) as raised:
            self.create(user('hi'), n=99)
        self.assertEqual(raised.exception.param, 'n')

    def test_an_error_in_a_stream_is_raised(self) -> None:
        items = [{'text': 'so far'}, {'error': {'code': 'UNAVAILABLE', 'message': 'gone'}}]
        chain = json.dumps({'messages': items})
        stream = self.create(user(f'<|instruction_start|>{chain}<|instruction_end|>'), stream=True)
        with self.assertRaisesRegex(openai.APIError, 'gone'):
            list(stream)

    def test_other_apis_are_not_served(self) -> None:
        with self.assertRaisesRegex(openai.NotFoundError, 'mynah serves only'):
            self.client.moderations.create(input='hi')

    def test_embeddings(self) -> None:
        embeddings = self.client.embeddings.create(model='echo', input=['red apples', 'A red apple'])
        first, second = [item.embedding for item in embeddings.data]
        self.assertEqual((len(first), embeddings.usage.total_tokens), (1536, 4))
        self.assertGreater(sum(a * b for a, b in zip(first, second)), 0.9)
        floats = self.client.embeddings.create(
            model='echo', input=[[1, 2]], dimensions=8, encoding_format='float'
        )
        self.assertEqual(len(floats.data[0].embedding), 8)

    def test_azure_deployments_are_models(self) -> None:
        azure = openai.AzureOpenAI(
            api_key='any',
            api_version='2024-10-21',
            azure_endpoint=SETTINGS['base_url'],
            max_retries=0,
        )
        self.addCleanup(azure.close)
        completion = azure.chat.completions.create(model='echo', messages=[user('hi')])
        self.assertEqual(completion.choices[0].message.content, 'hi')


class Tokens(unittest.TestCase):
    def client(self, token: str) -> openai.OpenAI:
        url = f'http://127.0.0.1:{os.environ["GUARDED_HTTP_PORT"]}/v1'
        client = openai.OpenAI(api_key=token, base_url=url, max_retries=0)
        self.addCleanup(client.close)
        return client

    def test_the_key_is_the_token(self) -> None:
        models = self.client(os.environ['GUARDED_API_TOKEN']).models.list()
        self.assertEqual([model.id for model in models], ['echo'])
        with self.assertRaises(openai.AuthenticationError) as raised:
            self.client('other').models.list()
        self.assertEqual(raised.exception.code, 'invalid_api_key')


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_answers_and_streams(self) -> None:
        async with openai.AsyncOpenAI(api_key='any', **SETTINGS) as client:
            create = client.chat.completions.create
            answer = await create(model='echo', messages=[user('hi')])
            self.assertEqual(answer.choices[0].message.content, 'hi')
            texts = [
                chunk.choices[0].delta.content or ''
                async for chunk in await create(model='echo', messages=[user('a b')], stream=True)
            ]
            self.assertEqual(''.join(texts), 'a b')
            with self.assertRaises(openai.RateLimitError):
                await create(model='echo', messages=[failing('RESOURCE_EXHAUSTED')])


if __name__ == '__main__':
    unittest.main()
