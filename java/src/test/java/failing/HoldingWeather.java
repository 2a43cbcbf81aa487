package failing;

import io.github.mynahdapr.MynahExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test that waits until its standard input ends. `ProcessTest` runs it. */
public class HoldingWeather {
  @RegisterExtension static MynahExtension mynah = MynahExtension.create();

  @Test
  void holds() throws Exception {
    System.out.println("address " + mynah.grpcAddress());
    System.in.readAllBytes();
    System.out.println("ended");
  }
}
