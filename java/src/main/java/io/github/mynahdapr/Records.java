package io.github.mynahdapr;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Makes records of JSON. Their components are the members of an object in snake case. */
final class Records {
  private Records() {}

  /** Returns a value of a type. What is missing is null, an empty text, list or map, 0 or false. */
  static Object of(Type type, Object value) {
    if (type instanceof ParameterizedType generic) {
      return generic.getRawType() == List.class
          ? list(generic.getActualTypeArguments()[0], value)
          : Json.object(value);
    } else if (type instanceof Class<?> known && known.isRecord()) {
      return value instanceof Map ? record(known, Json.object(value)) : null;
    } else if (type == String.class) {
      return value == null ? "" : value;
    } else if (type == boolean.class) {
      return value == Boolean.TRUE;
    } else if (type == int.class || type == double.class) {
      var number = value instanceof Number found ? found : 0;
      return type == int.class ? (Object) number.intValue() : (Object) number.doubleValue();
    }
    return value;
  }

  static <T> List<T> list(Class<T> type, Object values) {
    return list((Type) type, values).stream().map(type::cast).toList();
  }

  private static List<Object> list(Type type, Object values) {
    return Json.list(values).stream().map(value -> of(type, value)).toList();
  }

  static <T> T record(Class<T> type, Map<String, Object> members) {
    var components = type.getRecordComponents();
    var types = Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    var values = Stream.of(components)
        .map(one -> of(one.getGenericType(), members.get(snakeCase(one.getName())))).toArray();
    try {
      return type.getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException error) {
      throw new MynahException(members + " cannot be read", error);
    }
  }

  private static String snakeCase(String name) {
    return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }
}
