package failing;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the tests of a class. */
public final class Run implements TestExecutionListener {
  private final Map<String, String> failures = new HashMap<>();

  /** Returns the stack traces of the tests that have failed or were aborted. */
  public static Map<String, String> failures(Class<?> tests) {
    var request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build();
    var run = new Run();
    LauncherFactory.create().execute(request, run);
    return run.failures;
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    result.getThrowable().ifPresent(failure -> {
      var trace = new StringWriter();
      failure.printStackTrace(new PrintWriter(trace));
      failures.merge(test.getDisplayName(), trace.toString(), String::concat);
    });
  }

  /** Runs the tests of the class with this name, in a process of their own. */
  public static void main(String[] args) throws Exception {
    System.out.println(failures(Class.forName(args[0])));
  }
}
