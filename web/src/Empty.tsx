import type { ComponentChildren } from "preact";
import type { Connection } from "./live/connection";
import { useConnection } from "./live/use";
import { address } from "./live/api";
import { withFilter } from "./route";
import { count } from "./text/format";
import { CopyButton } from "./text/CopyButton";

/** Says what to do if there are no calls. */
export function NoCalls({ connection }: { connection: Connection | undefined }) {
  useConnection(connection);
  if (!connection) return <div class="empty"><h2>No calls</h2><p>The journal has no calls.</p></div>;
  const origin = address("").origin;
  return (
    <div class="empty">
      <h2>No calls yet</h2>
      {connection.problem && <p class="problem" role="alert">✕ {connection.problem}</p>}
      <p>Point your application at mynah. Its calls appear here as they end.</p>
      <Line label="Dapr over HTTP">{`DAPR_HTTP_ENDPOINT=${origin}`}</Line>
      <Line label="Dapr over gRPC">{`DAPR_GRPC_ENDPOINT=${location.hostname}:50001`}</Line>
      <p class="dim">The banner of mynah has the gRPC address, if it is not on its default port.</p>
      <Line label="OpenAI clients">{`OPENAI_BASE_URL=${origin}/v1`}</Line>
      <p>Or <a href={withFilter("#/try")}>send a message from here</a>.</p>
    </div>
  );
}

function Line({ label, children }: { label: string; children: string }) {
  return <div class="line"><span>{label}</span><code>{children}</code><CopyButton text={() => children} /></div>;
}

/** Says that the filters hide all calls. */
export function NoMatch({ calls, onClear }: { calls: number; onClear: () => void }) {
  return (
    <div class="empty">
      <h2>No call matches the filters</h2>
      <p>They hide {count(calls, "call")}.</p>
      <p><button type="button" onClick={onClear}>Clear the filters</button></p>
    </div>
  );
}

export function Notice({ title, children }: { title: string; children: ComponentChildren }) {
  return <div class="empty"><h2>{title}</h2>{children}</div>;
}
