package window

import (
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Source gives the rows that a Layout describes, partition by partition, and each partition in the
// order of the windows.
type Source interface {
	// Next returns the next row, or nil after the last. It is valid until the next call.
	Next() ([]value.Value, error)
	// Kept returns the sorter that has all rows in memory, or nil. Next is called only if it is nil.
	Kept() (*spill.Sorter, error)
}

// Windows has the partitioning and order shared by the windows of all calls.
type Windows struct {
	// Partition are the expressions by which rows are partitioned.
	Partition []expr.Node
	// Order are the expressions by which the rows of a partition are ordered; Desc says that the first
	// of them is descending.
	Order []expr.Node
	Desc  bool
}

// Run reads the rows of a Source, and computes the result of each call for each row.
type Run struct {
	*Windows
	env    *expr.Env
	space  *spill.Space
	layout *Layout
	meter  cancelcheck.Meter
	rows   partitionRows
	peers  peers
	calls  []running
	slots  []int      // of the results in the frame
	own    *rowCursor // for the current row
	at     int64      // the current row of the partition
}

// running is the state of a call. It is asked for the results of a partition's rows in order.
type running interface {
	// result returns the value for the row with that number, valid until the next call.
	result(at int64) (value.Value, error)
	// keeps returns the first row that is needed for the rows after this one.
	keeps(at int64) int64
	// restart starts another partition.
	restart() error
	close() error
}

// New makes a Run over the rows of in, from its beginning. Expressions of the windows and of the calls
// are added to the layout. Constants are evaluated in env.
func New(w *Windows, layout *Layout, in Source, env *expr.Env, space *spill.Space) *Run {
	r := &Run{Windows: w, env: env, space: space, layout: layout, meter: cancelcheck.Meter{Ctx: env.Ctx}, at: -1}
	r.rows = partitionRows{in: in, meter: &r.meter, queue: space.NewQueue()}
	for _, n := range w.Partition {
		r.rows.by = append(r.rows.by, layout.Place(n))
	}
	r.peers.rows, r.peers.cursor = &r.rows, r.rows.cursor()
	r.peers.restart()
	r.own = r.rows.cursor()
	return r
}

// Next moves to the next row and reports whether there is one. The error is that of the source, or of
// package spill.
func (r *Run) Next() (bool, error) {
	for {
		r.forget()
		r.at++
		ok, err := r.rows.has(r.at)
		if ok || err != nil {
			return ok, err
		}
		if r.rows.ended {
			return false, nil
		}
		if err := r.restart(); err != nil {
			return false, err
		}
	}
}

// forget drops the rows that no call needs any more.
func (r *Run) forget() {
	if r.at < 0 || r.rows.kept != nil {
		return
	}
	low := r.at + 1
	for _, c := range r.calls {
		low = min(low, c.keeps(r.at))
	}
	r.rows.queue.Forget(min(low, r.peers.keeps()))
}

// restart starts the next partition.
func (r *Run) restart() error {
	r.at = -1
	r.rows.restart()
	r.peers.restart()
	for _, c := range r.calls {
		if err := c.restart(); err != nil {
			return err
		}
	}
	return nil
}

// Results writes the results of the calls for the row into their slots of a frame. They are valid until
// the next row. The error is that of a call, or of package spill.
func (r *Run) Results(frame []value.Value) error {
	for i, c := range r.calls {
		v, err := c.result(r.at)
		if err != nil {
			return err
		}
		frame[r.slots[i]] = v
	}
	return nil
}

// Row returns the kept values of the row, valid until the next call. The error is one of package spill.
func (r *Run) Row() ([]value.Value, error) { return r.rows.at(r.own, r.at) }

// Number returns the number of the row among all rows of the source, from 0 on; -1 before the first.
func (r *Run) Number() int64 { return r.rows.first + r.at }

// Fill writes the results of each call for the next n rows into a vector. It returns the number of rows
// completed, and the error of the row after these.
func (r *Run) Fill(results []value.Vector, n int) (int, error) {
	for i := range n {
		_, err := r.Next()
		for at, c := range r.calls {
			if err == nil {
				results[at].Values[i], err = c.result(r.at)
			}
		}
		if err != nil {
			return i, err
		}
	}
	return n, nil
}

// Keeps reports whether rows are kept because calls read other rows.
func (r *Run) Keeps() bool { return r.rows.buffered }

// Peak is the most memory used at any time, in bytes, without the source's.
func (r *Run) Peak() int64 { return r.rows.queue.Peak() }

// Spilled reports whether rows have been in a temporary file.
func (r *Run) Spilled() bool { return r.rows.queue.Spilled() }

// Close frees the kept rows. The error is one of package spill.
func (r *Run) Close() error {
	first := r.rows.queue.Close()
	for _, c := range r.calls {
		if err := c.close(); first == nil {
			first = err
		}
	}
	return first
}
