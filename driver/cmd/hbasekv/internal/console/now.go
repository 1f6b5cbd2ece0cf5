package console

import (
	"net/http"
	"strings"

	dto "github.com/prometheus/client_model/go"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// now answers with the figures of the server, those of partitions left out, and with the slow statements for
// accounts that see others' statements. Rates and percentiles are differences, which the page makes.
func (c *Console) now(w http.ResponseWriter, r *http.Request, in *login) {
	var ask struct{}
	if !read(w, r, &ask) {
		return
	}
	answer := struct {
		Figures []figure `json:"figures"`
		Slow    []shape  `json:"slow"` // null where the account may not see them
	}{}
	err := c.inSession(r, in, "", func(s *sqlfront.Session) error {
		authority, err := s.Authority(r.Context())
		if err == nil && authority.May(rights.Process|rights.Super) && c.options.Slow != nil {
			answer.Slow = c.options.Slow.shapes()
		}
		return err
	})
	if err == nil {
		answer.Figures, err = c.figures()
	}
	reply(w, answer, err)
}

// figure is a metric: Buckets are how many took up to each of the bounds, in seconds.
type figure struct {
	Name    string            `json:"name"`
	Labels  map[string]string `json:"labels,omitempty"`
	Value   float64           `json:"value"`
	Buckets [][2]float64      `json:"buckets,omitempty"`
}

func (c *Console) figures() ([]figure, error) {
	families, err := c.options.Figures.Gather()
	if err != nil && len(families) == 0 {
		return nil, err
	}
	out := []figure{}
	for _, f := range families {
		name, ok := strings.CutPrefix(f.GetName(), "hbasekv_")
		if !ok && f.GetName() != "process_resident_memory_bytes" && f.GetName() != "go_goroutines" || strings.HasPrefix(name, "store_partition_") {
			continue
		}
		for _, m := range f.GetMetric() {
			out = append(out, figureOf(name, m))
		}
	}
	return out, nil
}

func figureOf(name string, m *dto.Metric) figure {
	f := figure{Name: name}
	for _, l := range m.GetLabel() {
		if f.Labels == nil {
			f.Labels = map[string]string{}
		}
		f.Labels[l.GetName()] = l.GetValue()
	}
	switch {
	case m.Histogram != nil:
		f.Value = float64(m.Histogram.GetSampleCount())
		for _, b := range m.Histogram.GetBucket() {
			f.Buckets = append(f.Buckets, [2]float64{b.GetUpperBound(), float64(b.GetCumulativeCount())})
		}
	case m.Counter != nil:
		f.Value = m.Counter.GetValue()
	case m.Gauge != nil:
		f.Value = m.Gauge.GetValue()
	case m.Untyped != nil:
		f.Value = m.Untyped.GetValue()
	}
	return f
}
