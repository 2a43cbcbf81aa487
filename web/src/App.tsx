import { useState } from "preact/hooks";
import { FaultsPage } from "./act/FaultsPage";
import { ResendPage } from "./act/ResendPage";
import { TryPage } from "./act/TryPage";
import { CallsPage } from "./CallsPage";
import { Header } from "./Header";
import { Help } from "./Help";
import { useKeys } from "./keys";
import type { Connection } from "./live/connection";
import { useConnection } from "./live/use";
import type { Report } from "./page";
import { useRoute } from "./route";
import { useFilter } from "./store/useFilter";
import type { Journal } from "./store/journal";
import { useJournal } from "./store/use";
import { TokenForm } from "./TokenForm";

interface Props {
  journal: Journal;
  /** Absent in a static page. */
  connection: Connection | undefined;
  report: Report | undefined;
}

export function App({ journal, connection, report }: Props) {
  useJournal(journal);
  useConnection(connection);
  // Before the route: links are drawn with the filter that is in the address.
  const [filter, setFilter] = useFilter();
  const route = useRoute();
  const [helps, setHelps] = useState(false);
  const pause = () => connection && journal.pause(!journal.paused);
  useKeys({ p: pause, "?": () => setHelps(true) });
  const isCalls = route.view === "calls" || route.view === "call" || !connection;
  const resent = route.view === "try" && route.key ? journal.find(route.key) : undefined;
  const needsToken = connection?.state === "token";
  return (
    <>
      <Header route={route} journal={journal} connection={connection} report={report} onPause={pause} onHelp={() => setHelps(true)} />
      {needsToken && <main><TokenForm onToken={() => connection.retry()} /></main>}
      {!needsToken && isCalls && <CallsPage route={route.view === "call" ? route : { view: "calls" }} journal={journal} connection={connection} filter={filter} onFilter={setFilter} />}
      {!needsToken && connection && route.view === "try" && (resent ? <ResendPage key={resent.key} journal={journal} row={resent} /> : <TryPage journal={journal} />)}
      {!needsToken && connection && route.view === "faults" && <FaultsPage journal={journal} />}
      {helps && <Help onClose={() => setHelps(false)} />}
    </>
  );
}
