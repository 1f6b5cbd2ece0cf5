package explain

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// tableColumns are those of MySQL's EXPLAIN
// (https://dev.mysql.com/doc/refman/5.7/en/explain-output.html).
func tableColumns() []Column {
	text := value.Type{Kind: value.Text, Nullable: true}
	number := value.Type{Kind: value.Int, Nullable: true}
	out := []Column{{Name: "id", Type: number}}
	for _, name := range []string{"select_type", "table", "partitions", "type", "possible_keys", "key", "key_len", "ref"} {
		out = append(out, Column{Name: name, Type: text})
	}
	return append(out, Column{Name: "rows", Type: number},
		Column{Name: "filtered", Type: value.Type{Kind: value.Float, Nullable: true}},
		Column{Name: "Extra", Type: text})
}

// tableRows makes one row of EXPLAIN for each relation that is read.
type tableRows struct {
	rows   [][]value.Value
	nextID int
	write  string
}

// table returns the rows that EXPLAIN shows for a statement.
func (o *Options) table(root *Step) [][]value.Value {
	t := tableRows{write: o.written()}
	kind := "SIMPLE"
	if hasQueries(root) || root.Block.Union {
		kind = "PRIMARY"
	}
	if t.write != "" {
		kind = t.write
	}
	t.query(root, kind)
	return t.rows
}

// hasQueries reports whether other queries are below the step.
func hasQueries(s *Step) bool {
	if len(s.Queries) > 0 {
		return true
	}
	for _, under := range s.Steps {
		if under.Block != nil || hasQueries(under) {
			return true
		}
	}
	return false
}

// query adds the rows of a query, and after them those of the queries in it.
func (t *tableRows) query(s *Step, kind string) {
	if s.Block.Union {
		t.union(s, kind)
		return
	}
	t.nextID++
	id := t.nextID
	b := blockRows{id: id, kind: kind}
	b.collect(s)
	if len(b.tables) == 0 {
		b.tables = append(b.tables, &Table{Rows: -1, Empty: "No tables used"})
	}
	if s.Table != nil && t.write != "" {
		b.extra = nil
	}
	first := len(t.rows)
	for i, table := range b.tables {
		var extra []string
		if i == 0 {
			extra = b.extra
		}
		t.rows = append(t.rows, b.row(table, extra))
	}
	for i, d := range b.derived {
		t.rows[b.derivedRows[i]+first][2] = value.NewString(fmt.Sprintf("<derived%d>", t.nextID+1))
		t.query(d, d.Block.prefix()+"DERIVED")
	}
	for _, q := range s.Queries {
		t.query(q, subqueryKind(q))
	}
}

func subqueryKind(q *Step) string { return q.Block.prefix() + "SUBQUERY" }

// union adds the rows of a set operation's queries, and one for the result. The result of several kinds of
// operations is a UNIT, as MariaDB calls it.
func (t *tableRows) union(s *Step, kind string) {
	var ids []string
	result, before := "", s.Block.prefix()
	for _, step := range partsOf(s) {
		word := step.Block.Operation
		if word != "" {
			kind = before + word
		}
		if result == "" {
			result = word
		} else if word != result {
			result = "UNIT"
		}
		ids = append(ids, strconv.Itoa(t.nextID+1))
		t.query(step, kind)
	}
	b := blockRows{kind: result + " RESULT"}
	b.collect(s)
	name := fmt.Sprintf("<%s%s>", strings.ToLower(result), strings.Join(ids, ","))
	row := b.row(&Table{Table: name, Type: "ALL", Rows: -1}, b.extra)
	row[0], row[10] = value.Value{}, value.Value{}
	t.rows = append(t.rows, row)
	for _, q := range s.Queries {
		t.query(q, subqueryKind(q))
	}
}

// prefix is what is written before the words for a query's parts.
func (b *Block) prefix() string {
	switch {
	case b.Uncacheable:
		return "UNCACHEABLE "
	case b.Dependent:
		return "DEPENDENT "
	}
	return ""
}

// partsOf are the queries of a UNION below its sort and limit.
func partsOf(s *Step) []*Step {
	for len(s.Steps) == 1 && s.Steps[0].Block == nil {
		s = s.Steps[0]
	}
	return s.Steps
}

// blockRows collects what one query reads.
type blockRows struct {
	id      int
	kind    string
	tables  []*Table
	derived []*Step
	// derivedRows are the tables that the derived queries make.
	derivedRows []int
	extra       []string // of the query, shown with its first table
}

func (b *blockRows) collect(s *Step) {
	if s.Filesort {
		b.extra = append(b.extra, "Using filesort")
	}
	if s.Temporary {
		b.extra = append(b.extra, "Using temporary")
	}
	if s.Table != nil {
		b.tables = append(b.tables, s.Table)
	}
	for _, under := range s.Steps {
		if under.Block != nil {
			b.derived = append(b.derived, under)
			b.derivedRows = append(b.derivedRows, len(b.tables)-1)
		} else {
			b.collect(under)
		}
	}
}

func (b *blockRows) row(t *Table, extra []string) []value.Value {
	key := value.Value{}
	if t.Key {
		key = value.NewString("PRIMARY")
	}
	if t.Index != "" {
		key = value.NewString(t.Index)
	}
	possible := key
	if t.Type == "index" {
		possible = value.Value{}
	}
	length := value.Value{}
	if t.KeyLen > 0 {
		length = value.NewString(strconv.Itoa(t.KeyLen))
	}
	return []value.Value{
		value.NewInt(int64(b.id)), value.NewString(b.kind), textOrNull(t.Table), textOrNull(t.Partitions), textOrNull(t.Type),
		possible, key, length, textOrNull(t.Ref), rowsValue(t), filteredValue(t),
		textOrNull(strings.Join(append(extraWords(t), extra...), "; ")),
	}
}

func textOrNull(s string) value.Value {
	if s == "" {
		return value.Value{}
	}
	return value.NewString(s)
}

func rowsValue(t *Table) value.Value {
	if t.Rows < 0 {
		return value.Value{}
	}
	return value.NewInt(t.Rows)
}

// filteredValue is the percentage of the rows that meet the remaining condition.
func filteredValue(t *Table) value.Value {
	switch {
	case t.Empty != "" || t.Written:
		return value.Value{}
	case t.Filtered || t.Rows >= 0:
		return value.NewFloat(math.Round(t.Kept*100) / 100)
	}
	return value.NewFloat(100)
}

// extraWords are the words of Extra for the access itself.
func extraWords(t *Table) []string {
	if t.Empty != "" {
		return []string{t.Empty}
	}
	var out []string
	if t.Access != "" {
		out = append(out, t.Access)
	}
	if t.Recursive {
		out = append(out, "Recursive")
	}
	if t.Pruned {
		out = append(out, "Partitions pruned when run")
	}
	if t.Filtered {
		out = append(out, "Using where")
	}
	if t.KeyOnly {
		out = append(out, "Using index")
	}
	if t.Layout != "" {
		out = append(out, "Using "+t.Layout+" index")
	}
	if t.Merged != "" {
		out = append(out, "Using "+t.Merged)
	}
	if t.Join != "" {
		out = append(out, "Using "+t.Join)
	}
	return out
}
