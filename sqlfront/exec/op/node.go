package op

import (
	"cmp"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
)

// Node is a step of a plan that copies rows into a frame. It is immutable. Open makes the operator that
// returns the rows; its errors are those of placeholders and expressions, with MySQL's numbers, of the store,
// of temporary files, and cancellation.
type Node interface {
	Open(x *Frame, want Desired) (Operator, Provided, error)
}

// Desired are the properties that the reader of rows would like them to have. All are optional: Provided says
// which the rows have.
type Desired struct {
	// Order is the order of the rows.
	Order []ordering.Key
	// NotNull says that rows in which the first key is NULL are not wanted. They may be returned all the
	// same.
	NotNull bool
	// Leading says whether an order by only the first keys is useful.
	Leading Leading
	// Together are expressions: rows with equal values of them should be consecutive.
	Together []expr.Node
	// OneTogether says that one of the rows with equal values of Together is enough.
	OneTogether bool
	// OnePerRow says that one row is enough of those that differ only in columns that do not depend on K
	// alone.
	OnePerRow bool
	// Counting, if not nil, is a condition: of the rows for which it is not true and that differ only in
	// columns that do not depend on K alone, one is enough.
	Counting *Counting
	// Within are the only rows of the table that are needed.
	Within partition.RowRange
	// Limit is the number of rows after which the reader stops; 0 is unknown.
	Limit int64
	// Sequenced requests any sequence.
	Sequenced bool
}

// Counting is a condition on columns of a relation.
type Counting struct {
	Cond expr.Node
	// Settled says that it is the same for each run; Wanted are then the qualifiers without which it is not
	// true, nil for all.
	Settled bool
	Wanted  []kv.QualifierRange
}

// Leading says what the reader does with rows that are ordered by the first of some keys.
type Leading uint8

const (
	NotLeading Leading = iota // nothing
	LeadsAll                  // all are read, and sorted within groups
	LeadsFirst                // only the first rows are read, and sorted within groups
)

// OfSome returns the wish for the rows below a filter or a join. A reader of all rows gains more from reading
// them on all processors than from their order.
func (l Leading) OfSome() Leading {
	if l == LeadsAll {
		return NotLeading
	}
	return l
}

// Provided says which of the Desired properties the rows have.
type Provided struct {
	Ordered, Together bool
	// Leading is by how many of the first keys the rows are ordered, if they are not Ordered.
	Leading int
	// OnePerRow says that each K is returned once.
	OnePerRow bool
	// Rows is the sequence of the rows, for the columns of a relation's keys.
	Rows Sequence
}

// OrderOf converts what is provided for the desires passed below into what is provided for those above, which
// have more keys if only the first ones were passed on.
func (g *Provided) OrderOf(below, above Desired) {
	if g.Ordered && len(below.Order) < len(above.Order) {
		g.Ordered, g.Leading = false, len(below.Order)
	}
}

// Operator is a running node. It returns its rows in batches:
//
//   - A batch either has vectors, or is OneRow, whose row is in the frame. The source decides for
//     each batch which it is, and how many rows it has; a reader accepts both, with an Input. A point
//     read has no vectors, and does not pay for any.
//   - Vectors are evaluated by kernels, which refuse what would warn or fail. The reader then
//     evaluates the rows of the batch one by one in the frame. Below it nothing has warned
//     or failed for later rows, or they would not be in one batch: so warnings and
//     errors are in the order of the rows, as if there were no batches.
//   - All batches with vectors of one source have the same columns: kernels are compiled for the
//     first one. Other columns of the frame are the same for all rows of a batch.
//   - A batch and its bytes are valid until the next call. Its reader may narrow its Rows, except
//     those of OneRow.
type Operator interface {
	// Env is where rows are stored: its Row is the frame. That of a query's result has only the columns of
	// the result, or has them first; it may be another slice for each row.
	Env() *expr.Env
	// Next returns the next rows, at least one; after the last it returns nil, however often it is called.
	// want is a hint: 1 if the reader may stop after any row, otherwise AllRows. If want is 1, the operator
	// reads ahead only if that costs little, and has no effect that a user could notice. Its errors are those
	// of expressions, with MySQL's numbers, of the store, of temporary files, and cancellation; after one,
	// only Close may be called.
	Next(want int) (*kernel.Batch, error)
	// Close frees everything, and returns the first error.
	Close() error
	// Step describes what runs, for EXPLAIN.
	Step() *explain.Step
}

// CloseAll closes all of a list, and returns the first error.
func CloseAll[T interface{ Close() error }](list []T) (first error) {
	for _, each := range list {
		first = cmp.Or(first, each.Close())
	}
	return first
}

// Dual returns one row without columns.
type Dual struct{}

type dual struct {
	x    *Frame
	done bool
}

func (Dual) Open(x *Frame, _ Desired) (Operator, Provided, error) {
	return &dual{x: x}, Provided{Ordered: true, Together: true}, nil
}

func (d *dual) Env() *expr.Env { return &d.x.Env }

func (d *dual) Next(int) (*kernel.Batch, error) {
	first := !d.done
	d.done = true
	return Single(first, nil)
}

func (d *dual) Close() error { return nil }

func (d *dual) Step() *explain.Step { return explain.NewStep("One row without a table") }

// PlainLimit returns the limit if nothing has to be done to the rows before, otherwise 0.
func (r *Desired) PlainLimit() int64 {
	if len(r.Order) > 0 || r.OnePerRow {
		return 0
	}
	return r.Limit
}
