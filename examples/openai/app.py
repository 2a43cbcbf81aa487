"""A weather agent that uses OpenAI's Python client."""

import json
import os

from openai import OpenAI

port = os.environ.get("DAPR_HTTP_PORT", "3500")
client = OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="any")

parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
function = {"name": "get_weather", "description": "The weather in a city", "parameters": parameters}
tools = [{"type": "function", "function": function}]
messages = [{"role": "user", "content": "What is the weather in Oslo?"}]

while True:
    completion = client.chat.completions.create(model="echo", messages=messages, tools=tools)
    message = completion.choices[0].message
    messages.append(message)
    if not message.tool_calls:
        break
    for call in message.tool_calls:
        print(f"calls {call.function.name}({call.function.arguments})")
        city = json.loads(call.function.arguments)["city"]
        result = f"It is sunny in {city}."
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

print(f"assistant: {message.content}")
