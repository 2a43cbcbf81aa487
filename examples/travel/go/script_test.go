package travel

import (
	"strings"
	"testing"
)

const (
	searchRome = `{"origin": "Berlin", "destination": "Rome", "departure_date": "2025-06-01", "passengers": 1}`
	bookAnn    = `{"flight": "LH-100", "passengers": [{"name": "Ann", "age": 34}]}`
	cancel     = `{"booking_id": "BK-1234"}`
	inRome     = `{"city": "Rome"}`
)

func Test11SearchThenBookThenText(t *testing.T) {
	assistant := start("scripted")
	answer, err := assistant.Ask(session(t), script(t, "A trip to Rome for Ann, please.",
		callTool("search_flights", searchRome),
		callTool("book_trip", bookAnn),
		say("Your trip is booked."),
	))
	check(t, err)
	equal(t, answer, "Your trip is booked.")
	equal(t, strings.Join(results(assistant), "\n"), "LH-100, Berlin to Rome, 2025-06-01, 95 EUR\nBooked LH-100 as BK-1001.")
	equal(t, assistant.Agency.Booked[0].Passengers[0].Name, "Ann")
}

func Test12ArgumentsThatBreakTheSchemaAreReportedToTheModel(t *testing.T) {
	assistant := start("scripted")
	wrong := strings.Replace(bookAnn, "34", `"thirty"`, 1)
	_, err := assistant.Ask(session(t), script(t, "Book LH-100 for Ann.",
		callTool("book_trip", wrong), callTool("book_trip", bookAnn), say("Done.")))
	check(t, err)
	equal(t, strings.HasPrefix(results(assistant)[0], "Error: the arguments of book_trip are invalid: "), true)
	equal(t, results(assistant)[1], "Booked LH-100 as BK-1001.")
}

func Test13MalformedJSONArgumentsAreReportedToTheModel(t *testing.T) {
	assistant := start("scripted")
	half := step{"name": "cancel_booking", "raw_args": `{"booking_id": "BK-12`}
	_, err := assistant.Ask(session(t), script(t, "Cancel BK-1234.",
		step{"messages": []step{{"tool_call": []step{half}}}}, say("Sorry.")))
	check(t, err)
	equal(t, results(assistant)[0], "Error: the arguments of cancel_booking are invalid: unexpected end of JSON input.")
	equal(t, len(assistant.Agency.Cancelled), 0)
}

func Test14AToolThatWasNeverOfferedIsReportedToTheModel(t *testing.T) {
	assistant := start("careless")
	_, err := assistant.Ask(session(t), script(t, "Rent a car.", callTool("rent_car", inRome), say("I cannot.")))
	check(t, err)
	equal(t, strings.HasPrefix(results(assistant)[0], "Error: there is no tool rent_car; use one of: "), true)
}

func Test15ALoopThatNeverEndsIsCutAtTheLimit(t *testing.T) {
	assistant := start("scripted")
	assistant.MaxTurns = 3
	weather := callTool("get_weather", inRome)
	_, err := assistant.Ask(session(t), script(t, "Weather?", weather, weather, weather, weather))
	fails(t, err, "no answer after 3 turns")
	equal(t, len(results(assistant)), 3)
}

func Test16AFilteredAnswerIsAnError(t *testing.T) {
	_, err := start("scripted").Ask(session(t), script(t, "Hello!", with("finish_reason", "content_filter", say(""))))
	fails(t, err, "the answer was filtered")
}

func Test17AnAnswerThatWasCutOffIsAnError(t *testing.T) {
	cut := with("finish_reason", "length", say("Rome is the"))
	_, err := start("scripted").Ask(session(t), script(t, "Tell me about Rome.", cut))
	fails(t, err, "the answer was cut off: Rome is the")
}

func Test18OneMessageHasTextAndCalls(t *testing.T) {
	assistant := start("scripted")
	weather := []step{{"name": "get_weather", "args": step{"city": "Rome"}}}
	both := step{"messages": []step{{"text": "Let me look."}, {"tool_call": weather}}}
	_, err := assistant.Ask(session(t), script(t, "Weather?", both, say("Sunny.")))
	check(t, err)
	said := assistant.history[2].ConversationMessageOfAssistant
	equal(t, *said.Content[0].Text, "Let me look.")
	equal(t, said.ToolCalls[0].ToolTypes.Arguments, `{"city":"Rome"}`)
}

func Test19AnEmptyAnswerIsAnError(t *testing.T) {
	_, err := start("scripted").Ask(session(t), script(t, "Hello!", say("")))
	fails(t, err, "the answer was empty")
}

func Test20RepeatedCallIDsAreAnError(t *testing.T) {
	assistant := start("scripted")
	call := step{"name": "cancel_booking", "args": step{"booking_id": "BK-1234"}, "id": "call_1"}
	twice := step{"messages": []step{{"tool_call": []step{call, call}}}}
	_, err := assistant.Ask(session(t), script(t, "Cancel BK-1234.", twice))
	fails(t, err, "the model used the call id call_1 twice")
	equal(t, len(assistant.Agency.Cancelled), 1)
}
