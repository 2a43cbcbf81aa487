package mynahtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	install      = "install mynah with `pip install mynah-dapr` or `npm install --global mynah-dapr`"
	startTimeout = 30 * time.Second
)

// A command says how to start mynah.
type command struct {
	binary         string
	args           []string
	record, replay string // folders
}

// A server is a running mynah. It stops when the test process ends, because that closes the pipe.
type server struct {
	command  command
	control  string
	sessions sync.Map // of *Mynah, by its test
	log      log
	pipe     io.Closer // the standard input of mynah
	ended    chan struct{}
}

// servers has a function for each command, which starts mynah once.
var servers sync.Map

func serverFor(c command) (*server, error) {
	start := sync.OnceValues(func() (*server, error) { return start(c) })
	once, _ := servers.LoadOrStore(fmt.Sprintf("%q", c), start)
	return once.(func() (*server, error))()
}

// start starts mynah and waits until it serves.
func start(c command) (*server, error) {
	binary, err := find(c.binary)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "mynah")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "addresses.json")
	s := &server{command: c, ended: make(chan struct{})}
	mynah := exec.Command(binary, slices.Concat(c.flags(), []string{"--dapr-grpc-port=0", "--dapr-http-port=0",
		"--enable-metrics=false", "--addresses-file=" + file, "--exit-on-stdin-close"})...)
	mynah.Stdout, mynah.Stderr = &s.log, &s.log
	if s.pipe, err = mynah.StdinPipe(); err != nil {
		return nil, err
	}
	if err := mynah.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w; %s", binary, err, install)
	}
	go func() {
		fmt.Fprintln(&s.log, "mynah has ended:", mynah.Wait())
		close(s.ended)
	}()
	return s, s.wait(file)
}

// find returns the path of a mynah of this version.
func find(path string) (string, error) {
	source := "mynahtest.Binary"
	if path == "" {
		source, path = "MYNAH_BIN", os.Getenv("MYNAH_BIN")
	}
	if path == "" {
		source, path = "PATH", "mynah"
	}
	binary, err := exec.LookPath(path)
	if err != nil {
		return "", fmt.Errorf("no mynah in %s: %w; set MYNAH_BIN to its path, or %s", source, err, install)
	}
	output, err := exec.Command(binary, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version failed: %w; %s", binary, err, install)
	}
	version := strings.TrimSpace(strings.TrimPrefix(string(output), "mynah "))
	if minor(version) != minor(Version) {
		return "", fmt.Errorf("%s has version %q, but mynahtest %s needs %s; %s", binary, version, Version, minor(Version), install)
	}
	return binary, nil
}

// minor returns the major and the minor version in a version.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// wait waits for the file with the addresses, which mynah writes as soon as it serves.
func (s *server) wait(file string) error {
	timeout := time.After(startTimeout)
	for {
		if content, err := os.ReadFile(file); err == nil {
			var addresses struct{ HTTP string }
			err = json.Unmarshal(content, &addresses)
			s.control = "http://" + addresses.HTTP + "/mynah/v1"
			return err
		}
		select {
		case <-s.ended:
			return errors.New("mynah did not start:\n" + s.log.from(0))
		case <-timeout:
			s.pipe.Close()
			return fmt.Errorf("mynah did not serve within %v:\n%s", startTimeout, s.log.from(0))
		case <-time.After(time.Millisecond):
		}
	}
}

// log is the output of mynah.
type log struct {
	mutex sync.Mutex
	text  []byte
}

func (l *log) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.text = append(l.text, text...)
	return len(text), nil
}

func (l *log) len() int { return len(l.from(0)) }

// from returns the output after its first bytes.
func (l *log) from(start int) string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return string(l.text[start:])
}
