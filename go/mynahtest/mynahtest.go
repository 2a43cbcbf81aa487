// Package mynahtest runs tests of Dapr applications against mynah, which answers in place of the
// language model.
//
// [Start] gives each test a session of its own: addresses that only this test uses, with rules,
// faults and a journal that no other test sees. The first test starts mynah, which stops when the
// test process ends, even if that is killed. There is nothing to do in TestMain.
//
// If a test fails, its log has the calls of the test, the nearest rules and the log of mynah.
//
// The package needs the program mynah: `pip install mynah-dapr` or `npm install --global mynah-dapr`.
package mynahtest

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// Version is the version of this package. It needs a mynah with the same major and minor version.
const Version = "0.1.0"

// Object is a JSON object, with the keys of mynah's rules, checks and faults.
type Object = map[string]any

// An Option says how [Start] starts mynah.
type Option func(*command)

// Binary sets the path of mynah. Otherwise, it is in the variable MYNAH_BIN or found in PATH.
func Binary(path string) Option { return func(c *command) { c.binary = path } }

// Args adds arguments of mynah, such as "--resources-path=components". Relative paths begin at the
// folder of the test. Tests with the same options share one mynah.
func Args(args ...string) Option { return func(c *command) { c.args = append(c.args, args...) } }

// Mynah is the session of one test.
type Mynah struct {
	GRPCAddr string // the address of Dapr's gRPC API, such as "127.0.0.1:41234"
	HTTPAddr string // the address of Dapr's HTTP API and of OpenAI's API

	t       testing.TB
	server  *server
	session string
	logFrom int

	mutex sync.Mutex // guards the names of the rules
	names map[string]int
}

// Start returns the session of the test, which ends with the test. The first call starts mynah.
func Start(t testing.TB, options ...Option) *Mynah {
	t.Helper()
	var c command
	for _, option := range options {
		option(&c)
	}
	s, err := serverFor(c)
	if err != nil {
		t.Fatalf("mynahtest: %v", err)
	}
	if m, ok := s.sessions.Load(t); ok {
		return m.(*Mynah)
	}
	m := &Mynah{t: t, server: s, names: map[string]int{}, logFrom: s.log.len()}
	m.open()
	return m
}

// open opens the addresses of the session, and removes them when the test ends.
func (m *Mynah) open() {
	m.t.Helper()
	var opened struct{ Session, GRPC, HTTP string }
	path := "/sessions/" + url.PathEscape(m.t.Name())
	m.request("PUT", path, nil, &opened)
	m.session, m.GRPCAddr, m.HTTPAddr = opened.Session, opened.GRPC, opened.HTTP
	m.server.sessions.Store(m.t, m)
	m.t.Cleanup(func() {
		m.t.Helper()
		m.server.sessions.Delete(m.t)
		if m.server.command.replay != "" {
			m.Verify(With("recorded", true))
		}
		if m.t.Failed() {
			m.report()
		}
		// The reset ends the calls that wait, for which the end of the session would wait.
		m.request("POST", "/reset?"+m.query(), nil, nil)
		m.request("DELETE", path, nil, nil)
	})
}

// OpenAIURL returns the base URL for clients of OpenAI's API.
func (m *Mynah) OpenAIURL() string { return "http://" + m.HTTPAddr + "/v1" }

// Setenv points the DAPR_* variables, which Dapr's SDK reads, at the session until the test ends.
// It cannot be used in parallel tests, because all tests of a process share its variables.
func (m *Mynah) Setenv() {
	m.t.Helper()
	defer func() {
		m.t.Helper()
		if reason := recover(); reason != nil {
			m.t.Fatalf("mynahtest: Setenv cannot be used in a parallel test, because it would also change "+
				"the variables of other tests; pass m.GRPCAddr or m.HTTPAddr to the client (%v)", reason)
		}
	}()
	host, grpcPort, _ := net.SplitHostPort(m.GRPCAddr)
	_, httpPort, _ := net.SplitHostPort(m.HTTPAddr)
	m.t.Setenv("DAPR_GRPC_ENDPOINT", "http://"+m.GRPCAddr)
	m.t.Setenv("DAPR_HTTP_ENDPOINT", "http://"+m.HTTPAddr)
	m.t.Setenv("DAPR_GRPC_PORT", grpcPort)
	m.t.Setenv("DAPR_HTTP_PORT", httpPort)
	m.t.Setenv("DAPR_RUNTIME_HOST", host)
}

// query returns the session as a query parameter.
func (m *Mynah) query() string { return url.Values{"session": {m.session}}.Encode() }
