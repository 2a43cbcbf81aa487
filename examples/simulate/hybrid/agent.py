"""A support agent behind a small HTTP server.

Its model is a component of the sidecar, its tools and its loop are its own.
"""

import json
import os
import sys
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from dapr_agents import DaprChatClient, tool
from dapr_agents.types import AssistantMessage, BaseMessage, ToolCall, ToolMessage, UserMessage

MAX_TURNS = 5
ORDERS = {'1001': 'lost', '1002': 'shipped'}


@tool
def find_order(order_id: str) -> str:
    """Finds an order by its number"""
    status = ORDERS.get(order_id, 'unknown')
    return f'Order {order_id} is {status}.'


@tool
def refund_order(order_id: str) -> str:
    """Refunds an order"""
    return f'Order {order_id} is refunded.'


TOOLS = {'find_order': find_order, 'refund_order': refund_order}


class Agent:
    """Answers messages. Each thread of messages is a conversation."""

    def __init__(self) -> None:
        self.llm = DaprChatClient()
        self.threads: dict[str, list[BaseMessage]] = defaultdict(list)

    def answer(self, thread: str, message: str) -> str:
        history = self.threads[thread]
        history.append(UserMessage(content=message))
        for _ in range(MAX_TURNS):
            answer: AssistantMessage = self.llm.generate(
                messages=list(history), tools=list(TOOLS.values())
            ).get_message()
            history.append(answer)
            calls = getattr(answer, 'tool_calls', None)
            if not calls:
                return answer.content
            history.extend(map(self.call, calls))
        return 'Sorry, I cannot help with this.'

    def call(self, call: ToolCall) -> ToolMessage:
        try:
            result = TOOLS[call.function.name].run(**call.function.arguments_dict)
        except Exception as error:
            result = f'Error: {error}'
        return ToolMessage(tool_call_id=call.id, name=call.function.name, content=result)


class Handler(BaseHTTPRequestHandler):
    agent = Agent()

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        reply = {'reply': self.agent.answer(request['thread'], request['message'])}
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


if __name__ == '__main__':
    server = ThreadingHTTPServer(('127.0.0.1', int(os.environ.get('AGENT_PORT', 8001))), Handler)
    print(f'http://127.0.0.1:{server.server_port}/chat', flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit()
