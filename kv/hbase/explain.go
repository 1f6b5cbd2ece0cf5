package hbase

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
)

var _ kv.Explainer = (*txn)(nil)

// maxExplained is how many calls of one scan are listed.
const maxExplained = 8

// ExplainScan implements kv.Explainer.
func (t *txn) ExplainScan(tables []*kv.Table, s *kv.Scan) ([]string, error) {
	c, err := t.newCursor(context.Background(), tables, s)
	if err != nil {
		return nil, err
	}
	var out []string
	for len(c.pieces) > 0 {
		if len(out) == maxExplained {
			return append(out, "and more"), nil
		}
		if c.own != nil && c.own.is(&c.pieces[0]) {
			out = append(out, fmt.Sprintf("Scan of the row %s with all versions, and the transaction's own writes", printRow(c.own.row)))
			c.own.pass(c)
		} else if p, ok := c.take(); ok {
			out = append(out, c.explain(&p))
		}
	}
	return out, nil
}

// explain describes the call that reads some pieces.
func (c *cursor) explain(p *taken) string {
	var parts []string
	one := len(p.pieces) == 1 && p.pieces[0].one
	switch {
	case p.gets && one:
		parts = append(parts, "Get of the row "+printRow(p.pieces[0].rows.Start))
	case p.gets:
		parts = append(parts, fmt.Sprintf("Multi of %d Gets from %s to %s", len(p.pieces),
			printRow(p.pieces[0].rows.Start), printRow(p.pieces[len(p.pieces)-1].rows.Start)))
	case one:
		parts = append(parts, "Scan of the row "+printRow(p.pieces[0].rows.Start))
	default:
		parts = append(parts, "Scan of "+c.explainRows(p.pieces))
	}
	if c.s.Reverse && !one && !p.gets {
		parts = append(parts, "Reversed")
	}
	parts = append(parts, p.query.explain()...)
	if !p.gets && !one {
		parts = append(parts, fmt.Sprintf("NumberOfRows %d", c.rowsFirst()))
	}
	return strings.Join(parts, ", ")
}

// explainRows describes ranges of rows, and how many regions have some of them.
func (c *cursor) explainRows(pieces []piece) string {
	scheme := c.tables[0].Partitioning
	regions := 0
	for i := range scheme.Len() {
		for _, p := range pieces {
			if _, some := scheme.Bounds(i).Intersect(p.rows); some {
				regions++
				break
			}
		}
	}
	low, high := pieces[0].rows, pieces[len(pieces)-1].rows
	rows := fmt.Sprintf("[%s, %s)", printRow(low.Start), printRow(high.End))
	switch {
	case len(pieces) > 1:
		rows = fmt.Sprintf("%d ranges of %s by MultiRowRangeFilter", len(pieces), rows)
	case low.Start == nil && high.End == nil:
		rows = "all rows"
	}
	return fmt.Sprintf("%s in %d of %d regions", rows, regions, scheme.Len())
}

func (q *query) explain() (out []string) {
	for _, c := range q.columns {
		name := string(c.Family)
		if c.Qualifier != nil {
			name += fmt.Sprintf(":%q", bytes.Join(c.Qualifier, []byte(",")))
		}
		out = append(out, name)
	}
	if q.times.GetFrom() > 0 || q.times.GetTo() < math.MaxInt64 {
		out = append(out, fmt.Sprintf("TimeRange [%d, %d)", q.times.GetFrom(), q.times.GetTo()))
	}
	if q.maxVersions == math.MaxInt32 {
		out = append(out, "all versions")
	} else {
		out = append(out, fmt.Sprintf("MaxVersions %d", q.maxVersions))
	}
	if q.storeLimit != nil {
		out = append(out, fmt.Sprintf("StoreLimit %d", *q.storeLimit))
	}
	if q.filter != nil {
		out = append(out, printFilter(q.filter))
	}
	return out
}

// printRow formats a row for people, shortened if it is long; nil is the end.
func printRow(row []byte) string {
	const most = 40
	switch {
	case row == nil:
		return "-"
	case len(row) > most:
		return fmt.Sprintf("%q...", row[:most])
	}
	return fmt.Sprintf("%q", row)
}

// printFilter formats a filter for people.
func printFilter(f *pb.Filter) string {
	name := strings.TrimPrefix(f.GetName(), filters)
	switch name {
	case "FilterList":
		all := &pb.FilterList{}
		if proto.Unmarshal(f.GetSerializedFilter(), all) != nil {
			return name
		}
		var parts []string
		for _, inner := range all.GetFilters() {
			parts = append(parts, printFilter(inner))
		}
		if all.GetOperator() == pb.FilterList_MUST_PASS_ONE {
			return "(" + strings.Join(parts, " OR ") + ")"
		}
		return strings.Join(parts, " AND ")
	case "ColumnRangeFilter":
		r := &pb.ColumnRangeFilter{}
		if proto.Unmarshal(f.GetSerializedFilter(), r) != nil {
			return name
		}
		end := ")"
		if r.GetMaxColumnInclusive() {
			end = "]"
		}
		return fmt.Sprintf("%s [%s, %s%s", name, printRow(orEmpty(r.MinColumn)), printRow(r.MaxColumn), end)
	}
	return name
}
