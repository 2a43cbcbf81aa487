package io.github.mynahdapr;

import io.dapr.client.DaprClientBuilder;
import io.dapr.config.Properties;

/** Dapr's SDK, which is loaded only if it is used. */
final class Sdk {
  private Sdk() {}

  static DaprClientBuilder builder(MynahSession session) {
    try {
      return new DaprClientBuilder()
          .withPropertyOverride(Properties.GRPC_ENDPOINT, "http://" + session.grpc)
          .withPropertyOverride(Properties.HTTP_ENDPOINT, "http://" + session.http);
    } catch (NoClassDefFoundError error) {
      throw new MynahException(
          "clients need Dapr's SDK; add the dependency io.dapr:dapr-sdk to the project", error);
    }
  }
}
