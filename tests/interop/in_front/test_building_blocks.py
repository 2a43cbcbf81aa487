"""Tests of Dapr's Python SDK with mynah in front of daprd: daprd's building blocks and conversations."""

import json
import os
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from dapr.clients import DaprClient
from dapr.clients.exceptions import DaprGrpcError
from dapr.clients.grpc._state import StateItem
from dapr.clients.grpc.conversation import ConversationInputAlpha2, create_user_message
from grpc import StatusCode

HTTP = f'http://127.0.0.1:{os.environ["DAPR_HTTP_PORT"]}'


class App(BaseHTTPRequestHandler):
    """The application, which answers an invocation with the request."""

    def do_GET(self) -> None:
        # daprd asks for subscriptions and the configuration of actors.
        self.send_error(404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        self.send_response(200)
        self.send_header('X-Path', self.path)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def setUpModule() -> None:
    app = ThreadingHTTPServer(('127.0.0.1', int(os.environ['APP_PORT'])), App)
    threading.Thread(target=app.serve_forever, daemon=True).start()
    unittest.addModuleCleanup(app.shutdown)
    wait_until_healthy()


def wait_until_healthy() -> None:
    """daprd is healthy when it has found the application."""
    pause = threading.Event()
    for _ in range(600):
        try:
            with urlopen(f'{HTTP}/v1.0/healthz') as response:
                if response.status == 204:
                    return
        except HTTPError:
            pause.wait(0.1)
    raise TimeoutError('daprd is not healthy')


class BuildingBlocks(unittest.TestCase):
    def setUp(self) -> None:
        self.client = DaprClient()
        self.addCleanup(self.client.close)

    def test_state(self) -> None:
        self.client.save_state('store', 'key', 'value')
        self.assertEqual(self.client.get_state('store', 'key').data, b'value')
        items = [StateItem(key=f'key-{at}', value=str(at)) for at in range(3)]
        self.client.save_bulk_state('store', items)
        bulk = self.client.get_bulk_state('store', [item.key for item in items])
        self.assertEqual({item.key: item.data for item in bulk.items}, {
            'key-0': b'0', 'key-1': b'1', 'key-2': b'2',
        })
        self.client.delete_state('store', 'key')
        self.assertEqual(self.client.get_state('store', 'key').data, b'')

    def test_errors_keep_their_codes_and_details(self) -> None:
        with self.assertRaises(DaprGrpcError) as raised:
            self.client.get_state('nope', 'key')
        self.assertEqual(raised.exception.code(), StatusCode.INVALID_ARGUMENT)
        self.assertEqual(raised.exception.error_code(), 'DAPR_STATE_NOT_FOUND')

    def test_large_messages(self) -> None:
        value = 'x' * (3 << 20)
        self.client.save_state('store', 'large', value)
        self.assertEqual(self.client.get_state('store', 'large').data, value.encode())

    def test_secrets(self) -> None:
        secret = self.client.get_secret('environment', 'SECRET_WORD')
        self.assertEqual(secret.secret, {'SECRET_WORD': 'parrot'})

    def test_subscriptions_are_streams_in_both_directions(self) -> None:
        subscription = self.client.subscribe('bus', 'orders')
        self.addCleanup(subscription.close)
        for number in range(3):
            self.client.publish_event('bus', 'orders', json.dumps({'number': number}))
            message = next(subscription)
            self.assertEqual(json.loads(message.data()), {'number': number})
            subscription.respond_success(message)

    def test_invocation(self) -> None:
        answer = self.client.invoke_method('app', 'a/method', data=b'hello', http_verb='POST')
        self.assertEqual(answer.data, b'hello')
        request = Request(f'{HTTP}/v1.0/invoke/app/method/over/http?q=1', data=b'hello')
        with urlopen(request) as response:
            self.assertEqual(response.headers['X-Path'], '/over/http?q=1')
            self.assertEqual(response.read(), b'hello')

    def test_metadata_lists_both(self) -> None:
        metadata = self.client.get_metadata()
        self.assertEqual(metadata.application_id, 'app')
        components = {c.name: c.type for c in metadata.registered_components}
        self.assertEqual(components, {
            'bus': 'pubsub.in-memory',
            'echo': 'conversation.echo',
            'environment': 'secretstores.local.env',
            'store': 'state.in-memory',
        })
        with urlopen(f'{HTTP}/v1.0/metadata') as response:
            listed = json.load(response)['components']
        self.assertEqual({c['name']: c['type'] for c in listed}, components)
        self.client.set_metadata('label', 'value')
        self.assertEqual(self.client.get_metadata().extended_metadata['label'], 'value')

    def test_conversations_are_answered_by_mynah(self) -> None:
        chain = json.dumps({'instruction_chain': [{'messages': [{'text': 'scripted'}]}]})
        prompt = f'<|instruction_start|>{chain}<|instruction_end|>'
        messages = [create_user_message(prompt)]
        answer = self.client.converse_alpha2('echo', [ConversationInputAlpha2(messages=messages)])
        self.assertEqual(answer.outputs[0].choices[0].message.content, 'scripted')


if __name__ == '__main__':
    unittest.main()
