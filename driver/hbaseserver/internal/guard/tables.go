package guard

import (
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// tabular is the need of a call about a whole table.
func tabular[M interface {
	proto.Message
	GetTableName() *pb.TableName
}](want rights.Privileges) need {
	return of(func(p *permission, m M) error { return p.named(want, m.GetTableName()) })
}

// split needs ALTER on a region's table, in a message of HBase 2.
func (p *permission) split(m *pb.EmptyMsg) error {
	var region pb.RegionInfo
	if found, err := wire.Part(m, 1, &region); err != nil || !found {
		return nil // the method reports what is wrong
	}
	return p.named(rights.Alter, region.GetTableName())
}

// merge needs ALTER on the regions' tables, in a message of HBase 2.
func (p *permission) merge(m *pb.EmptyMsg) error {
	for _, data := range wire.Each(m, 1) {
		var of pb.RegionSpecifier
		if err := rpc.Unmarshal(data, &of); err != nil {
			return rpc.Refused(err.Error())
		}
		r, err := p.view.Region(&of)
		if err != nil {
			return nil // as above
		}
		if err := p.whole(rights.Alter, r.Table); err != nil {
			return err
		}
	}
	return nil
}

// create needs CREATE on the table, or on each of its families.
func (p *permission) create(m *pb.CreateTableRequest) error {
	name := tables.NameOf(m.GetTableSchema().GetTableName())
	for _, f := range m.GetTableSchema().GetColumnFamilies() {
		if err := p.newFamily(name, f); err != nil {
			return err
		}
	}
	return nil
}

// newFamily needs CREATE on the new family.
func (p *permission) newFamily(name rowapi.TableName, f *pb.ColumnFamilySchema) error {
	return p.Table(rights.Create, p.of.database(name), name.Name+"$"+string(f.GetName()), name.Name)
}

// modify needs ALTER on the families that stay, and DROP on one that is to keep less, CREATE on new ones and
// DROP on those that are removed.
func (p *permission) modify(m *pb.ModifyTableRequest) error {
	of := m.GetTableName()
	if named := m.GetTableSchema().GetTableName(); named != nil {
		of = named
	}
	name := tables.NameOf(of)
	t, err := p.view.Table(name)
	if err != nil {
		return p.named(rights.Alter, of)
	}
	stay := map[string]bool{}
	for _, f := range m.GetTableSchema().GetColumnFamilies() {
		stay[string(f.GetName())] = true
		if err := p.alterOrNew(t, f); err != nil {
			return err
		}
	}
	for _, f := range t.FamilyNames() {
		if !stay[f] {
			if err := p.family(rights.Drop, t, f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *permission) alterOrNew(t *tables.Table, f *pb.ColumnFamilySchema) error {
	narrows, there := t.Narrows(f)
	switch {
	case !there:
		return p.newFamily(t.Name, f)
	case narrows:
		return p.family(rights.Alter|rights.Drop, t, string(f.GetName()))
	}
	return p.family(rights.Alter, t, string(f.GetName()))
}

func (p *permission) addFamily(m *pb.AddColumnRequest) error {
	return p.newFamily(tables.NameOf(m.GetTableName()), m.GetColumnFamilies())
}

func (p *permission) modifyFamily(m *pb.ModifyColumnRequest) error {
	t, err := p.view.Table(tables.NameOf(m.GetTableName()))
	if err != nil {
		return p.named(rights.Alter, m.GetTableName())
	}
	if _, there := t.Narrows(m.GetColumnFamilies()); !there {
		return p.family(rights.Alter, t, string(m.GetColumnFamilies().GetName()))
	}
	return p.alterOrNew(t, m.GetColumnFamilies())
}

func (p *permission) deleteFamily(m *pb.DeleteColumnRequest) error {
	t, err := p.view.Table(tables.NameOf(m.GetTableName()))
	if err != nil {
		return p.named(rights.Drop, m.GetTableName())
	}
	return p.family(rights.Drop, t, string(m.GetColumnName()))
}
