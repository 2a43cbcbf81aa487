package mynahtest

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// control ignores proxies and changes to http.DefaultClient.
var control = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}, Timeout: 90 * time.Second}

// request calls the control API and decodes the answer. An error ends the test.
func (m *Mynah) request(method, path string, body, answer any) {
	m.t.Helper()
	status, text := m.send(method, path, body)
	if status >= 300 {
		m.t.Fatalf("mynahtest: %s %s: %d: %s", method, path, status, text)
	}
	if answer != nil {
		m.check(json.Unmarshal(text, answer))
	}
}

// check ends the test if there is an error.
func (m *Mynah) check(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatalf("mynahtest: %v", err)
	}
}

// send calls the control API. A text is sent as it is, and everything else as JSON.
func (m *Mynah) send(method, path string, body any) (status int, text []byte) {
	m.t.Helper()
	data, isText := body.(string)
	if body != nil && !isText {
		encoded, err := json.Marshal(body)
		m.check(err)
		data = string(encoded)
	}
	request, err := http.NewRequest(method, m.server.control+path, strings.NewReader(data))
	m.check(err)
	request.Header.Set("dapr-api-token", os.Getenv("DAPR_API_TOKEN"))
	response, err := control.Do(request)
	if err != nil {
		m.t.Fatalf("mynahtest: %v\n%s", err, m.server.log.from(m.logFrom))
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	m.check(err)
	return response.StatusCode, text
}
