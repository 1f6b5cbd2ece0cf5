package transaction

import (
	"context"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

type namedSavepoint struct {
	name string
	at   kv.Savepoint
}

// savepointBytes is the approximate memory of a savepoint.
const savepointBytes = 2 << 10

// SetSavepoint sets a savepoint. It replaces a savepoint of the same name, as in MySQL. The error is 1041 if
// there are too many.
func (s *State) SetSavepoint(ctx context.Context, name string, began time.Time) error {
	tx, err := s.Current(ctx, began)
	if err != nil || tx == nil {
		return err
	}
	if i := tx.find(name); i >= 0 {
		tx.savepoints = append(tx.savepoints[:i], tx.savepoints[i+1:]...)
	}
	if err := s.memory.Resize(&s.savepoints, int64(len(tx.savepoints)+1)*savepointBytes); err != nil {
		return err
	}
	tx.savepoints = append(tx.savepoints, namedSavepoint{name, tx.Savepoint()})
	return nil
}

func (tx *Txn) find(name string) int {
	for i := range tx.savepoints {
		if strings.EqualFold(tx.savepoints[i].name, name) {
			return i
		}
	}
	return -1
}

// ToSavepoint undoes what came after the savepoint and forgets the savepoints after it; with release it
// forgets the savepoint as well and undoes nothing. The error is 1305 if no savepoint has that name.
func (s *State) ToSavepoint(ctx context.Context, name string, release bool, began time.Time) error {
	tx, err := s.Current(ctx, began)
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
	s.memory.Shrink(&s.savepoints, int64(len(tx.savepoints))*savepointBytes)
	return nil
}
