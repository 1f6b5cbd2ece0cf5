package scan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/pruning"
)

func (s *Scan) Step() *explain.Step {
	t := s.tableStep()
	word := t.Access
	if word == "" {
		word = "NO ROWS"
	}
	out := explain.NewStep(strings.ToUpper(word[:1]) + strings.ToLower(word[1:]) + " of " + t.Table)
	out.Table = t
	if s.Access.Twin != nil {
		out.Add("twin", s.Access.Twin.Alias+", whose rows are the same")
	}
	out.Add("view", s.view.String())
	if t.Empty != "" {
		out.Add("because", t.Empty)
		return out
	}
	out.Add("index", t.Index)
	out.Add("index layout", t.Layout)
	out.Add("spans", s.X.Stmt.WithNames(PrintSpans(s.Con.Ranges)))
	if s.Con.Qualifiers != nil {
		out.Add("qualifiers", s.X.Stmt.WithNames(shorten(constrain.FormatQualifiers(s.Con.Qualifiers))))
	}
	time := s.Con.Time
	if s.symbolic {
		time = s.certain.Time
	}
	if time.Bounded && time != s.view.Time {
		out.Add("time", constrain.FormatTime(time))
	}
	out.Add("retention", s.printRetention())
	if s.Con.Families != nil {
		out.Add("families", string(bytes.Join(s.families, []byte(","))))
	}
	out.Add("partitions", t.Partitions)
	if t.Pruned {
		out.Add("pruned", "when it runs, to those of the keys that it is given")
	}
	out.Add("order", s.printOrder())
	if s.Con.Remaining != nil {
		out.Add("filter", s.X.Stmt.WithNames(expr.Print(s.Con.Remaining)))
	}
	s.addReads(out)
	if s.X.Stmt.Measured && s.X.Context.Estimator != nil && t.Rows >= 0 {
		out.Add("estimated", fmt.Sprintf("rows %d, of which %.4g %% pass the filter", t.Rows, t.Kept))
	}
	s.addCalls(out)
	out.Rows, out.Stats = s.given, s.Stats()
	return out
}

// printRetention returns which versions the store keeps, for each family if they differ.
func (s *Scan) printRetention() string {
	first := s.Tables[0].Retention
	if !slices.ContainsFunc(s.Tables, func(t *kv.Table) bool { return t.Retention != first }) {
		return first.String()
	}
	var out []string
	for _, t := range s.Tables {
		if t.Retention != (kv.Retention{}) {
			out = append(out, t.Family+": "+t.Retention.String())
		}
	}
	return strings.Join(out, "; ")
}

// addReads adds what is not read.
func (s *Scan) addReads(out *explain.Step) {
	var reads []string
	if !s.StoreScan.NeedValue {
		reads = append(reads, "keys only")
	}
	if s.StoreScan.FirstPerRow {
		reads = append(reads, "one cell of each row")
	}
	if s.StoreScan.Wanted != nil && !s.Access.PerRow {
		reads = append(reads, "one cell of each row besides "+shorten(constrain.FormatQualifiers(s.StoreScan.Wanted)))
	}
	if s.StoreScan.Limit > 0 {
		about := ""
		if s.leading {
			about = "about "
		}
		reads = append(reads, fmt.Sprintf("stop at %s%d", about, s.StoreScan.Limit))
	}
	out.Add("read", strings.Join(reads, ", "))
}

// addCalls adds the calls of a store to its servers.
func (s *Scan) addCalls(out *explain.Step) {
	e, ok := s.X.Context.Txn.(kv.Explainer)
	if !ok {
		return
	}
	asked := s.StoreScan
	asked.At = s.X.Context.At
	calls, err := e.ExplainScan(s.Tables, &asked)
	if err == nil {
		out.Add("calls", strings.Join(calls, "; "))
	}
}

// maxPrinted limits the spans that EXPLAIN prints.
const maxPrinted = 16

// PrintSpans returns spans as EXPLAIN prints them.
func PrintSpans(ranges []kv.Range) string {
	if len(ranges) <= maxPrinted {
		return constrain.FormatRanges(ranges)
	}
	return fmt.Sprintf("%s and %d more", constrain.FormatRanges(ranges[:maxPrinted]), len(ranges)-maxPrinted)
}

func shorten(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return text[:most] + "..."
}

// printOrder returns the order requested of the scan.
func (s *Scan) printOrder() string {
	order := "forward"
	switch {
	case !s.StoreScan.Ordered:
		return ""
	case s.StoreScan.Reverse:
		order = "reverse"
	}
	if s.mergedBuckets > 0 {
		order += fmt.Sprintf(", a merge of %d buckets by the first byte of K", s.mergedBuckets)
	}
	return order
}

// prunes reports whether values that are not known yet will further reduce the partitions that are
// read.
func (s *Scan) prunes() bool {
	if !s.symbolic || s.Measured != nil || !s.Tables[0].Partitioning.Partitioned() {
		return false
	}
	fewer := s.Tables[0].Partitioning.Prune(s.Con.RowRanges())
	return len(fewer) < len(s.RowPartitions())
}

func (s *Scan) printPartitions() string {
	if len(s.Tables) == 0 || !s.Tables[0].Partitioning.Partitioned() {
		return ""
	}
	return strings.Join(pruning.Names(s.Tables[0].Partitioning, s.Leaves()), ",")
}

func (s *Scan) tableStep() *explain.Table {
	t := &explain.Table{Table: s.Access.Alias, Rows: -1}
	switch {
	case s.view.Nothing:
		t.Empty = "the time range is empty"
	case s.Con.Contradiction:
		t.Empty = "Impossible WHERE"
	case len(s.Tables) == 0:
		t.Empty = "no table is left"
	case s.StoreScan.Slices != nil && len(s.sliceOrdinals()) == 0:
		t.Empty = "no partition holds these times"
	}
	if t.Empty != "" {
		return t
	}
	t.Partitions, t.Pruned = s.printPartitions(), s.prunes()
	t.Filtered, t.KeyOnly = s.Con.Remaining != nil, !s.StoreScan.NeedValue
	s.classify(t)
	if s.symbolic {
		t.Type, t.Ref = strings.Replace(t.Type, "const", "ref", 1), strings.ReplaceAll(t.Ref, "const", "func")
	}
	s.explainIndex(t)
	t.Rows, t.Kept = s.Estimate()
	return t
}

// classify sets MySQL's words for the access.
func (s *Scan) classify(t *explain.Table) {
	key := s.Access.Tables[0].MaxRow
	switch s.Con.Access() {
	case constrain.AccessConst:
		t.Type, t.Access, t.Key, t.Ref = "const", "POINT LOOKUP", true, "const,const"
		t.KeyLen = key + s.Access.Tables[0].MaxQualifier
	case constrain.AccessRef:
		t.Type, t.Access, t.Key, t.Ref, t.KeyLen = "ref", "POINT LOOKUP", true, "const", key
		if len(s.Con.Ranges) > 1 {
			t.Type, t.Access, t.Ref = "range", "SKIP SCAN", ""
		}
	case constrain.AccessRange:
		t.Type, t.Access, t.Key, t.KeyLen = "range", "RANGE SCAN", true, key
		if len(s.Con.Ranges) > 1 || s.Con.Qualifiers != nil {
			t.Access = "SKIP SCAN"
		}
	default:
		t.Type, t.Access = "ALL", "FULL SCAN"
		if t.KeyOnly || s.StoreScan.Ordered {
			t.Type, t.Key = "index", true
		}
		if s.Con.Qualifiers != nil {
			t.Type, t.Access, t.Key = "range", "SKIP SCAN", true
		}
	}
}
