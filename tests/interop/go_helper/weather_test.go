package weather

import (
	"testing"

	dapr "github.com/dapr/go-sdk/client"
	"github.com/mynah-dapr/mynah/go/mynahtest"
)

func TestWeather(t *testing.T) {
	m := mynahtest.Start(t)
	m.When(mynahtest.User("weather")).Respond("Sunny")

	client, err := dapr.NewClientWithAddressContext(t.Context(), m.GRPCAddr)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()

	if answer := ask(t, client, "How is the weather?"); answer != "Sunny" {
		t.Errorf("got %q, want %q", answer, "Sunny")
	}
	m.Verify(mynahtest.Count(1), mynahtest.User("weather"))
}

func TestClientFromTheEnvironment(t *testing.T) {
	m := mynahtest.Start(t)
	m.Setenv()
	m.When(mynahtest.User("weather")).Respond("Sunny")
	client, err := dapr.NewClient()
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if answer := ask(t, client, "How is the weather?"); answer != "Sunny" {
		t.Errorf("got %q, want %q", answer, "Sunny")
	}
	if surface := m.LastCall().Surface; surface != "grpc" {
		t.Errorf("got a call over %s", surface)
	}
}

// ask asks the model.
func ask(t *testing.T, client dapr.Client, question string) string {
	t.Helper()
	content := []*dapr.ConversationMessageContentAlpha2{{Text: &question}}
	user := &dapr.ConversationMessageOfUserAlpha2{Content: content}
	message := &dapr.ConversationMessageAlpha2{ConversationMessageOfUser: user}
	response, err := client.ConverseAlpha2(t.Context(), dapr.ConversationRequestAlpha2{
		Name:   "echo",
		Inputs: []*dapr.ConversationInputAlpha2{{Messages: []*dapr.ConversationMessageAlpha2{message}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return response.Outputs[0].Choices[0].Message.Content
}
