package interop

import (
	"net/http"
	"os"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func TestPrometheusReadsTheMetrics(t *testing.T) {
	client, ctx := connect(t)
	_, err := client.ConverseAlpha2(ctx, prompt(user("Hello")))
	must(t, err)
	response, err := http.Get(os.Getenv("METRICS_URL"))
	must(t, err)
	defer response.Body.Close()
	equal(t, expfmt.ResponseFormat(response.Header).FormatType(), expfmt.TypeTextPlain)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	must(t, err)

	for name, want := range map[string]dto.MetricType{
		"dapr_component_conversation_count":     dto.MetricType_COUNTER,
		"dapr_component_conversation_latencies": dto.MetricType_HISTOGRAM,
		"mynah_build_info":                      dto.MetricType_GAUGE,
		"mynah_component_reloads_total":         dto.MetricType_COUNTER,
		"mynah_journal_dropped_total":           dto.MetricType_COUNTER,
		"mynah_journal_file_dropped_total":      dto.MetricType_COUNTER,
		"mynah_memory_bytes":                    dto.MetricType_GAUGE,
		"mynah_session_counts_dropped_total":    dto.MetricType_COUNTER,
		"mynah_requests_total":                  dto.MetricType_COUNTER,
	} {
		family := families[name]
		equal(t, family.GetType(), want)
		if family.GetHelp() == "" {
			t.Errorf("%s has no help", name)
		}
	}
	equal(t, len(families), 9)
	calls := map[string]float64{}
	for _, metric := range families["dapr_component_conversation_count"].GetMetric() {
		labels := map[string]string{}
		for _, pair := range metric.GetLabel() {
			labels[pair.GetName()] = pair.GetValue()
		}
		equal(t, len(labels), 4)
		equal(t, labels["app_id"], "mynah")
		equal(t, labels["component"], "echo")
		equal(t, labels["namespace"], "")
		calls[labels["success"]] = metric.GetCounter().GetValue()
	}
	equal(t, calls["false"], 0)
	if calls["true"] < 1 {
		t.Errorf("no call is counted: %v", calls)
	}
}
