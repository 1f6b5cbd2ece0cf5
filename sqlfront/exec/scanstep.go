package exec

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

func (s *scan) Step() *explain.Step {
	t := s.tableStep()
	word := t.Access
	if word == "" {
		word = "NO ROWS"
	}
	out := explain.NewStep(strings.ToUpper(word[:1]) + strings.ToLower(word[1:]) + " of " + t.Table)
	out.Table = t
	if s.access.Twin != nil {
		out.Add("twin", s.access.Twin.Alias+", whose rows are the same")
	}
	out.Add("view", s.view.String())
	if t.Empty != "" {
		out.Add("because", t.Empty)
		return out
	}
	out.Add("spans", s.x.Stmt.WithNames(s.printSpans()))
	if s.con.Qualifiers != nil {
		out.Add("qualifiers", s.x.Stmt.WithNames(shorten(constrain.FormatQualifiers(s.con.Qualifiers))))
	}
	time := s.con.Time
	if s.symbolic {
		time = s.certain.Time
	}
	if time.Bounded && time != s.view.Time {
		out.Add("time", constrain.FormatTime(time))
	}
	out.Add("retention", s.printRetention())
	if s.con.Families != nil {
		out.Add("families", string(bytes.Join(s.families, []byte(","))))
	}
	out.Add("partitions", t.Partitions)
	if t.Pruned {
		out.Add("pruned", "when it runs, to those of the keys that it is given")
	}
	out.Add("order", s.printOrder())
	if s.con.Remaining != nil {
		out.Add("filter", s.x.Stmt.WithNames(expr.Print(s.con.Remaining)))
	}
	s.addReads(out)
	if s.x.Stmt.Measured && s.x.Context.Estimator != nil && t.Rows >= 0 {
		out.Add("estimated", fmt.Sprintf("rows %d, of which %.4g %% pass the filter", t.Rows, t.Kept))
	}
	s.addCalls(out)
	out.Rows, out.Stats = s.given, s.stats()
	return out
}

// printRetention is which versions the store keeps, of each family where they differ.
func (s *scan) printRetention() string {
	first := s.tables[0].Retention
	if !slices.ContainsFunc(s.tables, func(t *kv.Table) bool { return t.Retention != first }) {
		return first.String()
	}
	var out []string
	for _, t := range s.tables {
		if t.Retention != (kv.Retention{}) {
			out = append(out, t.Family+": "+t.Retention.String())
		}
	}
	return strings.Join(out, "; ")
}

// addReads says what is left unread.
func (s *scan) addReads(out *explain.Step) {
	var reads []string
	if !s.kv.NeedValue {
		reads = append(reads, "keys only")
	}
	if s.kv.FirstPerRow {
		reads = append(reads, "one cell of each row")
	}
	if s.kv.Wanted != nil {
		reads = append(reads, "one cell of each row beside "+shorten(constrain.FormatQualifiers(s.kv.Wanted)))
	}
	if s.kv.Limit > 0 {
		about := ""
		if s.leading {
			about = "about "
		}
		reads = append(reads, fmt.Sprintf("stop at %s%d", about, s.kv.Limit))
	}
	out.Add("read", strings.Join(reads, ", "))
}

// addCalls says what a store asks its servers.
func (s *scan) addCalls(out *explain.Step) {
	e, ok := s.x.Context.Txn.(kv.Explainer)
	if !ok {
		return
	}
	asked := s.kv
	asked.At = s.x.Context.At
	calls, err := e.ExplainScan(s.tables, &asked)
	if err == nil {
		out.Add("calls", strings.Join(calls, "; "))
	}
}

// maxPrinted is how many spans EXPLAIN prints.
const maxPrinted = 16

func (s *scan) printSpans() string {
	ranges := s.con.Ranges
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

// printOrder is the order that the scan was asked for.
func (s *scan) printOrder() string {
	order := "forward"
	switch {
	case !s.kv.Ordered:
		return ""
	case s.kv.Reverse:
		order = "reverse"
	}
	if s.mergedBuckets > 0 {
		order += fmt.Sprintf(", a merge of %d buckets by the first byte of K", s.mergedBuckets)
	}
	return order
}

// prunes reports whether fewer partitions will be read than those that are
// certain to be all, because of values that are not known yet.
func (s *scan) prunes() bool {
	if !s.symbolic || s.measured != nil || !s.tables[0].Partitioning.Partitioned() {
		return false
	}
	fewer := s.tables[0].Partitioning.Prune(s.con.RowRanges())
	return len(fewer) < len(s.rowPartitions())
}

func (s *scan) printPartitions() string {
	if len(s.tables) == 0 || !s.tables[0].Partitioning.Partitioned() {
		return ""
	}
	return strings.Join(pruning.Names(s.tables[0].Partitioning, s.leaves()), ",")
}

func (s *scan) tableStep() *explain.Table {
	t := &explain.Table{Table: s.access.Alias, Rows: -1}
	switch {
	case s.view.Nothing:
		t.Empty = "the time range is empty"
	case s.con.Contradiction:
		t.Empty = "Impossible WHERE"
	case len(s.tables) == 0:
		t.Empty = "no table is left"
	case s.kv.Slices != nil && len(s.sliceOrdinals()) == 0:
		t.Empty = "no partition holds these times"
	}
	if t.Empty != "" {
		return t
	}
	t.Partitions, t.Pruned = s.printPartitions(), s.prunes()
	t.Filtered, t.KeyOnly = s.con.Remaining != nil, !s.kv.NeedValue
	s.classify(t)
	if s.symbolic {
		t.Type, t.Ref = strings.Replace(t.Type, "const", "ref", 1), strings.ReplaceAll(t.Ref, "const", "func")
	}
	t.Rows, t.Kept = s.estimate()
	return t
}

// classify finds the words for the access.
func (s *scan) classify(t *explain.Table) {
	key := s.access.Tables[0].MaxRow
	switch s.con.Access() {
	case constrain.AccessConst:
		t.Type, t.Access, t.Key, t.Ref = "const", "POINT LOOKUP", true, "const,const"
		t.KeyLen = key + s.access.Tables[0].MaxQualifier
	case constrain.AccessRef:
		t.Type, t.Access, t.Key, t.Ref, t.KeyLen = "ref", "POINT LOOKUP", true, "const", key
		if len(s.con.Ranges) > 1 {
			t.Type, t.Access, t.Ref = "range", "SKIP SCAN", ""
		}
	case constrain.AccessRange:
		t.Type, t.Access, t.Key, t.KeyLen = "range", "RANGE SCAN", true, key
		if len(s.con.Ranges) > 1 || s.con.Qualifiers != nil {
			t.Access = "SKIP SCAN"
		}
	default:
		t.Type, t.Access = "ALL", "FULL SCAN"
		if t.KeyOnly || s.kv.Ordered {
			t.Type, t.Key = "index", true
		}
		if s.con.Qualifiers != nil {
			t.Type, t.Access, t.Key = "range", "SKIP SCAN", true
		}
	}
}
