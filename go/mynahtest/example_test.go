package mynahtest_test

import (
	"net/http"
	"testing"

	"github.com/mynah-dapr/mynah/go/mynahtest"
)

// app asks the model of a Dapr sidecar.
func app(address, question string) string { return address + question }

func ExampleStart() {
	_ = func(t *testing.T) {
		m := mynahtest.Start(t, mynahtest.Args("--resources-path=components", "--stand-in=scripted"))
		m.When(mynahtest.User("weather")).Respond("Sunny")
		if answer := app(m.GRPCAddr, "How is the weather?"); answer != "Sunny" {
			t.Errorf("got %q, want %q", answer, "Sunny")
		}
		m.Verify(mynahtest.Count(1), mynahtest.User("weather"))
	}
}

func ExampleMynah_When() {
	_ = func(t *testing.T) {
		m := mynahtest.Start(t)
		m.When(mynahtest.User("busy")).Times(2).Fails("UNAVAILABLE")
		m.When(mynahtest.User("weather")).Chain(
			mynahtest.ToolCall("get_weather", mynahtest.Object{"city": "Paris"}),
			"It is sunny.",
		)
		m.When(mynahtest.Match("turn", 3)).Respond("Goodbye!")
	}
}

func ExampleMynah_Setenv() {
	_ = func(t *testing.T) {
		m := mynahtest.Start(t)
		m.Setenv()
		// The application reads DAPR_HTTP_ENDPOINT.
		if _, err := http.Get("http://" + m.HTTPAddr + "/v1.0/healthz"); err != nil {
			t.Error(err)
		}
	}
}
