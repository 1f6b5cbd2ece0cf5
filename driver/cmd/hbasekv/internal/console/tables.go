package console

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Bounds of what is answered of a table's partitions, of which there may be 100,000.
const (
	maxBars    = 400
	maxPage    = 500
	mostLooked = 1 << 20 // which are looked at
)

// partitionPage is what a page asks for: Count of the partitions from Offset on, in the order of the
// table's, or with By the largest of that figure first.
type partitionPage struct {
	Database, Table string
	Offset, Count   int
	By              string // "", rows, bytes, reads or writes
}

// partitionRow is a line of SHOW PARTITIONS.
type partitionRow struct {
	Name     any    `json:"name"`
	LessThan any    `json:"lessThan"`
	Rows     uint64 `json:"rows"`
	Bytes    uint64 `json:"bytes"`
	First    any    `json:"first"`
	Last     any    `json:"last"`
	Reads    uint64 `json:"reads"`
	Writes   uint64 `json:"writes"`
	Counted  bool   `json:"counted"`
	Comment  string `json:"comment"`
	Ordinal  int    `json:"ordinal"`
}

// partitions answers with a page of a table's partitions, and with all of them as bars.
func (c *Console) partitions(w http.ResponseWriter, r *http.Request, in *login) {
	var ask partitionPage
	if !read(w, r, &ask) {
		return
	}
	var all []partitionRow
	var may changes
	err := c.inSession(r, in, ask.Database, func(s *sqlfront.Session) (err error) {
		if may, err = c.changes(r.Context(), s, ask.Database, ask.Table); err != nil {
			return err
		}
		return c.each(r.Context(), s, "SHOW PARTITIONS FROM "+lex.QuoteName(ask.Database)+"."+lex.QuoteName(ask.Table), func(row []value.Value) error {
			if len(all) < mostLooked {
				all = append(all, partitionOf(row, len(all)))
			}
			return nil
		})
	})
	answer := summarise(all, ask)
	answer.May = may
	reply(w, answer, err)
}

// changes are what an account may do with a table's partitions on these pages, in this store.
type changes struct {
	Split   bool `json:"split"`
	Merge   bool `json:"merge"`
	Compact bool `json:"compact"`
}

// changes asks for the rights of the statements by which the page makes them.
func (c *Console) changes(ctx context.Context, s *sqlfront.Session, database, name string) (may changes, err error) {
	if !c.options.Writes {
		return may, nil
	}
	authority, err := s.Authority(ctx)
	if err != nil {
		return may, err
	}
	store, err := c.sessions.Store()
	if err != nil {
		return may, err
	}
	catalog, err := store.Catalog(ctx)
	if err != nil {
		return may, err
	}
	t := schema.Stored(catalog, database, name)
	if t == nil {
		return may, nil // a view, or nothing
	}
	check, on := privilege.Checker{Authority: authority, Catalog: catalog}, ast.TableName{Database: database, Name: name}
	ranges := t.Partitioning.Method() == partition.Range
	layout := (ranges || !t.Partitioning.Partitioned()) && check.Check(&ast.SplitTable{Name: on}) == nil
	return changes{Split: layout, Merge: layout && ranges && t.Partitioning.Slices() == nil && c.merges(),
		Compact: check.Check(&ast.OptimizeTable{Names: []ast.TableName{on}}) == nil}, nil
}

// merges reports whether the store can make one partition of two.
func (c *Console) merges() bool { return c.limits.DDL&kv.ChangePartitions != 0 }

func partitionOf(row []value.Value, ordinal int) partitionRow {
	return partitionRow{Name: show(row[0], defaultCut), LessThan: show(row[1], defaultCut), Rows: row[2].AsUint(), Bytes: row[3].AsUint(),
		First: show(row[4], defaultCut), Last: show(row[5], defaultCut), Reads: row[6].AsUint(), Writes: row[7].AsUint(),
		Counted: !row[6].IsNull(), Comment: row[9].String(), Ordinal: ordinal}
}

// bar is one partition or several neighbours: the figures are those of the largest of them.
type bar struct {
	Rows   uint64 `json:"rows"`
	Bytes  uint64 `json:"bytes"`
	Reads  uint64 `json:"reads"`
	Writes uint64 `json:"writes"`
	Of     int    `json:"of"` // partitions
}

type partitionSummary struct {
	Partitions int            `json:"partitions"`
	Rows       uint64         `json:"rows"`
	Bytes      uint64         `json:"bytes"`
	Gini       float64        `json:"gini"` // of the bytes
	Counted    bool           `json:"counted"`
	Bars       []bar          `json:"bars"`
	Page       []partitionRow `json:"page"`
	May        changes        `json:"may"`
}

func summarise(all []partitionRow, ask partitionPage) partitionSummary {
	out := partitionSummary{Partitions: len(all), Bars: []bar{}, Page: []partitionRow{}}
	per := max(1, (len(all)+maxBars-1)/maxBars)
	bytes := make([]uint64, 0, len(all))
	for i := range all {
		p := &all[i]
		out.Rows += p.Rows
		out.Bytes += p.Bytes
		out.Counted = out.Counted || p.Counted
		bytes = append(bytes, p.Bytes)
		if i%per == 0 {
			out.Bars = append(out.Bars, bar{})
		}
		b := &out.Bars[len(out.Bars)-1]
		*b = bar{max(b.Rows, p.Rows), max(b.Bytes, p.Bytes), max(b.Reads, p.Reads), max(b.Writes, p.Writes), b.Of + 1}
	}
	out.Gini = gini(bytes)
	if figure := figures[ask.By]; figure != nil {
		slices.SortStableFunc(all, func(a, b partitionRow) int { return cmp.Compare(figure(&b), figure(&a)) })
	}
	from := min(max(ask.Offset, 0), len(all))
	out.Page = append(out.Page, all[from:min(from+min(max(ask.Count, 0), maxPage), len(all))]...)
	return out
}

// figures are what partitions are ordered by.
var figures = map[string]func(*partitionRow) uint64{
	"rows":   func(p *partitionRow) uint64 { return p.Rows },
	"bytes":  func(p *partitionRow) uint64 { return p.Bytes },
	"reads":  func(p *partitionRow) uint64 { return p.Reads },
	"writes": func(p *partitionRow) uint64 { return p.Writes },
}

// gini is how unevenly figures are spread: 0 where all are the same, near 1 where one has all. It sorts them.
func gini(all []uint64) float64 {
	slices.Sort(all)
	var sum, weighted float64
	for i, n := range all {
		sum += float64(n)
		weighted += float64(i+1) * float64(n)
	}
	if sum == 0 {
		return 0
	}
	n := float64(len(all))
	return 2*weighted/(n*sum) - (n+1)/n
}
