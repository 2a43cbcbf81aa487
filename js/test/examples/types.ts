// Uses all of the types. The TypeScript compiler checks this file.

import { type Answer, type Call, type Session, startMynah, toolCall, withMynah } from 'mynah-dapr';

export const run = withMynah(async (mynah: Session) => {
  await mynah.when({ user: ['weather', { ends_with: '?' }], lastMessage: 'weather' }).respond('Sunny', { times: 2 });
  await mynah.when({ toolResult: { tool: 'get_weather' } }).callTool('get_weather', { city: 'Paris' });
  const answers: Answer[] = [toolCall('get_weather'), 'Sunny', { error: { code: 'ABORTED' } }];
  await mynah.when().chain(answers);
  await mynah.fault({ failFirst: 1, error: { code: 'UNAVAILABLE' } });
  const calls: Call[] = await mynah.calls();
  const words: string | undefined = calls[0]?.answer?.toolCalls[0]?.arguments;
  await mynah.verify({ count: { atLeast: 1 }, outcome: 'ok', tools: [words ?? ''] });
  const client = await mynah.client({ daprApiToken: 'token' });
  await client.stop();
  // @ts-expect-error: there is no such outcome
  await mynah.verify({ outcome: 'good' });
}, { args: ['--strict'] });

export async function start(): Promise<void> {
  const mynah = await startMynah({ binary: 'mynah' });
  const session = await mynah.session('one');
  process.env.DAPR_GRPC_ENDPOINT = session.env().DAPR_GRPC_ENDPOINT;
  await mynah.stop();
}
