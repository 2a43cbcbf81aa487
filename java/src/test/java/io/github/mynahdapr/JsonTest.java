package io.github.mynahdapr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @ParameterizedTest
  @ValueSource(strings = {
    "{\"a\":[1,-2,3000000000,0.5,true,false,null],\"b\":{},\"c\":[]}",
    "[[],{\"\":\"\"}]",
    "\"\\\"\\\\é\"",
    "7"
  })
  void writesWhatItReads(String text) {
    assertEquals(text, Json.write(Json.read(text)));
  }

  @Test
  void readsSpaceAndEscapes() {
    var text = " [ 1 , \"a\\n\\t\\/\\u00e9\", null,1e3 ]\n";
    assertEquals(Arrays.asList(1, "a\n\t/é", null, 1e3), Json.read(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {
    "", "{", "[1", "[1,]", "{\"a\" 1}", "{a:1}", "\"a", "\"a\\", "nul", "1 2"
  })
  void rejectsWhatIsNotJson(String text) {
    assertThrows(IllegalArgumentException.class, () -> Json.read(text));
  }

  @Test
  void rejectsValuesThatAreNotJson() {
    var values = List.of(new Object());
    var error = assertThrows(IllegalArgumentException.class, () -> Json.write(values));
    assertTrue(error.getMessage().contains("is a java.lang.Object; expected a text"), error.getMessage());
  }
}
