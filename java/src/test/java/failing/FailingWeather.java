package failing;

import io.github.mynahdapr.MynahExtension;
import io.github.mynahdapr.MynahSession;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests that fail. `ReportTest` runs them. */
public class FailingWeather {
  @RegisterExtension static MynahExtension mynah = MynahExtension.create("--log-level=debug");

  @Test
  void unexpectedCall() throws Exception {
    mynah.when().user("weather").respond("Sunny");
    ask("How is the wether?");
    mynah.verify(calls -> calls.user("weather").count(2));
  }

  @Test
  void unusedRule() {
    mynah.when().user("weather").respond("Sunny");
    mynah.verify(calls -> calls.noUnused());
  }

  @Test
  void invalidRule() {
    mynah.when().match("usr", "weather").respond("Sunny");
  }

  @Test
  void noCall() {
    mynah.lastCall();
  }

  @Test
  @Timeout(1)
  void hangs() throws Exception {
    mynah.fault(Map.of("hang", true));
    ask("How is the weather?");
  }

  @Test
  void aborted() {
    Assumptions.abort("not today");
  }

  private static void ask(String question) throws Exception {
    var message = "{\"ofUser\":{\"content\":[{\"text\":\"" + question + "\"}]}}";
    var body = "{\"inputs\":[{\"messages\":[" + message + "]}]}";
    var url = "http://" + mynah.httpAddress() + "/v1.0-alpha2/conversation/echo/converse";
    var request = HttpRequest.newBuilder(URI.create(url))
        .POST(HttpRequest.BodyPublishers.ofString(body)).build();
    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Nested
  @Execution(ExecutionMode.CONCURRENT)
  class AtTheSameTime {
    private static final CyclicBarrier BOTH = new CyclicBarrier(2);

    @Test
    void first(MynahSession session) throws Exception {
      set(session);
    }

    @Test
    void second(MynahSession session) throws Exception {
      set(session);
    }

    private void set(MynahSession session) throws Exception {
      BOTH.await(30, TimeUnit.SECONDS);
      try {
        session.useSystemProperties();
      } finally {
        BOTH.await(30, TimeUnit.SECONDS);
      }
    }
  }
}
