package io.github.mynahdapr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import failing.ClientWithoutSdk;
import failing.HoldingWeather;
import failing.Run;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessTest {
  @Test
  void mynahEndsWithAKilledProcess() throws Exception {
    var tests = run(HoldingWeather.class, path -> true, Map.of()).start();
    untilLine(tests.inputReader(), "address ");
    var mynah = tests.children().toList();
    assertEquals(1, mynah.size());
    tests.destroyForcibly().waitFor();
    mynah.get(0).onExit().get(10, TimeUnit.SECONDS);
  }

  @Test
  void twoProcessesAtOnce() throws Exception {
    var both = List.of(
        run(HoldingWeather.class, path -> true, Map.of()).start(),
        run(HoldingWeather.class, path -> true, Map.of()).start());
    for (var tests : both) {
      untilLine(tests.inputReader(), "address ");
    }
    for (var tests : both) {
      var mynah = tests.children().toList();
      tests.getOutputStream().close();
      untilLine(tests.inputReader(), "ended");
      mynah.get(0).onExit().get(10, TimeUnit.SECONDS);
      assertEquals(0, tests.waitFor());
    }
  }

  @Test
  void clientNeedsTheSdk() throws Exception {
    var process = run(ClientWithoutSdk.class, path -> !path.contains("dapr-sdk"), Map.of()).start();
    var output = new String(process.getInputStream().readAllBytes());
    assertContains(output, "calls 0", "add the dependency io.dapr:dapr-sdk");
  }

  @Test
  void mynahIsNotInstalled(@TempDir Path empty) throws Exception {
    var variables = Map.of("MYNAH_BIN", "", "PATH", empty.toString());
    var process = run(HoldingWeather.class, path -> true, variables).start();
    var output = new String(process.getInputStream().readAllBytes());
    assertContains(output, "Cannot run program \"mynah\"", "MYNAH_BIN", "pip install mynah-dapr",
        "npm install --global mynah-dapr");
  }

  @Test
  void mynahIsFoundInPath(@TempDir Path folder) throws Exception {
    script(folder, "#!/bin/sh\necho mynah 7.2.1\n");
    var variables = Map.of("MYNAH_BIN", "", "PATH", "/no/such/folder:" + folder);
    var process = run(HoldingWeather.class, path -> true, variables).start();
    var output = new String(process.getInputStream().readAllBytes());
    assertContains(output, "mynah is \"mynah 7.2.1\"");
  }

  @Test
  void noSuchFile() {
    assertFails("/no/such/mynah", List.of(), "/no/such/mynah", "No such file", "install mynah");
  }

  @Test
  void mynahHasAnotherVersion(@TempDir Path folder) throws Exception {
    var path = script(folder, "#!/bin/sh\necho mynah 7.2.1\n");
    var needed = "but mynah-dapr-junit5 " + Command.VERSION + " needs mynah 0.1;";
    assertFails(path, List.of(), path, "\"mynah 7.2.1\"", needed);
  }

  @Test
  void mynahIsOfAnotherPlatform(@TempDir Path folder) throws Exception {
    var path = script(folder, "\u007fELF\u0002\u0001\u0001");
    assertFails(path, List.of(), path, "needs mynah 0.1", "install mynah");
  }

  @Test
  void mynahDoesNotStart() {
    var args = List.of("--resources-path=/no/such/folder");
    assertFails(null, args, "mynah has ended with exit code", "/no/such/folder");
  }

  @Test
  void namesOfSessions() {
    assertEquals("weather.WeatherTest/sunny()/#1", MynahExtension.name(
        "[engine:junit-jupiter]/[class:weather.WeatherTest]/[method:sunny()]/[test-template-invocation:#1]"));
  }

  @Test
  void longNamesOfSessionsAreShortened() throws Exception {
    try (var server = new Server(new Command(null, List.of()))) {
      var session = new MynahSession(server, "é".repeat(200));
      var name = session.addresses.session();
      assertTrue(name.getBytes(StandardCharsets.UTF_8).length <= 256, name);
      assertTrue(name.startsWith("é".repeat(100)), name);
      session.close();
    }
  }

  private static void assertFails(String binary, List<String> args, String... texts) {
    var command = new Command(binary, args);
    var error = assertThrows(MynahException.class, () -> new Server(command).close());
    assertContains(error.getMessage(), texts);
  }

  private static void assertContains(String text, String... parts) {
    Stream.of(parts).forEach(part -> assertTrue(text.contains(part), part + " in " + text));
  }

  private static String script(Path folder, String text) throws IOException {
    var path = Files.writeString(folder.resolve("mynah"), text);
    path.toFile().setExecutable(true);
    return path.toString();
  }

  /** Returns a JVM that runs the tests of a class with a part of the class path. */
  private static ProcessBuilder run(
      Class<?> tests, Predicate<String> isUsed, Map<String, String> variables) {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var classes = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(isUsed).collect(Collectors.joining(File.pathSeparator));
    var builder = new ProcessBuilder(
        java, "-XX:TieredStopAtLevel=1", "-cp", classes, Run.class.getName(), tests.getName());
    builder.environment().putAll(variables);
    return builder.redirectErrorStream(true);
  }

  private static void untilLine(BufferedReader lines, String start) throws IOException {
    var line = lines.readLine();
    while (!line.startsWith(start)) {
      line = lines.readLine();
    }
  }
}
