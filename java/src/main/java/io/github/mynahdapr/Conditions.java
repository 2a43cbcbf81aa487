package io.github.mynahdapr;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Conditions that select calls: those that a rule answers, or those that a check counts. */
public abstract class Conditions<T extends Conditions<T>> {
  final Map<String, Object> match = new LinkedHashMap<>();
  final Map<String, Object> keys = new LinkedHashMap<>();

  Conditions() {}

  @SuppressWarnings("unchecked") // T is the class itself.
  private T self() {
    return (T) this;
  }

  /** The last user message: a text, or a map such as {@code Map.of("matches", "^order")}. */
  public T user(Object text) {
    return match("user", text);
  }

  /** The system messages. */
  public T system(Object text) {
    return match("system", text);
  }

  /** A tool result that ends the history: a text, or a map with {@code tool}, {@code json} and others. */
  public T toolResult(Object result) {
    return match("last_tool_result", result);
  }

  /** Any condition, such as {@code tools}. If it is said again, both must hold. */
  public T match(String condition, Object value) {
    match.merge(condition, value, (before, added) -> Stream.of(before, added)
        .flatMap(it -> it instanceof List<?> list ? list.stream() : Stream.of(it)).toList());
    return self();
  }

  /** Any other key. */
  public T with(String key, Object value) {
    keys.put(key, value);
    return self();
  }
}
