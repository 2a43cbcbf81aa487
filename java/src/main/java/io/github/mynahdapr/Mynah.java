package io.github.mynahdapr;

import io.dapr.client.DaprClientBuilder;
import io.dapr.client.DaprPreviewClient;
import io.dapr.config.Properties;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What a test says to mynah and asks it. */
public abstract class Mynah {
  Mynah() {}

  abstract MynahSession session();

  /** Returns the address of Dapr's gRPC API, such as {@code 127.0.0.1:41234}. */
  public String grpcAddress() {
    return session().addresses.grpc();
  }

  /** Returns the address of Dapr's HTTP API and of OpenAI's API. */
  public String httpAddress() {
    return session().addresses.http();
  }

  /** Returns the base URL for clients of OpenAI's API. */
  public String openaiBaseUrl() {
    return "http://" + httpAddress() + "/v1";
  }

  /** Returns a client of Dapr's SDK, which is closed when the test ends. */
  public DaprPreviewClient client() {
    return session().client();
  }

  /** Returns a builder for other clients of Dapr's SDK, which the test closes. */
  public DaprClientBuilder clientBuilder() {
    try {
      return new DaprClientBuilder()
          .withPropertyOverride(Properties.GRPC_ENDPOINT, "http://" + grpcAddress())
          .withPropertyOverride(Properties.HTTP_ENDPOINT, "http://" + httpAddress());
    } catch (NoClassDefFoundError error) {
      throw new MynahException(
          "clients need Dapr's SDK; add the dependency io.dapr:dapr-sdk to the project", error);
    }
  }

  /**
   * Points the system properties that Dapr's SDK reads at the session until the test ends. All tests
   * of a JVM share them, so only one test at a time can do this.
   */
  public void useSystemProperties() {
    SystemProperties.set(session());
  }

  /** Begins a rule for the calls for which all conditions hold. */
  public Rule when() {
    return new Rule(session());
  }

  /** Adds the rules of a file in YAML or JSON after those before. */
  public void rules(Path file) {
    try {
      session().request("POST", "/rules?", Files.readString(file));
    } catch (IOException error) {
      throw new MynahException(file.toAbsolutePath() + " cannot be read: " + error, error);
    }
  }

  /** Returns an answer that calls a tool, for {@link Rule#chain} and {@link Rule#sequence}. */
  public static Object toolCall(String name, Map<String, ?> args) {
    return List.of(Map.of("tool_call", List.of(Map.of("name", name, "args", args))));
  }

  /** Returns the calls of the test that have ended, the oldest first. */
  public List<Call> calls() {
    var journal = session().request("GET", "/journal?limit=10000&normalized=true&", "");
    return Json.read(journal, Call.Journal.class).entries();
  }

  /** Returns the last call of the test that has ended. Fails if there is none. */
  public Call lastCall() {
    return calls().stream().reduce((before, last) -> last).orElseThrow(
        () -> new AssertionError("no call of the model has ended in this test"));
  }

  /** Fails unless the calls are as expected. Waits up to a second for calls that are about to end. */
  public void verify(Consumer<Check> check) {
    var expected = new Check();
    check.accept(expected);
    var body = expected.body(session().addresses.session());
    var verification = session().request("POST", "/verify?", Json.write(body));
    var report = Json.read(verification, Check.Verification.class).report();
    if (!report.isEmpty()) {
      throw new AssertionError(report);
    }
  }

  /** Judges how the test retries calls. */
  public Verdict verdict() {
    return Json.read(session().request("GET", "/verdict?", ""), Verdict.class);
  }

  /** Makes calls fail. Replaces the fault before; {@code faults} has several. */
  public void fault(Map<String, ?> fault) {
    var body = new HashMap<String, Object>(fault);
    body.computeIfPresent(
        "error", (key, error) -> error instanceof String ? Map.of("code", error) : error);
    body.put("session", session().addresses.session());
    session().request("PUT", "/faults?", Json.write(body));
  }

  /** Removes the faults and answers the calls that wait. */
  public void endWaits() {
    session().request("DELETE", "/faults?", "");
  }

  /** Removes the calls that have failed, so that {@link Check#noUnmatched} does not see them. */
  public void forgetFailed() {
    session().request("DELETE", "/journal?outcome=failed&", "");
  }
}
