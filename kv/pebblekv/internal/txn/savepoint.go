package txn

import (
	"math"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
)

// savepoint implements kv.Savepoint: the number of writes and of written
// tables, and the latest moment of the commit because of them.
type savepoint struct {
	writes, wrote int
	until         int64
}

// noWrites is the savepoint before all writes, the usual one.
var noWrites kv.Savepoint = savepoint{until: math.MaxInt64}

// Savepoint implements kv.Txn.
func (t *Txn) Savepoint() kv.Savepoint {
	if t.own.Len() == 0 && len(t.wrote) == 0 {
		return noWrites
	}
	t.stretch.lock = nil // later deletions can be undone without the earlier ones
	return t.mark()
}

// mark is Savepoint without an allocation.
func (t *Txn) mark() savepoint { return savepoint{t.own.Len(), len(t.wrote), t.until} }

// RollbackTo implements kv.Txn.
func (t *Txn) RollbackTo(sp kv.Savepoint) {
	if !t.over {
		t.undo(sp.(savepoint))
	}
}

// undo is RollbackTo of a transaction that is not over.
func (t *Txn) undo(to savepoint) {
	if t.own.Len() > to.writes {
		t.endDeleting()
		t.own.Undo(to.writes)
	}
	t.writes.Store(uint64(t.own.Len()))
	t.wrote = t.wrote[:to.wrote]
	t.nexts, t.swept, t.until = nil, nil, to.until
}

// writesAt returns the transaction's writes as of a savepoint, or all if at is nil.
func (t *Txn) writesAt(at kv.Savepoint) *overlay.Writes {
	if at == nil {
		return t.own.Writes()
	}
	return t.own.FirstWrites(at.(savepoint).writes)
}
