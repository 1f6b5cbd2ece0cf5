package typedscan

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Rows is a running Table. Its first cells are read one by one; after many, the store returns whole rows.
type Rows struct {
	*Table
	x    *op.Frame
	scan *scan.Scan
	in   op.Input // the scan
	// conditions are on the row, and are evaluated once for all of its cells.
	conditions []expr.Node
	// open is the row that is being read, complete the previous one.
	open, complete row
	tuple          []value.Value // of the key of the current row
	started        bool          // open has a cell
	begun          bool          // reading has begun
	ended          bool
	wants          int
	given          int64
	batches        batches
	// past are the versions of the row that is being read, for a history, and told those of the complete one.
	// least is the first moment requested, moment that of the row in the frame.
	past, told history
	least      int64
	moment     value.Value
}

// row is cells in separate memory.
type row struct {
	key   []byte
	cells [][]byte // by class; nil for NULL
	has   []bool   // which exist
	bytes []byte   // of the cells
}

func (t *Table) rows(x *op.Frame, s *scan.Scan) *Rows {
	r, ok := x.Idle.Typed.(*Rows)
	if x.Idle.Typed = nil; !ok {
		r = &Rows{}
	}
	r.Table, r.x, r.scan, r.wants = t, x, s, op.AllRows
	r.in.Operator = s
	n, key := len(t.classes), len(t.Face.Key)
	r.tuple = slices.Grow(r.tuple[:0], key)[:key]
	for _, each := range []*row{&r.open, &r.complete} {
		each.cells, each.has = slices.Grow(each.cells[:0], n)[:n], slices.Grow(each.has[:0], n)[:n]
	}
	return r
}

// maxKept limits the bytes that a Rows keeps for the next statement.
const maxKept = 16 << 10

// Release makes r a zero Rows that keeps its buffers, which must not be in use any more.
func (r *Rows) Release() {
	open, complete, tuple := r.open.released(), r.complete.released(), r.tuple
	clear(tuple)
	*r = Rows{open: open, complete: complete, tuple: tuple}
}

func (r *row) released() row {
	clear(r.cells)
	out := row{key: r.key, cells: r.cells, has: r.has, bytes: r.bytes}
	if cap(r.key)+cap(r.bytes) > maxKept {
		out.key, out.bytes = nil, nil
	}
	return out
}

// Env implements op.Operator.
func (r *Rows) Env() *expr.Env { return &r.x.Env }

// Close implements op.Operator.
func (r *Rows) Close() error { return r.in.Close() }

// Next implements op.Operator.
func (r *Rows) Next(int) (*kernel.Batch, error) {
	if !r.begun {
		r.begun = true
		r.in.ReadFor(r)
	}
	for {
		if ok, err := r.nextPlaced(); ok || err != nil {
			return op.Single(ok, err)
		}
		if r.ended {
			return nil, nil
		}
		in, err := r.in.Vectors(r.wants)
		switch {
		case err != nil:
			return nil, err
		case in != nil && r.scan.Cells.HasColumns():
			if out, err := r.takeBatch(); out != nil || err != nil {
				return out, err
			}
			continue
		case in != nil:
			r.in.Take(in)
		}
		if ok, err := r.readCell(); ok || err != nil {
			return op.Single(ok, err)
		}
	}
}

// nextPlaced copies the next row whose cells have all been read into the frame, and reports whether there is
// one.
func (r *Rows) nextPlaced() (bool, error) {
	if r.moments {
		return r.placeMoment()
	}
	return r.nextRefused()
}

// readCell adds the next cell to its row, and reports whether a complete row is in the frame.
func (r *Rows) readCell() (bool, error) {
	ok, err := r.in.Row(r.wants)
	if err != nil {
		return false, err
	}
	if !ok {
		if r.ended = true; !r.started {
			return false, nil
		}
		r.turn()
		return r.placeComplete()
	}
	at, cell := &r.Cells.Columns, r.x.Env.Row
	key := cell[at.K].Raw()
	full := r.started && !bytes.Equal(key, r.open.key)
	if full {
		r.turn()
	}
	if !r.started {
		r.begin(key)
	}
	if class := r.classOf(at.F, at.Q); r.moments {
		r.addVersion(class, cell[at.T].Int(), cell[at.V])
	} else {
		r.add(class, cell[at.V])
	}
	if !full {
		return false, nil
	}
	return r.placeComplete()
}

// classOf returns the class of the cell in the frame, or -1 if it is not read.
func (r *Rows) classOf(family, qualifier int) int {
	c := class{qualifier: r.x.Env.Row[qualifier].Raw()}
	if family >= 0 {
		name := r.x.Env.Row[family].Raw()
		c.family = slices.IndexFunc(r.Face.Families(), func(f string) bool { return f == string(name) })
	}
	return r.find(c)
}

// begin starts a row.
func (r *Rows) begin(key []byte) {
	r.started = true
	r.open.key, r.open.bytes = append(r.open.key[:0], key...), r.open.bytes[:0]
	clear(r.open.cells)
	clear(r.open.has)
}

// turn makes the row that was read the complete one.
func (r *Rows) turn() {
	r.open, r.complete = r.complete, r.open
	r.started = false
	if r.moments {
		r.turnVersions()
	}
}

// add adds a copy of a cell to the open row. Earlier copies stay valid.
func (r *Rows) add(class int, v value.Value) {
	if class < 0 {
		return
	}
	r.open.has[class], r.open.cells[class] = true, r.open.copied(v)
}

// copied returns a copy of a cell's value in the row's memory, nil for NULL.
func (r *row) copied(v value.Value) []byte {
	if v.IsNull() {
		return nil
	}
	b := v.Raw()
	if len(b) == 0 {
		return []byte{}
	}
	if cap(r.bytes)-len(r.bytes) < len(b) {
		r.bytes = make([]byte, 0, max(2*cap(r.bytes), len(b), 64))
	}
	start := len(r.bytes)
	r.bytes = append(r.bytes, b...)
	return r.bytes[start:len(r.bytes):len(r.bytes)]
}

// placeComplete copies the complete row into the frame, and reports whether it is a row of the table.
func (r *Rows) placeComplete() (bool, error) {
	if r.moments {
		return r.placeMoment()
	}
	return r.place(&r.complete)
}

// place copies a row into the frame, and reports whether it is one of the table's for which the conditions
// are true.
func (r *Rows) place(of *row) (bool, error) {
	ok, err := r.exists(of.cells, of.key)
	r.hideCells()
	if !ok || err != nil {
		return false, err
	}
	env := &r.x.Env
	r.placeKey(env)
	for i := range r.cells {
		c := &r.cells[i]
		b := of.cells[c.class]
		if c.absent && !of.has[c.class] {
			b = r.Face.Columns[c.place].Absent
		}
		env.Row[r.First+c.place] = r.Face.CellRead(env, c.place, b)
	}
	for _, v := range r.virtual {
		if env.Row[r.First+v.place], err = v.node.Eval(env); err != nil {
			return false, err
		}
	}
	r.given++
	return true, nil
}

// exists reports whether cells make a row of the table for which the conditions are true; its key is then in
// tuple.
func (r *Rows) exists(cells [][]byte, key []byte) (bool, error) {
	there := func(b []byte) bool { return b != nil }
	if r.marker >= 0 && cells[r.marker] == nil || r.marker < 0 && !slices.ContainsFunc(cells, there) ||
		!r.Face.ReadRow(key, r.tuple) {
		return false, nil
	}
	return r.accepts(key)
}

// accepts reports whether the conditions are true for a row.
func (r *Rows) accepts(key []byte) (bool, error) {
	if len(r.conditions) > 0 {
		r.x.Env.Row[r.Cells.Columns.K], r.x.Env.Row[r.Cells.Columns.T] = value.NewBytes(key), r.moment
	}
	for _, n := range r.conditions {
		if ok, err := expr.Holds(n, &r.x.Env); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// hideCells leaves no reference to a cell in the frame: a copy of the frame would read it after the store has
// reused its memory.
func (r *Rows) hideCells() {
	at := &r.Cells.Columns
	clear(r.x.Env.Row[at.K : at.K+r.Cells.Width])
}

// placeKey copies the columns of the key into the frame.
func (r *Rows) placeKey(env *expr.Env) {
	for _, at := range r.keys {
		env.Row[r.First+at] = r.Face.Shown(env, at, r.tuple[r.Face.KeyPart(at)])
	}
}

// NamedRows returns the ranges of the only rows that are read, each of one row, if conditions name them and there is
// no other condition; nil otherwise. It must be called before the first row.
func (r *Rows) NamedRows() []kv.Range {
	if r.moments || r.begun || len(r.conditions) > 0 {
		return nil
	}
	return r.scan.OnlyRows()
}

// ColumnsRead implements kernel.Reader. If cells only show that a row exists, their values are not read.
func (r *Rows) ColumnsRead() kernel.Columns {
	at := &r.Cells.Columns
	c := kernel.Columns{}.Add(at.K).Add(at.Q)
	if at.F >= 0 {
		c = c.Add(at.F)
	}
	if r.moments {
		c = c.Add(at.T)
	}
	if len(r.cells) == 0 {
		return c.Reading(&expr.IsNull{X: &expr.Column{Index: at.V}})
	}
	return c.Add(at.V)
}

// Step implements op.Operator with the step of the access to the cells.
func (r *Rows) Step() *explain.Step {
	out := r.scan.Step()
	if out.Table.Empty == "" {
		out.Add("columns", r.columnNames())
	}
	out.Rows = r.given
	return out
}

// columnNames returns the names of the columns that are read.
func (r *Rows) columnNames() string {
	var read []int
	for _, c := range r.cells {
		read = append(read, c.place)
	}
	for _, v := range r.virtual {
		read = append(read, v.place)
	}
	read = append(read, r.keys...)
	slices.Sort(read)
	var names []string
	for _, at := range read {
		names = append(names, r.Face.Columns[at].Name)
	}
	return strings.Join(names, ", ")
}

// KeyColumn returns -1: no column has the row key unchanged.
func (r *Rows) KeyColumn() int { return -1 }

// ColumnsOf returns the frame's columns of the table.
func (r *Rows) ColumnsOf() (first, end int) { return r.First, r.First + len(r.Face.Columns) }

// Quiet is as for scan.Quietly: cells may be unreadable.
func (r *Rows) Quiet() bool {
	return len(r.cells)+len(r.virtual) == 0 && !slices.ContainsFunc(r.conditions, mayfail.Condition)
}

// OnePerRow implements scan's interface for pipelines that return one row per K.
func (r *Rows) OnePerRow() {}

// Under implements scan.Link.
func (r *Rows) Under() op.Operator { return r.in.Operator }

// SameInParts implements scan.Link.
func (r *Rows) SameInParts() bool { return !slices.ContainsFunc(r.conditions, scan.Impure) }

// OfPart implements scan.Link.
func (r *Rows) OfPart(part *scan.PartRun, x *op.Frame) (op.Operator, *op.Frame) {
	child, x := part.Pipeline(r.in.Operator, x)
	s, _ := scan.Of(child)
	out := r.Table.rows(x, s)
	out.conditions, out.least = r.conditions, r.least
	return out, x
}

// AddWork implements scan.Link.
func (r *Rows) AddWork(out *explain.Step) {
	rows := out.Rows
	r.scan.AddWork(out)
	out.Rows = rows + r.given
}
