package pebblekv

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

// Count implements kv.Counters.
func (s *Store) Count(ctx context.Context, t *kv.Table, n uint64) (uint64, error) {
	return s.counters.Count(ctx, t, n)
}

// CountFrom implements kv.Counters.
func (s *Store) CountFrom(ctx context.Context, t *kv.Table, next uint64) error {
	return s.counters.CountFrom(ctx, t, next)
}

// NextCount implements kv.Counters.
func (s *Store) NextCount(t *kv.Table) (uint64, error) { return s.counters.Next(t) }

// Count implements kv.Counters.
func (r *Reopener) Count(ctx context.Context, t *kv.Table, n uint64) (uint64, error) {
	return r.now.Load().Count(ctx, t, n)
}

// CountFrom implements kv.Counters.
func (r *Reopener) CountFrom(ctx context.Context, t *kv.Table, next uint64) error {
	return r.now.Load().CountFrom(ctx, t, next)
}

// NextCount implements kv.Counters.
func (r *Reopener) NextCount(t *kv.Table) (uint64, error) { return r.now.Load().NextCount(t) }
