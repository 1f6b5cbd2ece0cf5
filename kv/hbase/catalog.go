package hbase

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/hidden"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/tablename"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/viewtext"
	"github.com/hbasekv/hbasekv/partition"
)

// declared is what is declared of a table and HBase has no place for, besides the front's
// attributes. It is stored in an attribute of the family.
type declared struct {
	// Alone is true for a table in no table group: it is the only family of HBase's
	// table, which has the table's name.
	Alone        bool         `json:"alone,omitempty"`
	MaxRow       int          `json:"max_row,omitempty"`
	MaxQualifier int          `json:"max_qualifier,omitempty"`
	Value        kv.ValueType `json:"value,omitzero"`
	Created      int64        `json:"created,omitempty"`
}

// declaredAttribute is the attribute's name.
const declaredAttribute = "HBASEKV"

// maxValue is the size limit of a cell, with its key, in HBase's default configuration.
// cellOverhead is what HBase counts of it besides row, family, qualifier and value:
// lengths, timestamp and type.
const (
	maxValue     = 10 << 20
	cellOverhead = 24
)

// family is a table's place in HBase.
type family struct {
	table string // including its namespace
	name  []byte
	// newVersions is NEW_VERSION_BEHAVIOR: a delete marker hides what was written
	// before it and nothing that is written later.
	newVersions bool
}

// layout is the descriptors and regions of all tables, at about the same time.
type layout struct {
	catalog  *kv.Catalog
	stored   *kv.StoredCatalog
	families map[uint64]family // by Table.ID
	schemas  map[string]*pb.TableSchema
	views    map[[2]string]string // properties of the views, by database and name
}

// loadLayout reads all descriptors, and the changes of regions.
func (c *cluster) loadLayout(ctx context.Context) (*layout, error) {
	ctx, cancel := c.within(ctx, 0)
	defer cancel()
	namespaces := &pb.ListNamespaceDescriptorsResponse{}
	if err := c.onMaster(ctx, "ListNamespaceDescriptors", &pb.ListNamespaceDescriptorsRequest{}, namespaces, true); err != nil {
		return nil, err
	}
	names, schemas := &pb.GetTableNamesResponse{}, &pb.GetTableDescriptorsResponse{} // names first, for tables created meanwhile
	if err := c.onMaster(ctx, "GetTableNames", &pb.GetTableNamesRequest{}, names, true); err != nil {
		return nil, err
	}
	if err := c.onMaster(ctx, "GetTableDescriptors", &pb.GetTableDescriptorsRequest{}, schemas, true); err != nil {
		return nil, err
	}
	tables := schemas.GetTableSchema()
	if unknown := hidden.Names(names.GetTableNames(), tables); len(unknown) > 0 {
		status, err := c.status(ctx)
		if err != nil {
			return nil, err
		}
		tables = append(tables, hidden.Describe(unknown, status)...)
	}
	regions, err := c.allRegions(ctx, tables)
	if err != nil {
		return nil, err
	}
	return newLayout(hidden.Namespaces(namespaces.GetNamespaceDescriptor(), tables), tables, regions)
}

// systemNamespace is the namespace of HBase's own tables.
const systemNamespace = "hbase"

func newLayout(namespaces []*pb.NamespaceDescriptor, schemas []*pb.TableSchema, regions map[string][]*regionInfo) (*layout, error) {
	l := &layout{stored: &kv.StoredCatalog{NextID: math.MaxUint64 / 2}, families: map[uint64]family{}, schemas: map[string]*pb.TableSchema{},
		views: map[[2]string]string{}}
	for _, n := range namespaces {
		if name := string(n.GetName()); name != systemNamespace {
			l.stored.Databases = append(l.stored.Databases, &kv.Database{Name: name})
			l.addViews(viewtext.InNamespace(name, propertiesOf(n)))
		}
	}
	sort.Slice(l.stored.Databases, func(i, j int) bool { return l.stored.Databases[i].Name < l.stored.Databases[j].Name })
	for _, schema := range schemas {
		if string(schema.GetTableName().GetNamespace()) == systemNamespace {
			continue
		}
		if err := l.addTable(schema, regions[tablename.Of(schema.GetTableName())]); err != nil {
			return nil, err
		}
	}
	viewtext.Sort(l.stored.Views)
	return l, nil
}

// addTable adds a table of HBase with its families.
func (l *layout) addTable(schema *pb.TableSchema, regions []*regionInfo) error {
	name := schema.GetTableName()
	database, group := string(name.GetNamespace()), string(name.GetQualifier())
	l.schemas[tablename.Of(name)] = schema
	l.addViews(viewtext.InTable(database, group, attributesOf(schema)))
	scheme := schemeOf(regions)
	grouped := false
	for _, f := range schema.GetColumnFamilies() {
		t, err := describe(database, group, f)
		if err != nil {
			return err
		}
		t.Partitioning = scheme
		grouped = grouped || t.Group != ""
		l.stored.Tables = append(l.stored.Tables, t)
		l.families[t.ID] = family{table: tablename.Of(name), name: f.GetName(), newVersions: attributeOf(f, "NEW_VERSION_BEHAVIOR") == "true"}
	}
	if grouped {
		l.stored.Groups = append(l.stored.Groups, &kv.Group{Database: database, Name: group})
	}
	return nil
}

// schemeOf returns the regions as RANGE partitions with the regions' names. A single
// region is no partitioning, and more than MySQL allows are shown as one.
func schemeOf(regions []*regionInfo) *partition.Scheme {
	if len(regions) < 2 || len(regions) > partition.MaxPartitions {
		return &partition.Scheme{}
	}
	slices.SortFunc(regions, func(a, b *regionInfo) int { return bytes.Compare(a.start, b.start) })
	var names []string
	var upper [][]byte
	for _, r := range regions {
		end := r.end
		if len(end) == 0 {
			end = nil
		}
		names, upper = append(names, r.encoded()), append(upper, end)
	}
	s, err := partition.NewRange(names, upper)
	if err != nil { // during a split daughters and parent overlap
		return &partition.Scheme{}
	}
	return s
}

func attributeOf(f *pb.ColumnFamilySchema, name string) string {
	for _, a := range f.GetAttributes() {
		if string(a.GetFirst()) == name {
			return string(a.GetSecond())
		}
	}
	return ""
}

// describe returns the table as which a family is shown.
func describe(database, group string, f *pb.ColumnFamilySchema) (*kv.Table, error) {
	t := &kv.Table{Database: database, Group: group, Family: string(f.GetName()), MaxRow: maxRow, MaxQualifier: maxQualifier,
		Value: kv.ValueType{Max: maxValue}, Retention: retentionOf(f)}
	t.Name = group + "$" + t.Family
	if text := attributeOf(f, declaredAttribute); text != "" {
		var d declared
		if attributes, err := attribute.Split([]byte(text), &d); err == nil {
			d.apply(t)
			t.Attributes = attributes
		}
	}
	t.ID = identity(database, group, t.Family)
	return t, nil
}

func (d *declared) apply(t *kv.Table) {
	if d.Alone {
		t.Name, t.Group, t.Family = t.Group, "", ""
	}
	if d.MaxRow > 0 {
		t.MaxRow, t.MaxQualifier, t.Value = d.MaxRow, d.MaxQualifier, d.Value
	}
	t.Created = d.Created
}

// declare returns the content of the attribute for a table.
func declare(t *kv.Table) string {
	d := declared{Alone: t.Group == "", MaxRow: t.MaxRow, MaxQualifier: t.MaxQualifier, Value: t.Value, Created: t.Created}
	return string(attribute.Join(d, t.Attributes))
}

// identity returns a table's ID, which is the same in all processes. A table that is
// dropped and recreated has the same one.
func identity(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum64() / 2 // below those of new tables
}

// forever is HBase's TTL for cells that do not expire.
const forever = math.MaxInt32

// retentionOf maps VERSIONS, TTL and MIN_VERSIONS.
func retentionOf(f *pb.ColumnFamilySchema) kv.Retention {
	r := kv.Retention{MaxVersions: number(f, "VERSIONS", 1), MinVersions: number(f, "MIN_VERSIONS", 0)}
	if r.MaxVersions == math.MaxInt32 {
		r.MaxVersions = 0
	}
	if ttl := number(f, "TTL", forever); ttl != forever {
		r.TTLSeconds = int64(ttl)
	}
	return r
}

func number(f *pb.ColumnFamilySchema, name string, unset int) int {
	text := attributeOf(f, name)
	if strings.EqualFold(text, "FOREVER") {
		return forever
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return unset
	}
	return n
}

// equal reports whether two layouts show the same tables and views.
func (l *layout) equal(o *layout) bool {
	if !maps.Equal(l.views, o.views) {
		return false
	}
	a, b := *l.stored, *o.stored
	a.Version, b.Version = 0, 0
	left, err := json.Marshal(a)
	if err != nil {
		return false
	}
	right, err := json.Marshal(b)
	return err == nil && bytes.Equal(left, right)
}
