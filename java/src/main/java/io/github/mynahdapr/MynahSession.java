package io.github.mynahdapr;

import io.dapr.client.DaprPreviewClient;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The session of one test, for parameters of tests. It can be used in any thread of the test. */
public final class MynahSession extends Mynah {
  private static final int MAX_CALLS = 20;

  final String name;
  final String grpc;
  final String http;

  private final Server server;
  private final String encodedName;
  private final int logStart;
  private final Map<String, Integer> ruleNames = new HashMap<>();
  private String rules = "rules:\n";
  private AutoCloseable client;

  MynahSession(Server server, String name) {
    this.server = server;
    this.name = name;
    encodedName = URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    logStart = server.logSize();
    var addresses = server.request("PUT", "/sessions/" + encodedName, "");
    grpc = Json.text(addresses, "grpc");
    http = Json.text(addresses, "http");
  }

  @Override
  MynahSession session() {
    return this;
  }

  @Override
  public synchronized DaprPreviewClient client() {
    if (client == null) {
      client = Sdk.builder(this).buildPreviewClient();
    }
    return (DaprPreviewClient) client;
  }

  /** Adds a rule, which is named after the line of the test. */
  synchronized void addRule(Map<String, Object> rule) {
    var place = place();
    var count = ruleNames.merge(place, 1, Integer::sum);
    var named = new LinkedHashMap<String, Object>();
    named.put("name", count == 1 ? place : place + " (" + count + ")");
    named.putAll(rule);
    add(RulesFile.item(named));
  }

  private static String place() {
    var inTest = StackWalker.getInstance().walk(frames -> frames
        .filter(frame -> !frame.getClassName().startsWith(Mynah.class.getPackageName() + "."))
        .findFirst());
    return inTest.map(frame -> frame.getFileName() + ":" + frame.getLineNumber()).orElse("rule");
  }

  /** Adds items to the list of rules and sends the whole list, which is a rules file. */
  synchronized void add(String items) {
    var all = rules + items;
    server.request("PUT", "/rules?" + query(), all);
    rules = all;
  }

  private String query() {
    return "session=" + encodedName;
  }

  /** Calls the control API for this session. The path ends where the parameter begins. */
  Map<String, Object> request(String method, String path) {
    return server.request(method, path + query(), "");
  }

  void put(String path, Map<String, Object> body) {
    body.put("session", name);
    server.request("PUT", path, Json.write(body));
  }

  /** Returns what is not as expected, or an empty text. */
  String misses(Check check) {
    var body = check.body(name);
    var reply = server.send("POST", "/verify", Json.write(body));
    return switch (reply.statusCode()) {
      case 200 -> "";
      case 409 -> Report.misses(Json.object(Json.read(reply.body())), body);
      default -> throw new MynahException("verify: " + reply.body());
    };
  }

  /** Describes the requests that are not recorded. */
  String missed() {
    var missed = Map.<String, Object>of("missed", true);
    return Json.objects(request("GET", "/journal?limit=10000&").get("entries")).stream()
        .filter(entry -> Json.objects(entry.get("answered_by")).contains(missed))
        .map(Call::of)
        .map(call ->
            "call %d of %s: %s".formatted(call.number(), call.component(), call.error().message()))
        .collect(Collectors.joining("\n"));
  }

  /** Returns the last calls, the nearest rules and the log. */
  String report() {
    var log = server.log(logStart);
    return Stream.concat(describeCalls(), Stream.of(log.isEmpty() ? "" : "log of mynah:\n" + log))
        .filter(part -> !part.isEmpty())
        .collect(Collectors.joining("\n"));
  }

  private Stream<String> describeCalls() {
    try {
      var calls = calls();
      var count = "session " + name + " has " + calls.size() + " calls";
      var last = calls.stream().skip(Math.max(0, calls.size() - MAX_CALLS)).map(Report::call);
      var misses = misses(new Check().noUnmatched().with("wait", "0s"));
      return Stream.of(Stream.of(count), last, Stream.of(misses)).flatMap(part -> part);
    } catch (MynahException error) {
      return Stream.of(error.getMessage());
    }
  }

  /** Closes the addresses, and removes the rules, faults and calls. */
  void close() throws Exception {
    SystemProperties.restore(this);
    // The reset ends the calls that wait, for which the end of the session would wait.
    request("POST", "/reset?");
    if (client != null) {
      client.close();
    }
    server.send("DELETE", "/sessions/" + encodedName, "");
  }
}
