package failing;

import io.github.mynahdapr.MynahExtension;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests that ask a question and ignore errors. `RecordingTest` runs them, and says how. */
public class RecordedWeather {
  /** What the model has answered. */
  public static final List<String> ANSWERS = new ArrayList<>();

  @RegisterExtension public static MynahExtension mynah;
  public static String question;

  @Test
  void asks() throws Exception {
    ask();
  }

  @Test
  void forgets() throws Exception {
    ask();
    mynah.forgetFailed();
  }

  private static void ask() throws Exception {
    var message = "{\"role\":\"user\",\"content\":\"" + question + "\"}";
    var body = "{\"model\":\"echo\",\"messages\":[" + message + "]}";
    var request = HttpRequest.newBuilder(URI.create(mynah.openaiBaseUrl() + "/chat/completions"))
        .POST(HttpRequest.BodyPublishers.ofString(body)).build();
    var reply = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    ANSWERS.add(reply.statusCode() + (reply.body().contains("\"Sunny\"") ? " Sunny" : ""));
  }
}
