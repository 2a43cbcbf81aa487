"""Measures the tool calls of echo with the Berkeley Function Calling Leaderboard (BFCL)."""

import argparse
import json
import os
from collections import Counter
from pathlib import Path

from checker import has_right_tools, is_right, is_right_field, pairs
from entries import CALLS, RELEVANCE, read_entries
from failures import Kind, failures
from sidecar import ask_all, running

ROOT = Path(__file__).resolve().parents[2]


def main():
    options = parse_options()
    answers = {}
    with running(options.program) as address:
        for category in (*CALLS, *RELEVANCE):
            entries = read_entries(category, options.half)
            requests = [entry.request(options.force) for entry in entries]
            answers[category] = list(zip(entries, ask_all(address, requests, options.jobs)))
    print_results(answers)
    if options.failures:
        write_failures(options.failures, answers)


def parse_options():
    parser = argparse.ArgumentParser(prog='bench/bfcl', description=__doc__)
    target = ROOT / os.environ.get('CARGO_TARGET_DIR', 'target')
    parser.add_argument('program', nargs='?', default=target / 'release/mynah', help='mynah')
    parser.add_argument('--half', choices=('odd', 'even', 'all'), default='all')
    parser.add_argument('--force', action='store_true', help='name the right tool in the request')
    parser.add_argument('--failures', metavar='FILE', help='write failing entries, with --half odd')
    parser.add_argument('--jobs', type=int, default=os.cpu_count(), help='concurrent requests')
    options = parser.parse_args()
    if options.failures and options.half != 'odd':
        parser.error('--failures needs --half odd: rules are measured on the even half')
    return options


def print_results(answers):
    counts = {category: count(answers[category]) for category in answers}
    counts['all that want a call'] = sum((counts[category] for category in CALLS), Counter())
    print('| category | n | right | right tools | fields right of calls made |')
    print('|---|---|---|---|---|')
    for category in (*CALLS, 'all that want a call', *RELEVANCE):
        c = counts[category]
        tools, fields = percent(c['right tools'], c['n']), percent(c['right fields'], c['fields'])
        rest = ' | |' if category in RELEVANCE else f' {tools} | {fields} |'
        print(f'| {category} | {c["n"]} | {percent(c["right"], c["n"])} |{rest}')


def percent(part, whole):
    return f'{part / whole:.1%}' if whole else '–'


def count(answers):
    """Counts the entries and fields of a category."""
    counts = Counter(n=len(answers))
    for entry, calls in answers:
        counts['right'] += is_right(entry, calls)
        counts['right tools'] += has_right_tools(entry, calls)
        for tool, expected, arguments in pairs(entry, calls):
            counts['fields'] += len(expected)
            for field, values in expected.items():
                counts['right fields'] += is_right_field(entry, tool, field, values, arguments)
    return counts


def write_failures(file, answers):
    """Writes the failing entries as JSON lines, and prints how many have each kind of failure."""
    counts = {category: Counter() for category in answers}
    with open(file, 'w', encoding='utf-8') as lines:
        for entry, calls in (answer for category in answers.values() for answer in category):
            assert entry.half == 'odd', 'the even half is never looked at'
            if is_right(entry, calls):
                continue
            found = failures(entry, calls)
            counts[entry.category].update({'failing entries', *(f['kind'] for f in found)})
            got = [{name: arguments} for name, arguments in calls]
            failing = {'id': entry.id, 'question': entry.messages, 'tools': entry.functions}
            failing |= {'expected': entry.expected, 'got': got, 'failures': found}
            lines.write(json.dumps(failing, ensure_ascii=False) + '\n')
    print(f'\n| failing entries by kind | all | {" | ".join(counts)} |')
    print('|---' * (len(counts) + 2) + '|')
    for kind in ('failing entries', *(kind.value for kind in Kind)):
        cells = [category[kind] for category in counts.values()]
        print(f'| {kind} | {sum(cells)} | {" | ".join(map(str, cells))} |')


if __name__ == '__main__':
    main()
