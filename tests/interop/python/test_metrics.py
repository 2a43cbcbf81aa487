"""The metrics of mynah, read by Prometheus's Python library."""

import os
import unittest
from urllib.request import urlopen

from dapr.clients import DaprClient
from dapr.clients.grpc.conversation import create_user_message
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from support import inputs


def scrape() -> dict[str, Metric]:
    with urlopen(os.environ['METRICS_URL']) as response:
        assert response.headers['Content-Type'] == 'text/plain; version=0.0.4', response.headers
        text = response.read().decode()
    return {family.name: family for family in text_string_to_metric_families(text)}


class Metrics(unittest.TestCase):
    def test_families_have_types_and_help(self) -> None:
        families = scrape()
        types = {name: family.type for name, family in families.items()}
        # The parser removes `_total`, the suffix of counters in OpenMetrics.
        self.assertEqual(
            types,
            {
                'dapr_component_conversation_count': 'counter',
                'dapr_component_conversation_latencies': 'histogram',
                'mynah_build_info': 'gauge',
                'mynah_component_reloads': 'counter',
                'mynah_journal_dropped': 'counter',
                'mynah_journal_file_dropped': 'counter',
                'mynah_memory_bytes': 'gauge',
                'mynah_session_counts_dropped': 'counter',
                'mynah_requests': 'counter',
            },
        )
        self.assertTrue(all(family.documentation for family in families.values()))

    def test_counts_calls_of_a_component(self) -> None:
        before = self.calls()
        with DaprClient() as client:
            client.converse_alpha2('echo', inputs(create_user_message('Hello')))
        after = self.calls()
        self.assertEqual(after['true'], before['true'] + 1)
        self.assertEqual(after['false'], before['false'])

    def calls(self) -> dict[str, float]:
        samples = scrape()['dapr_component_conversation_count'].samples
        calls = {sample.labels.pop('success'): sample.value for sample in samples}
        for sample in samples:
            labels = {'app_id': 'mynah', 'component': 'echo', 'namespace': ''}
            self.assertEqual(sample.labels, labels)
        return calls


if __name__ == '__main__':
    unittest.main()
