package io.github.mynahdapr;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** How to start mynah. The binary is null if it is to be found. */
record Command(String binary, List<String> args) {
  static final String VERSION = "0.1.0";
  static final String INSTALL =
      "install mynah with `pip install mynah-dapr` or `npm install --global mynah-dapr`, or set its "
          + "path with binary(), the system property mynah.bin or MYNAH_BIN";

  /** Returns the path of a mynah with the major and minor version of this package. */
  private String find() throws IOException {
    var path = Stream.of(binary, System.getProperty("mynah.bin"), System.getenv("MYNAH_BIN"))
        .filter(given -> given != null && !given.isEmpty()).findFirst().orElse("mynah");
    var process = new ProcessBuilder(path, "--version").redirectErrorStream(true).start();
    process.getOutputStream().close();
    var found = new String(process.getInputStream().readAllBytes()).strip();
    var needed = "mynah " + VERSION.substring(0, VERSION.lastIndexOf('.'));
    if (!found.startsWith(needed + ".")) {
      throw new MynahException("%s is \"%.80s\", but mynah-dapr-junit5 %s needs %s; %s"
          .formatted(path, found, VERSION, needed, INSTALL));
    }
    return path;
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
  List<String> line(Path addresses) throws IOException {
    var serve = with("--dapr-grpc-port=0", "--dapr-http-port=0", "--enable-metrics=false",
        "--addresses-file=" + addresses, "--exit-on-stdin-close");
    return Stream.concat(Stream.of(find()), serve.args.stream()).toList();
  }
}
