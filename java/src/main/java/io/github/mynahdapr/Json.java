package io.github.mynahdapr;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** Reads and writes the JSON of the control API. */
final class Json {
  /** Reads keys in snake case. A missing text, list or map is empty. */
  private static final JsonMapper READER = JsonMapper.builder()
      .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
      .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
      .defaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY))
      .build();
  private static final JsonMapper WRITER = new JsonMapper();

  private Json() {}

  static <T> T read(String json, Class<T> type) {
    try {
      return READER.readValue(json, type);
    } catch (JsonProcessingException error) {
      throw new MynahException(json + " cannot be read: " + error.getMessage(), error);
    }
  }

  static String write(Object value) {
    return WRITER.valueToTree(value).toString();
  }
}
