package tables

import (
	"encoding/json"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// kept is what the catalog keeps of a table, in addition to the tables of its families. Its JSON is
// an on-disk format.
type kept struct {
	Disabled   bool  `json:"disabled,omitempty"`
	Attributes extra `json:"attributes,omitzero"`
	// Families are by name. One whose ID differs from the table's is an earlier family of that name.
	Families map[string]keptFamily `json:"families"`
	// Regions are those to which an ID was assigned.
	Regions []keptRegion `json:"regions,omitempty"`
}

type keptRegion struct {
	Start []byte `json:"start,omitempty"`
	End   []byte `json:"end,omitempty"`
	ID    uint64 `json:"id"`
}

type keptFamily struct {
	ID         uint64 `json:"id"`
	Attributes extra  `json:"attributes,omitzero"`
}

// extra is attributes that have no effect here, and configuration.
type extra struct {
	Attributes    []pair    `json:"attributes,omitempty"`
	Configuration []setting `json:"configuration,omitempty"`
}

type pair struct {
	Name  []byte `json:"name"`
	Value []byte `json:"value"`
}

type setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// keptOf returns what is kept of a table; nothing if it is an earlier table's of that name.
func keptOf(c *kv.Catalog, database, name string, families []*kv.Table) *kept {
	out := &kept{}
	text := c.Attribute(keptName(database, name))
	if text == "" || json.Unmarshal([]byte(text), out) != nil {
		return &kept{}
	}
	for _, f := range families {
		if k, ok := out.Families[rowapi.FamilyOf(f)]; ok && k.ID == f.ID {
			return out
		}
	}
	return &kept{}
}

// keptTable is the prefix of the names under which tables are kept.
const keptTable = "hbase.table:"

func keptName(database, name string) string { return keptTable + database + ":" + name }

// keep saves what is kept of a table.
func (k *kept) keep(c *kv.CatalogChange, database, name string) error {
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return c.SetAttribute(keptName(database, name), string(text))
}

// extraOf extracts what has no effect here from a message.
func extraOf(attributes []*pb.BytesBytesPair, known map[string]bool, configuration []*pb.NameStringPair) (out extra) {
	for _, a := range attributes {
		if !known[string(a.GetFirst())] {
			out.Attributes = append(out.Attributes, pair{a.GetFirst(), a.GetSecond()})
		}
	}
	for _, c := range configuration {
		out.Configuration = append(out.Configuration, setting{c.GetName(), c.GetValue()})
	}
	return out
}

func (e extra) attributes() (out []*pb.BytesBytesPair) {
	for _, a := range e.Attributes {
		out = append(out, &pb.BytesBytesPair{First: a.Name, Second: a.Value})
	}
	return out
}

func (e extra) configuration() (out []*pb.NameStringPair) {
	for _, c := range e.Configuration {
		out = append(out, &pb.NameStringPair{Name: &c.Name, Value: &c.Value})
	}
	return out
}
