package sqlfront

import (
	"cmp"
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// lockTables runs LOCK TABLES, as mysqldump and its restore scripts do: it commits the open
// transaction, checks that the tables exist, and locks nothing.
func (s *Session) lockTables(ctx context.Context, st *ast.LockTables) error {
	if err := s.txns.Commit(ctx); err != nil {
		return err
	}
	for _, l := range st.Locks {
		if err := s.checkExists(ctx, l.Name); err != nil {
			return err
		}
	}
	s.tablesLocked = true
	s.note(mysqlerr.NotSupportedYet, "LOCK TABLES locks nothing: readers see a snapshot, and writers lock rows")
	return nil
}

// lockForReading runs FLUSH TABLES [names] {WITH READ LOCK | FOR EXPORT}: it locks all tables, whatever the
// names.
func (s *Session) lockForReading(ctx context.Context, st *ast.Flush) error {
	for _, name := range st.Tables {
		if err := s.checkExists(ctx, name); err != nil {
			return err
		}
	}
	return s.txns.TakeReadLock(ctx)
}

// checkExists returns error 1046 or 1146 if a name is not that of a table or view.
func (s *Session) checkExists(ctx context.Context, name ast.TableName) error {
	database := cmp.Or(name.Database, s.database)
	if database == "" {
		return mysqlerr.New(mysqlerr.NoDB, "No database selected")
	}
	if s.owns(name) {
		return nil
	}
	found, err := s.engine.info.Exists(ctx, database, name.Name)
	if err == nil && !found {
		err = mysqlerr.NoTable(database, name.Name)
	}
	return err
}

// unlockTables runs UNLOCK TABLES. As in MySQL it commits only after LOCK TABLES.
func (s *Session) unlockTables(ctx context.Context, _ *ast.UnlockTables) error {
	s.txns.FreeReadLock()
	if !s.tablesLocked {
		return nil
	}
	s.tablesLocked = false
	return s.txns.Commit(ctx)
}
