/** Asks the model over Dapr's HTTP API. */
export async function ask(question: string): Promise<string> {
  const message = { ofUser: { content: [{ text: question }] } };
  const url = `${process.env.DAPR_HTTP_ENDPOINT}/v1.0-alpha2/conversation/echo/converse`;
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ inputs: [{ messages: [message] }] }) });
  const { outputs } = (await response.json()) as { outputs: { choices: { message: { content: string } }[] }[] };
  return outputs[0].choices[0].message.content;
}
