package io.github.mynahdapr;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The system properties that Dapr's SDK reads before the environment. */
final class SystemProperties {
  private static final Map<String, String> saved = new HashMap<>();
  private static MynahSession holder;

  private SystemProperties() {}

  static synchronized void set(MynahSession session) {
    if (holder == null) {
      holder = session;
      values(session).forEach((key, value) -> saved.put(key, System.setProperty(key, value)));
    } else if (holder != session) {
      throw new MynahException(
          "the system properties point at the session " + holder.addresses.session()
              + "; tests at the same time need grpcAddress(), httpAddress() or client() instead, or "
              + "the annotation @ResourceLock(Resources.SYSTEM_PROPERTIES)");
    }
  }

  private static Map<String, String> values(MynahSession session) {
    var grpc = session.grpcAddress();
    var http = session.httpAddress();
    var end = grpc.lastIndexOf(':');
    return Map.of(
        "dapr.grpc.endpoint", "http://" + grpc,
        "dapr.http.endpoint", "http://" + http,
        "dapr.grpc.port", grpc.substring(end + 1),
        "dapr.http.port", http.substring(http.lastIndexOf(':') + 1),
        "dapr.sidecar.ip", grpc.substring(0, end));
  }

  static synchronized void restore(MynahSession session) {
    if (holder == session) {
      System.getProperties().keySet().removeAll(saved.keySet());
      saved.values().removeIf(Objects::isNull);
      System.getProperties().putAll(saved);
      saved.clear();
      holder = null;
    }
  }
}
