package transaction

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// CheckReadLock refuses a write of a session that holds the read lock, and waits if another session holds it:
// at this point the session has not yet locked any row that a third would wait for. The errors are 1223 and
// 1205.
func (s *State) CheckReadLock(ctx context.Context) error {
	l := &s.shared.ReadLock
	if !l.Shut() || s.publishing {
		return nil
	}
	if l.HeldBy(s.session) {
		return mysqlerr.New(mysqlerr.CantUpdateWithReadLock, "Can't execute the query because you have a conflicting read lock")
	}
	return l.Pass(ctx, s.settings.TablesTimeout)
}

// Publish must be called before the session makes writes visible, and Published afterwards, with what it
// returned: false in a part of a statement that has already called it. The error is 1205 if FLUSH TABLES WITH
// READ LOCK takes too long.
func (s *State) Publish(ctx context.Context) (first bool, err error) {
	if s.publishing {
		return false, nil
	}
	if err := s.shared.ReadLock.Enter(ctx, s.settings.TablesTimeout); err != nil {
		return false, err
	}
	s.publishing = true
	return true, nil
}

// Published ends what Publish began.
func (s *State) Published(first bool) {
	if first {
		s.publishing = false
		s.shared.ReadLock.Leave()
	}
}

// CommitAlone commits the transaction of one statement. The errors are those of Publish and of the store.
func (s *State) CommitAlone(ctx context.Context, tx *Txn) error {
	if !tx.Writes { // except temporary tables
		return tx.Commit(ctx)
	}
	first, err := s.Publish(ctx)
	if err != nil {
		return err
	}
	defer s.Published(first)
	return tx.Commit(ctx)
}
