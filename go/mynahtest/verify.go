package mynahtest

import (
	"encoding/json"
	"maps"
)

// A Check is an argument of [Mynah.Verify]: a [Condition], [Count] or another check.
type Check interface{ addTo(body Object) }

type check struct {
	key   string
	value any
}

func (c check) addTo(body Object) { body[c.key] = c.value }

// Count expects exactly n calls. Without it, AtLeast and AtMost, one call or more is expected.
func Count(n int) Check { return check{"count", n} }

// AtLeast expects n calls or more.
func AtLeast(n int) Check { return check{"count", Object{"at_least": n}} }

// AtMost expects n calls or fewer.
func AtMost(n int) Check { return check{"count", Object{"at_most": n}} }

// NoUnmatched expects that rules or instruction chains have answered all calls.
func NoUnmatched() Check { return check{"no_unmatched", true} }

// Unused expects that no rule of the test is unused.
func Unused() Check { return check{"unused", true} }

// With is any other key of a check, such as "outcome", "waiting" or "wait".
func With(key string, value any) Check { return check{key, value} }

// Verify checks the calls of the test. If they are not as expected, the test fails and names the calls
// that nearly match. Verify waits for up to a second for calls that are about to end.
func (m *Mynah) Verify(checks ...Check) {
	m.t.Helper()
	if misses := m.verify(checks); misses != "" {
		m.t.Error("mynahtest: " + misses)
	}
}

func (m *Mynah) verify(checks []Check) string {
	m.t.Helper()
	body := Object{"session": m.session, "wait": "1s"}
	for _, check := range checks {
		check.addTo(body)
	}
	status, answer := m.send("POST", "/verify", body)
	var found struct {
		OK     bool
		Report string
	}
	if err := json.Unmarshal(answer, &found); err != nil || status != 200 && status != 409 {
		m.t.Fatalf("mynahtest: verify: %s", answer)
	}
	if found.OK {
		return ""
	}
	return found.Report
}

// A Verdict judges how the test retries calls.
type Verdict struct {
	OK                 bool
	Retries, Recovered int
	GaveUp             []int `json:"gave_up"`
	Violations         []struct {
		Kind, Message string
		Calls         []int
	}
}

// Verdict judges how the test retries calls.
func (m *Mynah) Verdict() (verdict Verdict) {
	m.t.Helper()
	m.request("GET", "/verdict?"+m.query(), nil, &verdict)
	return verdict
}

// Fault makes calls of the test fail. It replaces the fault before. An Object with the key "faults"
// has several.
func (m *Mynah) Fault(fault Object) {
	m.t.Helper()
	body := Object{"session": m.session}
	maps.Copy(body, fault)
	m.request("PUT", "/faults", body, nil)
}

// EndWaits removes the faults and answers the calls that wait.
func (m *Mynah) EndWaits() {
	m.t.Helper()
	m.request("DELETE", "/faults?"+m.query(), nil, nil)
}

// ForgetFailed removes the calls that have failed, so that [NoUnmatched] does not see them.
func (m *Mynah) ForgetFailed() {
	m.t.Helper()
	m.request("DELETE", "/journal?outcome=failed&"+m.query(), nil, nil)
}

// report logs the calls of a test that has failed, the nearest rules and the log of mynah.
func (m *Mynah) report() {
	m.t.Helper()
	_, calls := m.send("GET", "/report?"+m.query(), nil)
	m.t.Logf("mynahtest: %s", calls)
	if log := m.server.log.from(m.logFrom); log != "" {
		m.t.Logf("mynahtest: log of mynah:\n%s", log)
	}
}
