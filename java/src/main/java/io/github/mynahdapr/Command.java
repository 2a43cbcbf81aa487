package io.github.mynahdapr;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** How to start mynah. The binary is null if it is to be found. */
record Command(String binary, List<String> args) {
  static final String VERSION = "0.1.0";
  private static final String INSTALL =
      "install mynah with `pip install mynah-dapr` or `npm install --global mynah-dapr`";

  /** Returns the path of a mynah with the major and minor version of this package. */
  String find() {
    var path = path();
    String printed;
    try {
      var process = new ProcessBuilder(path, "--version").redirectErrorStream(true).start();
      process.getOutputStream().close();
      printed = new String(process.getInputStream().readAllBytes()).strip();
    } catch (IOException error) {
      throw new MynahException(path + " cannot be run: " + error.getMessage() + "; " + INSTALL);
    }
    var needed = "mynah " + VERSION.substring(0, VERSION.lastIndexOf('.'));
    if (!printed.startsWith(needed + ".")) {
      var found = path + " is \"" + printed.substring(0, Math.min(80, printed.length())) + "\"";
      throw new MynahException(
          found + ", but mynah-dapr-junit5 " + VERSION + " needs " + needed + "; " + INSTALL);
    }
    return path;
  }

  private String path() {
    var given = Stream.of(binary, System.getProperty("mynah.bin"), System.getenv("MYNAH_BIN"))
        .filter(path -> path != null && !path.isEmpty()).findFirst();
    if (given.isPresent() && !Files.isRegularFile(Path.of(given.get()))) {
      throw new MynahException(given.get() + ", the path of mynah, is not a file; " + INSTALL);
    }
    return given.orElseGet(Command::inPath);
  }

  private static String inPath() {
    var folders = System.getenv().getOrDefault("PATH", "").split(File.pathSeparator);
    return Stream.of(folders)
        .flatMap(folder -> Stream.of(Path.of(folder, "mynah"), Path.of(folder, "mynah.exe")))
        .filter(path -> Files.isExecutable(path) && Files.isRegularFile(path))
        .findFirst()
        .orElseThrow(() -> new MynahException("mynah is not in PATH; " + INSTALL
            + ", or set its path with binary(), the system property mynah.bin or MYNAH_BIN"))
        .toString();
  }

  /** Returns the command with more arguments. */
  Command with(String... more) {
    return new Command(binary, Stream.concat(args.stream(), Stream.of(more)).toList());
  }

  /** Returns whether mynah has this flag, which takes a value. */
  boolean has(String flag) {
    return args.stream().anyMatch(arg -> arg.equals(flag) || arg.startsWith(flag + "="));
  }

  /** Returns the whole command, with free ports. */
  List<String> line(Path addresses) {
    var line = new ArrayList<String>();
    line.add(find());
    line.addAll(args);
    line.addAll(List.of("--dapr-grpc-port=0", "--dapr-http-port=0", "--enable-metrics=false"));
    line.addAll(List.of("--addresses-file=" + addresses, "--exit-on-stdin-close"));
    return line;
  }
}
