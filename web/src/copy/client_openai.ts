// A call as a program with OpenAI's client for Python.
import type { Entry } from "../entry";
import { keywords, literal, PYTHON, singleQuoted } from "./literal";
import { originOf, requestIn, sessionHeader, type Context } from "./request";
import { comments } from "./rules";

const STEP = "    ";

/** The keys that methods of the client have as arguments. Others are sent as `extra_body`. */
const ARGUMENTS = new Set([
  "model", "messages", "tools", "tool_choice", "parallel_tool_calls", "response_format", "temperature", "max_tokens",
  "max_completion_tokens", "n", "stream", "stream_options", "metadata", "seed", "stop", "top_p", "presence_penalty",
  "frequency_penalty", "input", "instructions", "text", "store", "max_output_tokens", "reasoning", "reasoning_effort", "user",
]);
const OF_CHAT = ["messages", "response_format", "max_tokens", "max_completion_tokens", "n", "seed", "stop", "presence_penalty", "frequency_penalty", "reasoning_effort"];
const OF_RESPONSES = ["input", "instructions", "text", "max_output_tokens", "reasoning"];

export function openaiClient(entry: Entry, context: Context): string {
  const { body, notes } = requestIn(entry, context);
  const session = sessionHeader(entry, context);
  const isChat = entry.api === "openai";
  const foreign = isChat ? OF_RESPONSES : OF_CHAT;
  const isArgument = ([key]: [string, unknown]) => ARGUMENTS.has(key) && !foreign.includes(key);
  const others = Object.entries(body).filter((pair) => !isArgument(pair));
  const headers = session === undefined ? "" : `${STEP}default_headers={'mynah-session': ${singleQuoted(session)}},\n`;
  const show = entry.stream ? "for event in response:\n    print(event)\n" : "print(response)\n";
  return `import os

from openai import OpenAI

${comments(notes)}client = OpenAI(
    base_url=${singleQuoted(`${originOf(context)}/v1`)},
    api_key=os.environ.get('DAPR_API_TOKEN') or 'any',
${headers}${entry.outcome === "ok" ? "" : `${STEP}max_retries=0,\n`})
response = client.${isChat ? "chat.completions" : "responses"}.create(
${keywords(Object.fromEntries(Object.entries(body).filter(isArgument)), STEP)}${
    others.length === 0 ? "" : `${STEP}extra_body=${literal(Object.fromEntries(others), PYTHON, STEP)},\n`
  })
${show}`;
}
