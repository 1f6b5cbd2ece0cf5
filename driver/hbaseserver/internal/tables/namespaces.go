package tables

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// keptNamespace is the prefix, before the name of its database, under which the catalog keeps a namespace's
// configuration. Its JSON is an on-disk format.
const keptNamespace = "hbase.namespace:"

// Namespace returns a namespace's descriptor, or NamespaceNotFoundException.
func (v *View) Namespace(name string) (*pb.NamespaceDescriptor, error) {
	if !v.HasNamespace(name) {
		return nil, noNamespace(name)
	}
	var e extra
	_ = json.Unmarshal([]byte(v.catalog.Attribute(keptNamespace+v.names.Database(name))), &e) // otherwise nothing is kept
	return &pb.NamespaceDescriptor{Name: []byte(name), Configuration: e.configuration()}, nil
}

// keepNamespace saves a descriptor's configuration.
func (c change) keepNamespace(m *pb.NamespaceDescriptor) error {
	e, text := extraOf(nil, nil, m.GetConfiguration()), []byte(nil)
	if len(e.Configuration) > 0 {
		var err error
		if text, err = json.Marshal(e); err != nil {
			return err
		}
	}
	name := keptNamespace + c.names.Database(string(m.GetName()))
	if c.Catalog().Attribute(name) == string(text) {
		return nil // so it works with a store that keeps no attributes
	}
	return c.SetAttribute(name, string(text))
}

// CreateNamespace creates a namespace. The error is NamespaceExistException if it exists.
func (c *Changes) CreateNamespace(ctx context.Context, m *pb.NamespaceDescriptor) error {
	name := string(m.GetName())
	if !legalNamespace.MatchString(name) {
		return illegal("Illegal namespace %q: it may contain letters, digits and _", name)
	}
	err := c.do(ctx, func(c change) error {
		if name == SystemNamespace {
			return kv.ErrDatabaseExists
		}
		if err := c.CreateDatabase(kv.Database{Name: c.names.Database(name)}); err != nil {
			return err
		}
		return c.keepNamespace(m)
	})
	if errors.Is(err, kv.ErrDatabaseExists) {
		return exception("NamespaceExistException", "%s", name)
	}
	return err
}

// ModifyNamespace changes a namespace's configuration to that of a descriptor. The error is
// NamespaceNotFoundException if it does not exist.
func (c *Changes) ModifyNamespace(ctx context.Context, m *pb.NamespaceDescriptor) error {
	return c.do(ctx, func(c change) error {
		if name := string(m.GetName()); name != SystemNamespace && c.Catalog().Database(c.names.Database(name)) == nil {
			return noNamespace(name)
		}
		return c.keepNamespace(m)
	})
}

// DeleteNamespace deletes an empty namespace. The error is ConstraintException if it is reserved or not
// empty, NamespaceNotFoundException if it does not exist.
func (c *Changes) DeleteNamespace(ctx context.Context, name string) error {
	return c.do(ctx, func(c change) error {
		database := c.names.Database(name)
		switch {
		case name == SystemNamespace, name == rowapi.DefaultNamespace:
			return exception("constraint.ConstraintException", "Reserved namespace %s cannot be removed.", name)
		case c.Catalog().Database(database) == nil:
			return noNamespace(name)
		case len(c.Catalog().Tables(database))+len(c.Catalog().Views(database)) > 0:
			return exception("constraint.ConstraintException",
				"Only empty namespaces can be removed. Namespace %s has %d tables", name, len(c.Catalog().Tables(database)))
		}
		if err := c.keepNamespace(&pb.NamespaceDescriptor{Name: []byte(name)}); err != nil {
			return err
		}
		return c.DropDatabase(database)
	})
}

// orphans are the names under which something is kept of tables and namespaces that no longer exist, for
// example because SQL has dropped them.
func orphans(c *kv.Catalog) (out []string) {
	known := map[string]bool{}
	for _, d := range c.Databases() {
		known[keptNamespace+d.Name] = true
		for _, t := range c.Tables(d.Name) {
			known[keptName(d.Name, tableOf(t))] = true
		}
	}
	for name := range c.AttributeNames() {
		if (strings.HasPrefix(name, keptNamespace) || strings.HasPrefix(name, keptTable)) && !known[name] {
			out = append(out, name)
		}
	}
	return out
}
