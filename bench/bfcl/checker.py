"""Compares calls with the expected ones by the official checker of BFCL."""

import sys
from types import ModuleType, SimpleNamespace

from entries import CALLS

# The checker imports the clients of all models only for this flag: names of tools have no dots.
MODELS = ModuleType('bfcl_eval.constants.model_config')
MODELS.MODEL_CONFIG_MAPPING = {'mynah': SimpleNamespace(underscore_to_dot=True)}
sys.modules[MODELS.__name__] = MODELS

from bfcl_eval.constants.enums import Language
from bfcl_eval.eval_checker.ast_eval import ast_checker as official


def is_right(entry, calls):
    if entry.category not in CALLS:
        return bool(calls) == (entry.category == 'live_relevance')
    got = [{name: arguments} for name, arguments in calls]
    expectation = entry.expected, Language.PYTHON, entry.category, 'mynah'
    return official.ast_checker(entry.functions, got, *expectation)['valid']


def has_right_tools(entry, calls):
    """Returns whether the right tools are called as often as expected, in any order."""
    return sorted(name for name, _ in calls) == sorted(entry.expected_tools)


def pairs(entry, calls):
    """Pairs each call with the next expected call of its tool: name, expected fields, arguments."""
    expected = (fields for call in entry.expected for fields in call.values())
    missing = list(zip(entry.expected_tools, expected))
    for name, arguments in calls:
        position = next((i for i, call in enumerate(missing) if call[0] == name), None)
        if position is not None:
            yield name, missing.pop(position)[1], arguments


def is_right_field(entry, tool, field, options, arguments):
    """Returns whether one field is right: checks a call that has no other fields."""

    def only(fields):
        return {name: value for name, value in fields.items() if name == field}

    function = entry.function(tool)
    required = [name for name in function['parameters'].get('required', []) if name == field]
    parameters = {'properties': only(function['parameters']['properties']), 'required': required}
    description = {'name': function['name'], 'parameters': parameters}
    got, expected = {tool: only(arguments)}, {tool: {field: options} if options else {}}
    checked = official.simple_function_checker(description, got, expected, Language.PYTHON, 'mynah')
    return checked['valid']
