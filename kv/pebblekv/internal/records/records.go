// Package records has the catalog as the store keeps it: a record for each descriptor and each of the
// front's attributes, and one that is the head. A change of the catalog writes the head and the records
// that differ.
//
// A record of a table has three lines: its layout, its own members, and its attributes, each as JSON.
// Those of other descriptors have the last two. [First] is the one record that format 1 had for all
// of it.
package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// The names of records begin with their kind.
const (
	head      = "catalog/head"
	database  = "catalog/database/"
	group     = "catalog/group/"
	table     = "catalog/table/"
	view      = "catalog/view/"
	attribute = "catalog/attribute/"
)

// top is the head: what does not belong to a descriptor. Records is the number of other records.
type top struct {
	Version   uint64        `json:"version"`
	NextID    uint64        `json:"next_id"`
	NextSpace keyspace.ID   `json:"next_space"`
	Filling   []keyspace.ID `json:"filling,omitempty"`
	Records   int           `json:"records"`
}

// named returns a record's name of escaped names, separated by slashes.
func named(kind string, names ...string) string {
	for i, name := range names {
		names[i] = url.PathEscape(name)
	}
	return kind + strings.Join(names, "/")
}

func tableRecord(t *kv.Table) string { return table + strconv.FormatUint(t.ID, 10) }

// Write adds the changed records to a batch. next is the changed catalog, d what has changed.
func Write(b *pebble.Batch, next *keyspace.Catalog, d *kv.Difference) error {
	w := writer{batch: b}
	for _, c := range d.Databases {
		put(&w, c, func(d *kv.Database) string { return named(database, d.Name) }, members)
	}
	for _, c := range d.Groups {
		put(&w, c, func(g *kv.Group) string { return named(group, g.Database, g.Name) }, members)
	}
	for _, c := range d.Tables {
		put(&w, c, tableRecord, tableLines)
	}
	for _, c := range d.Views {
		put(&w, c, func(v *kv.View) string { return named(view, v.Database, v.Name) }, members)
	}
	for _, name := range d.Attributes {
		if text := next.Attribute(name); text == "" {
			w.set(named(attribute, name), nil, nil)
		} else {
			w.set(named(attribute, name), []byte(text), nil)
		}
	}
	data, err := json.Marshal(top{next.Version(), next.NextID(), next.NextSpace, next.Filling, next.Size()})
	w.set(head, data, err)
	return w.err
}

// writer adds records to a batch until something fails.
type writer struct {
	batch *pebble.Batch
	err   error
}

// set writes a record, or deletes it if data is nil. err is the error of making the data.
func (w *writer) set(name string, data []byte, err error) {
	switch {
	case w.err != nil:
	case err != nil:
		w.err = err
	case data == nil:
		w.err = w.batch.Delete(cellkey.SystemKey(name), nil)
	default:
		w.err = w.batch.Set(cellkey.SystemKey(name), data, nil)
	}
}

// put writes the record of a descriptor that has changed.
func put[D any](w *writer, c kv.Changed[D], name func(*D) string, lines func(*D) ([]byte, error)) {
	if c.Is == nil {
		w.set(name(c.Was), nil, nil)
		return
	}
	data, err := lines(c.Is)
	w.set(name(c.Is), data, err)
}

func members[D kv.Descriptor](d D) ([]byte, error) { return appendLines(nil, d) }

func tableLines(t *kv.Table) ([]byte, error) {
	layout, err := json.Marshal(keyspace.Of(t))
	if err != nil {
		return nil, err
	}
	return appendLines(append(layout, '\n'), t)
}

// ReadFrom reads a catalog from the records of a database or of a snapshot of it. ok is false if there
// are none. The error is the database's, or kv.ErrFormat if records are damaged or missing.
func ReadFrom(open func(*pebble.IterOptions) (*pebble.Iterator, error)) (c *keyspace.Catalog, ok bool, err error) {
	it, err := open(&pebble.IterOptions{LowerBound: cellkey.SystemKey("catalog/"), UpperBound: cellkey.SystemKey("catalog0")})
	if err != nil {
		return nil, false, faultfs.DiskError(err)
	}
	var r reader
	for more := it.First(); more && err == nil; more = it.Next() {
		err = r.record(string(it.Key()[cellkey.SpaceLen:]), it.Value())
	}
	if err = errors.Join(err, faultfs.DiskError(it.Close())); err != nil || r.count == 0 && r.top == nil {
		return nil, false, err
	}
	c, err = r.catalog()
	return c, err == nil, err
}

// reader collects what records say.
type reader struct {
	top    *top
	stored kv.StoredCatalog
	count  int
}

// catalog makes the catalog of all records.
func (r *reader) catalog() (*keyspace.Catalog, error) {
	switch {
	case r.top == nil:
		return nil, fmt.Errorf("%w: the catalog has no record %s", kv.ErrFormat, head)
	case r.count != r.top.Records:
		return nil, fmt.Errorf("%w: the catalog should have %d records, but has %d", kv.ErrFormat, r.top.Records, r.count)
	}
	r.stored.Version, r.stored.NextID = r.top.Version, r.top.NextID
	return &keyspace.Catalog{Catalog: r.stored.Catalog(), NextSpace: r.top.NextSpace, Filling: r.top.Filling}, nil
}

// record reads one record.
func (r *reader) record(name string, data []byte) (err error) {
	r.count++
	switch kind := name[:strings.LastIndexByte(name, '/')+1]; {
	case name == head:
		r.count--
		r.top = &top{}
		err = json.Unmarshal(data, r.top)
	case kind == database:
		r.stored.Databases, err = add(r.stored.Databases, data, &kv.Database{})
	case strings.HasPrefix(kind, group):
		r.stored.Groups, err = add(r.stored.Groups, data, &kv.Group{})
	case kind == table:
		err = r.table(data)
	case strings.HasPrefix(kind, view):
		r.stored.Views, err = add(r.stored.Views, data, &kv.View{})
	case kind == attribute:
		err = r.attribute(name[len(attribute):], data)
	default:
		err = errors.New("unknown catalog record")
	}
	if err != nil {
		return fmt.Errorf("%w: the catalog's record %s: %w", kv.ErrFormat, name, err)
	}
	return nil
}

// add reads a descriptor and appends it.
func add[D kv.Descriptor](to []D, data []byte, d D) ([]D, error) {
	return append(to, d), readLines(data, d)
}

func (r *reader) table(data []byte) error {
	first, rest, _ := bytes.Cut(data, []byte{'\n'})
	layout := &keyspace.Layout{}
	if err := json.Unmarshal(first, layout); err != nil {
		return err
	}
	t := &kv.Table{Layout: layout}
	r.stored.Tables = append(r.stored.Tables, t)
	return readLines(rest, t)
}

func (r *reader) attribute(escaped string, text []byte) error {
	name, err := url.PathUnescape(escaped)
	if r.stored.Attributes == nil {
		r.stored.Attributes = map[string]string{}
	}
	r.stored.Attributes[name] = string(text)
	return err
}
