package write

import (
	"io"
	"sync"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/pruning"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/arithmetic"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// Insert is a planned INSERT or REPLACE.
type Insert struct {
	table *kv.Table
	// selection is PARTITION (...), nil for all.
	selection *pruning.Selection
	// columns are the target columns, in the order of the given values.
	columns []int
	// rows are the rows of VALUES, in which a nil expression is DEFAULT. For INSERT ... SELECT, source
	// is set instead.
	rows   [][]expr.Node
	source *plan.Select
	// hexTime means that source gives a hexadecimal literal for T, which is then a number.
	hexTime bool
	// charsets are the character sets of source's columns, in whose bytes texts are stored; nil if all
	// are UTF-8.
	charsets []string
	// extra are columns that source gives after the values, for onDuplicate.
	extra []*sqlparser.ColName
	exprs *plan.RowExprs
	// rereads means that the statement might read rows that it has written itself.
	rereads bool
	// refers means that a value refers to columns of its own row, to earlier ones, as MySQL allows.
	refers bool
	// plain means that all values are placeholders, constants and DEFAULTs, to which no other value
	// refers.
	plain bool
	// onDuplicate are the assignments of ON DUPLICATE KEY UPDATE; without any, a duplicate is an error.
	onDuplicate     []change.Assignment
	replace, ignore bool
}

// Run implements Statement.
func (s *Insert) Run(ctx *exec.Context) (change.Result, error) {
	change.Before(ctx, s.rereads, s.ignore)
	w := insertWriters.Get().(*insertWriter)
	defer w.release()
	w.Context, w.Table, w.Selection, w.Ignore, w.stmt = ctx, s.table, s.selection, s.ignore, s
	w.Start(s.exprs)
	var err error
	if s.source != nil {
		err = w.fromSelect()
	} else {
		err = w.fromValues()
	}
	return w.Result, w.End(err)
}

// Reads returns the SELECT of INSERT ... SELECT, nil for VALUES.
func (s *Insert) Reads() *plan.Select { return s.source }

// Single reports whether the statement writes one version as its last action.
func (s *Insert) Single() bool { return s.source == nil && len(s.rows) == 1 && s.onDuplicate == nil }

// Exprs returns the expressions of VALUES and of the assignments.
func (s *Insert) Exprs() *plan.RowExprs { return s.exprs }

// Target returns the table's name.
func (s *Insert) Target() string { return s.table.Name }

type insertWriter struct {
	change.Writer
	stmt  *Insert
	given []value.Value // the values of the current row
	// inline is memory for the values of a short row, allocated together with the writer.
	inline [4]value.Value
}

// insertWriters are zero insertWriters for reuse: an INSERT of one row takes 9 % longer if it allocates
// one.
var insertWriters = sync.Pool{New: func() any { return new(insertWriter) }}

func (w *insertWriter) release() {
	w.Writer, w.stmt = change.Writer{}, nil
	if w.given != nil {
		w.given, w.inline = nil, [4]value.Value{}
	}
	insertWriters.Put(w)
}

func (w *insertWriter) fromValues() error {
	switch n := len(w.stmt.columns); {
	case w.stmt.plain:
	case n <= len(w.inline):
		w.given = w.inline[:n]
	default:
		w.given = make([]value.Value, n)
	}
	for _, row := range w.stmt.rows {
		w.next()
		if err := w.Skip(w.valuesRow(row)); err != nil {
			return err
		}
	}
	return nil
}

func (w *insertWriter) valuesRow(row []expr.Node) (err error) {
	if w.stmt.plain {
		return w.insert(w.buildPlain(row))
	}
	w.Values.Held.NewRow()
	if w.stmt.refers {
		w.Values.Row = make([]value.Value, change.ColV+1+schema.Of(w.Table).Generated())
	}
	for i, node := range row {
		w.given[i] = value.Value{}
		if node == nil {
			continue
		}
		if w.given[i], err = node.Eval(&w.Values); err != nil {
			return err
		}
		if w.stmt.refers {
			w.show(w.Values.Row, w.stmt.columns[i], w.given[i])
		}
	}
	return w.insert(w.build(row))
}

// show makes a value visible to the expressions of later columns; the generated columns show K and T,
// too.
func (w *insertWriter) show(row []value.Value, column int, v value.Value) {
	row[column] = v
	if v.IsNull() {
		return
	}
	switch column {
	case change.ColK:
		showPrefixes(w.Table, row, v.AsBytes())
	case change.ColT:
		if t, ok := v.ToInt(); ok {
			showTime(w.Table, row, t)
		}
	}
}

// showPrefixes and showTime fill in the generated columns of a row that starts with the table's
// columns.
func showPrefixes(t *kv.Table, row []value.Value, k []byte) {
	for i, p := range schema.Of(t).Prefixes {
		row[change.ColV+1+schema.Of(t).PrefixPlace(i)] = value.NewBytes(k[:min(len(k), p.Length)])
	}
}

func showTime(t *kv.Table, row []value.Value, timestamp int64) {
	if schema.Of(t).TimeColumn != nil {
		row[change.ColV+1+schema.Of(t).TimeColumn.Behind] = value.NewInt(max(timestamp, -timestamp))
	}
}

func (w *insertWriter) fromSelect() error {
	rows, err := w.stmt.source.Open(w.Context)
	if err != nil {
		return err
	}
	defer rows.Close()
	for {
		w.given, err = rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		w.next()
		if err := w.Skip(w.insert(w.build(nil))); err != nil {
			return err
		}
	}
}

// next counts a row, for the row numbers of warnings and as matched.
func (w *insertWriter) next() {
	w.Row++
	w.Result.Matched++
}

// insert writes the row that build has made; err is build's error.
func (w *insertWriter) insert(r change.Version, err error) error {
	if err != nil {
		return err
	}
	switch {
	case r.Clock:
		return w.insertAtClock(&r)
	case w.stmt.replace:
		err = w.Put(&r)
	default:
		err = w.PutNew(&r)
	}
	if w.stmt.onDuplicate != nil && mysqlerr.Is(err, mysqlerr.DupEntry) {
		return w.change(&r)
	}
	if err == nil {
		err = w.Written(&r)
	}
	return w.Count(1, err)
}

func (w *insertWriter) insertAtClock(r *change.Version) error {
	err := w.PutClock(r)
	if err == nil && w.Result.InsertID == 0 {
		w.Result.InsertID = r.T
	}
	return w.Count(1, err)
}

// build makes the row from the given values and the defaults: the clock for T, NULL for V if the column
// allows it. K and Q have none, which is an error.
func (w *insertWriter) build(nodes []expr.Node) (change.Version, error) {
	r := change.Version{Clock: true}
	var set [4]bool
	for i := range w.stmt.columns {
		v := &w.given[i]
		if nodes != nil && nodes[i] == nil {
			v = nil
		}
		if w.stmt.hexTime && w.stmt.columns[i] == change.ColT {
			number := arithmetic.HexBigint(*v)
			v = &number
		} else if w.stmt.charsets != nil {
			stored, err := text.Stored(&w.Values.Env, *v, w.stmt.charsets[i])
			if err != nil {
				return r, err
			}
			v = &stored
		}
		if err := w.take(&r, &set, w.stmt.columns[i], v); err != nil {
			return r, err
		}
	}
	r.Clock = !set[change.ColT]
	return r, w.FillDefaults(&r, set)
}

// buildPlain is build for a plain row, whose values are used without copying.
func (w *insertWriter) buildPlain(nodes []expr.Node) (change.Version, error) {
	r := change.Version{Clock: true}
	var set [4]bool
	for i, node := range nodes {
		var v *value.Value
		switch n := node.(type) {
		case *expr.Param:
			if n.Index >= len(w.Values.Params) {
				_, err := n.Eval(&w.Values)
				return r, err
			}
			v = &w.Values.Params[n.Index]
		case *expr.Const:
			v = &n.V
		}
		if err := w.take(&r, &set, w.stmt.columns[i], v); err != nil {
			return r, err
		}
	}
	r.Clock = !set[change.ColT]
	return r, w.FillDefaults(&r, set)
}

// take sets a column of the row to a value; nil is DEFAULT.
func (w *insertWriter) take(r *change.Version, set *[4]bool, column int, v *value.Value) error {
	switch {
	case column > change.ColV && v != nil:
		return generatedValue(w.Table, column)
	case column > change.ColV, v == nil, column == change.ColT && v.IsNull():
		return nil
	}
	set[column] = true
	err := r.Set(w.Table, column, v, w.Row)
	if err != nil && !(w.stmt.Single() && !w.Ignore && v.IsNull()) {
		return w.Fitted(r, column, v, err)
	}
	return err
}

func generatedValue(t *kv.Table, column int) error {
	return mysqlerr.New(mysqlerr.NonDefaultGenerated,
		"The value specified for generated column '%s' in table '%s' is not allowed.", generatedName(t, column-change.ColV-1),
		t.Name)
}

// generatedName returns the name of a generated column by its index among these.
func generatedName(t *kv.Table, place int) string {
	g := schema.Of(t).TimeColumn
	switch {
	case g != nil && place == g.Behind:
		return g.Name
	case g != nil && place > g.Behind:
		place--
	}
	return schema.Of(t).Prefixes[place].Name
}
