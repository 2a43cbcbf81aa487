// Parts of messages, in the forms that Dapr and OpenAI have.
import { isObject, list, object, text, type Json, type Part } from "./model";
import { bytes } from "../text/format";

const TEXT_KEYS = ["text", "input_text", "output_text", "refusal"];

/** Reads the content of a message: a text, or a list of parts. */
export function parts(content: unknown): Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  if (Array.isArray(content)) return content.map(part);
  return [part(content)];
}

function part(value: unknown): Part {
  if (typeof value === "string") return { text: value };
  const from = object(value);
  for (const key of TEXT_KEYS) if (typeof from[key] === "string") return { text: from[key] };
  return { media: describe(from) };
}

/** Describes an image, a sound or a file by its kind, size and address. */
function describe(from: Json): string {
  const kind = typeof from.type === "string" ? from.type.replace(/^input_|_url$/g, "") : Object.keys(from)[0] ?? "part";
  const size = findBytes(from);
  const url = findUrl(from);
  return [kind, size === undefined ? "" : bytes(size), url ?? ""].filter(Boolean).join(", ");
}

function findBytes(value: unknown): number | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value.bytes === "number") return value.bytes;
  for (const inner of Object.values(value)) {
    const found = findBytes(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findUrl(from: Json): string | undefined {
  const url = from.image_url ?? from.file_url;
  const address = isObject(url) ? url.url : url;
  return typeof address === "string" && !address.startsWith("data:") ? address : undefined;
}

/** Reads tools in the form of chat completions, which is also Dapr's. */
export function tools(value: unknown) {
  return list(value).map((item) => {
    const outer = object(item);
    const from = isObject(outer.function) ? outer.function : outer;
    const description = text(from.description) || undefined;
    return { name: text(from.name), description, parameters: from.parameters };
  });
}

/** Reads tool calls in the form of chat completions, which is also Dapr's. */
export function calls(value: unknown) {
  return list(value).map((item) => {
    const outer = object(item);
    const from = isObject(outer.function) ? outer.function : outer;
    const id = typeof outer.id === "string" && outer.id !== "" ? outer.id : null;
    return { id, name: text(from.name), args: text(from.arguments) };
  });
}
