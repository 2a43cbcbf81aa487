package io.github.mynahdapr;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes JSON as maps, lists, texts, numbers, booleans and null. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Object read(String text) {
    var json = new Json(text);
    try {
      var value = json.value();
      return json.peek() == 0 ? value : json.fail();
    } catch (IndexOutOfBoundsException | NumberFormatException error) {
      return json.fail();
    }
  }

  private Object value() {
    return switch (peek()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      default -> literal();
    };
  }

  private Map<String, Object> object() {
    var object = new LinkedHashMap<String, Object>();
    for (var more = open('}'); more; more = hasNext('}')) {
      var key = peek() == '"' ? string() : (String) fail();
      skip(':');
      object.put(key, value());
    }
    return object;
  }

  private List<Object> array() {
    var array = new ArrayList<>();
    for (var more = open(']'); more; more = hasNext(']')) {
      array.add(value());
    }
    return array;
  }

  private boolean open(char end) {
    at++;
    return peek() != end || hasNext(end);
  }

  /** Skips a comma or the end. Returns whether it was a comma. */
  private boolean hasNext(char end) {
    var isEnd = peek() == end;
    skip(isEnd ? end : ',');
    return !isEnd;
  }

  private String string() {
    var string = new StringBuilder();
    while (text.charAt(++at) != '"') {
      var c = text.charAt(at);
      string.append(c == '\\' ? escape(text.charAt(++at)) : c);
    }
    at++;
    return string.toString();
  }

  private char escape(char c) {
    if (c == 'u') {
      at += 4;
      return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
    }
    var known = "bfnrt".indexOf(c);
    return known < 0 ? c : "\b\f\n\r\t".charAt(known);
  }

  /** Reads a word. A number is an `Integer` if possible, otherwise a `Long` or a `Double`. */
  private Object literal() {
    var start = at;
    while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    var word = text.substring(start, at);
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

  /** Returns the next character that is not white space, or 0 at the end. */
  private char peek() {
    while (at < text.length() && text.charAt(at) <= ' ') {
      at++;
    }
    return at < text.length() ? text.charAt(at) : 0;
  }

  private void skip(char expected) {
    if (peek() != expected) {
      fail();
    }
    at++;
  }

  private Object fail() {
    throw new IllegalArgumentException("not JSON at character " + (at + 1) + ": " + text);
  }

  static String write(Object value) {
    var out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(Object value, StringBuilder out) {
    if (value == null || value instanceof Boolean || value instanceof Number) {
      out.append(value);
    } else if (value instanceof CharSequence string) {
      writeString(string, out);
    } else if (value instanceof Map<?, ?> map) {
      var start = out.length();
      map.forEach((key, item) -> {
        writeString(key.toString(), out.append(out.length() == start ? '{' : ','));
        write(item, out.append(':'));
      });
      out.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof Iterable<?> list) {
      var start = out.length();
      list.forEach(item -> write(item, out.append(out.length() == start ? '[' : ',')));
      out.append(out.length() == start ? "[]" : "]");
    } else {
      throw new IllegalArgumentException(value + " is a " + value.getClass().getName()
          + "; expected a text, number, boolean, list, map or null");
    }
  }

  /** Escapes what JSON or YAML does not allow in texts. */
  private static void writeString(CharSequence string, StringBuilder out) {
    out.append('"');
    string.chars().forEach(c -> {
      if (c < ' ' || c >= 0x7f && c < 0xa0 || c == 0x2028 || c == 0x2029 || c >= 0xfeff) {
        out.append(String.format("\\u%04x", c));
      } else {
        out.append(c == '"' || c == '\\' ? "\\" : "").append((char) c);
      }
    });
    out.append('"');
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    return value instanceof Map ? (Map<String, Object>) value : Map.of();
  }

  @SuppressWarnings("unchecked")
  static List<Object> list(Object value) {
    return value instanceof List ? (List<Object>) value : List.of();
  }

  static List<Map<String, Object>> objects(Object value) {
    return list(value).stream().map(Json::object).toList();
  }

  /** Returns the text under the first of the keys that the object has, or an empty text. */
  static String text(Map<String, Object> object, String... keys) {
    for (var key : keys) {
      if (object.get(key) instanceof String text) {
        return text;
      }
    }
    return "";
  }

  static double number(Object value) {
    return value instanceof Number number ? number.doubleValue() : 0;
  }

  static int integer(Object value) {
    return (int) number(value);
  }

  static List<Integer> integers(Object value) {
    return list(value).stream().map(Json::integer).toList();
  }
}
