"""An MCP server with the official Python SDK, for the tests of MCP tools.

Usage: server.py stdio FOLDER, or server.py http FOLDER PORT. The server writes what happens to the
file `events` in the folder, and the port on which it listens to the file `port`.
"""

import os
import socket
import sys
from pathlib import Path

import anyio
import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

FOLDER = Path(sys.argv[2])
PAGE = 50
MANY = 300

CITY = {
    "type": "object",
    "properties": {"city": {"$ref": "#/$defs/city"}},
    "required": ["city"],
    "$defs": {"city": {"type": "string", "enum": ["Paris", "Rome"]}},
}

SUMMANDS = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}


def tool(name, description, schema=None):
    schema = schema or {"type": "object"}
    return types.Tool(name=name, description=description, input_schema=schema)


TOOLS = [
    tool("files.read", "Reads a file"),
    tool("add", "Adds two numbers", SUMMANDS),
    tool("locate", "Locates a city", CITY),
    tool("refuse", "Refuses every call"),
    tool("draw", "Draws a picture"),
    tool("wait", "Waits forever"),
    tool("die", "Ends the server"),
    tool("flood", "Returns a long text"),
    *(tool(f"tool_{number:03}", f"Tool number {number}") for number in range(MANY)),
]


def report(event):
    with open(FOLDER / "events", "a") as events:
        events.write(event + "\n")


def text(*texts, **keys):
    content = [types.TextContent(type="text", text=text) for text in texts]
    return types.CallToolResult(content=content, **keys)


async def list_tools(_context, params):
    start = int((params and params.cursor) or 0)
    end = start + PAGE
    cursor = str(end) if end < len(TOOLS) else None
    return types.ListToolsResult(tools=TOOLS[start:end], next_cursor=cursor)


async def call_tool(_context, params):
    arguments = params.arguments or {}
    match params.name:
        case "files.read":
            return text("first line", f"second line of {arguments['path']}")
        case "add":
            total = arguments["a"] + arguments["b"]
            return text(f'{{\n  "sum": {total}\n}}', structured_content={"sum": total})
        case "locate":
            return text(f"{arguments['city']} is in Europe")
        case "refuse":
            return text("the disk is full", is_error=True)
        case "draw":
            image = types.ImageContent(type="image", data="QUJD", mime_type="image/png")
            label = types.TextContent(type="text", text="a picture")
            return types.CallToolResult(content=[label, image])
        case "wait":
            report("started")
            try:
                await anyio.sleep_forever()
            except anyio.get_cancelled_exc_class():
                report("cancelled")
                raise
        case "die":
            report("died")
            print("the server has a bug", file=sys.stderr, flush=True)
            os._exit(3)
        case "flood":
            return text("x" * arguments["bytes"])
        case name:
            return text(f"called {name}")


server = Server("tests", on_list_tools=list_tools, on_call_tool=call_tool)


async def serve_stdio():
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def serve_http(port):
    # Without the protocol, asyncio would not set TCP_NODELAY.
    listener = socket.socket(proto=socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen()
    app = server.streamable_http_app()
    (FOLDER / "port.new").write_text(str(listener.getsockname()[1]))
    (FOLDER / "port.new").rename(FOLDER / "port")
    config = uvicorn.Config(app, log_level="warning")
    await uvicorn.Server(config).serve(sockets=[listener])


report("serving")
with open(FOLDER / "pids", "a") as pids:
    pids.write(f"{os.getpid()}\n")
anyio.run(serve_http, int(sys.argv[3])) if sys.argv[1] == "http" else anyio.run(serve_stdio)
