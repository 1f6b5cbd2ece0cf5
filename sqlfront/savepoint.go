package sqlfront

import (
	"context"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

type namedSavepoint struct {
	name string
	at   kv.Savepoint
}

// savepointBytes is about what a savepoint takes.
const savepointBytes = 2 << 10

// setSavepoint is SAVEPOINT. It replaces a savepoint of the same name, as MySQL does.
func (s *Session) setSavepoint(ctx context.Context, st *parse.Savepoint) error {
	name := st.Name
	tx, err := s.current(ctx)
	if err != nil || tx == nil {
		return err
	}
	if i := tx.find(name); i >= 0 {
		tx.savepoints = append(tx.savepoints[:i], tx.savepoints[i+1:]...)
	}
	if err := s.memory.Resize(&s.parts.savepoints, int64(len(tx.savepoints)+1)*savepointBytes); err != nil {
		return err
	}
	tx.savepoints = append(tx.savepoints, namedSavepoint{name, tx.Savepoint()})
	return nil
}

func (tx *transaction) find(name string) int {
	for i := range tx.savepoints {
		if strings.EqualFold(tx.savepoints[i].name, name) {
			return i
		}
	}
	return -1
}

// releaseSavepoint is RELEASE SAVEPOINT.
func (s *Session) releaseSavepoint(ctx context.Context, st *parse.ReleaseSavepoint) error {
	return s.toSavepoint(ctx, st.Name, true)
}

// toSavepoint undoes what came after the savepoint and forgets the savepoints
// after it; release forgets the savepoint too and undoes nothing.
func (s *Session) toSavepoint(ctx context.Context, name string, release bool) error {
	tx, err := s.current(ctx)
	if err != nil {
		return err
	}
	i := -1
	if tx != nil {
		i = tx.find(name)
	}
	if i < 0 {
		return mysqlerr.New(mysqlerr.SavepointDoesNotExist, "SAVEPOINT %s does not exist", name)
	}
	if release {
		tx.savepoints = tx.savepoints[:i]
	} else {
		tx.RollbackTo(tx.savepoints[i].at)
		tx.savepoints = tx.savepoints[:i+1]
	}
	s.memory.Shrink(&s.parts.savepoints, int64(len(tx.savepoints))*savepointBytes)
	return nil
}
