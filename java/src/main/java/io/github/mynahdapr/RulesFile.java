package io.github.mynahdapr;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads a file of rules without understanding all of YAML. */
final class RulesFile {
  private static final Pattern LIST =
      Pattern.compile("(?m)^rules:[ \\t]*(?:#.*)?\\n((?:(?:[ \\t#-].*)?\\n)+)");
  private static final Pattern FIRST = Pattern.compile("(?m)^( *)- ");

  private RulesFile() {}

  /** Returns the items of the list of rules as a YAML list without indentation. */
  static String items(Path file) {
    String text;
    try {
      text = Files.readString(file).replace("\r\n", "\n") + "\n";
    } catch (IOException error) {
      throw new MynahException(file.toAbsolutePath() + " cannot be read: " + error, error);
    }
    return text.stripLeading().startsWith("{") ? ofJson(text, file) : ofYaml(text, file);
  }

  static String item(Object rule) {
    return "- " + Json.write(rule) + "\n";
  }

  private static String ofJson(String text, Path file) {
    var rules = Json.list(Json.object(Json.read(text)).get("rules"));
    return checked(rules.stream().map(RulesFile::item).collect(Collectors.joining()), file);
  }

  private static String ofYaml(String text, Path file) {
    var list = LIST.matcher(text);
    var items = checked(list.find() ? list.group(1) : "", file);
    var first = FIRST.matcher(items);
    return first.find() ? items.replaceAll("(?m)^ {0," + first.group(1).length() + "}", "") : items;
  }

  private static String checked(String items, Path file) {
    if (!FIRST.matcher(items).find()) {
      throw new MynahException(file + " has no rules; expected JSON, or YAML with a line `rules:` "
          + "above lines that begin with `-`");
    }
    return items;
  }
}
