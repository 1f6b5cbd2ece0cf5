package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
)

// tree prints steps, each indented below the one that reads it.
func (e *explainer) tree(root *exec.Step) string {
	var b strings.Builder
	if s := e.options.Statement; s != "" && s != "SELECT" {
		fmt.Fprintf(&b, "-> %s %s\n", capitalized(s), e.options.Table)
		e.printStep(&b, root, "    ")
	} else {
		e.printStep(&b, root, "")
	}
	if e.options.Analyze {
		fmt.Fprintf(&b, "took %v\n", e.took)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// capitalized is a word with a capital first letter and small ones behind.
func capitalized(word string) string {
	return strings.ToUpper(word[:1]) + strings.ToLower(word[1:])
}

func (e *explainer) printStep(b *strings.Builder, s *exec.Step, indent string) {
	fmt.Fprintf(b, "%s-> %s%s\n", indent, s.Title, e.actual(s)+cost(s))
	for _, d := range s.Details {
		fmt.Fprintf(b, "%s     %s: %s\n", indent, d.Name, d.Value)
	}
	for _, under := range s.Steps {
		e.printStep(b, under, indent+"    ")
	}
	for _, q := range s.Queries {
		fmt.Fprintf(b, "%s    %s\n", indent, capitalized(subqueryKind(q)))
		e.printStep(b, q, indent+"    ")
	}
}

// actual is what was measured of a step.
func (e *explainer) actual(s *exec.Step) string {
	if !e.options.Analyze || s.Rows < 0 {
		return ""
	}
	out := fmt.Sprintf(" (rows %d", s.Rows)
	if reads(s) {
		out += fmt.Sprintf(", cells %d, %s, partitions %d", s.Stats.Cells, work(s.Stats), s.Stats.Partitions)
	}
	return out + ")"
}

// cost is the time and the memory of a step.
func cost(s *exec.Step) string {
	var out string
	if s.Took > 0 {
		out = fmt.Sprintf(" in %v", s.Took.Round(time.Microsecond))
	}
	if s.Memory > 0 {
		out += fmt.Sprintf(", at most %d KiB", (s.Memory+1023)/1024)
	}
	return out
}

// work is the seeks of a store on this machine, the requests to one on others.
func work(s kv.ScanStats) string {
	if s.Requests > 0 {
		return fmt.Sprintf("requests %d, bytes %d", s.Requests, s.Bytes)
	}
	return fmt.Sprintf("seeks %d", s.Seeks)
}

// reads reports whether the step itself reads the store.
func reads(s *exec.Step) bool { return s.Table != nil && s.Table.Access != "" }

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

func (e *explainer) json(root *exec.Step) (*Explanation, error) {
	doc := map[string]any{"query_block": e.jsonStep(root)}
	if s := e.options.Statement; s != "" && s != "SELECT" {
		doc["statement"], doc["target_table"] = s, e.options.Table
	}
	if e.options.Analyze {
		doc["time_ms"] = millis(e.took)
	}
	var text strings.Builder
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	err := out.Encode(doc)
	return textExplanation(strings.TrimSuffix(text.String(), "\n")), err
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (e *explainer) jsonStep(s *exec.Step) jsonStep {
	out := jsonStep{Operation: s.Title, Table: tableJSON(s.Table)}
	for _, d := range s.Details {
		if out.Details == nil {
			out.Details = map[string]string{}
		}
		out.Details[d.Name] = d.Value
	}
	if e.options.Analyze && (s.Rows >= 0 || s.Took > 0 || s.Memory > 0) {
		out.Actual = &jsonActual{Millis: millis(s.Took), Memory: s.Memory}
		if s.Rows >= 0 {
			out.Actual.Rows = &s.Rows
		}
		if reads(s) && s.Rows >= 0 {
			out.Actual.Cells, out.Actual.Seeks, out.Actual.Partitions = &s.Stats.Cells, &s.Stats.Seeks, &s.Stats.Partitions
			if s.Stats.Requests > 0 {
				out.Actual.Seeks, out.Actual.Requests, out.Actual.Bytes = nil, &s.Stats.Requests, &s.Stats.Bytes
			}
		}
	}
	for _, under := range s.Steps {
		out.Inputs = append(out.Inputs, e.jsonStep(under))
	}
	for _, q := range s.Queries {
		out.Queries = append(out.Queries, e.jsonStep(q))
	}
	return out
}

func tableJSON(t *exec.TableStep) *jsonTable {
	if t == nil {
		return nil
	}
	out := &jsonTable{Name: t.Table, AccessType: t.Type, Access: t.Access, UsingIndex: t.KeyOnly, Message: t.Empty,
		Pruned: t.Pruned}
	if t.Partitions != "" {
		out.Partitions = strings.Split(t.Partitions, ",")
	}
	if t.Key {
		out.Key = "PRIMARY"
	}
	if t.Rows >= 0 {
		kept := math.Round(t.Kept*100) / 100
		out.Rows, out.Filtered = &t.Rows, &kept
	}
	return out
}
