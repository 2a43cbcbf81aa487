// Builds a request from the fields of the form.

export interface Fields {
  system: string;
  message: string;
  tools: string;
  schema: string;
}

export const NO_FIELDS: Fields = { system: "", message: "", tools: "", schema: "" };

export const EXAMPLE_TOOLS = JSON.stringify(
  [
    {
      function: {
        name: "get_weather",
        description: "Returns the weather in a city",
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
    },
  ],
  null,
  2,
);

/** Returns the request as JSON of Dapr's API. Throws if a field is not the JSON that it should be. */
export function buildRequest({ system, message, tools, schema }: Fields): string {
  const content = (text: string) => ({ content: [{ text }] });
  const messages: object[] = [{ ofUser: content(message) }];
  if (system) messages.unshift({ ofSystem: content(system) });
  const request: Record<string, unknown> = { inputs: [{ messages }] };
  if (tools.trim()) request.tools = readTools(tools);
  if (schema.trim()) request.responseFormat = parse("The schema", schema);
  return JSON.stringify(request);
}

/** Accepts a list of tools, of functions, or an object with the list, as in a file of tools. */
function readTools(text: string): unknown[] {
  const value = parse("The list of tools", text);
  const list = Array.isArray(value) ? value : (value as { tools?: unknown }).tools;
  if (!Array.isArray(list)) throw new Error("The list of tools is not a JSON list");
  return list.map((tool: unknown) => {
    const from = tool as { function?: unknown } | null;
    return from?.function ? { function: from.function } : { function: tool };
  });
}

function parse(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${what} is not JSON: ${(error as Error).message}`);
  }
}
