package pebblekv

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/estimate"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// Estimate implements kv.Estimator. Replaced or deleted versions that are still in
// the files may be counted.
func (s *Store) Estimate(
	ctx context.Context, tables []*kv.Table, scan *kv.Scan, o kv.EstimateOptions,
) (kv.Estimate, error) {
	if err := (door{s}).Enter(); err != nil {
		return kv.Estimate{}, err
	}
	defer door{s}.Exit()
	v := s.engine.Views.Acquire(views.Reader)
	defer func() { _ = v.Release(views.Reader) }()
	return estimate.Of(ctx, v, tables, scan, o, s.engine.Now())
}
