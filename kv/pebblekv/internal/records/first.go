package records

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	descriptor "github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// First is the name of the record in which format 1 had the whole catalog.
const First = "catalog"

// first is the content of that record.
type first struct {
	Version   uint64         `json:"version"`
	NextID    uint64         `json:"next_id"`
	NextSpace keyspace.ID    `json:"next_space"`
	Databases []*kv.Database `json:"databases"`
	Groups    []*kv.Group    `json:"groups"`
	Tables    []firstTable   `json:"tables"`
	Views     []*kv.View     `json:"views"`
	Filling   []keyspace.ID  `json:"filling"`

	Attributes map[string]string `json:"attributes"`
}

// firstTable is a table's descriptor and its layout as one object.
type firstTable struct{ *kv.Table }

// UnmarshalJSON implements json.Unmarshaler.
func (f *firstTable) UnmarshalJSON(data []byte) error {
	layout := &keyspace.Layout{}
	rest, err := descriptor.Split(data, layout)
	if err != nil {
		return err
	}
	f.Table = &kv.Table{Layout: layout}
	return json.Unmarshal(descriptor.Join(struct{}{}, rest), f.Table)
}

// ReadFirst reads the record of format 1. The error is kv.ErrFormat.
func ReadFirst(data []byte) (*keyspace.Catalog, error) {
	var in first
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, fmt.Errorf("%w: catalog: %w", kv.ErrFormat, err)
	}
	stored := kv.StoredCatalog{Version: in.Version, NextID: in.NextID, Databases: in.Databases, Groups: in.Groups,
		Views: in.Views, Attributes: in.Attributes}
	for _, t := range in.Tables {
		stored.Tables = append(stored.Tables, t.Table)
	}
	return &keyspace.Catalog{Catalog: stored.Catalog(), NextSpace: in.NextSpace, Filling: in.Filling}, nil
}

// Turn adds to a batch that records replace the one of format 1.
func Turn(b *pebble.Batch, c *keyspace.Catalog) error {
	return errors.Join(b.Delete(cellkey.SystemKey(First), nil), Write(b, c, c.Everything()))
}
