"""A server with OpenAI's API, which stands for a real model. It knows two answers."""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWERS = {
    'A17': 'The customer asks for the refund of order A17, which was returned two weeks ago.',
    'lamp': 'The customer wants a new lamp, because the delivered one does not turn on.',
}


class Model(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        asked = request['messages'][-1]['content']
        answer = next(answer for word, answer in ANSWERS.items() if word in asked)
        prompt = sum(len(message['content'].split()) for message in request['messages'])
        usage = {'prompt_tokens': prompt, 'completion_tokens': len(answer.split())}
        usage['total_tokens'] = sum(usage.values())
        message = {'role': 'assistant', 'content': answer}
        completion = {
            'id': 'chatcmpl-1',
            'object': 'chat.completion',
            'created': int(time.time()),
            'model': 'summarizer-2026-06-01',
            'choices': [{'index': 0, 'message': message, 'finish_reason': 'stop'}],
            'usage': usage,
        }
        body = json.dumps(completion).encode()
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1]) if sys.argv[1:] else 8000), Model)
print(f'http://127.0.0.1:{server.server_port}/v1', flush=True)
server.serve_forever()
