package travel

import (
	"encoding/json"
	"testing"

	dapr "github.com/dapr/go-sdk/client"
)

// callsFor returns the calls that echo makes after a question.
func callsFor(t *testing.T, question string, options ...Request) []*call {
	t.Helper()
	assistant := start("echo")
	assistant.history = append(assistant.history, userMessage(question))
	choice, err := assistant.turn(session(t), options...)
	check(t, err)
	return choice.Message.ToolCalls
}

// search returns the arguments of the only call after a question.
func search(t *testing.T, question string) (search Search) {
	t.Helper()
	calls := callsFor(t, question)
	if len(calls) != 1 || calls[0].ToolTypes.Name != "search_flights" {
		t.Fatalf("got %v, want one call of search_flights", calls)
	}
	check(t, json.Unmarshal([]byte(calls[0].ToolTypes.Arguments), &search))
	return search
}

func Test01FlightsAreSearchedWithWhatTheUserSaid(t *testing.T) {
	search := search(t, "Search flights from Berlin to Rome on 2025-06-01")
	equal(t, search.Origin+" "+search.Destination, "Berlin Rome")
}

func Test02DatesAndCountsComeFromTheText(t *testing.T) {
	search := search(t, "Find flights from Berlin to Rome on 1 June 2025 for 2 passengers")
	equal(t, search.DepartureDate, "2025-06-01")
	equal(t, search.Passengers, 2)
}

func Test03OneTurnCallsTwoTools(t *testing.T) {
	calls := callsFor(t, "Search flights from Berlin to Rome, and what is the weather in Rome?")
	equal(t, len(calls), 2)
	equal(t, calls[0].ToolTypes.Name+" "+calls[1].ToolTypes.Name, "search_flights get_weather")
}

func Test04AllArgumentsAreValid(t *testing.T) {
	for _, question := range []string{
		"Search flights from Berlin to Rome on 2025-06-01 for 2 passengers",
		"Book the trip LH-100",
		"Cancel my booking BK-1234",
		"Send the itinerary of booking BK-1234 to ann@example.org",
		"Find hotels in Rome",
		"What is the weather in Rome?",
	} {
		assistant := start("echo")
		_, err := assistant.Ask(session(t), question)
		check(t, err)
		for _, result := range results(assistant) {
			if result[:5] == "Error" {
				t.Error(result)
			}
		}
	}
}

func Test05CancelTakesTheBookingID(t *testing.T) {
	assistant := start("echo")
	answer, err := assistant.Ask(session(t), "Please cancel booking BK-9876")
	check(t, err)
	equal(t, answer, "Cancelled BK-9876.")
	equal(t, assistant.Agency.Cancelled[0], "BK-9876")
}

func Test06TheItineraryGoesToTheAddressInTheText(t *testing.T) {
	assistant := start("echo")
	_, err := assistant.Ask(session(t), "Send the itinerary of booking BK-1234 to ann@example.org")
	check(t, err)
	equal(t, assistant.Agency.Sent[0], Itinerary{"BK-1234", "ann@example.org"})
}

func Test07SmallTalkCallsNoTool(t *testing.T) {
	equal(t, len(callsFor(t, "Hello! How are you?")), 0)
}

func Test08NegationBooksNothing(t *testing.T) {
	equal(t, len(callsFor(t, "Don't book the trip yet.")), 0)
}

func Test09ASecondQuestionCallsTheToolAgain(t *testing.T) {
	assistant := start("echo")
	for _, city := range []string{"Rome", "Berlin"} {
		answer, err := assistant.Ask(session(t), "What is the weather in "+city+"?")
		check(t, err)
		equal(t, answer, "It is sunny in "+city+".")
	}
}

func Test10ToolChoiceRequiredAndNone(t *testing.T) {
	choose := func(choice dapr.ToolChoiceAlpha2) Request {
		return func(request *dapr.ConversationRequestAlpha2) { request.ToolChoice = &choice }
	}
	equal(t, len(callsFor(t, "Hello!", choose(dapr.ToolChoiceRequiredAlpha2))), 1)
	equal(t, len(callsFor(t, "What is the weather in Rome?", choose(dapr.ToolChoiceNoneAlpha2))), 0)
}
