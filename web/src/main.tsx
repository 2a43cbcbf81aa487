import { render } from "preact";
import { App } from "./App";
import { Connection } from "./live/connection";
import { takeToken } from "./live/token";
import { readReport } from "./page";
import { Journal } from "./store/journal";

const report = readReport();
const journal = new Journal();
const connection = report ? undefined : new Connection(journal);
if (report) {
  report.entries.forEach((entry) => journal.add(entry));
  journal.flush();
} else {
  takeToken();
  // The address may get a token while the page is open.
  addEventListener("hashchange", () => takeToken() && connection?.state === "token" && connection.retry());
  void connection?.run();
}
render(<App journal={journal} connection={connection} report={report} />, document.getElementById("app") as HTMLElement);
