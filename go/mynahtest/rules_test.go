package mynahtest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/mynah-dapr/mynah/go/mynahtest"
)

// unprintable has characters that JSON allows and YAML does not.
const unprintable = "a\u007f\u0085\u009f\u2028\u2029\ufeff\ufffe\uffff\"\\\x00z"

// userJSON returns a message. The verb %q of [user] has escapes that JSON does not have.
func userJSON(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"ofUser": {"content": [{"text": ` + string(quoted) + `}]}}`
}

// expectUnprintable expects that a rule answers the text with itself.
func expectUnprintable(t *testing.T, m *mynahtest.Mynah) {
	t.Helper()
	converse(t, m, userJSON(unprintable))
	equal(t, m.LastCall().Answer.Text, unprintable)
	m.Verify(mynahtest.NoUnmatched())
}

func TestRulesCanHaveUnprintableCharacters(t *testing.T) {
	m := mynahtest.Start(t)
	m.When(mynahtest.User(mynahtest.Object{"equals": unprintable})).Respond(unprintable)
	expectUnprintable(t, m)
}

func TestRulesOfJSONFilesCanHaveUnprintableCharacters(t *testing.T) {
	m := mynahtest.Start(t)
	match := mynahtest.Object{"user": mynahtest.Object{"equals": unprintable}}
	rules := []any{mynahtest.Object{"match": match, "respond": unprintable}}
	text, err := json.Marshal(mynahtest.Object{"rules": rules})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rules.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	m.Rules(file)
	expectUnprintable(t, m)
}
