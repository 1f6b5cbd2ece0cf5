package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// newLocking is the locking of FOR UPDATE, LOCK IN SHARE MODE or neither.
func newLocking(clause string, wait ast.LockWait) *op.Locking {
	if clause == "" {
		return nil
	}
	return &op.Locking{
		How:  kv.RowLock{Shared: clause == sqlparser.ShareModeStr, NoWait: wait != ast.LockWaits},
		Skip: wait == ast.LockSkipLocked,
	}
}

// lockClause is the block's own locking clause, or in a view that of the SELECT which reads the view.
// As in MySQL, subqueries do not inherit that of the outer SELECT.
func (b *blockPlanner) lockClause() string {
	if b.Node.Lock == "" && b.outer == nil {
		return b.lock
	}
	return b.Node.Lock
}
