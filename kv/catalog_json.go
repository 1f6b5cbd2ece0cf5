package kv

// The JSON of descriptors is an on-disk format: what stores know and what the front
// adds are members of one object.

type (
	databaseMembers Database
	groupMembers    Group
	tableMembers    Table
	viewMembers     View
)

// MarshalJSON implements json.Marshaler.
func (d Database) MarshalJSON() ([]byte, error) {
	return JoinAttributes(databaseMembers(d), d.Attributes), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *Database) UnmarshalJSON(data []byte) (err error) {
	d.Attributes, err = SplitAttributes(data, (*databaseMembers)(d))
	return err
}

// MarshalJSON implements json.Marshaler.
func (g Group) MarshalJSON() ([]byte, error) {
	return JoinAttributes(groupMembers(g), g.Attributes), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (g *Group) UnmarshalJSON(data []byte) (err error) {
	g.Attributes, err = SplitAttributes(data, (*groupMembers)(g))
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Table) MarshalJSON() ([]byte, error) {
	return JoinAttributes(tableMembers(t), t.Attributes), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Table) UnmarshalJSON(data []byte) (err error) {
	t.Attributes, err = SplitAttributes(data, (*tableMembers)(t))
	return err
}

// MarshalJSON implements json.Marshaler.
func (v View) MarshalJSON() ([]byte, error) {
	return JoinAttributes(viewMembers(v), v.Attributes), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *View) UnmarshalJSON(data []byte) (err error) {
	v.Attributes, err = SplitAttributes(data, (*viewMembers)(v))
	return err
}
