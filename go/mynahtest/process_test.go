package mynahtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func fails(t *testing.T, err error, wants ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("got no error")
	}
	for _, want := range wants {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want %q", err, want)
		}
	}
}

// program writes a script and returns its path.
func program(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "mynah")
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMynahIsNotInstalled(t *testing.T) {
	t.Setenv("MYNAH_BIN", "")
	t.Setenv("PATH", t.TempDir())
	_, err := start(command{})
	fails(t, err, "no mynah in PATH", "MYNAH_BIN", "pip install mynah-dapr", "npm install --global mynah-dapr")
	t.Setenv("MYNAH_BIN", "/no/such/mynah")
	_, err = start(command{})
	fails(t, err, "no mynah in MYNAH_BIN", "/no/such/mynah", "pip install mynah-dapr")
	_, err = start(command{binary: "/no/such/program"})
	fails(t, err, "no mynah in mynahtest.Binary", "/no/such/program")
}

func TestMynahIsFoundInPath(t *testing.T) {
	path := program(t, "#!/bin/sh\necho mynah 0.1.7\n")
	t.Setenv("MYNAH_BIN", "")
	t.Setenv("PATH", filepath.Dir(path))
	found, err := find("")
	if err != nil || found != path {
		t.Errorf("got %q and %v, want %q", found, err, path)
	}
}

func TestMynahHasAnotherVersion(t *testing.T) {
	path := program(t, "#!/bin/sh\necho mynah 7.2.1\n")
	_, err := start(command{binary: path})
	fails(t, err, path, `"7.2.1"`, "mynahtest "+Version, "needs 0.1;")
}

func TestMynahIsOfAnotherPlatform(t *testing.T) {
	path := program(t, "\x7fELF\x02\x01\x01")
	_, err := start(command{binary: path})
	fails(t, err, path, "--version failed", "install mynah")
}

func TestMynahDoesNotStart(t *testing.T) {
	_, err := start(command{args: []string{"--resources-path=/no/such/folder"}})
	fails(t, err, "mynah did not start", "/no/such/folder", "exit status")
}
