import type { Connection } from "./live/connection";
import { useConnection } from "./live/use";
import type { Report } from "./page";
import { withFilter, type Route } from "./route";
import type { Journal } from "./store/journal";
import { count } from "./text/format";
import { Name } from "./text/Text";

interface Props {
  route: Route;
  journal: Journal;
  connection: Connection | undefined;
  report: Report | undefined;
  onPause: () => void;
  onHelp: () => void;
}

export function Header({ route, journal, connection, report, onPause, onHelp }: Props) {
  const here = route.view === "call" ? "calls" : route.view;
  const link = (view: string, href: string, label: string) => (
    <a href={withFilter(href)} aria-current={here === view ? "page" : undefined}>{label}</a>
  );
  return (
    <header class="top">
      <h1>mynah<span> inspector</span></h1>
      <nav aria-label="Page">
        {link("calls", "#/", "Calls")}
        {connection && link("try", "#/try", "Try")}
        {connection && link("faults", "#/faults", "Faults")}
      </nav>
      <span class="space" />
      {report && <Source report={report} />}
      {connection && <Status journal={journal} connection={connection} />}
      {connection && <button type="button" onClick={onPause} aria-pressed={journal.paused}>{journal.paused ? "Resume" : "Pause"} <kbd>p</kbd></button>}
      <button type="button" onClick={onHelp} aria-label="Help">?</button>
    </header>
  );
}

function Source({ report }: { report: Report }) {
  return (
    <span class="status">
      <Name>{report.source}</Name> · {count(report.entries.length, "call")}
      {report.skipped > 0 && <strong class="problem"> · {count(report.skipped, "line")} could not be read</strong>}
    </span>
  );
}

const WORDS = { connecting: "◌ connecting", live: "● live", reconnecting: "↻ reconnecting", token: "⚿ needs a token" };

function Status({ journal, connection }: { journal: Journal; connection: Connection }) {
  useConnection(connection);
  const isPaused = journal.paused && connection.state === "live";
  const waiting = journal.waiting.length > 0 ? `, ${count(journal.waiting.length, "call")} waiting` : "";
  const text = isPaused ? `❚❚ paused${waiting}` : WORDS[connection.state];
  const problem = connection.state === "reconnecting" && connection.problem ? `: ${connection.problem}` : "";
  return (
    <span class={`status ${isPaused ? "paused" : connection.state}`} role="status" title={connection.problem}>{text}{problem && <Name>{problem}</Name>}</span>
  );
}
