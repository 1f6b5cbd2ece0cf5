package kv

import "github.com/hbasekv/hbasekv/kv/attribute"

// The JSON of descriptors is an on-disk format: the store's own fields and the front's
// attributes are members of one object.

type (
	databaseMembers Database
	groupMembers    Group
	tableMembers    Table
	viewMembers     View
)

// Descriptor is a *Database, *Group, *Table or *View.
type Descriptor interface {
	// Parts returns the descriptor's own members for JSON, and a pointer to its attributes.
	Parts() (members any, attributes **attribute.Set)
}

// Parts implements Descriptor.
func (d *Database) Parts() (any, **attribute.Set) { return (*databaseMembers)(d), &d.Attributes }

// Parts implements Descriptor.
func (g *Group) Parts() (any, **attribute.Set) { return (*groupMembers)(g), &g.Attributes }

// Parts implements Descriptor.
func (t *Table) Parts() (any, **attribute.Set) { return (*tableMembers)(t), &t.Attributes }

// Parts implements Descriptor.
func (v *View) Parts() (any, **attribute.Set) { return (*viewMembers)(v), &v.Attributes }

func marshal(d Descriptor) ([]byte, error) {
	members, attributes := d.Parts()
	return attribute.Join(members, *attributes), nil
}

func unmarshal(d Descriptor, data []byte) (err error) {
	members, attributes := d.Parts()
	*attributes, err = attribute.Split(data, members)
	return err
}

// MarshalJSON implements json.Marshaler.
func (d Database) MarshalJSON() ([]byte, error) { return marshal(&d) }

// UnmarshalJSON implements json.Unmarshaler.
func (d *Database) UnmarshalJSON(data []byte) error { return unmarshal(d, data) }

// MarshalJSON implements json.Marshaler.
func (g Group) MarshalJSON() ([]byte, error) { return marshal(&g) }

// UnmarshalJSON implements json.Unmarshaler.
func (g *Group) UnmarshalJSON(data []byte) error { return unmarshal(g, data) }

// MarshalJSON implements json.Marshaler.
func (t Table) MarshalJSON() ([]byte, error) { return marshal(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Table) UnmarshalJSON(data []byte) error { return unmarshal(t, data) }

// MarshalJSON implements json.Marshaler.
func (v View) MarshalJSON() ([]byte, error) { return marshal(&v) }

// UnmarshalJSON implements json.Unmarshaler.
func (v *View) UnmarshalJSON(data []byte) error { return unmarshal(v, data) }
