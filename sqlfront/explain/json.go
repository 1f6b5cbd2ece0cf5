package explain

import (
	"cmp"
	"encoding/json"
	"math"
	"strings"
	"time"
)

// jsonStep is a Step in EXPLAIN FORMAT=JSON.
type jsonStep struct {
	Operation string            `json:"operation"`
	Table     *jsonTable        `json:"table,omitempty"`
	Details   map[string]string `json:"details,omitempty"`
	Actual    *jsonActual       `json:"actual,omitempty"`
	Inputs    []jsonStep        `json:"inputs,omitempty"`
	Queries   []jsonStep        `json:"subqueries,omitempty"`
}

type jsonTable struct {
	Name       string   `json:"table_name"`
	Partitions []string `json:"partitions,omitempty"`
	Pruned     bool     `json:"partitions_pruned_when_run,omitempty"`
	AccessType string   `json:"access_type,omitempty"`
	Access     string   `json:"access,omitempty"`
	Key        string   `json:"key,omitempty"`
	UsingIndex bool     `json:"using_index"`
	Rows       *int64   `json:"rows_examined_per_scan,omitempty"`
	Filtered   *float64 `json:"filtered,omitempty"`
	Message    string   `json:"message,omitempty"`
}

type jsonActual struct {
	Rows       *int64  `json:"rows,omitempty"`
	Millis     float64 `json:"time_ms,omitempty"`
	Memory     int64   `json:"memory_bytes,omitempty"`
	Cells      *int64  `json:"cells,omitempty"`
	Seeks      *int64  `json:"seeks,omitempty"`
	Requests   *int64  `json:"requests,omitempty"`
	Bytes      *int64  `json:"bytes,omitempty"`
	Partitions *int    `json:"partitions,omitempty"`
}

func (o *Options) json(root *Step) (string, error) {
	doc := map[string]any{"query_block": o.jsonStep(root)}
	if w := o.written(); w != "" {
		doc["statement"], doc["target_table"] = w, o.Target
	}
	if o.Analyze {
		doc["time_ms"] = millis(o.Took)
	}
	var text strings.Builder
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	err := out.Encode(doc)
	return text.String(), err
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (o *Options) jsonStep(s *Step) jsonStep {
	out := jsonStep{Operation: s.Title, Table: tableJSON(s.Table)}
	for _, d := range s.Details {
		if out.Details == nil {
			out.Details = map[string]string{}
		}
		out.Details[d.Name] = d.Value
	}
	if o.Analyze && (s.Rows >= 0 || s.Took > 0 || s.Memory > 0) {
		out.Actual = &jsonActual{Millis: millis(s.Took), Memory: s.Memory}
		if s.Rows >= 0 {
			out.Actual.Rows = &s.Rows
		}
		if s.reads() && s.Rows >= 0 {
			out.Actual.Cells, out.Actual.Seeks, out.Actual.Partitions = &s.Stats.Cells, &s.Stats.Seeks, &s.Stats.Partitions
			if s.Stats.Requests > 0 {
				out.Actual.Seeks, out.Actual.Requests, out.Actual.Bytes = nil, &s.Stats.Requests, &s.Stats.Bytes
			}
		}
	}
	for _, under := range s.Steps {
		out.Inputs = append(out.Inputs, o.jsonStep(under))
	}
	for _, q := range s.Queries {
		out.Queries = append(out.Queries, o.jsonStep(q))
	}
	return out
}

func tableJSON(t *Table) *jsonTable {
	if t == nil {
		return nil
	}
	out := &jsonTable{Name: t.Table, AccessType: t.Type, Access: t.Access, UsingIndex: t.KeyOnly, Message: t.Empty,
		Pruned: t.Pruned}
	if t.Partitions != "" {
		out.Partitions = strings.Split(t.Partitions, ",")
	}
	if t.Key {
		out.Key = cmp.Or(t.Index, "PRIMARY")
	}
	if t.Rows >= 0 {
		kept := math.Round(t.Kept*100) / 100
		out.Rows, out.Filtered = &t.Rows, &kept
	}
	return out
}
