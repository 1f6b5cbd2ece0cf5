package pebblekv

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/read"
)

// Estimate implements kv.Estimator. Versions that have been replaced or deleted and
// are still in the files may be taken for others.
func (s *Store) Estimate(
	ctx context.Context, tables []*kv.Table, scan *kv.Scan, o kv.EstimateOptions,
) (kv.Estimate, error) {
	if err := s.enter(); err != nil {
		return kv.Estimate{}, err
	}
	defer s.exit()
	v := s.engine.Views.Acquire(read.Reader)
	defer func() { _ = v.Release(read.Reader) }()
	return v.Estimate(ctx, tables, scan, o, s.engine.Now())
}
