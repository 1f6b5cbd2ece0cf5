package hbase

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

func init() {
	for _, scheme := range []string{"hbase", registryScheme} {
		kv.Register(scheme, openURI)
	}
}

func openURI(ctx context.Context, uri string) (kv.Store, error) {
	o, err := parseURI(uri)
	if err != nil {
		return nil, err
	}
	s, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Limits implements kv.Limited.
func (s *Store) Limits() kv.Limits {
	return kv.Limits{OneRow: true, MaxTimestamp: maxTimestamp, MinRow: 1, MaxRow: maxRow, MaxQualifier: maxQualifier,
		MaxValue: maxValue, Partitionings: []partition.Method{partition.None, partition.Range}, DDL: kv.ChangeViews}
}
