package sqlfront

import (
	"cmp"
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// lockTables is LOCK TABLES, which dumps and what restores them begin with: it names
// tables that exist, and locks nothing.
func (s *Session) lockTables(ctx context.Context, st *parse.LockTables) error {
	for _, l := range st.Locks {
		database := cmp.Or(l.Name.Database, s.database)
		if database == "" {
			return mysqlerr.New(mysqlerr.NoDB, "No database selected")
		}
		found, err := s.engine.info.Exists(ctx, database, l.Name.Name)
		if err != nil {
			return err
		}
		if !found {
			return mysqlerr.NoTable(database, l.Name.Name)
		}
	}
	s.tablesLocked = true
	s.note(mysqlerr.NotSupportedYet, "LOCK TABLES locks nothing: readers see a snapshot, and writers lock rows")
	return nil
}
