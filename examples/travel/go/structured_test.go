package travel

import "testing"

const rome = `{"origin":"Berlin","destination":"Rome","passengers":2}`

var toRome = Trip{"Berlin", "Rome", 2}

func Test42EchoAnswersWithAValidTrip(t *testing.T) {
	_, err := PlanTrip(session(t), start("echo").Model, "Plan a trip.")
	check(t, err)
}

func Test43EchoCallsAFunctionWithAValidTrip(t *testing.T) {
	trip, err := PlanTripByCall(session(t), start("echo").Model, "From Berlin to Rome for 2 passengers")
	check(t, err)
	equal(t, trip, toRome)
}

func Test44AScriptGivesTheExactTrip(t *testing.T) {
	trip, err := PlanTrip(session(t), start("scripted").Model, script(t, "Plan a trip.", sayJSON(rome)))
	check(t, err)
	equal(t, trip, toRome)
}

func Test45AScriptCallsAFunctionWithTheExactTrip(t *testing.T) {
	trip, err := PlanTripByCall(session(t), start("scripted").Model, script(t, "Plan a trip.", callTool("trip", rome)))
	check(t, err)
	equal(t, trip, toRome)
}

func Test46AnAnswerThatIsNotJSONIsAnError(t *testing.T) {
	_, err := PlanTrip(session(t), start("scripted").Model, script(t, "Plan a trip.", say("Sure!")))
	fails(t, err, "invalid character 'S'")
}

func Test47ARepairLoopKeepsTheInvalidAnswerInTheHistory(t *testing.T) {
	nobody := `{"origin":"Berlin","destination":"Rome","passengers":0}`
	question := script(t, "Plan a trip.", sayJSON(nobody), sayJSON(rome))
	trip, err := PlanTripAndRepair(session(t), start("scripted").Model, question, true)
	check(t, err)
	equal(t, trip, toRome)
}

func Test48TheSameRequestGetsAnInvalidAndThenAValidAnswer(t *testing.T) {
	trip, err := PlanTripAndRepair(session(t), start("assistant").Model, "Plan a weekend in Rome.", false)
	check(t, err)
	equal(t, trip, toRome)
}
