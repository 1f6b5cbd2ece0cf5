package statement

import (
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
)

// ErrNotPrepared is error 1295, for a statement that cannot be prepared.
func ErrNotPrepared() error {
	return mysqlerr.New(mysqlerr.UnsupportedPS, "This command is not supported in the prepared statement protocol yet")
}

// CheckPreparable returns error 1295 for a statement that a client cannot prepare.
func (s *Statement) CheckPreparable() error {
	if _, ok := s.Parsed.Stmt.(*ast.LoadData); ok {
		return ErrNotPrepared()
	}
	return nil
}

// Preparable reports whether MySQL 5.7 prepares the statement from text.
func Preparable(st ast.Statement) bool {
	switch st := st.(type) {
	case *ast.Prepare, *ast.Execute, *ast.Deallocate, *ast.Use, *ast.Begin, *ast.Savepoint,
		*ast.ReleaseSavepoint, *ast.LockTables, *ast.UnlockTables, *ast.CheckTable, *ast.CheckStore,
		*ast.AlterDatabase, *ast.LoadData:
		return false
	case *ast.Rollback:
		return st.To == ""
	}
	return !keepsWarnings(st)
}

// keepsWarnings reports whether a statement is a diagnostic one, which keeps the warnings of the last
// statement.
func keepsWarnings(st ast.Statement) bool {
	show, ok := st.(*ast.Show)
	return ok && (show.Kind == ast.ShowWarnings || show.Kind == ast.ShowErrors)
}

// Hold counts a statement that a session keeps prepared, in the session's memory and among those of all
// sessions, of which there may be at most most, until LetGo. What several sessions keep is counted once for
// all of them, and for each of them. The errors are 1461 and 1041.
func (c *Cache) Hold(st *Statement, m *quota.Memory, most int64) error {
	if c.prepared.Add(1) > most {
		c.prepared.Add(-1)
		return mysqlerr.New(mysqlerr.MaxPreparedStmtCount,
			"Can't create more than max_prepared_stmt_count statements (current value: %d)", most)
	}
	if st.holders.Add(1) == 1 {
		m.All.Add(st.Tree.bytes)
	}
	err := m.TakeShared(st.bytes()+st.Tree.bytes, st.bytes())
	if err != nil {
		c.drop(st, m)
	}
	return err
}

// LetGo ends what Hold began.
func (c *Cache) LetGo(st *Statement, m *quota.Memory) {
	m.GiveShared(st.bytes()+st.Tree.bytes, st.bytes())
	c.drop(st, m)
}

// drop counts one session less that holds a tree.
func (c *Cache) drop(st *Statement, m *quota.Memory) {
	c.prepared.Add(-1)
	if t := st.Tree; t.holders.Add(-1) == 0 {
		m.All.Add(-t.bytes)
		if !t.kept.Load() {
			c.planned.drop(t)
		}
	}
}

// Prepared is the number of statements that are held.
func (c *Cache) Prepared() int { return int(c.prepared.Load()) }
