package mynahtest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mynah-dapr/mynah/go/mynahtest"
)

const component = `
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: echo}
spec:
  type: conversation.openai
  version: v1
  metadata:
  - {name: key, value: sk-planted-key-123456}
  - {name: model, value: echo}
  - {name: endpoint, value: "http://%s/v1"}
`

// startModel starts another mynah as the real model of a component in a folder, until the test ends.
func startModel(t *testing.T, folder string) {
	t.Helper()
	m := mynahtest.Start(t)
	m.When(mynahtest.User("weather")).Respond("Sunny")
	check(t, os.Mkdir(filepath.Join(folder, "components"), 0o700))
	file := filepath.Join(folder, "components", "echo.yaml")
	check(t, os.WriteFile(file, fmt.Appendf(nil, component, m.HTTPAddr), 0o600))
}

func runChild(t *testing.T, test string, env ...string) (string, error) {
	t.Helper()
	process := child(t, test)
	process.Env = append(os.Environ(), env...)
	output, err := process.CombinedOutput()
	return string(output), err
}

// recorded waits for the recording, which mynah writes at the end of the process.
func recorded(t *testing.T, folder string) string {
	t.Helper()
	file := filepath.Join(folder, "recordings", "echo.yaml")
	deadline := time.Now().Add(10 * time.Second)
	for {
		text, err := os.ReadFile(file)
		if err == nil {
			return string(text)
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestRecordingsAreReplayedWithoutTheModel(t *testing.T) {
	folder := t.TempDir()
	t.Run("model", func(t *testing.T) {
		startModel(t, folder)
		output, err := runChild(t, "TestRecorded", "RECORD=1", "MODEL="+folder)
		if err != nil {
			t.Fatal(output)
		}
		contains(t, recorded(t, folder), "name: \"TestRecorded: How is the weather?\"")
	})
	for _, test := range []string{"TestRecorded", "TestExpectedMiss"} {
		if output, err := runChild(t, test, "MODEL="+folder); err != nil {
			t.Error(output)
		}
	}
	output, err := runChild(t, "TestNotRecorded", "MODEL="+folder)
	if err == nil || !strings.Contains(output, "--- FAIL: TestNotRecorded") {
		t.Error("the test passed")
	}
	contains(t, output, "the request is not recorded in recordings/echo.yaml; the nearest is rule ")
	contains(t, output, "How is the [-weather?-]{+wether?+}")
}

func TestAnotherUpstreamIsKept(t *testing.T) {
	output, err := runChild(t, "TestUpstream", "MODEL="+t.TempDir())
	if err == nil {
		t.Error("the test passed")
	}
	contains(t, output, "--daprd")
}
