package io.github.mynahdapr;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes JSON as maps, lists, texts, numbers, booleans and null. */
final class Json {
  /** A text with its quotes, a sign, a word or the end. */
  private static final Pattern TOKEN = Pattern.compile(
      "\\G\\s*+(\"(?:[^\"\\\\]++|\\\\.)*+\"|[{}\\[\\]:,]|[^\\s{}\\[\\]:,\"]++|\\z)", Pattern.DOTALL);
  private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u(.{4})|(.))", Pattern.DOTALL);

  private final String json;
  private final Matcher tokens;
  private String next;

  private Json(String json) {
    this.json = json;
    tokens = TOKEN.matcher(json);
    take();
  }

  static Object read(String json) {
    var reader = new Json(json);
    var value = reader.value();
    reader.check(reader.next.isEmpty());
    return value;
  }

  private void check(boolean isJson) {
    if (!isJson) {
      throw new IllegalArgumentException("not JSON: " + json);
    }
  }

  private String take() {
    var taken = next;
    check(tokens.find());
    next = tokens.group(1);
    return taken;
  }

  private Object value() {
    check(!next.isEmpty());
    return switch (next.charAt(0)) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> text();
      default -> literal(take());
    };
  }

  private Map<String, Object> object() {
    var object = new LinkedHashMap<String, Object>();
    for (take(); !ends("}", object.isEmpty()); ) {
      check(next.startsWith("\""));
      var key = text();
      check(take().equals(":"));
      object.put(key, value());
    }
    return object;
  }

  private List<Object> array() {
    var array = new ArrayList<>();
    for (take(); !ends("]", array.isEmpty()); ) {
      array.add(value());
    }
    return array;
  }

  /** Skips the end, or the comma before an item that is not the first. Returns whether it was the end. */
  private boolean ends(String end, boolean isFirst) {
    var isEnd = next.equals(end);
    check(isEnd || isFirst || next.equals(","));
    if (isEnd || !isFirst) {
      take();
    }
    return isEnd;
  }

  private String text() {
    var token = take();
    return ESCAPE.matcher(token.substring(1, token.length() - 1))
        .replaceAll(escape -> Matcher.quoteReplacement(String.valueOf(character(escape))));
  }

  private static char character(MatchResult escape) {
    if (escape.group(1) != null) {
      return (char) Integer.parseInt(escape.group(1), 16);
    }
    var letter = escape.group(2).charAt(0);
    var known = "bfnrt".indexOf(letter);
    return known < 0 ? letter : "\b\f\n\r\t".charAt(known);
  }

  /** Reads a word. A number is an `Integer` if possible, otherwise a `Long` or a `Double`. */
  private static Object literal(String word) {
    if (word.equals("null")) {
      return null;
    } else if (word.equals("true") || word.equals("false")) {
      return word.equals("true");
    } else if (!word.matches("-?[0-9]{1,18}")) {
      return Double.valueOf(word);
    }
    var number = Long.parseLong(word);
    return (int) number == number ? (Object) (int) number : (Object) number;
  }

  static String write(Object value) {
    if (value == null || value instanceof Boolean || value instanceof Number) {
      return String.valueOf(value);
    } else if (value instanceof CharSequence text) {
      return quoted(text);
    } else if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> quoted(entry.getKey().toString()) + ":" + write(entry.getValue()))
          .collect(joining(",", "{", "}"));
    } else if (value instanceof Collection<?> list) {
      return list.stream().map(Json::write).collect(joining(",", "[", "]"));
    }
    throw new IllegalArgumentException(value + " is a " + value.getClass().getName()
        + "; expected a text, number, boolean, list, map or null");
  }

  private static String quoted(CharSequence text) {
    var quoted = new StringBuilder("\"");
    text.chars().forEach(c -> {
      if (c < ' ' || Character.isSurrogate((char) c)) {
        quoted.append("\\u%04x".formatted(c));
      } else {
        quoted.append(c == '"' || c == '\\' ? "\\" : "").append((char) c);
      }
    });
    return quoted.append('"').toString();
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    return value instanceof Map ? (Map<String, Object>) value : Map.of();
  }

  static List<?> list(Object value) {
    return value instanceof List<?> list ? list : List.of();
  }
}
