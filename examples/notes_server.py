"""A small MCP server without dependencies. It keeps notes in memory until it ends."""

import json
import sys

NOTES = ["Buy milk", "Call the bank", "Milk the cow"]

TEXT = {"type": "string", "description": "A text"}


def tool(name, description, parameter):
    schema = {"type": "object", "properties": {parameter: TEXT}, "required": [parameter]}
    return {"name": name, "description": description, "inputSchema": schema}


TOOLS = [
    tool("notes.add", "Adds a note", "note"),
    tool("notes.search", "Returns the notes that contain a word", "word"),
]


def call(name, arguments):
    if name == "notes.add":
        NOTES.append(arguments["note"])
        return f"There are {len(NOTES)} notes."
    word = arguments["word"].lower()
    return "\n".join(note for note in NOTES if word in note.lower())


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "notes", "version": "1.0"},
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        text = call(params["name"], params["arguments"])
        return {"content": [{"type": "text", "text": text}]}
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = answer(request["method"], request.get("params"))
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
