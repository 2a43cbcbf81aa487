package travel

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	dapr "github.com/dapr/go-sdk/client"
	"google.golang.org/protobuf/types/known/structpb"
)

// Agency is a travel agency in memory. Its fields record what the tools did.
type Agency struct {
	Booked    []Booking
	Cancelled []string
	Sent      []Itinerary
}

// Search has the arguments of search_flights.
type Search struct {
	Origin        string `json:"origin"`
	Destination   string `json:"destination"`
	DepartureDate string `json:"departure_date"`
	Passengers    int    `json:"passengers"`
}

// Booking has the arguments of book_trip.
type Booking struct {
	Flight     string      `json:"flight"`
	Passengers []Passenger `json:"passengers"`
}

// Passenger is a person who travels.
type Passenger struct {
	Name string `json:"name"`
	Age  int    `json:"age"`
}

// Itinerary has the arguments of send_itinerary.
type Itinerary struct {
	BookingID string `json:"booking_id"`
	To        string `json:"to"`
}

// A tool has a definition and a function that parses its arguments and runs it.
type tool struct {
	name, description, schema string
	run                       func(arguments []byte) (string, error)
}

func (a *Agency) tools() []tool {
	return []tool{
		{"search_flights", "Searches flights between two cities.", `{
			"origin": {"type": "string"}, "destination": {"type": "string"},
			"departure_date": {"type": "string", "format": "date"},
			"passengers": {"type": "integer", "minimum": 1, "maximum": 9}}`, typed(a.searchFlights)},
		{"book_trip", "Books a flight for one or more passengers.", `{
			"flight": {"type": "string"},
			"passengers": {"type": "array", "minItems": 1, "items": {
				"type": "object",
				"properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
				"required": ["name", "age"]}}}`, typed(a.bookTrip)},
		{"cancel_booking", "Cancels a booking.", `{"booking_id": {"type": "string"}}`, typed(a.cancelBooking)},
		{"send_itinerary", "Sends the itinerary of a booking to the traveler.", `{
			"booking_id": {"type": "string"}, "to": {"type": "string", "format": "email"}}`, typed(a.sendItinerary)},
		{"search_hotels", "Searches hotels in a city.", `{
			"city": {"type": "string"}, "check_in": {"type": "string", "format": "date"},
			"check_out": {"type": "string", "format": "date"}}`, typed(a.searchHotels)},
		{"get_weather", "Returns the weather in a city.", `{"city": {"type": "string"}}`, typed(a.getWeather)},
	}
}

func (a *Agency) searchFlights(search Search) (string, error) {
	if _, err := time.Parse(time.DateOnly, search.DepartureDate); err != nil {
		return "", err
	}
	price := 95 * search.Passengers
	return fmt.Sprintf("LH-100, %s to %s, %s, %d EUR", search.Origin, search.Destination, search.DepartureDate, price), nil
}

func (a *Agency) bookTrip(booking Booking) (string, error) {
	if len(booking.Passengers) == 0 {
		return "", fmt.Errorf("passengers is empty")
	}
	a.Booked = append(a.Booked, booking)
	return fmt.Sprintf("Booked %s as BK-%d.", booking.Flight, 1000+len(a.Booked)), nil
}

func (a *Agency) cancelBooking(booking struct {
	BookingID string `json:"booking_id"`
}) (string, error) {
	a.Cancelled = append(a.Cancelled, booking.BookingID)
	return fmt.Sprintf("Cancelled %s.", booking.BookingID), nil
}

func (a *Agency) sendItinerary(itinerary Itinerary) (string, error) {
	a.Sent = append(a.Sent, itinerary)
	return fmt.Sprintf("Sent %s to %s.", itinerary.BookingID, itinerary.To), nil
}

func (a *Agency) searchHotels(search struct {
	City string `json:"city"`
}) (string, error) {
	return fmt.Sprintf("Hotel Aurora, %s", search.City), nil
}

func (a *Agency) getWeather(weather struct {
	City string `json:"city"`
}) (string, error) {
	return fmt.Sprintf("It is sunny in %s.", weather.City), nil
}

// typed returns a function that parses the arguments of a tool.
func typed[Arguments any](run func(Arguments) (string, error)) func([]byte) (string, error) {
	return func(arguments []byte) (string, error) {
		var parsed Arguments
		if err := json.Unmarshal(arguments, &parsed); err != nil {
			return "", err
		}
		return run(parsed)
	}
}

// runTool runs a call. It reports mistakes of the model as the result, so that it can try again.
func runTool(tools []tool, call *call) string {
	var names []string
	for _, tool := range tools {
		if tool.name == call.ToolTypes.Name {
			result, err := tool.run([]byte(call.ToolTypes.Arguments))
			if err != nil {
				return fmt.Sprintf("Error: the arguments of %s are invalid: %v.", tool.name, err)
			}
			return result
		}
		names = append(names, tool.name)
	}
	return fmt.Sprintf("Error: there is no tool %s; use one of: %s.", call.ToolTypes.Name, strings.Join(names, ", "))
}

// definitions returns the definitions that a request offers to the model.
func definitions(tools []tool) []*dapr.ConversationToolsAlpha2 {
	var definitions []*dapr.ConversationToolsAlpha2
	for _, tool := range tools {
		definitions = append(definitions, definition(tool.name, tool.description, tool.schema))
	}
	return definitions
}

// definition returns a tool with these properties, all of which are required. It panics if they are
// not JSON.
func definition(name, description, properties string) *dapr.ConversationToolsAlpha2 {
	parameters := objectSchema(properties)
	return &dapr.ConversationToolsAlpha2{Name: name, Description: &description, Parameters: parameters}
}

func objectSchema(properties string) *structpb.Struct {
	var fields map[string]any
	if err := json.Unmarshal([]byte(properties), &fields); err != nil {
		panic(err)
	}
	var required []any
	for name := range fields {
		required = append(required, name)
	}
	schema, err := structpb.NewStruct(map[string]any{"type": "object", "properties": fields, "required": required})
	if err != nil {
		panic(err)
	}
	return schema
}
