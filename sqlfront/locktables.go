package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// lockTables is LOCK TABLES, which dumps and what restores them begin with: it commits the open
// transaction, names tables that exist, and locks nothing.
func (s *Session) lockTables(ctx context.Context, st *parse.LockTables) error {
	if err := s.commit(ctx); err != nil {
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
