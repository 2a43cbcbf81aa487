package io.github.mynahdapr;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;

/**
 * Gives each test a session of its own: addresses that only this test uses, with rules, faults and a
 * journal that no other test sees. The first test starts mynah, which stops when the tests have run.
 *
 * <p>Its methods are for the thread that runs the test. Other threads need a parameter of the type
 * {@link MynahSession}.
 */
public final class MynahExtension extends Mynah
    implements BeforeEachCallback, AfterTestExecutionCallback, AfterEachCallback, ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(MynahExtension.class);
  private static final Pattern SEGMENT = Pattern.compile("\\[[^:\\]]+:([^\\]]*)\\]");

  private final Command command;
  private final ThreadLocal<MynahSession> current = new ThreadLocal<>();

  /** Starts mynah without arguments, for {@code @ExtendWith}. */
  public MynahExtension() {
    this(new Command(null, List.of()));
  }

  private MynahExtension(Command command) {
    this.command = command;
  }

  /** Starts mynah with these arguments, such as {@code --strict}. Tests with the same ones share it. */
  public static MynahExtension create(String... args) {
    return new MynahExtension(new Command(null, List.of(args)));
  }

  /** Returns an extension that uses this binary. */
  public MynahExtension binary(Path path) {
    return new MynahExtension(new Command(path.toString(), command.args()));
  }

  /**
   * Returns an extension that records the answers of the real models to a folder. The arguments can
   * have an {@code --upstream}; otherwise, it is {@code openai}.
   */
  public MynahExtension record(Path folder) {
    var upstream = command.has("--upstream") ? command : command.with("--upstream=openai");
    return new MynahExtension(upstream.with("--record=" + folder));
  }

  /**
   * Returns an extension that answers from the recordings in a folder, without any model. A test
   * fails if a request is not recorded, even if the application has hidden the error.
   */
  public MynahExtension replay(Path folder) {
    return new MynahExtension(command.with("--replay=" + folder));
  }

  @Override
  MynahSession session() {
    var session = current.get();
    if (session == null) {
      throw new MynahException(
          "this thread runs no test; use a parameter of the test with the type MynahSession");
    }
    return session;
  }

  /** The session of a test. A thread that waits in one test can run another one in between. */
  private record Opened(MynahSession session, MynahSession before) {}

  @Override
  public void beforeEach(ExtensionContext context) {
    var server = context.getRoot().getStore(NAMESPACE)
        .getOrComputeIfAbsent(command, Server::new, Server.class);
    var session = new MynahSession(server, name(context.getUniqueId()));
    context.getStore(NAMESPACE).put(this, new Opened(session, current.get()));
    current.set(session);
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    if (command.has("--replay") && context.getExecutionException().isEmpty()) {
      session().verify(calls -> calls.with("recorded", true));
    }
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    var opened = context.getStore(NAMESPACE).remove(this, Opened.class);
    if (opened != null) {
      current.set(opened.before);
      context.getExecutionException().filter(failure -> !(failure instanceof TestAbortedException))
          .ifPresent(failure -> failure.addSuppressed(new MynahReport(opened.session.report())));
      opened.session.close();
    }
  }

  /** Returns the name of a test's session, such as {@code weather.WeatherTest/sunny()/#1}. */
  static String name(String uniqueId) {
    return SEGMENT.matcher(uniqueId).results().skip(1)
        .map(segment -> segment.group(1)).collect(Collectors.joining("/"));
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == MynahSession.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    var opened = context.getStore(NAMESPACE).get(this, Opened.class);
    if (opened == null) {
      throw new MynahException(
          "each test has a session; expected the parameter at a test, @BeforeEach or @AfterEach");
    }
    return opened.session;
  }
}
