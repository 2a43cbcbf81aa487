//! Checks what serde cannot: the keys of a step that need or exclude each other.

use mynah_core::{
    base::mapping::Mapping,
    chat::{ChunkSize, FinishReason, ToolCall},
};

use super::{
    StepError,
    keys::{AN_ERROR, ANSWERS, EXCLUDED, FAILURES, MESSAGES, RESPOND, TIMES},
    keys_of::keys_of,
    read::{read, read_object},
    source::{
        AnswerSource, CallSource, ChoiceSource, Chunks, ItemSource, Items, OfferedTool, Respond,
        StepSource,
    },
    step::{Directive, Item, ScriptedCall, Step, StepStreamOptions},
    values::Scalar,
};

impl StepSource<'_> {
    /// Returns the step, if its keys fit together.
    pub(crate) fn check(self) -> Result<Step, StepError> {
        let (keys, stream) = (self.keys(), self.stream_options());
        let messages = self.messages.map(|items| items.check(MESSAGES)).transpose()?;
        let respond = self.respond.map(Respond::check).transpose()?;
        let [messages, respond] = [messages, respond].map(Option::unwrap_or_default);
        check_keys(keys, &messages, &respond)?;
        let other_choices = other_choices(self.other_choices, self.recorded.is_some())?;
        let error = self.error.map(|Mapping(error)| Item::Error(error.into()));
        Ok(Step {
            id: self.id,
            id_message: self.id_message,
            reasoning: self.reasoning.unwrap_or_default(),
            items: messages.into_iter().chain(respond).chain(error).collect(),
            finish_reason: self.finish_reason.map(|reason| FinishReason::from(&*reason.0)),
            other_choices,
            usage: self.usage.unwrap_or_default(),
            delay: self.delay.map(|delay| delay.0).unwrap_or_default(),
            empty: self.empty.map(|part| part.0),
            cut_after: self.cut_after.map(Chunks::to_usize),
            times: self.times,
            stream,
            model: self.model,
            chunks: self.stream.map(|Mapping(stream)| stream.chunks().into()),
            is_recorded: self.recorded.is_some(),
            is_exhausted: false,
        })
    }

    /// Returns the keys that have a value, without those of the items and of `times`.
    fn keys(&self) -> Vec<&'static str> {
        let keys = [
            ("reasoning", self.reasoning.is_some()),
            ("error", self.error.is_some()),
            ("delay", self.delay.is_some()),
            ("empty", self.empty.is_some()),
            ("cut_after", self.cut_after.is_some()),
            ("words_per_chunk", self.words_per_chunk.is_some()),
            ("characters_per_chunk", self.characters_per_chunk.is_some()),
            (TIMES, self.times.is_some()),
        ];
        keys.into_iter().filter(|(_, has_value)| *has_value).map(|(key, _)| key).collect()
    }

    fn stream_options(&self) -> StepStreamOptions {
        let words = self.words_per_chunk.map(|it| ChunkSize::Words(it.into()));
        let characters = self.characters_per_chunk.map(|it| ChunkSize::Characters(it.into()));
        StepStreamOptions {
            chunk_size: words.or(characters),
            chunk_delay: self.chunk_delay.map(|delay| delay.0),
            time_to_first_chunk: self.time_to_first_chunk.map(|delay| delay.0),
        }
    }
}

fn other_choices(
    choices: Option<Vec<Mapping<ChoiceSource>>>,
    is_recorded: bool,
) -> Result<Vec<Step>, StepError> {
    let choices = choices.into_iter().flatten().enumerate();
    let checked = choices.map(|(index, Mapping(choice))| {
        let within = |error: StepError| error.within_item("other_choices", index);
        choice.check(is_recorded).map_err(within)
    });
    checked.collect()
}

/// Checks the keys of a step with these items.
fn check_keys(
    mut keys: Vec<&'static str>,
    messages: &[Item],
    respond: &[Item],
) -> Result<(), StepError> {
    let fails = |items: &[Item]| matches!(items.last(), Some(Item::Error(_)));
    let has_error = keys.contains(&"error") || fails(messages) || fails(respond);
    keys.extend((!messages.is_empty()).then_some(MESSAGES));
    keys.extend((!respond.is_empty()).then_some(RESPOND));
    keys.extend(has_error.then_some(AN_ERROR));
    let has = |key: &&str| keys.contains(key);
    if !ANSWERS.iter().any(has) {
        return Err(StepError::new(format!("needs one of {}", ANSWERS.join(", "))));
    }
    if let Some([one, other]) = EXCLUDED.iter().find(|pair| pair.iter().all(has)) {
        let hint = match *other {
            "error" => "to fail after a text, make the error the last item",
            _ => "remove one of them",
        };
        return Err(StepError::new(format!("has both {one} and {other}; {hint}")));
    }
    if has(&TIMES) && !FAILURES.iter().any(has) {
        let message = "only steps with an error or cut_after can have times";
        return Err(StepError::new(message).within_key(TIMES));
    }
    Ok(())
}

impl ChoiceSource {
    /// Returns the choice as a step, if its items are valid.
    fn check(self, is_recorded: bool) -> Result<Step, StepError> {
        let items = self.messages.check(MESSAGES)?;
        if let Some(at) = items.iter().position(|item| matches!(item, Item::Error(_))) {
            let message = "is an error, which only the first choice can be";
            return Err(StepError::new(message).within_item(MESSAGES, at));
        }
        Ok(Step {
            reasoning: self.reasoning.unwrap_or_default(),
            items,
            finish_reason: self.finish_reason.map(|reason| FinishReason::from(&*reason.0)),
            is_recorded,
            ..Step::default()
        })
    }
}

impl Respond<'_> {
    /// Returns the items, if they are valid.
    pub(super) fn check(self) -> Result<Vec<Item>, StepError> {
        let json = self.0.get();
        let within = |error: StepError| error.within_key(RESPOND);
        match json.as_bytes() {
            [b'[', ..] => read::<Items>(json).map_err(within)?.check(RESPOND),
            [b'{', ..] => Err(within(StepError::new(
                "must be a text or a list of items here, not an object; put keys such as delay \
                 beside respond",
            ))),
            _ => read(json).map(|Scalar(text)| vec![Item::Text(text)]).map_err(within),
        }
    }
}

impl<'a> AnswerSource<'a> {
    /// Returns the step, if it is valid.
    pub(crate) fn check(self) -> Result<Step, StepError> {
        let Self(value) = self;
        if value.get().starts_with('{') {
            return read_object::<StepSource<'a>>(value.get())?.check();
        }
        StepSource { respond: Some(Respond(value)), ..StepSource::default() }.check()
    }
}

impl Items {
    /// Returns the items of the list with this key.
    pub(super) fn check(self, key: &str) -> Result<Vec<Item>, StepError> {
        let items = self.0.into_iter().enumerate().map(|(index, Mapping(item))| {
            item.check().map_err(|error| error.within_item(key, index))
        });
        let items: Vec<_> = items.collect::<Result<_, _>>()?;
        check_error_item(key, &items)?;
        Ok(items)
    }
}

/// Checks that a scripted error, which ends the turn, is the last item of a step without calls.
fn check_error_item(key: &str, items: &[Item]) -> Result<(), StepError> {
    let Some(error) = items.iter().position(|item| matches!(item, Item::Error(_))) else {
        return Ok(());
    };
    if error + 1 < items.len() {
        let message = "follows an error, which ends the turn; make the error the last item";
        return Err(StepError::new(message).within_item(key, error + 1));
    }
    let Some(calls) = items.iter().position(|item| matches!(item, Item::Calls(_))) else {
        return Ok(());
    };
    let message =
        format!("is never sent, because item {} is an error; remove one of them", error + 1);
    Err(StepError::new(message).within_key("tool_call").within_item(key, calls))
}

impl ItemSource {
    fn check(self) -> Result<Item, StepError> {
        let directive = |found: Option<_>, directive| found.map(|_| Item::Directive(directive));
        let schema_of = |Mapping(tool): Mapping<OfferedTool>| {
            Item::Directive(Directive::ToolSchema(tool.name.filter(|name| !name.is_empty())))
        };
        let kinds = [
            self.text.map(Item::Text),
            self.text_message.map(|Mapping(length)| Item::Filler(length)),
            self.json.map(|json| Item::Json(json.0)),
            self.tool_call.map(calls).transpose()?.map(Item::Calls),
            directive(self.system_prompt_echo, Directive::SystemPrompt),
            directive(self.tools_list, Directive::ToolNames),
            directive(self.tools_echo, Directive::ToolDescriptions),
            self.tool_schema.map(schema_of),
            directive(self.tool_results, Directive::ToolResults),
            self.error.map(|Mapping(error)| Item::Error(error.into())),
        ];
        let mut kinds: Vec<_> = kinds.into_iter().flatten().collect();
        match (kinds.pop(), kinds.len()) {
            (Some(item), 0) => Ok(item),
            (last, others) => {
                let (count, known) = (others + usize::from(last.is_some()), keys_of::<Self>());
                let expected = format!("expected exactly one of {}", known.join(", "));
                Err(StepError::new(format!("has {count} kinds; {expected}")))
            }
        }
    }
}

fn calls(calls: Vec<Mapping<CallSource>>) -> Result<Vec<ScriptedCall>, StepError> {
    const KEY: &str = "tool_call";
    if calls.is_empty() {
        return Err(StepError::new("must have at least one call").within_key(KEY));
    }
    let checked = calls
        .into_iter()
        .enumerate()
        .map(|(index, Mapping(call))| call.check().map_err(|error| error.within_item(KEY, index)));
    checked.collect()
}

impl CallSource {
    fn check(self) -> Result<ScriptedCall, StepError> {
        if self.name.is_empty() {
            return Err(StepError::new("must not be empty").within_key("name"));
        }
        if self.args.is_some() && self.raw_args.is_some() {
            return Err(StepError::new("has both args and raw_args; remove one of them"));
        }
        let has_raw_args = self.raw_args.is_some();
        let arguments = self.args.map(|args| args.0).or(self.raw_args);
        let arguments = arguments.unwrap_or_else(|| "{}".to_owned());
        let call = ToolCall { id: self.id, name: self.name, arguments };
        Ok(ScriptedCall { call, has_raw_args })
    }
}
