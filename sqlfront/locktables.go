package sqlfront

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// lockTables is LOCK TABLES, which dumps and what restores them begin with: it names
// tables that exist, and locks nothing.
func (s *Session) lockTables(st *parse.LockTables) error {
	for _, l := range st.Locks {
		database := cmp.Or(l.Name.Database, s.database)
		if database == "" {
			return mysqlerr.New(mysqlerr.NoDB, "No database selected")
		}
		if !s.engine.info.Exists(database, l.Name.Name) {
			return mysqlerr.NoTable(database, l.Name.Name)
		}
	}
	s.tablesLocked = true
	s.note(mysqlerr.NotSupportedYet, "LOCK TABLES locks nothing: readers see a snapshot, and writers lock rows")
	return nil
}
