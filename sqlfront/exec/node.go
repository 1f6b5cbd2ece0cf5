package exec

import (
	"cmp"

	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
)

// Node is a step of a plan that puts rows into a frame. It is immutable.
type Node interface {
	open(x *frame, want request) (source, grant, error)
}

// request is what the reader of rows would like of them. All of it is a wish;
// the answer is a grant.
type request struct {
	// order is the order of the rows.
	order []ordering.Key
	// leading says for whom an order by the first of its keys is better than none.
	leading leading
	// together are expressions: rows that are alike in them come one after
	// the other.
	together []expr.Node
	// onePerRow says that rows which differ in nothing but columns other than
	// those that depend on K alone are as good as one.
	onePerRow bool
	// counting, where it is not nil, is a condition on columns of the relation: rows for
	// which it does not hold, and that differ in nothing but columns other than those
	// that depend on K alone, are as good as one.
	counting expr.Node
	// within are the only rows of the table that the reader asks for.
	within partition.RowRange
	// limit is the number of rows after which the reader stops; 0 is unknown.
	limit int64
	// sequenced asks for any sequence.
	sequenced bool
}

// leading is what becomes of rows that are in order by the first of some keys.
type leading uint8

const (
	notLeading leading = iota // nothing
	leadsAll                  // all are read, and sorted within groups
	leadsFirst                // the first ones are read, and sorted so
)

// ofSome is the wish about the rows of which some are left, or joined. Who reads all of these is
// better off with all processors.
func (l leading) ofSome() leading {
	if l == leadsAll {
		return notLeading
	}
	return l
}

// grant says which wishes of a request are granted.
type grant struct {
	ordered, together bool
	// leading is, where not ordered is granted, by how many of the first keys the rows are in
	// order.
	leading int
	// onePerRow is granted where each K comes once.
	onePerRow bool
	// rows is the sequence of the rows, for those columns that sequenceOf
	// gives.
	rows sequence
}

// orderOf makes a grant of what was asked below one of what was asked above, which has more keys
// where the first ones were passed on alone.
func (g *grant) orderOf(below, above request) {
	if g.ordered && len(below.order) < len(above.order) {
		g.ordered, g.leading = false, len(below.order)
	}
}

// source is a running node. It gives its rows in batches:
//
//   - A batch either has vectors, or is oneRow, whose row is in the frame. The source decides for
//     each batch which it is, and how many rows it has; a reader takes both, by an input. A point
//     read has no vectors, and pays for none.
//   - Vectors are evaluated by kernels, which refuse what would warn or fail. The reader then
//     evaluates the rows of the batch one after the other in the frame. Below it nothing has warned
//     or failed for the rows behind, else they would not have come as one batch: so warnings and
//     errors come in the order of the rows, as if there were no batches.
//   - All batches with vectors of one source have the same columns: kernels are compiled for the
//     first one. Other columns of the frame are the same for all rows of a batch.
//   - A batch and its bytes are valid until the next call. Its reader may narrow its Rows; nobody
//     writes oneRow.
type source interface {
	// env is where rows are put: its Row is the frame. That of a query's result has the columns
	// of the result alone, or first; it may be another slice for each row.
	env() *expr.Env
	// next is the next rows, at least one; behind the last it is nil, however often it is called.
	// want is a hint: 1 of a reader who may stop after any row, else manyRows. A source that is
	// asked for 1 reads ahead only where that costs little, and nothing that a user could notice.
	next(want int) (*kernel.Batch, error)
	// close gives up what it holds, and gives the first error of that.
	close() error
	// step describes what runs, for EXPLAIN.
	step() *explain.Step
}

// closeAll closes all of a list, and gives their first error.
func closeAll[T interface{ close() error }](list []T) (first error) {
	for _, each := range list {
		first = cmp.Or(first, each.close())
	}
	return first
}

// Dual gives one row without columns.
type Dual struct{}

type dual struct {
	x    *frame
	done bool
}

func (Dual) open(x *frame, _ request) (source, grant, error) {
	return &dual{x: x}, grant{ordered: true, together: true}, nil
}

func (d *dual) env() *expr.Env { return &d.x.env }

func (d *dual) next(int) (*kernel.Batch, error) {
	first := !d.done
	d.done = true
	return single(first, nil)
}

func (d *dual) close() error { return nil }

func (d *dual) step() *explain.Step { return explain.NewStep("One row without a table") }

// plainLimit is the limit where nothing has to be done to the rows before.
func (r *request) plainLimit() int64 {
	if len(r.order) > 0 || r.onePerRow {
		return 0
	}
	return r.limit
}
