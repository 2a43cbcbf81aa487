package failing;

import io.github.mynahdapr.MynahExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test without Dapr's SDK. `ProcessTest` runs it. */
public class ClientWithoutSdk {
  @RegisterExtension static MynahExtension mynah = MynahExtension.create();

  @Test
  void client() {
    mynah.when().respond("Sunny");
    System.out.println("calls " + mynah.calls().size());
    mynah.client();
  }
}
