package io.github.mynahdapr;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Conditions that select calls: those that a rule answers, or those that a check counts. */
public abstract class Conditions<T extends Conditions<T>> {
  final Map<String, Object> match = new LinkedHashMap<>();
  final Map<String, Object> keys = new LinkedHashMap<>();

  Conditions() {}

  abstract T self();

  /** The last user message: a text that it contains, or a map such as {@code Map.of("matches", "^order")}. */
  public T user(Object text) {
    return match("user", text);
  }

  /** The system messages. */
  public T system(Object text) {
    return match("system", text);
  }

  /** A tool result at the end of the history: a text, or a map such as {@code Map.of("tool", "get_weather")}. */
  public T toolResult(Object result) {
    return match("last_tool_result", result);
  }

  /** Any condition of a rule, such as {@code tools} or {@code any_of}. The same one again must also hold. */
  public T match(String condition, Object value) {
    match.merge(condition, value, (before, added) -> {
      var all = new ArrayList<>(before instanceof List<?> list ? list : List.of(before));
      all.add(added);
      return all;
    });
    return self();
  }

  /** Any other key. */
  public T with(String key, Object value) {
    keys.put(key, value);
    return self();
  }
}
