package interop;

import static interop.Requests.prompt;
import static interop.Requests.guarded;
import static interop.Requests.onlyChoice;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.MapField;
import io.dapr.exceptions.DaprErrorDetails.ErrorDetailType;
import io.dapr.exceptions.DaprException;
import io.dapr.utils.TypeRef;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of Dapr's Java SDK with a mynah that requires a token. */
class AccessTest {
  // The SDK returns protobuf's map type.
  private static final TypeRef<MapField<String, String>> METADATA = new TypeRef<>() {};

  @Test
  void acceptsTheCorrectToken() throws Exception {
    try (var client = guarded(System.getenv("GUARDED_API_TOKEN")).buildPreviewClient()) {
      var choice = onlyChoice(client.converseAlpha2(prompt("Hello")).block());
      assertEquals("Hello", choice.getMessage().getContent());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', missing api token in request metadata",
    "wrong, authentication error: api token mismatch",
  })
  void errorDistinguishesMissingFromWrongToken(String token, String reason) throws Exception {
    try (var client = guarded(token).buildPreviewClient()) {
      var error =
          assertThrows(
              DaprException.class, () -> client.converseAlpha2(prompt("Hello")).block());
      assertEquals("UNAUTHENTICATED", error.getErrorCode());
      assertEquals("UNAUTHENTICATED: Unauthorized", error.getMessage());
      var details = error.getErrorDetails();
      var metadata = details.get(ErrorDetailType.ERROR_INFO, "metadata", METADATA);
      assertEquals(Map.of("http.code", "401", "http.error_message", reason), metadata.getMap());
    }
  }

  @Test
  void healthChecksNeedNoToken() throws Exception {
    try (var client = guarded("wrong").build()) {
      client.waitForSidecar(5_000).block();
    }
  }
}
