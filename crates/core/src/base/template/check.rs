//! Checks a template before it is used: it may use only what the documentation lists.
//!
//! Fuel counts instructions and the size of their results, but not the work within an operation. So
//! no operation may need much work for few bytes: templates cannot put a value into a list or a
//! mapping, cannot repeat or concatenate lists, and cannot compare lists with each other. Then values cannot
//! be larger or deeper than the request, `range` and the text of the template.

use std::{collections::BTreeMap, ops::RangeInclusive};

use minijinja::{
    machinery::{
        Span,
        ast::{BinOpKind, CallArg, CompareOp, CompareOpKind, Expr, Filter, Spanned, Stmt, Test},
        parse, tokenize,
    },
    syntax::SyntaxConfig,
};

/// Maximum number of tokens of a template. It limits the depth of the syntax tree, and thus the stack.
const MAX_TOKENS: usize = 1_000;

/// The only function.
pub(super) const RANGE: &str = "range";

/// The attributes of this variable are numbers and conditions.
const LOOP: &str = "loop";

/// The filters, with the minimum and maximum number of arguments, and whether they always return a
/// text or a number.
const FILTERS: [(&str, usize, usize, bool); 22] = [
    ("abs", 0, 0, true),
    ("capitalize", 0, 0, true),
    ("count", 0, 0, true),
    ("d", 0, 2, false),
    ("default", 0, 2, false),
    ("first", 0, 0, false),
    ("float", 0, 1, true),
    ("int", 0, 1, true),
    ("items", 0, 0, false),
    ("join", 0, 1, true),
    ("last", 0, 0, false),
    ("length", 0, 0, true),
    ("list", 0, 0, false),
    ("lower", 0, 0, true),
    ("map", 1, 1, false),
    ("replace", 2, 2, true),
    ("round", 0, 2, true),
    ("string", 0, 0, true),
    ("title", 0, 0, true),
    ("tojson", 0, 0, true),
    ("trim", 0, 0, true),
    ("upper", 0, 0, true),
];

/// The tests, with the number of arguments.
const TESTS: [(&str, usize); 16] = [
    ("boolean", 0),
    ("defined", 0),
    ("divisibleby", 1),
    ("endingwith", 1),
    ("even", 0),
    ("float", 0),
    ("integer", 0),
    ("iterable", 0),
    ("mapping", 0),
    ("none", 0),
    ("number", 0),
    ("odd", 0),
    ("sequence", 0),
    ("startingwith", 1),
    ("string", 0),
    ("undefined", 0),
];

/// The offset of what is wrong, and why.
pub(super) type Problem = (usize, String);

/// Checks a template that can be parsed. `variable` returns whether a variable of the call is always a
/// text or a number, or `None` for other names.
pub(super) fn check(
    text: &str,
    syntax: SyntaxConfig,
    variable: impl Fn(&str) -> Option<bool>,
) -> Result<(), Problem> {
    if let Some(token) = tokenize(text, false, syntax.clone()).nth(MAX_TOKENS) {
        let offset = token.map_or(0, |(_, span)| span.start_offset as usize);
        return Err((offset, format!("the template has more than {MAX_TOKENS} tokens")));
    }
    match parse(text, "", syntax) {
        Ok(template) => Checker { variable, assigned: BTreeMap::new() }.statement(&template),
        // Adding the template reports the error.
        Err(_) => Ok(()),
    }
}

struct Checker<'t, V> {
    variable: V,
    /// The names that the template sets, and whether all their values are texts or numbers.
    assigned: BTreeMap<&'t str, bool>,
}

impl<'t, V: Fn(&str) -> Option<bool>> Checker<'t, V> {
    fn statements(&mut self, statements: &[Stmt<'t>]) -> Result<(), Problem> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Stmt<'t>) -> Result<(), Problem> {
        let (name, span) = match statement {
            Stmt::Template(template) => return self.statements(&template.children),
            Stmt::EmitRaw(_) => return Ok(()),
            Stmt::EmitExpr(emit) => return self.expression(&emit.expr).map(|_| ()),
            Stmt::IfCond(condition) => {
                self.expression(&condition.expr)?;
                self.statements(&condition.true_body)?;
                return self.statements(&condition.false_body);
            }
            Stmt::Set(set) => {
                let is_text = self.expression(&set.expr)?;
                return self.assign(&set.target, is_text);
            }
            Stmt::ForLoop(each) if !each.recursive => {
                self.expression(&each.iter)?;
                let is_range = matches!(&each.iter, Expr::Call(_));
                self.assign(&each.target, is_range)?;
                each.filter_expr.iter().try_for_each(|it| self.expression(it).map(|_| ()))?;
                self.statements(&each.body)?;
                return self.statements(&each.else_body);
            }
            Stmt::ForLoop(each) => ("recursive", each.span()),
            Stmt::WithBlock(with) => ("with", with.span()),
            Stmt::SetBlock(set) => ("set without =", set.span()),
            Stmt::AutoEscape(escape) => ("autoescape", escape.span()),
            Stmt::FilterBlock(filter) => ("filter", filter.span()),
            Stmt::Do(call) => ("do", call.span()),
        };
        problem(span, format!("templates have no `{name}`; expected one of: for, if, set, raw"))
    }

    fn assign(&mut self, target: &Expr<'t>, is_text: bool) -> Result<(), Problem> {
        match target {
            Expr::Var(name) if name.id == RANGE || (self.variable)(name.id).is_some() => {
                let message = format!("cannot set `{}`; choose a name that is not taken", name.id);
                problem(name.span(), message)
            }
            Expr::Var(name) => {
                *self.assigned.entry(name.id).or_insert(true) &= is_text;
                Ok(())
            }
            // The parts of a value may be of any type.
            Expr::List(names) => names.items.iter().try_for_each(|name| self.assign(name, false)),
            target => problem(target.span(), "only names can be set"),
        }
    }

    /// Returns `true` if the value is always a text, a number or another scalar.
    fn expression(&mut self, expression: &Expr<'t>) -> Result<bool, Problem> {
        match expression {
            Expr::Const(_) => Ok(true),
            Expr::Var(name) if name.id == RANGE => problem(name.span(), "`range` needs arguments"),
            Expr::Var(name) => {
                let assigned = || self.assigned.get(name.id).copied();
                Ok((self.variable)(name.id).or_else(assigned).unwrap_or(false))
            }
            Expr::GetAttr(attribute) => {
                self.expression(&attribute.expr)?;
                Ok(matches!(&attribute.expr, Expr::Var(name) if name.id == LOOP))
            }
            Expr::GetItem(item) => {
                self.expression(&item.expr)?;
                self.expression(&item.subscript_expr).map(|_| false)
            }
            Expr::UnaryOp(operator) => self.expression(&operator.expr).map(|_| true),
            Expr::BinOp(operator) => self.operator(operator.op, &operator.left, &operator.right),
            Expr::Compare(compare) => {
                let mut left = &compare.expr;
                for CompareOp { op, expr } in &compare.ops {
                    let is_in = matches!(op, CompareOpKind::In | CompareOpKind::NotIn);
                    let op = if is_in { BinOpKind::In } else { BinOpKind::Eq };
                    self.operator(op, left, expr)?;
                    left = expr;
                }
                Ok(true)
            }
            Expr::IfExpr(choice) => {
                self.expression(&choice.test_expr)?;
                let is_text = self.expression(&choice.true_expr)?;
                choice.false_expr.as_ref().map_or(Ok(is_text), |other| {
                    self.expression(other).map(|other| is_text && other)
                })
            }
            Expr::Filter(filter) => self.filter(filter),
            Expr::Test(test) => self.test(test),
            Expr::Call(call) => match &call.expr {
                Expr::Var(name) if name.id == RANGE => {
                    self.arguments(RANGE, &call.args, call.span(), 1..=3).map(|()| false)
                }
                Expr::GetAttr(method) => problem(
                    call.span(),
                    format!("unknown method `{}`; expected a filter after `|`", method.name),
                ),
                Expr::Var(name) => {
                    problem(name.span(), format!("unknown function `{}`; expected range", name.id))
                }
                function => problem(function.span(), "unknown function; expected range"),
            },
            Expr::List(_) | Expr::Tuple(_) | Expr::Map(_) if is_constant(expression) => Ok(false),
            Expr::List(_) | Expr::Tuple(_) | Expr::Map(_) => {
                problem(expression.span(), "lists and mappings may contain only constants")
            }
            Expr::Slice(slice) => problem(
                slice.span(),
                "templates have no slices; capture a part of a text with a group in `matches`",
            ),
        }
    }

    /// Checks an operator. One side must be a text or a number, unless lists need little work.
    fn operator(
        &mut self,
        operator: BinOpKind,
        left: &Expr<'t>,
        right: &Expr<'t>,
    ) -> Result<bool, Problem> {
        let (left_is_text, right_is_text) = (self.expression(left)?, self.expression(right)?);
        let is_valid = match operator {
            BinOpKind::ScAnd | BinOpKind::ScOr => return Ok(left_is_text && right_is_text),
            BinOpKind::Mul => left_is_text && right_is_text,
            BinOpKind::In => left_is_text,
            BinOpKind::Add
            | BinOpKind::Eq
            | BinOpKind::Ne
            | BinOpKind::Lt
            | BinOpKind::Lte
            | BinOpKind::Gt
            | BinOpKind::Gte => left_is_text || right_is_text,
            BinOpKind::Sub
            | BinOpKind::Div
            | BinOpKind::FloorDiv
            | BinOpKind::Rem
            | BinOpKind::Pow
            | BinOpKind::Concat => true,
        };
        let operand = if left_is_text { right } else { left };
        if is_valid { Ok(true) } else { not_text(operand) }
    }

    fn filter(&mut self, filter: &Spanned<Filter<'t>>) -> Result<bool, Problem> {
        let found = FILTERS.iter().find(|(name, ..)| *name == filter.name);
        let Some(&(name, min, max, is_text)) = found else {
            return unknown(
                "filter",
                filter.name,
                filter.span(),
                &FILTERS.map(|it| it.0).join(", "),
            );
        };
        filter.expr.iter().try_for_each(|value| self.expression(value).map(|_| ()))?;
        if name == "map" {
            return match filter.args.as_slice() {
                [CallArg::Kwarg("attribute", Expr::Const(_))] => Ok(is_text),
                _ => problem(filter.span(), "`map` needs the argument attribute='NAME'"),
            };
        }
        self.arguments(name, &filter.args, filter.span(), min..=max).map(|()| is_text)
    }

    fn test(&mut self, test: &Spanned<Test<'t>>) -> Result<bool, Problem> {
        let Some((name, arguments)) = TESTS.iter().find(|(name, _)| *name == test.name) else {
            return unknown("test", test.name, test.span(), &TESTS.map(|it| it.0).join(", "));
        };
        self.expression(&test.expr)?;
        self.arguments(name, &test.args, test.span(), *arguments..=*arguments).map(|()| true)
    }

    /// Checks the arguments of a function, a filter or a test. Except for `default`, they must be texts or
    /// numbers.
    fn arguments(
        &mut self,
        name: &str,
        arguments: &[CallArg<'t>],
        span: Span,
        expected: RangeInclusive<usize>,
    ) -> Result<(), Problem> {
        for argument in arguments {
            match argument {
                // `default` returns its argument as it is.
                CallArg::Pos(value) if self.expression(value)? || is_default(name) => {}
                CallArg::Pos(value) => return not_text(value),
                _ => return problem(span, format!("`{name}` has no named arguments")),
            }
        }
        if expected.contains(&arguments.len()) {
            return Ok(());
        }
        let (min, max) = (expected.start(), expected.end());
        let expected = if min == max { min.to_string() } else { format!("{min} to {max}") };
        let message = format!("`{name}` takes {expected} arguments, not {}", arguments.len());
        problem(span, message)
    }
}

fn is_default(filter: &str) -> bool {
    matches!(filter, "d" | "default")
}

fn is_constant(expression: &Expr<'_>) -> bool {
    match expression {
        Expr::Const(_) => true,
        Expr::UnaryOp(operator) => is_constant(&operator.expr),
        Expr::List(list) => list.items.iter().all(is_constant),
        Expr::Tuple(tuple) => tuple.items.iter().all(is_constant),
        Expr::Map(map) => map.keys.iter().chain(&map.values).all(is_constant),
        _ => false,
    }
}

fn not_text<T>(operand: &Expr<'_>) -> Result<T, Problem> {
    problem(
        operand.span(),
        "this may be a list or a mapping here; convert it with the filter int, float or string",
    )
}

fn unknown<T>(kind: &str, name: &str, span: Span, known: &str) -> Result<T, Problem> {
    problem(span, format!("unknown {kind} `{name}`; expected one of: {known}"))
}

fn problem<T>(span: Span, message: impl Into<String>) -> Result<T, Problem> {
    Err((span.start_offset as usize, message.into()))
}
