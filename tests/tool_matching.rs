//! Tests of which tools echo calls, with a table of user messages.

use serde_json::Value;

use crate::support::{
    Sidecar,
    messages::{
        assistant, assistant_with_calls, described_tool, request, tool, tool_call, tool_result,
        user,
    },
};

struct Case {
    message: &'static str,
    /// The tools that the request offers.
    tools: &'static [&'static str],
    /// The called tools, in the order of `tools`.
    called: &'static [&'static str],
}

const fn case(
    message: &'static str,
    tools: &'static [&'static str],
    called: &'static [&'static str],
) -> Case {
    Case { message, tools, called }
}

const OFFICE: &[&str] = &["get_weather", "get_time", "calculate", "send_email", "list_users"];

const CASES: &[Case] = &[
    // Names, and words in names.
    case("call send_email", &["send_email"], &["send_email"]),
    case("send an email", &["send_email"], &["send_email"]),
    case("Send Email", &["send_email"], &["send_email"]),
    case("send_email", &["send_email"], &["send_email"]),
    case("sendEmail", &["send_email"], &["send_email"]),
    case("please sendEmail to the team", &["sendEmail"], &["sendEmail"]),
    case("please send_email to the team", &["sendEmail"], &["sendEmail"]),
    case("please send-email to the team", &["sendEmail"], &["sendEmail"]),
    case("please send email to the team", &["sendEmail"], &["sendEmail"]),
    case("What's the weather in San Francisco?", &["get_weather"], &["get_weather"]),
    case(
        "Get weather and time for San Francisco and calculate 10+5",
        &["get_weather", "get_time", "calculate"],
        &["get_weather", "get_time", "calculate"],
    ),
    case("Hello, world!", OFFICE, &[]),
    case("Hello Echo!", OFFICE, &[]),
    // Names in any case convention.
    case("SendEmail now", &["send-email"], &["send-email"]),
    case("sendemail now", &["SendEmail"], &["SendEmail"]),
    case("SENDEMAIL NOW", &["send_email"], &["send_email"]),
    case("SEND_EMAIL", &["send email"], &["send email"]),
    case("use `send_email`.", &["send_email"], &["send_email"]),
    case("run send_email(to, subject)", &["send_email"], &["send_email"]),
    case("Execute custom_function", &["custom_function", "another_tool"], &["custom_function"]),
    case(
        "call third_tool and another_tool",
        &["another_tool", "third_tool"],
        &["another_tool", "third_tool"],
    ),
    case("What is the HTTP status?", &["HTTPStatus"], &["HTTPStatus"]),
    // The name of one tool takes the words from the topic of the other.
    case("call http_status", &["getHTTPStatus", "HTTPStatus"], &["HTTPStatus"]),
    case("get HTTPStatus", &["getHTTPStatus", "HTTPStatus"], &["getHTTPStatus"]),
    case("upload to S3: s3_upload", &["S3Upload"], &["S3Upload"]),
    case("fs.read_file please", &["fs.read_file"], &["fs.read_file"]),
    case("github__create_issue", &["github__create_issue"], &["github__create_issue"]),
    // Names in text in other scripts.
    case("get_weatherを呼んでください", &["get_weather"], &["get_weather"]),
    case("东京的get_weather，谢谢", &["get_weather"], &["get_weather"]),
    case("天気を教えて", &["天気"], &[]),
    case("「天気」", &["天気"], &["天気"]),
    case("استخدم get_weather الآن", &["get_weather"], &["get_weather"]),
    case("ÄNDERE_GRÖSSE", &["ändere_grösse"], &["ändere_grösse"]),
    // Plurals.
    case("list user", &["list_users"], &["list_users"]),
    case("list all queries", &["list_query"], &["list_query"]),
    case("create the boxes", &["create_box"], &["create_box"]),
    case("what is the statu", &["show_status"], &[]),
    // Phrases.
    case("Create a new user", &["create_user"], &["create_user"]),
    case("book me the very first flight", &["book_flight"], &["book_flight"]),
    case("play some music on the kitchen speaker", &["play_music"], &["play_music"]),
    // Digits, separate or not.
    case("create user 2", &["createUser2"], &["createUser2"]),
    case("createUser2 please", &["create_user_2"], &["create_user_2"]),
    case("do a web3 login", &["web_3_login"], &["web_3_login"]),
    case("do a web 3 login", &["web3Login"], &["web3Login"]),
    case("get 3D model", &["get_3_d_model"], &["get_3_d_model"]),
    case("get 3 d model", &["get3DModel"], &["get3DModel"]),
    // Words at an end of a name that say nothing.
    case("How is the weather in Ghent?", &["weather_func"], &["weather_func"]),
    case("Is there a refund?", &["async_refund_handler"], &["async_refund_handler"]),
    case("Who handles this?", &["refund_handler"], &[]),
    // Topics in any form.
    case("Remind me to call mom", &["set_reminder"], &["set_reminder"]),
    case("Who is booking the rooms?", &["room_booker"], &["room_booker"]),
    case("Is anything being tested?", &["run_tests"], &["run_tests"]),
    case("Was it taped?", &["get_tape"], &[]),
    case("What is the area of this triangle?", &["calc_area_triangle"], &["calc_area_triangle"]),
    case("What is the area of this circle?", &["calc_area_triangle"], &[]),
    // Topics.
    case("What is the stock price of Dapr?", &["get_stock_price"], &["get_stock_price"]),
    case("What is the price of that stock?", &["get_stock_price"], &["get_stock_price"]),
    case("What is the price?", &["get_stock_price"], &[]),
    case("Who are our customers?", &["get_customer_by_id_v2"], &["get_customer_by_id_v2"]),
    case("give me all the data", &["get_data"], &[]),
    case("get the data", &["get_data"], &["get_data"]),
    case("email alice about it", &["send_email", "send_invoice"], &["send_email"]),
    // Keywords.
    case("Will it rain in Paris tomorrow?", OFFICE, &["get_weather"]),
    case("What's the temperature?", OFFICE, &["get_weather"]),
    case("What is today's date?", OFFICE, &["get_time"]),
    case("mail it to Bob", OFFICE, &["send_email"]),
    case("Do I have an appointment?", &["get_calendar"], &["get_calendar"]),
    case("Show me my account", &["get_user"], &["get_user"]),
    case("run this SQL", &["query_database"], &["query_database"]),
    case("open the document", &["read_file"], &["read_file"]),
    case("open the document", &["create_file"], &[]),
    // Arithmetic.
    case("10+5", OFFICE, &["calculate"]),
    case("What is 12 * 12?", OFFICE, &["calculate"]),
    case("2^10 please", &["calculator"], &["calculator"]),
    case("What is 9 - 4", OFFICE, &["calculate"]),
    case("100 / 8", OFFICE, &["calculate"]),
    case("add 5 to it", OFFICE, &["calculate"]),
    case("do the math", OFFICE, &["calculate"]),
    // Several tools, called in the order in which they are offered.
    case("Email the users the weather", OFFICE, &["get_weather", "send_email", "list_users"]),
    case("What time is it?\nAnd the forecast?", OFFICE, &["get_weather", "get_time"]),
    case("get_time. get_time! get_time?", OFFICE, &["get_time"]),
    case("show users", &["get_user", "find_user"], &["get_user", "find_user"]),
    // Only the better match counts.
    case("list users", &["get_user", "list_users"], &["list_users"]),
    case("get user 7", &["get_user", "list_users"], &["get_user"]),
    case(
        "get the weather forecast",
        &["get_weather", "get_weather_forecast"],
        &["get_weather_forecast"],
    ),
    case(
        "Get the weather. And the forecast for the weather.",
        &["get_weather", "get_forecast_weather"],
        &["get_weather", "get_forecast_weather"],
    ),
    case("create user", &["create_user", "create_user_group", "user"], &["create_user"]),
    // Text that must not match.
    case("My training starts on Monday", OFFICE, &[]),
    case("Is the documentation a timeless profiler?", &["read_file", "get_time", "get_user"], &[]),
    case("Write to user@example.com", &["get_user"], &[]),
    case("See https://weather.com/forecast?user=1", &["get_weather", "get_user"], &[]),
    case("See www.weather.com.", &["get_weather"], &[]),
    case("My number is +1-555-010-0199", &["calculate"], &[]),
    case("On 2024-01-15 we won 3-1", &["calculate"], &[]),
    case("Half is 1/2 in C++", &["calculate"], &[]),
    case("Please add salt", &["calculate"], &[]),
    case("I will send it. The email was fine.", &["send_email_draft"], &[]),
    case("create it. The user waits.", &["create_user"], &[]),
    case("what is new?", &["get_news"], &[]),
    // Addresses are ignored.
    case("send bob@mail.example an email", &["send_email"], &["send_email"]),
    case("create https://a.example/b.c?d=e user", &["create_user"], &["create_user"]),
    case("user@example.comにsend_emailして", &["send_email", "get_user"], &["send_email"]),
    // Verbs.
    case("Translate 'good morning' to French", &["translate_text"], &["translate_text"]),
    case("Please translate this", &["translate_text"], &["translate_text"]),
    case("Could you please translate it?", &["translate_text"], &["translate_text"]),
    case("I'd like to translate it", &["translate_text"], &["translate_text"]),
    case("Let's translate it.", &["translate_text"], &["translate_text"]),
    case("Transfer €250 to Anna", &["transfer_money", "get_balance"], &["transfer_money"]),
    case("Convert 100 USD to EUR", &["convert_currency"], &["convert_currency"]),
    case("They translate it", &["translate_text"], &[]),
    case("Translate it", &["translate_text", "translate_file"], &[]),
    case("Create it", &["create_user"], &[]),
    case("Book it", &["book_train"], &[]),
    case("Translate the weather report", &["translate_text", "get_weather"], &["get_weather"]),
    case("Don't translate it", &["translate_text"], &[]),
    // Runs of letters, and plurals of abbreviations.
    case("Search GitHub", &["github"], &["github"]),
    case("search github", &["GitHub"], &["GitHub"]),
    case("Open the PDFs", &["get_pdf"], &["get_pdf"]),
    case("IDs please", &["get_id"], &[]),
    // Prefixes of MCP servers.
    case("create an issue", &["github__create_issue"], &["github__create_issue"]),
    case("create an issue", &["mcp__github__create_issue"], &["mcp__github__create_issue"]),
    case("Will it rain?", &["acme__get_weather"], &["acme__get_weather"]),
    case("github", &["github__create_issue"], &[]),
    // Nouns of a category as names.
    case("email bob", &["send_mail"], &["send_mail"]),
    case("Will it rain?", &["get_forecast"], &["get_forecast"]),
    case("What time is it?", &["get_date"], &["get_date"]),
    case("when is my meeting?", &["list_events"], &["list_events"]),
    case("mail it", &["forward_mail"], &[]),
    // Negations.
    case("Don't send an email to bob@example.org", &["send_email"], &[]),
    case("Don\u{2019}t send an email", &["send_email"], &[]),
    case("DON'T send email", &["send_email"], &[]),
    case("Do not get the weather", &["get_weather"], &[]),
    case("never send email", &["send_email"], &[]),
    case("Book a flight without weather", &["get_weather"], &[]),
    case("There is no time", &["get_time"], &[]),
    case("no, send the email", &["send_email"], &["send_email"]),
    case("No problem, send the mail", &["send_mail"], &["send_mail"]),
    case("I don't want to send an email", &["send_email"], &[]),
    case("I do not need the weather", &["get_weather"], &[]),
    case("You don't have to get the weather", &["get_weather"], &[]),
    case("I don't have it, get the weather", &["get_weather"], &["get_weather"]),
    case("Don't forget to send the email", &["send_email"], &["send_email"]),
    case("Why not send an email?", &["send_email"], &["send_email"]),
    case("Don't send email. Send email!", &["send_email"], &["send_email"]),
    case("Don't get the weather, get the time", OFFICE, &["get_time"]),
    case("I want the stock, not the price", &["get_stock_price"], &["get_stock_price"]),
    case("Don't add 5", OFFICE, &[]),
    // Expressions.
    case("I call in order to complain", &["get_order"], &[]),
    case("Be on time", OFFICE, &[]),
    case("They came in time, at the same time", OFFICE, &[]),
    case("show the order", &["get_order"], &["get_order"]),
    // Words of one match that are words of another.
    case("Search the web", &["web_search", "query_database"], &["web_search"]),
    case("Add 2 eggs to my cart", &["add_to_cart", "calculate"], &["add_to_cart"]),
    case("What is the order status?", &["get_order", "get_order_status"], &["get_order_status"]),
    case(
        "Create the user account",
        &["create_user", "get_account"],
        &["create_user", "get_account"],
    ),
    case("create a user", &["get_user", "create_user"], &["create_user"]),
    // Quotes.
    case("Say \"what's the weather\"", &["get_weather"], &[]),
    case("Say “create a user”", &["create_user"], &[]),
    case("Say «the user»", &["get_user"], &[]),
    case("Say 'the weather' to Bob", &["get_weather"], &[]),
    case("Say `the weather`", &["get_weather"], &[]),
    case("Call 'get_weather'", &["get_weather"], &["get_weather"]),
    case("Bob's weather isn't the user's", &["get_weather"], &["get_weather"]),
    case("say \"translate it\"", &["translate_text"], &[]),
    // Names without words, and duplicate names.
    case("call _ or - or nothing", &["_", "-", ""], &[]),
    case("get time", &["get_time", "get_time"], &["get_time"]),
];

#[tokio::test]
async fn messages_call_the_tools_that_they_mention() {
    let sidecar = Sidecar::start();
    let mut mismatches = Vec::new();
    for Case { message, tools, called } in CASES {
        let answer = called_after(&sidecar, &[User(message)], tools).await;
        if answer != *called {
            mismatches.push(format!("{message:?} with {tools:?}: {answer:?}"));
        }
    }
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
}

/// Tools with descriptions of which a part of the name suffices.
const DESCRIBED: [(&str, &str); 6] = [
    ("Hotels_2_SearchHouse", "Search for available houses at a given location."),
    ("Hotels_2_BookHouse", "Book the selected house for a number of adults."),
    ("Travel_1_FindAttractions", "Lists attractions within a city, filtered by entry fee."),
    ("population_projections", "Calculates the projected population growth of a country."),
    ("sentence_translate", "Translates a sentence into another language."),
    ("get_tide_times", "Get the tide times for a harbor."),
];

#[tokio::test]
async fn a_part_of_a_name_suffices_with_the_description() {
    let cases: [(&str, &[&str]); 12] = [
        ("I need a house at a nice location", &["Hotels_2_SearchHouse"]),
        ("Book a house for two adults", &["Hotels_2_BookHouse"]),
        ("A tourist attraction in Philadelphia without entry fee?", &["Travel_1_FindAttractions"]),
        ("What's the population growth of Kenya?", &["population_projections"]),
        ("Anything new? The growth of the population, too.", &["population_projections"]),
        (
            "I want to see attractions of the city, and the growth of the population",
            &["Travel_1_FindAttractions", "population_projections"],
        ),
        ("Say 'population growth'", &[]),
        ("not the population growth", &[]),
        ("It's a growing city", &[]),
        ("What is the sentence?", &[]),
        ("Is the tide in the harbor high?", &["get_tide_times"]),
        ("What time does the harbor office open?", &[]),
    ];
    let sidecar = Sidecar::start();
    for (message, expected) in cases {
        let mut request = request([user(message)]);
        request.tools =
            DESCRIBED.map(|(name, text)| described_tool(name, Some(text), Value::Null)).into();
        let answer = sidecar.converse(request).await.unwrap();
        assert_eq!(answer.called_tools(), *expected, "{message}");
    }
}

/// A message in a history.
enum Turn {
    User(&'static str),
    Calls(&'static [&'static str]),
    Result(&'static str),
    Assistant(&'static str),
}

use Turn::{Assistant, Calls, Result, User};

/// Histories, each with the tools that the next answer calls.
const HISTORIES: &[(&[Turn], &[&str])] = &[
    // All user messages are searched.
    (&[User("What's the weather?"), Assistant("Where?"), User("In Paris.")], &["get_weather"]),
    // A second question does not repeat the calls for the first one.
    (
        &[
            User("What's the weather?"),
            Calls(&["get_weather"]),
            Result("get_weather"),
            User("Thanks!"),
        ],
        &[],
    ),
    (
        &[User("get time and weather"), Calls(&["get_time"]), Result("get_time"), User("And?")],
        &["get_weather"],
    ),
    (
        &[
            User("get weather"),
            Calls(&["get_weather"]),
            Result("get_weather"),
            User("What time is it?"),
        ],
        &["get_time"],
    ),
    // Some clients omit the calls from the history.
    (&[User("get weather"), Result("get_weather"), User("Thanks!")], &[]),
    // A repeated mention calls the tool again.
    (
        &[User("get weather"), Calls(&["get_weather"]), Result("get_weather"), User("get weather")],
        &["get_weather"],
    ),
    // A call without a result also uses up the mention.
    (&[User("get weather"), Calls(&["get_weather"]), User("Never mind.")], &[]),
    // Messages with other roles are not searched.
    (&[Assistant("I can send an email."), User("Can you?")], &[]),
    (&[], &[]),
];

#[tokio::test]
async fn each_mention_triggers_one_call() {
    let sidecar = Sidecar::start();
    for (row, (history, expected)) in HISTORIES.iter().enumerate() {
        assert_eq!(called_after(&sidecar, history, OFFICE).await, *expected, "history {row}");
    }
}

/// Returns the names of the tools that the next answer calls.
async fn called_after(sidecar: &Sidecar, history: &[Turn], tools: &[&str]) -> Vec<String> {
    let message = |turn: &Turn| match turn {
        User(text) => user(text),
        Assistant(text) => assistant(text),
        Calls(names) => {
            let called: Vec<_> = names.iter().map(|name| tool_call("1", name, "{}")).collect();
            assistant_with_calls("", called)
        }
        Result(name) => tool_result("1", name, "42"),
    };
    let mut request = request(history.iter().map(message).collect::<Vec<_>>());
    request.tools = tools.iter().map(|name| tool(name, Value::Null)).collect();
    let answer = sidecar.converse(request).await.unwrap();
    answer.called_tools().into_iter().map(str::to_owned).collect()
}
