package pebblekv

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/move"
)

// Repartition implements kv.Repartitioner.
func (s *Store) Repartition(
	ctx context.Context, database, name string, layout func(*kv.Table) error, o kv.MoveOptions,
) error {
	return s.relocate(ctx, o, func(c *keyspace.Change) (*keyspace.Move, error) { return c.StartMove(database, name, layout) })
}

// Isolate implements kv.Repartitioner.
func (s *Store) Isolate(ctx context.Context, database, name, partition string, o kv.MoveOptions) error {
	return s.relocate(ctx, o, func(c *keyspace.Change) (*keyspace.Move, error) {
		return c.StartIsolation(database, name, partition)
	})
}

// relocate executes a plan, and begins again if the tables are changed meanwhile.
func (s *Store) relocate(ctx context.Context, o kv.MoveOptions, plan func(*keyspace.Change) (*keyspace.Move, error)) error {
	if o.Progress == nil {
		o.Progress = func(kv.MoveProgress) {}
	}
	return s.during(ctx, func(ctx context.Context) error {
		o.Progress(kv.MoveProgress{})
		for {
			m, err := s.startMove(ctx, plan)
			if m == nil {
				return err
			}
			err = s.carryOut(ctx, m, o)
			close(m.Done)
			if !errors.Is(err, move.ErrOvertaken) {
				return err
			}
		}
	})
}

// startMove publishes the plan; the move is nil if a change of descriptors was
// enough, or on an error.
func (s *Store) startMove(ctx context.Context, plan func(*keyspace.Change) (*keyspace.Move, error)) (*move.Move, error) {
	for {
		var m *move.Move
		var other *move.Move
		err := s.changeCatalog(ctx, func(c *keyspace.Change) error {
			p, err := plan(c)
			if err != nil {
				return err
			}
			if moves := s.txns.Moves.Of(p.Before); len(moves) > 0 {
				other = moves[0]
				return move.ErrOvertaken
			}
			if !p.Needed() {
				return c.FinishMove(p)
			}
			m = move.New(p)
			return nil
		}, func() error {
			if m != nil {
				s.txns.Moves.Add(m)
			}
			return nil
		})
		if other == nil {
			if err != nil && m != nil {
				s.forgetMove(m)
				m = nil
			}
			return m, err
		}
		select {
		case <-other.Done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// carryOut copies the cells and publishes the tables' new layout. If that
// fails, everything stays as it was.
func (s *Store) carryOut(ctx context.Context, m *move.Move, o kv.MoveOptions) error {
	err := m.CopyCells(ctx, door{s}, &s.engine, o)
	if err == nil {
		err = s.finishMove(ctx, m)
	}
	if err == nil {
		return nil
	}
	// The next Open removes what cannot be removed now.
	if undo := s.cancelMove(context.WithoutCancel(ctx), m); undo != nil {
		s.forgetMove(m)
	}
	return err
}

// forgetMove removes a move whose end could not be recorded.
func (s *Store) forgetMove(m *move.Move) {
	s.txns.Commits.Lock()
	defer s.txns.Commits.Unlock()
	s.txns.Moves.Remove(m)
}

func (s *Store) finishMove(ctx context.Context, m *move.Move) error {
	err := s.changeCatalog(ctx, func(c *keyspace.Change) error { return c.FinishMove(m.Plan) }, func() error {
		if m.Failed == nil {
			s.txns.Moves.Remove(m)
		}
		return m.Failed
	})
	if errors.Is(err, kv.ErrCatalogChanged) {
		return move.ErrOvertaken
	}
	return err
}

func (s *Store) cancelMove(ctx context.Context, m *move.Move) error {
	return s.changeCatalog(ctx, func(c *keyspace.Change) error {
		c.CancelMove(m.Plan)
		return nil
	}, func() error {
		s.txns.Moves.Remove(m)
		return nil
	})
}

// dropUnfinished removes what interrupted moves have left.
func (s *Store) dropUnfinished() error {
	if s.opts.ReadOnly || len(s.stored.Filling) == 0 {
		return nil
	}
	next, changed, freed := s.stored.ChangeWithoutMoves().Finish()
	b, err := s.catalogBatch(next, changed, freed)
	if err != nil {
		return err
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return fmt.Errorf("the remains of a move of cells cannot be removed: %w", faultfs.DiskError(err))
	}
	s.stored = next
	return b.Close()
}
