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
)

// Insert is a planned INSERT or REPLACE.
type Insert struct {
	table *kv.Table
	// selection is PARTITION (...), nil for all.
	selection *pruning.Selection
	// columns are the target columns, in the order of the given values.
	columns []int
	// rows are the values; a nil expression is DEFAULT. Where source is set,
	// its rows are the values.
	rows   [][]expr.Node
	source *plan.Select
	// hexTime is true where source gives T a hex literal, which is a number then.
	hexTime bool
	// charsets are those of source's columns, whose texts are stored in the bytes of these; nil
	// where all are UTF-8.
	charsets []string
	// extra is what source gives behind the values, for onDuplicate.
	extra []*sqlparser.ColName
	exprs *plan.RowExprs
	// rereads is true where the statement could read the rows that it wrote.
	rereads bool
	// refers is true where a value refers to columns of its own row: to those
	// before it, as MySQL allows.
	refers bool
	// plain is true where the values are placeholders, constants and DEFAULTs,
	// which nothing else refers to.
	plain bool
	// onDuplicate changes the version that is in the way; nil is strict.
	onDuplicate     []assignment
	replace, ignore bool
}

// Run implements Statement.
func (s *Insert) Run(ctx *exec.Context) (Result, error) {
	ctx = before(ctx, s.rereads, s.ignore)
	w := insertWriters.Get().(*insertWriter)
	defer w.release()
	w.Context, w.table, w.selection, w.ignore, w.stmt = ctx, s.table, s.selection, s.ignore, s
	w.start(s.exprs)
	var err error
	if s.source != nil {
		err = w.fromSelect()
	} else {
		err = w.fromValues()
	}
	return w.result, w.end(err)
}

// Reads is the SELECT that gives the rows, nil where they are VALUES.
func (s *Insert) Reads() *plan.Select { return s.source }

// Single reports whether the statement writes one version and does nothing
// after that.
func (s *Insert) Single() bool { return s.source == nil && len(s.rows) == 1 && s.onDuplicate == nil }

// Exprs are the VALUES and the assignments.
func (s *Insert) Exprs() *plan.RowExprs { return s.exprs }

// Target is the table's name.
func (s *Insert) Target() string { return s.table.Name }

type insertWriter struct {
	writer
	stmt  *Insert
	given []value.Value // the values of the row at hand
	// inline is what VALUES are evaluated to: it is here to be allocated together.
	inline [4]value.Value
}

// insertWriters are those of statements that are over, zero all of them: an INSERT
// of one row takes 9 % longer with one of its own.
var insertWriters = sync.Pool{New: func() any { return new(insertWriter) }}

func (w *insertWriter) release() {
	w.writer, w.stmt = writer{}, nil
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
		if err := w.skip(w.valuesRow(row)); err != nil {
			return err
		}
	}
	return nil
}

func (w *insertWriter) valuesRow(row []expr.Node) (err error) {
	if w.stmt.plain {
		return w.insert(w.buildPlain(row))
	}
	w.env.Held.NewRow()
	if w.stmt.refers {
		w.env.Row = make([]value.Value, colV+1+schema.Of(w.table).Generated())
	}
	for i, node := range row {
		w.given[i] = value.Value{}
		if node == nil {
			continue
		}
		if w.given[i], err = node.Eval(&w.env); err != nil {
			return err
		}
		if w.stmt.refers {
			w.show(w.env.Row, w.stmt.columns[i], w.given[i])
		}
	}
	return w.insert(w.build(row))
}

// show makes a given value visible to the values behind it; K and T show in the
// generated columns too.
func (w *insertWriter) show(row []value.Value, column int, v value.Value) {
	row[column] = v
	if v.IsNull() {
		return
	}
	switch column {
	case colK:
		showPrefixes(w.table, row, v.AsBytes())
	case colT:
		if t, ok := v.ToInt(); ok {
			showTime(w.table, row, t)
		}
	}
}

// showPrefixes and showTime fill in the generated columns of a row that begins
// with the table's columns.
func showPrefixes(t *kv.Table, row []value.Value, k []byte) {
	for i, p := range schema.Of(t).Prefixes {
		row[colV+1+schema.Of(t).PrefixPlace(i)] = value.NewBytes(k[:min(len(k), p.Length)])
	}
}

func showTime(t *kv.Table, row []value.Value, timestamp int64) {
	if schema.Of(t).TimeColumn != nil {
		row[colV+1+schema.Of(t).TimeColumn.Behind] = value.NewInt(max(timestamp, -timestamp))
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
		if err := w.skip(w.insert(w.build(nil))); err != nil {
			return err
		}
	}
}

// next counts a row, which IGNORE may skip.
func (w *insertWriter) next() {
	w.row++
	w.result.Matched++
}

// insert writes the row that build has made.
func (w *insertWriter) insert(r version, err error) error {
	if err != nil {
		return err
	}
	switch {
	case r.clock:
		return w.insertAtClock(&r)
	case w.stmt.replace:
		err = w.put(&r)
	default:
		err = w.putNew(&r)
	}
	if w.stmt.onDuplicate != nil && mysqlerr.Is(err, mysqlerr.DupEntry) {
		return w.change(&r)
	}
	if err == nil {
		err = w.written(&r)
	}
	return w.count(1, err)
}

func (w *insertWriter) insertAtClock(r *version) error {
	err := w.putClock(r)
	if err == nil && w.result.InsertID == 0 {
		w.result.InsertID = r.t
	}
	return w.count(1, err)
}

// count adds to the rows affected unless err says otherwise.
func (w *writer) count(n int64, err error) error {
	if err == nil {
		w.result.Changed += n
		w.result.Found += n
	}
	return err
}

// build makes the row from the given values and the defaults: the clock for T,
// NULL for V where that is allowed, none for K and Q.
func (w *insertWriter) build(nodes []expr.Node) (version, error) {
	r := version{clock: true}
	var set [4]bool
	for i := range w.stmt.columns {
		v := &w.given[i]
		if nodes != nil && nodes[i] == nil {
			v = nil
		}
		if w.stmt.hexTime && w.stmt.columns[i] == colT {
			number := arithmetic.HexBigint(*v)
			v = &number
		} else if w.stmt.charsets != nil {
			stored, err := text.Stored(&w.env.Env, *v, w.stmt.charsets[i])
			if err != nil {
				return r, err
			}
			v = &stored
		}
		if err := w.take(&r, &set, w.stmt.columns[i], v); err != nil {
			return r, err
		}
	}
	r.clock = !set[colT]
	return r, w.fillDefaults(&r, set)
}

// buildPlain is build for a row of placeholders and constants, which are where
// they are already.
func (w *insertWriter) buildPlain(nodes []expr.Node) (version, error) {
	r := version{clock: true}
	var set [4]bool
	for i, node := range nodes {
		var v *value.Value
		switch n := node.(type) {
		case *expr.Param:
			if n.Index >= len(w.env.Params) {
				_, err := n.Eval(&w.env)
				return r, err
			}
			v = &w.env.Params[n.Index]
		case *expr.Const:
			v = &n.V
		}
		if err := w.take(&r, &set, w.stmt.columns[i], v); err != nil {
			return r, err
		}
	}
	r.clock = !set[colT]
	return r, w.fillDefaults(&r, set)
}

// take gives the row the value of a column, nil for DEFAULT.
func (w *insertWriter) take(r *version, set *[4]bool, column int, v *value.Value) error {
	switch {
	case column > colV && v != nil:
		return generatedValue(w.table, column)
	case column > colV, v == nil, column == colT && v.IsNull():
		return nil
	}
	set[column] = true
	err := r.set(w.table, column, v, w.row)
	if err != nil && !(w.stmt.Single() && !w.ignore && v.IsNull()) {
		return w.fitted(r, column, v, err)
	}
	return err
}

// fillDefaults refuses a row of which a column has neither a value nor a default. Without strict
// sql_mode it warns, once a statement of each column, and the row has MySQL's default of the type.
func (w *writer) fillDefaults(r *version, set [4]bool) error {
	for c := lacking(w.table, set, 0); c >= 0; c = lacking(w.table, set, c+1) {
		err := noDefault(w.table, c)
		if !loose(w.Context) {
			return err
		}
		if !w.warned[c] {
			w.warned[c] = true
			w.warn(err)
		}
		r.empty(c)
	}
	return nil
}

// lacking is the first column, from one on, that has neither a value nor a default; -1 is none.
func lacking(t *kv.Table, set [4]bool, from int) int {
	for c := from; c <= colV; c++ {
		if !set[c] && c != colT && !(c == colV && t.Value.Nullable) {
			return c
		}
	}
	return -1
}

func noDefault(t *kv.Table, column int) error {
	return mysqlerr.New(mysqlerr.NoDefaultForField, "Field '%s' doesn't have a default value", schema.Of(t).ColumnNames()[column])
}

func generatedValue(t *kv.Table, column int) error {
	return mysqlerr.New(mysqlerr.NonDefaultGenerated,
		"The value specified for generated column '%s' in table '%s' is not allowed.", generatedName(t, column-colV-1),
		t.Name)
}

// generatedName is the name of the generated column at a place among them.
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
