package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// errOvertaken is a change of the tables that are being moved: the move begins
// anew.
var errOvertaken = errors.New("the tables have changed while their cells were being moved")

// Repartition implements kv.Repartitioner.
func (s *Store) Repartition(ctx context.Context, database, name string, layout func(*kv.Table) error, o kv.MoveOptions) error {
	return s.relocate(ctx, o, func(c *kv.CatalogChange) (*kv.Move, error) { return c.StartMove(database, name, layout) })
}

// Isolate implements kv.Repartitioner.
func (s *Store) Isolate(ctx context.Context, database, name, partition string, o kv.MoveOptions) error {
	return s.relocate(ctx, o, func(c *kv.CatalogChange) (*kv.Move, error) { return c.StartIsolation(database, name, partition) })
}

// relocate carries out a plan, and begins anew where another change of the
// tables is faster.
func (s *Store) relocate(ctx context.Context, o kv.MoveOptions, plan func(*kv.CatalogChange) (*kv.Move, error)) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.exit()
	if o.Progress == nil {
		o.Progress = func(kv.MoveProgress) {}
	}
	ctx, cancel := s.untilClose(ctx)
	defer cancel()
	o.Progress(kv.MoveProgress{})
	for {
		m, err := s.startMove(ctx, plan)
		if m == nil {
			return s.orClosed(err)
		}
		err = s.carryOut(ctx, m, o)
		close(m.done)
		if !errors.Is(err, errOvertaken) {
			return s.orClosed(err)
		}
	}
}

// startMove makes the plan known; nil where it took no more than a change of
// descriptors, or failed.
func (s *Store) startMove(ctx context.Context, plan func(*kv.CatalogChange) (*kv.Move, error)) (*move, error) {
	for {
		var m *move
		var other *move
		err := s.changeCatalog(ctx, func(c *kv.CatalogChange) error {
			p, err := plan(c)
			if err != nil {
				return err
			}
			if other = s.moveOf(p); other != nil {
				return errOvertaken
			}
			if !p.Needed() {
				return c.FinishMove(p)
			}
			m = newMove(p)
			return nil
		}, func() error {
			if m != nil {
				s.setMoves(append(slices.Clone(s.moves()), m))
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
		case <-other.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// moveOf is the move under way of one of the plan's tables, or nil.
func (s *Store) moveOf(p *kv.Move) *move {
	if moves := s.movesOf(p.Before); len(moves) > 0 {
		return moves[0]
	}
	return nil
}

// movesOf are the moves under way of any of the tables.
func (s *Store) movesOf(tables []*kv.Table) (out []*move) {
	for _, m := range s.moves() {
		if slices.ContainsFunc(tables, func(t *kv.Table) bool {
			return slices.ContainsFunc(m.plan.Before, func(o *kv.Table) bool { return o.ID == t.ID })
		}) {
			out = append(out, m)
		}
	}
	return out
}

// setMoves and removeMove are called under commits.
func (s *Store) setMoves(moves []*move) { s.moving.Store(&moves) }

func (s *Store) removeMove(m *move) {
	s.setMoves(slices.DeleteFunc(slices.Clone(s.moves()), func(o *move) bool { return o == m }))
}

// carryOut copies the cells and makes the tables' new layout theirs; or, where
// that fails, leaves all as it was.
func (s *Store) carryOut(ctx context.Context, m *move, o kv.MoveOptions) error {
	err := s.copyCells(ctx, m, o)
	if err == nil {
		err = s.finishMove(ctx, m)
	}
	if err == nil {
		return nil
	}
	// What cannot be removed now, opening the store removes.
	if undo := s.cancelMove(context.WithoutCancel(ctx), m); undo != nil {
		s.forgetMove(m)
	}
	return err
}

// forgetMove removes a move whose end could not be written down.
func (s *Store) forgetMove(m *move) {
	s.commits.Lock()
	defer s.commits.Unlock()
	s.removeMove(m)
}

func (s *Store) finishMove(ctx context.Context, m *move) error {
	err := s.changeCatalog(ctx, func(c *kv.CatalogChange) error { return c.FinishMove(m.plan) }, func() error {
		if m.failed == nil {
			s.removeMove(m)
		}
		return m.failed
	})
	if errors.Is(err, kv.ErrCatalogChanged) {
		return errOvertaken
	}
	return err
}

func (s *Store) cancelMove(ctx context.Context, m *move) error {
	return s.changeCatalog(ctx, func(c *kv.CatalogChange) error {
		c.CancelMove(m.plan)
		return nil
	}, func() error {
		s.removeMove(m)
		return nil
	})
}

// dropUnfinished removes what moves have left that were cut short.
func (s *Store) dropUnfinished() error {
	if s.opts.ReadOnly || len(s.stored.Filling) == 0 {
		return nil
	}
	next, freed := s.stored.ChangeWithoutMoves().Finish(s.stored)
	b, err := s.catalogBatch(next, freed)
	if err != nil {
		return err
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return fmt.Errorf("what a move of cells has left cannot be removed: %w", faultfs.DiskError(err))
	}
	s.stored = next
	return b.Close()
}
