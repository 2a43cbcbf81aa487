package io.github.mynahdapr;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Explains failed checks, and shows calls. */
final class Report {
  private Report() {}

  /** Describes what is not as expected. */
  static String misses(Map<String, Object> answer, Map<String, Object> check) {
    var lines = new ArrayList<String>();
    for (var one : Json.objects(answer.get("expectations"))) {
      if (one.get("ok") != Boolean.TRUE) {
        var match = Json.object(check.get("match"));
        var conditions = match.isEmpty() ? "" : " that match " + Json.write(match);
        lines.add("expected %s calls%s, found %s"
            .formatted(one.get("expected"), conditions, one.get("matched")));
        for (var near : Json.objects(one.get("nearest"))) {
          lines.add("  call " + near.get("number") + " nearly matches:" + mismatches(near));
        }
      }
    }
    if (answer.containsKey("waiting")) {
      lines.add("expected " + check.get("waiting") + " waiting calls, found " + answer.get("waiting"));
    }
    for (var call : Json.objects(answer.get("unmatched"))) {
      lines.add("no rule answered call " + call.get("number") + nearest(call));
    }
    for (var rule : Json.objects(answer.get("unused"))) {
      lines.add("no call has used all of rule \"" + rule.get("rule") + "\"");
    }
    return lines.isEmpty() ? "not as expected: " + Json.write(answer) : String.join("\n", lines);
  }

  private static String nearest(Map<String, Object> call) {
    var rule = Json.object(call.get("nearest"));
    return rule.isEmpty()
        ? ""
        : "; the nearest rule is \"" + rule.get("rule") + "\":" + mismatches(rule);
  }

  private static String mismatches(Map<String, Object> near) {
    var lines = new StringBuilder();
    for (var one : Json.objects(near.get("mismatches"))) {
      lines.append("\n    ").append(one.get("condition")).append(": expected ");
      lines.append(one.get("expected")).append(", seen ").append(Json.write(one.get("seen")));
    }
    return lines.toString();
  }

  /** Describes a call in a few lines. */
  static String call(Call call) {
    var lines = new ArrayList<String>();
    lines.add("call %d of %s over %s, %.0f ms, %s".formatted(
        call.number(), call.component(), call.surface(), call.durationMs(), call.outcome()));
    for (var message : call.messages()) {
      lines.add("    " + message.role() + ": " + said(message.text(), message.toolCalls()));
    }
    if (!call.tools().isEmpty()) {
      var names = call.tools().stream().map(Call.Tool::name).toList();
      lines.add("    tools: " + String.join(", ", names));
    }
    if (call.error() != null) {
      lines.add("  error: " + call.error().code() + ": " + call.error().message());
    } else if (call.answer() != null) {
      lines.add("  answer: " + said(call.answer().text(), call.answer().toolCalls()));
    }
    call.rules().forEach(rule -> lines.add("  rule: " + rule));
    return String.join("\n", lines);
  }

  private static String said(String text, List<Call.ToolCall> calls) {
    var said = new StringBuilder(text);
    calls.forEach(call -> said.append(" " + call.name() + "(" + call.arguments() + ")"));
    return said.toString().strip();
  }
}
