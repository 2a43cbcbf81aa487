package io.github.mynahdapr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CallTest {
  @Test
  void missingKeysAreEmpty() {
    var call = Json.read("{\"number\":1,\"response\":{},\"parameters\":{\"top_k\":1}}", Call.class);
    assertEquals(new Call.Answer("", "", List.of(), "", "", Map.of()), call.answer());
    assertEquals(Map.of("top_k", 1), call.parameters());
    assertEquals(List.of(), call.messages());
    assertEquals(List.of(), call.rules());
    assertEquals("", call.component());
    assertNull(call.error());
    assertNull(call.request());
  }

  @Test
  void rulesAreThoseThatHaveAnswered() {
    var json = "{\"answered_by\":[{\"rule\":\"a\",\"step\":1},{\"chain\":true},{\"rule\":\"b\"}]}";
    assertEquals(List.of("a", "b"), Json.read(json, Call.class).rules());
  }

  @Test
  void rejectsWhatIsNotJson() {
    assertThrows(MynahException.class, () -> Json.read("Not Found", Call.class));
  }
}
