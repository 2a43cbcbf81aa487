package weather;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.mynahdapr.MynahExtension;
import io.github.mynahdapr.MynahSession;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@ExtendWith(MynahExtension.class)
@Execution(ExecutionMode.CONCURRENT)
class ParallelTest {
  @RepeatedTest(32)
  void testsDoNotSeeEachOther(RepetitionInfo info, MynahSession mynah) {
    var answer = "You are " + info.getCurrentRepetition() + ".";
    mynah.when().respond(answer);
    assertEquals(answer, new Assistant(mynah.client()).answer("Who am I?"));
    mynah.verify(calls -> calls.count(1));
  }
}
