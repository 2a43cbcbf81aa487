package weather;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.mynahdapr.MynahExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WeatherTest {
  @RegisterExtension static MynahExtension mynah = MynahExtension.create();

  @Test
  void tellsTheWeather() {
    mynah.when().user("weather").respond("Sunny");
    assertEquals("Sunny", new Assistant(mynah.client()).answer("How is the weather?"));
    mynah.verify(calls -> calls.user("weather").count(1));
  }
}
