package window

import (
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Source gives rows as a Layout says: those of a partition one after the other, and in
// the order of the windows.
type Source interface {
	// Next is the next row, nil behind the last. It is valid until the next call.
	Next() ([]value.Value, error)
	// Kept are all rows where they are sorted and in memory, else nil: Next is not
	// called then.
	Kept() (*spill.Sorter, error)
}

// Windows are what the windows of calls have in common.
type Windows struct {
	// Partition are the expressions whose equal values make a partition.
	Partition []expr.Node
	// Order are those that rows of a partition are ordered by; Desc says that the first
	// of them descends.
	Order []expr.Node
	Desc  bool
}

// Run goes over the rows of a Source, and has calls give a result for each.
type Run struct {
	*Windows
	env    *expr.Env
	space  *spill.Space
	layout *Layout
	meter  cancelcheck.Meter
	rows   partitionRows
	peers  peers
	calls  []running
	slots  []int      // of their results
	own    *rowCursor // of the rows that are given
	at     int64      // the row of the partition that is given
}

// running is a call that runs. It is asked for the rows of a partition one after the
// other.
type running interface {
	// result is the value for the row of that number, valid until the next call.
	result(at int64) (value.Value, error)
	// keeps is the first row that is needed for those behind this one.
	keeps(at int64) int64
	// restart begins another partition.
	restart() error
	close() error
}

// New makes a Run over the rows of in, which has read none yet: what the windows and the
// calls read of them is added to the layout. Constants are evaluated in env.
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

// Next goes to the next row and reports whether there is one. The error is that of the source, or of
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

// forget lets go of the rows that no call needs any more.
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

// restart begins the next partition.
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

// Results puts the results of the calls for the row into their slots of a frame. They are
// valid until the next row. The error is that of a call, or of package spill.
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

// Row is what is kept of the row, valid until the next call. The error is one of package spill.
func (r *Run) Row() ([]value.Value, error) { return r.rows.at(r.own, r.at) }

// Number is that of the row among all that the source keeps, from 0 on; it is -1 in front
// of the first.
func (r *Run) Number() int64 { return r.rows.first + r.at }

// Fill puts the results for the next n rows, of each call into a vector of its own. It says
// for how many it did, and the error of the one behind.
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

// Keeps reports whether rows are kept for other rows than themselves.
func (r *Run) Keeps() bool { return r.rows.buffered }

// Peak is how many bytes were kept in memory at a time, beside what the source keeps.
func (r *Run) Peak() int64 { return r.rows.queue.Peak() }

// Spilled reports whether rows have been in a temporary file.
func (r *Run) Spilled() bool { return r.rows.queue.Spilled() }

// Close gives up what is kept. The error is one of package spill.
func (r *Run) Close() error {
	first := r.rows.queue.Close()
	for _, c := range r.calls {
		if err := c.close(); first == nil {
			first = err
		}
	}
	return first
}
