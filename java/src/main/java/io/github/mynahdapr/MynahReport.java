package io.github.mynahdapr;

/** The calls of a failed test. It is suppressed in the failure, so each report of the test has it. */
final class MynahReport extends Throwable {
  MynahReport(String text) {
    super(text, null, false, false);
  }
}
