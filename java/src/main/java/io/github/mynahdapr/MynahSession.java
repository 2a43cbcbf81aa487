package io.github.mynahdapr;

import io.dapr.client.DaprPreviewClient;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The session of one test, for parameters of tests. It can be used in any thread of the test. */
public final class MynahSession extends Mynah {
  final Addresses addresses;

  private final Server server;
  private final String query;
  private final int logStart;
  private final Map<String, Integer> ruleNames = new HashMap<>();
  private AutoCloseable client;

  MynahSession(Server server, String name) {
    this.server = server;
    logStart = server.logSize();
    addresses = Json.read(server.request("PUT", "/sessions/" + encoded(name), ""), Addresses.class);
    query = "session=" + encoded(addresses.session);
  }

  /** The name of the session, which may be shorter than that of the test, and its addresses. */
  record Addresses(String session, String grpc, String http) {}

  private static String encoded(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  MynahSession session() {
    return this;
  }

  @Override
  public synchronized DaprPreviewClient client() {
    if (client == null) {
      client = clientBuilder().buildPreviewClient();
    }
    return (DaprPreviewClient) client;
  }

  /** Adds a rule, which is named after the line of the test. */
  synchronized void addRule(Map<String, Object> rule) {
    var place = place();
    var count = ruleNames.merge(place, 1, Integer::sum);
    rule.put("name", count == 1 ? place : place + " (" + count + ")");
    request("POST", "/rules?", Json.write(Map.of("rules", List.of(rule))));
  }

  private static String place() {
    var inTest = StackWalker.getInstance().walk(frames -> frames
        .filter(frame -> !frame.getClassName().startsWith(Mynah.class.getPackageName() + "."))
        .findFirst());
    return inTest.map(frame -> frame.getFileName() + ":" + frame.getLineNumber()).orElse("rule");
  }

  /** Calls the control API for this session. The path ends where the parameter begins. */
  String request(String method, String path, String body) {
    return server.request(method, path + query, body);
  }

  /** Returns the last calls, the nearest rules and the log. */
  String report() {
    var log = server.log(logStart);
    var logged = log.isEmpty() ? "" : "\nlog of mynah:\n" + log;
    try {
      return request("GET", "/report?", "") + logged;
    } catch (MynahException error) {
      return error.getMessage() + logged;
    }
  }

  /** Closes the addresses, and removes the rules, faults and calls. */
  void close() throws Exception {
    SystemProperties.restore(this);
    // The reset ends the calls that wait, for which the end of the session would wait.
    request("POST", "/reset?", "");
    if (client != null) {
      client.close();
    }
    server.request("DELETE", "/sessions/" + encoded(addresses.session), "");
  }
}
