package hbase

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/tablename"
	"github.com/hbasekv/hbasekv/partition"
)

// aloneFamily is the family of a table in no table group.
const aloneFamily = "v"

// step is what the master does for a change of the catalog.
type step func(context.Context) error

// ChangeCatalog implements kv.Store. The master does one step at a time: a change
// that takes several steps is refused before anything is done.
func (s *Store) ChangeCatalog(ctx context.Context, fn func(*kv.CatalogChange) error) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if err := s.isClosed(); err != nil {
		return err
	}
	if err := s.refresh(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	l := s.layout
	s.mu.Unlock()
	change := l.catalog.Change(s.Limits(), regions{})
	if err := fn(change); err != nil {
		return err
	}
	steps, err := s.steps(l, change)
	if err != nil || len(steps) == 0 {
		return err
	}
	if len(steps) > 1 {
		return s.Limits().Allows(kv.ChangeSeveral)
	}
	err = steps[0](ctx)
	return errors.Join(err, s.refresh(ctx))
}

// regions implements kv.Layouts: HBase itself knows where cells are.
type regions struct{}

func (regions) Lay(*kv.Table, []kv.Leaf, []kv.Leaf) {}
func (regions) Requested(*kv.Table, [][]byte)       {}
func (regions) Together(_ *kv.Table, a, b int) bool { return a == b }

// Alike implements kv.Layouts. A table that joins a group gets the group's regions;
// if it declares partitions, they must be the same.
func (regions) Alike(a, b *kv.Table) bool {
	p, q := a.Partitioning, b.Partitioning
	return !p.Partitioned() || !q.Partitioned() || p.Ordered() == q.Ordered() && slices.EqualFunc(bounds(p), bounds(q), bytes.Equal)
}

// steps returns the steps that apply a change to the catalog, and ends the change.
func (s *Store) steps(l *layout, change *kv.CatalogChange) (out []step, err error) {
	next, changed := change.Finish()
	if out, err = s.viewSteps(l, next, changed.Views); err != nil {
		return nil, err
	}
	out = append(out, s.databaseSteps(changed.Databases)...)
	for _, t := range changed.Tables {
		if t.Is == nil {
			out = append(out, s.drop(l, t.Was))
			continue
		}
		made, err := s.tableSteps(l, t.Was, t.Is)
		if err != nil {
			return nil, err
		}
		out = append(out, made...)
	}
	return out, nil
}

func (s *Store) databaseSteps(changed []kv.Changed[kv.Database]) (out []step) {
	for _, d := range changed {
		switch {
		case d.Was == nil:
			out = append(out, func(ctx context.Context) error { return s.cluster.createNamespace(ctx, d.Is.Name) })
		case d.Is == nil:
			out = append(out, func(ctx context.Context) error { return s.cluster.deleteNamespace(ctx, d.Was.Name) })
		}
	}
	return out
}

// tableSteps returns the steps from the old table, nil for a new one, to t.
func (s *Store) tableSteps(l *layout, old, t *kv.Table) ([]step, error) {
	if old == nil {
		return []step{s.create(l, t)}, nil
	}
	var out []step
	if old.Generation != t.Generation {
		out = append(out, s.truncate(old))
	}
	if !old.Partitioning.Equal(t.Partitioning) {
		split, err := s.split(old, t)
		if err != nil {
			return nil, err
		}
		if split != nil && (old.Group == "" || s.firstOfGroup(l, old)) {
			out = append(out, split)
		}
	}
	if described(old) != described(t) {
		modify, err := s.modify(l, t)
		if err != nil {
			return nil, err
		}
		out = append(out, modify)
	}
	return out, nil
}

// firstOfGroup reports whether a table represents its group, whose tables share regions.
func (s *Store) firstOfGroup(l *layout, t *kv.Table) bool {
	return l.catalog.Families(t.Database, t.Group)[0].Name == t.Name
}

// described returns what a family's descriptor says of a table.
func described(t *kv.Table) string {
	b, err := json.Marshal(t.Retention)
	if err != nil {
		panic(err) // only numbers
	}
	return declare(t) + string(b)
}

// tableOf returns HBase's table and family for a table.
func tableOf(t *kv.Table) (*pb.TableName, []byte) {
	if t.Group == "" {
		return pbTable(t.Database, t.Name), []byte(aloneFamily)
	}
	return pbTable(t.Database, t.Group), []byte(t.Family)
}

func (s *Store) create(l *layout, t *kv.Table) step {
	name, familyName := tableOf(t)
	schema := &pb.ColumnFamilySchema{Name: familyName}
	set(schema, "NEW_VERSION_BEHAVIOR", "true")
	describeIn(schema, t)
	if l.schemas[tablename.Of(name)] != nil {
		return func(ctx context.Context) error { return s.cluster.addFamily(ctx, name, schema) }
	}
	var bounds [][]byte
	for i := range t.Partitioning.Len() - 1 {
		bounds = append(bounds, t.Partitioning.Bounds(i).End)
	}
	return func(ctx context.Context) error {
		return s.cluster.createTable(ctx, &pb.TableSchema{TableName: name, ColumnFamilies: []*pb.ColumnFamilySchema{schema}}, bounds)
	}
}

// describeIn writes a table's declaration into a family's descriptor.
func describeIn(f *pb.ColumnFamilySchema, t *kv.Table) {
	r := t.Retention
	versions, ttl := r.MaxVersions, int64(forever)
	if versions == 0 {
		versions = math.MaxInt32
	}
	if r.TTLSeconds > 0 {
		ttl = min(r.TTLSeconds, forever)
	}
	set(f, "VERSIONS", strconv.Itoa(versions))
	set(f, "MIN_VERSIONS", strconv.Itoa(r.MinVersions))
	set(f, "TTL", strconv.FormatInt(ttl, 10))
	set(f, declaredAttribute, declare(t))
}

func set(f *pb.ColumnFamilySchema, name, value string) {
	f.Attributes = slices.DeleteFunc(f.Attributes, func(a *pb.BytesBytesPair) bool { return string(a.GetFirst()) == name })
	f.Attributes = append(f.Attributes, &pb.BytesBytesPair{First: []byte(name), Second: []byte(value)})
}

// modify returns the step that changes a family's descriptor.
func (s *Store) modify(l *layout, t *kv.Table) (step, error) {
	name, familyName := tableOf(t)
	for _, f := range l.schemas[tablename.Of(name)].GetColumnFamilies() {
		if bytes.Equal(f.GetName(), familyName) {
			next := proto.Clone(f).(*pb.ColumnFamilySchema)
			describeIn(next, t)
			return func(ctx context.Context) error { return s.cluster.modifyFamily(ctx, name, next) }, nil
		}
	}
	return nil, kv.ErrNoTable
}

// drop returns the step that removes a family from its table, or deletes the table
// with its last family.
func (s *Store) drop(l *layout, t *kv.Table) step {
	name, familyName := tableOf(t)
	if len(l.schemas[tablename.Of(name)].GetColumnFamilies()) > 1 {
		return func(ctx context.Context) error { return s.cluster.deleteFamily(ctx, name, familyName) }
	}
	return func(ctx context.Context) error { return s.cluster.deleteTable(ctx, name) }
}

func (s *Store) truncate(t *kv.Table) step {
	name, _ := tableOf(t)
	return func(ctx context.Context) error { return s.cluster.truncateTable(ctx, name) }
}

// errSplitAgain is the error for regions whose files still belong to the region
// from which they were split.
var errSplitAgain = kv.ErrUnsupported{What: "splitting an HBase region that a split has just created: " +
	"split at one row now, and again in a few minutes, when HBase has rewritten the region's files"}

// split returns the step that splits regions at the new bounds.
func (s *Store) split(old, t *kv.Table) (step, error) {
	was, is := bounds(old.Partitioning), bounds(t.Partitioning)
	var added [][]byte
	for _, b := range is {
		if !containsRow(was, b) {
			added = append(added, b)
		}
	}
	if len(added) == 0 {
		return nil, nil // only other names, which regions do not have
	}
	for i := range added[1:] { // in order
		if !slices.ContainsFunc(was, func(b []byte) bool {
			return bytes.Compare(b, added[i]) > 0 && bytes.Compare(b, added[i+1]) < 0
		}) {
			return nil, errSplitAgain
		}
	}
	name, _ := tableOf(t)
	return func(ctx context.Context) error {
		for _, row := range added {
			err := s.cluster.splitRegion(ctx, name, row)
			if err != nil && strings.Contains(err.Error(), "NOT splittable") {
				return errSplitAgain
			}
			if err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// bounds returns the bounds between partitions.
func bounds(p *partition.Scheme) (out [][]byte) {
	for i := range p.Len() {
		if end := p.Bounds(i).End; end != nil {
			out = append(out, end)
		}
	}
	return out
}

func containsRow(rows [][]byte, row []byte) bool {
	return slices.ContainsFunc(rows, func(r []byte) bool { return bytes.Equal(r, row) })
}
