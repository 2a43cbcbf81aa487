"""Tests of OpenAI's Python client with mynah: the Responses API."""

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
    'name': 'get_weather',
    'description': 'Returns the weather in a city',
    'parameters': {
        'type': 'object',
        'properties': {'city': {'type': 'string'}},
        'required': ['city'],
        'additionalProperties': False,
    },
    'strict': True,
}


class Forecast(BaseModel):
    """An answer of the model, as an application declares it."""

    city: str
    days: int
    tags: list[str]


def chain(value: Any) -> str:
    """Returns a text with an instruction chain."""
    return f'<|instruction_start|>{json.dumps(value)}<|instruction_end|>'


class Responses(unittest.TestCase):
    def setUp(self) -> None:
        self.client = openai.OpenAI(api_key='any', **SETTINGS)
        self.addCleanup(self.client.close)

    def create(self, content: Any, **options: Any) -> Any:
        return self.client.responses.create(model='echo', input=content, **options)

    def test_answers(self) -> None:
        response = self.create('Hello, world!', instructions='Be brief.', temperature=0.2)
        self.assertEqual((response.output_text, response.status), ('Hello, world!', 'completed'))
        self.assertEqual((response.usage.total_tokens, response.instructions), (8, 'Be brief.'))
        again = self.create('Hello, world!', instructions='Be brief.', temperature=0.2)
        self.assertEqual(again, response)

    def test_tools_and_their_results(self) -> None:
        history: Any = [{'role': 'user', 'content': 'What is the weather in Oslo?'}]
        asked = self.create(history, tools=[WEATHER])
        (call,) = asked.output
        self.assertEqual((call.type, json.loads(call.arguments)), ('function_call', {'city': 'Oslo'}))
        result = {'type': 'function_call_output', 'call_id': call.call_id, 'output': '3 degrees'}
        answer = self.create([*history, call, result], tools=[WEATHER])
        self.assertIn('3 degrees', answer.output_text)
        continued = self.create([result], tools=[WEATHER], previous_response_id=asked.id)
        self.assertEqual(continued.output_text, answer.output_text)

    def test_streams_events(self) -> None:
        events = list(self.create('Hello, nice world!', stream=True))
        types = [event.type for event in events]
        self.assertEqual((types[0], types[-1]), ('response.created', 'response.completed'))
        deltas = [event.delta for event in events if event.type == 'response.output_text.delta']
        self.assertEqual((''.join(deltas), len(deltas)), ('Hello, nice world!', 3))
        self.assertEqual([event.sequence_number for event in events], list(range(len(events))))
        self.assertEqual(events[-1].response.output_text, 'Hello, nice world!')

    def test_the_stream_helper_builds_the_whole_response(self) -> None:
        arguments: Any = {'model': 'echo', 'input': 'Weather in Oslo?', 'tools': [WEATHER]}
        with self.client.responses.stream(**arguments) as stream:
            (call,) = stream.get_final_response().output
        self.assertEqual((call.name, json.loads(call.arguments)), ('get_weather', {'city': 'Oslo'}))

    def test_parses_answers_into_models(self) -> None:
        response = self.client.responses.parse(
            model='echo', input='The forecast for Oslo for 3 days', text_format=Forecast
        )
        forecast = response.output_parsed
        assert forecast is not None
        self.assertEqual((forecast.city, forecast.days), ('Oslo', 3))

    def test_continues_retrieves_and_deletes_responses(self) -> None:
        steps = [{'messages': [{'text': text}]} for text in ('first', 'second')]
        first = self.create(chain({'instruction_chain': steps}))
        self.assertEqual(self.client.responses.retrieve(first.id), first)
        second = self.create('go on', previous_response_id=first.id)
        self.assertEqual((first.output_text, second.output_text), ('first', 'second'))
        self.client.responses.delete(first.id)
        with self.assertRaises(openai.NotFoundError):
            self.client.responses.retrieve(first.id)
        with self.assertRaises(openai.BadRequestError) as raised:
            self.create('go on', previous_response_id=first.id)
        self.assertEqual(raised.exception.code, 'previous_response_not_found')

    def test_errors_have_their_classes(self) -> None:
        error = {'code': 'RESOURCE_EXHAUSTED', 'message': 'as asked'}
        with self.assertRaisesRegex(openai.RateLimitError, 'as asked'):
            self.create(chain({'error': error}))
        items = [{'text': 'so far'}, {'error': error}]
        events = list(self.create(chain({'messages': items}), stream=True))
        self.assertEqual((events[-2].type, events[-2].message), ('error', 'as asked'))
        self.assertEqual((events[-1].type, events[-1].response.status), ('response.failed', 'failed'))

    def test_built_in_tools_are_rejected(self) -> None:
        with self.assertRaises(openai.BadRequestError) as raised:
            self.create('hi', tools=[{'type': 'web_search'}])
        self.assertEqual(raised.exception.param, 'tools[0].type')

    def test_images_and_files_are_accepted(self) -> None:
        parts = [
            {'type': 'input_text', 'text': 'Describe it'},
            {'type': 'input_image', 'image_url': 'https://example.com/cat.png'},
            {'type': 'input_file', 'filename': 'a.pdf', 'file_data': 'AAAA'},
        ]
        response = self.create([{'role': 'user', 'content': parts}])
        self.assertEqual(response.output_text, 'Describe it')


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_answers_and_streams(self) -> None:
        async with openai.AsyncOpenAI(api_key='any', **SETTINGS) as client:
            answer = await client.responses.create(model='echo', input='hi')
            self.assertEqual(answer.output_text, 'hi')
            stream = await client.responses.create(model='echo', input='a b', stream=True)
            texts = [it.delta async for it in stream if it.type == 'response.output_text.delta']
            self.assertEqual(''.join(texts), 'a b')


if __name__ == '__main__':
    unittest.main()
