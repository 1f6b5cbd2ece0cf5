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
	"github.com/hbasekv/hbasekv/partition"
)

// aloneFamily is the family of a table that is in no table group.
const aloneFamily = "v"

// step is what the master does for a change of the catalog.
type step func(context.Context) error

// ChangeCatalog implements kv.Store. The master does one thing at a time: a change
// that takes more is refused before anything is done.
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
	before, next, err := changed(l.stored, fn)
	if err != nil {
		return err
	}
	steps, err := s.steps(l, before, next)
	if err != nil || len(steps) == 0 {
		return err
	}
	if len(steps) > 1 {
		return kv.ErrUnsupported{What: "a statement that takes several procedures of HBase's master: change one table at a time"}
	}
	err = steps[0](ctx)
	return errors.Join(err, s.refresh(ctx))
}

// changed is the catalog before and after a change.
func changed(stored *kv.StoredCatalog, fn func(*kv.CatalogChange) error) (before, next *kv.StoredCatalog, err error) {
	c := stored.Change(regions{})
	if err := fn(c); err != nil {
		return nil, nil, err
	}
	return stored, c.Finish(stored), nil
}

// regions are the layouts of HBase's tables: it knows itself where cells are.
type regions struct{}

func (regions) Lay(*kv.Table, []kv.Leaf, []kv.Leaf) {}
func (regions) Asked(*kv.Table, [][]byte)           {}
func (regions) Together(_ *kv.Table, a, b int) bool { return a == b }

// Alike implements kv.Layouts. A table that joins a group has the group's regions,
// whatever is said of its partitions, but that may not be other ones.
func (regions) Alike(a, b *kv.Table) bool {
	p, q := a.Partitioning, b.Partitioning
	return !p.Partitioned() || !q.Partitioned() || p.Ordered() == q.Ordered() && slices.EqualFunc(bounds(p), bounds(q), bytes.Equal)
}

// steps are what changes a catalog into another.
func (s *Store) steps(l *layout, before, next *kv.StoredCatalog) (out []step, err error) {
	if out, err = s.databaseSteps(before, next); err != nil {
		return nil, err
	}
	if len(next.Attributes) > 0 {
		return nil, kv.ErrUnsupported{What: "what HBase has no place for"}
	}
	if len(next.Views) > 0 {
		return nil, kv.ErrUnsupported{What: "views that are kept in HBase"}
	}
	for _, g := range next.Groups {
		if g.Explicit || !g.Retention.IsZero() {
			return nil, kv.ErrUnsupported{What: "a table group without tables on HBase: CREATE TABLE group$family makes one"}
		}
	}
	was, is := before.Catalog(), next.Catalog()
	for _, t := range next.Tables {
		old := was.Table(t.Database, t.Name)
		made, err := s.tableSteps(l, old, t)
		if err != nil {
			return nil, err
		}
		out = append(out, made...)
	}
	for _, t := range before.Tables {
		if is.Table(t.Database, t.Name) == nil {
			out = append(out, s.drop(l, t))
		}
	}
	return out, nil
}

func (s *Store) databaseSteps(before, next *kv.StoredCatalog) (out []step, err error) {
	was, is := before.Catalog(), next.Catalog()
	for _, d := range next.Databases {
		switch old := was.Database(d.Name); {
		case d.Attributes != nil && (old == nil || !old.Attributes.Equal(d.Attributes)):
			return nil, kv.ErrUnsupported{What: "a character set of a database on HBase"}
		case old == nil:
			out = append(out, func(ctx context.Context) error { return s.cluster.createNamespace(ctx, d.Name) })
		}
	}
	for _, d := range before.Databases {
		if is.Database(d.Name) != nil {
			continue
		}
		if len(was.Tables(d.Name)) > 0 {
			return nil, kv.ErrUnsupported{What: "DROP DATABASE of one with tables on HBase: drop them first"}
		}
		out = append(out, func(ctx context.Context) error { return s.cluster.deleteNamespace(ctx, d.Name) })
	}
	return out, nil
}

// tableSteps make a table of what was, which is nil where it is new.
func (s *Store) tableSteps(l *layout, old, t *kv.Table) ([]step, error) {
	if old == nil {
		if _, known := l.families[t.ID]; known {
			return nil, kv.ErrUnsupported{What: "renaming a table of HBase"}
		}
		return s.create(l, t)
	}
	var out []step
	if old.Generation != t.Generation {
		truncate, err := s.truncate(l, old)
		if err != nil {
			return nil, err
		}
		out = append(out, truncate)
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

// firstOfGroup reports whether a table stands for its group, whose regions are one.
func (s *Store) firstOfGroup(l *layout, t *kv.Table) bool {
	return l.catalog.Families(t.Database, t.Group)[0].Name == t.Name
}

// described is what a family's descriptor says of a table.
func described(t *kv.Table) string {
	b, err := json.Marshal(t.Retention)
	if err != nil {
		panic(err) // numbers
	}
	return declare(t) + string(b)
}

// tableOf is HBase's table that holds a table.
func tableOf(t *kv.Table) (*pb.TableName, []byte) {
	if t.Group == "" {
		return pbTable(t.Database, t.Name), []byte(aloneFamily)
	}
	return pbTable(t.Database, t.Group), []byte(t.Family)
}

func (s *Store) create(l *layout, t *kv.Table) ([]step, error) {
	made := *t
	made.Value.Nullable = false // there is no null
	if err := creatable(&made); err != nil {
		return nil, err
	}
	name, familyName := tableOf(t)
	schema := &pb.ColumnFamilySchema{Name: familyName}
	set(schema, "NEW_VERSION_BEHAVIOR", "true")
	describeIn(schema, &made)
	if l.schemas[tableName(name)] != nil {
		return []step{func(ctx context.Context) error { return s.cluster.addFamily(ctx, name, schema) }}, nil
	}
	var bounds [][]byte
	for i := range made.Partitioning.Len() - 1 {
		bounds = append(bounds, made.Partitioning.Bounds(i).End)
	}
	return []step{func(ctx context.Context) error {
		return s.cluster.createTable(ctx, &pb.TableSchema{TableName: name, ColumnFamilies: []*pb.ColumnFamilySchema{schema}}, bounds)
	}}, nil
}

// creatable refuses what HBase has no form for.
func creatable(t *kv.Table) error {
	p := t.Partitioning
	switch {
	case p.Method() == partition.Key || p.Method() == partition.PrefixKey:
		return kv.ErrUnsupported{What: "PARTITION BY KEY on HBase: PARTITION BY RANGE COLUMNS(K) gives regions"}
	case p.Slices() != nil:
		return kv.ErrUnsupported{What: "partitions by time on HBase"}
	case p.Method() == partition.Range && p.Bounds(p.Len()-1).End != nil:
		return kv.ErrUnsupported{What: "a last partition that is not below MAXVALUE on HBase, whose regions hold every row"}
	}
	return nil
}

// describeIn writes what is declared into a family's descriptor.
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

// modify changes a family's descriptor.
func (s *Store) modify(l *layout, t *kv.Table) (step, error) {
	name, familyName := tableOf(t)
	if t.Value.Nullable {
		return nil, kv.ErrUnsupported{What: "NULL values on HBase"}
	}
	for _, f := range l.schemas[tableName(name)].GetColumnFamilies() {
		if bytes.Equal(f.GetName(), familyName) {
			next := proto.Clone(f).(*pb.ColumnFamilySchema)
			describeIn(next, t)
			return func(ctx context.Context) error { return s.cluster.modifyFamily(ctx, name, next) }, nil
		}
	}
	return nil, kv.ErrNoTable
}

// drop takes a family out of its table, or deletes the table with its last one.
func (s *Store) drop(l *layout, t *kv.Table) step {
	name, familyName := tableOf(t)
	if len(l.schemas[tableName(name)].GetColumnFamilies()) > 1 {
		return func(ctx context.Context) error { return s.cluster.deleteFamily(ctx, name, familyName) }
	}
	return func(ctx context.Context) error { return s.cluster.deleteTable(ctx, name) }
}

func (s *Store) truncate(l *layout, t *kv.Table) (step, error) {
	name, _ := tableOf(t)
	if len(l.schemas[tableName(name)].GetColumnFamilies()) > 1 {
		return nil, kv.ErrUnsupported{What: "TRUNCATE of one family of several on HBase: DELETE its cells, or DROP it and CREATE it anew"}
	}
	return func(ctx context.Context) error { return s.cluster.truncateTable(ctx, name) }, nil
}

// errSplitAgain is what is said of regions whose files are those of the region that
// they were a part of.
var errSplitAgain = kv.ErrUnsupported{What: "splitting a region of HBase that a split has just made: " +
	"split it at one row, and again when HBase has rewritten its files, which takes some minutes"}

// split parts regions at the bounds that are new.
func (s *Store) split(old, t *kv.Table) (step, error) {
	was, is := bounds(old.Partitioning), bounds(t.Partitioning)
	var added [][]byte
	for _, b := range is {
		if !containsRow(was, b) {
			added = append(added, b)
		}
	}
	p := t.Partitioning
	if len(is)-len(added) != len(was) || p.Slices() != nil || p.Len() > 1 && p.Method() != partition.Range {
		return nil, kv.ErrUnsupported{What: "another layout than more regions on HBase: SPLIT TABLE parts them"}
	}
	if len(added) == 0 {
		return nil, nil // other names, which regions do not take
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

// bounds are those between partitions.
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
