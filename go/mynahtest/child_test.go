package mynahtest_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// buildChild builds the tests in testdata/child once.
var buildChild = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "mynahtest")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "child.test")
	output, err := exec.Command("go", "test", "-c", "-o", path, "./testdata/child").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, output)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := buildChild(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// child returns the process of a test in testdata/child.
func child(t *testing.T, test string) *exec.Cmd {
	t.Helper()
	path, err := buildChild()
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(path, "-test.v", "-test.run=^"+test+"$")
}

func TestReportsOfFailedTests(t *testing.T) {
	reports := map[string][]string{
		"TestUnexpectedCalls": {
			`expected exactly 2 calls with {"user":"weather"}, found 1 (2)`,
			"call 1 does not match:",
			`user: expected a text that contains "weather"`, `the call has "How is the wether?"`,
			"call 1 to echo (ok, ", "user: How is the wether?",
			`the nearest is rule "child_test.go:`,
			"call 2 to echo (ok, ", "answer: Sunny", " ms, child_test.go:",
			"log of mynah:", `session="TestUnexpectedCalls"`,
		},
		"TestUnusedRule":            {`rule "child_test.go:`, "in session TestUnusedRule did not answer"},
		"TestInvalidRule":           {"POST /rules?session=TestInvalidRule: 400", "unknown key `usr`", "child_test.go:"},
		"TestSetenvInAParallelTest": {"Setenv cannot be used in a parallel test", "pass m.GRPCAddr or m.HTTPAddr"},
		"TestNoCall":                {"no call of the model has ended in this test"},
	}
	for test, wants := range reports {
		t.Run(test, func(t *testing.T) {
			output, err := child(t, test).CombinedOutput()
			if err == nil {
				t.Errorf("the test passed")
			}
			for _, want := range wants {
				contains(t, string(output), want)
			}
		})
	}
}

// A held is a process of TestHolds that waits for a line.
type held struct {
	*exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
}

func hold(t *testing.T, answer string) held {
	t.Helper()
	h := held{Cmd: child(t, "TestHolds")}
	h.Env = append(os.Environ(), "ANSWER="+answer)
	stdout, err := h.StdoutPipe()
	check(t, err)
	h.stdin, err = h.StdinPipe()
	check(t, err)
	check(t, h.Start())
	t.Cleanup(func() { h.Process.Kill() })
	h.stdout = bufio.NewReader(stdout)
	address := regexp.MustCompile(`^127\.0\.0\.1:\d+\n$`)
	for {
		line, err := h.stdout.ReadString('\n')
		check(t, err)
		if address.MatchString(line) {
			return h
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTwoProcessesAtOnce(t *testing.T) {
	both := []held{hold(t, "one"), hold(t, "two")}
	for _, h := range both {
		_, err := io.WriteString(h.stdin, "go\n")
		check(t, err)
	}
	for _, h := range both {
		output, err := io.ReadAll(h.stdout)
		check(t, err)
		contains(t, string(output), "PASS")
		check(t, h.Wait())
	}
}

func TestMynahEndsWithAKilledProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	h := hold(t, "any")
	children := childrenOf(t, h.Process.Pid)
	if len(children) != 1 {
		t.Fatalf("got the processes %v, want mynah only", children)
	}
	check(t, h.Process.Kill())
	h.Wait()
	deadline := time.Now().Add(10 * time.Second)
	for isRunning(children[0]) {
		if time.Now().After(deadline) {
			t.Fatalf("mynah, process %d, still runs", children[0])
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// status returns the state and the parent of a process.
func status(pid int) (state string, parent int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}

func isRunning(pid int) bool {
	state, _ := status(pid)
	return state != "" && state != "Z"
}

func childrenOf(t *testing.T, parent int) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	check(t, err)
	var children []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if _, of := status(pid); err == nil && of == parent {
			children = append(children, pid)
		}
	}
	return children
}
