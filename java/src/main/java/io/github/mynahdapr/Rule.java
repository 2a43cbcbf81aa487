package io.github.mynahdapr;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Says which calls of the test mynah answers, and how. Each answer adds a rule with the conditions
 * after the rules before it. The first rule that matches answers.
 */
public final class Rule extends Conditions<Rule> {
  private final MynahSession session;

  Rule(MynahSession session) {
    this.session = session;
  }

  /** Limits how often the next answer is given. After that, the following rules answer. */
  public Rule times(int times) {
    return with("times", times);
  }

  /** Answers with a text, a list of items or a map, as {@code respond} of a rule. */
  public Rule respond(Object answer) {
    return add("respond", answer);
  }

  /** Calls a tool, unless the request ends with the result of a tool. */
  public Rule callTool(String name, Map<String, ?> args) {
    return respond(Mynah.toolCall(name, args));
  }

  /** Fails with the name of a gRPC code, such as {@code UNAVAILABLE}. */
  public Rule fails(String code) {
    return respond(Map.of("error", Map.of("code", code)));
  }

  /** Fails as often as {@code times} says. After that, the following rules answer. */
  public Rule fails(String code, int times) {
    return times(times).fails(code);
  }

  /** Gives the answers in order, by the number of assistant messages since the last user message. */
  public Rule chain(Object... answers) {
    return add("chain", List.of(answers));
  }

  /** Gives each call the next answer, and all further calls the last one. */
  public Rule sequence(Object... answers) {
    return add("sequence", List.of(answers));
  }

  private Rule add(String key, Object answer) {
    var rule = new LinkedHashMap<String, Object>(keys);
    rule.put("match", match);
    rule.put(key, answer);
    keys.clear();
    session.addRule(rule);
    return this;
  }
}
