package tables

import (
	"math"
	"strconv"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// The attributes of a family that say which versions are kept.
const (
	versions    = "VERSIONS"
	minVersions = "MIN_VERSIONS"
	timeToLive  = "TTL"
)

var knownOfFamily = map[string]bool{versions: true, minVersions: true, timeToLive: true}

// unlimited is HBase's number for all versions, and for ever.
const unlimited = math.MaxInt32

// The limits of the columns of new tables: HBase's longest row, the longest qualifier that SQL can
// declare, and values above HBase's limit of 10 MiB.
const (
	maxRow       = math.MaxInt16
	maxQualifier = math.MaxUint16
	maxValue     = 1<<24 - 1
)

// Schema returns the table's descriptor.
func (t *Table) Schema() *pb.TableSchema {
	out := &pb.TableSchema{TableName: Message(t.Name), Attributes: t.kept.Attributes.attributes(),
		Configuration: t.kept.Attributes.configuration()}
	for _, f := range t.Families {
		out.ColumnFamilies = append(out.ColumnFamilies, t.family(f))
	}
	return out
}

func (t *Table) family(f *kv.Table) *pb.ColumnFamilySchema {
	name := rowapi.FamilyOf(f)
	var more extra
	if k := t.kept.Families[name]; k.ID == f.ID {
		more = k.Attributes
	}
	r := f.Retention
	attributes := []*pb.BytesBytesPair{
		number(versions, orUnlimited(int64(r.MaxVersions))),
		number(minVersions, int64(r.MinVersions)),
		number(timeToLive, orUnlimited(r.TTLSeconds)),
	}
	return &pb.ColumnFamilySchema{Name: []byte(name), Attributes: append(attributes, more.attributes()...),
		Configuration: more.configuration()}
}

func orUnlimited(n int64) int64 {
	if n == 0 {
		return unlimited
	}
	return min(n, unlimited)
}

func number(name string, n int64) *pb.BytesBytesPair {
	return &pb.BytesBytesPair{First: []byte(name), Second: strconv.AppendInt(nil, n, 10)}
}

// retention reads a family's attributes; the default is HBase's, one version.
func retention(m *pb.ColumnFamilySchema) (kv.Retention, error) {
	said := map[string]int64{versions: 1}
	for _, a := range m.GetAttributes() {
		name := string(a.GetFirst())
		if !knownOfFamily[name] {
			continue
		}
		n, err := strconv.ParseInt(string(a.GetSecond()), 10, 64)
		if string(a.GetSecond()) == "FOREVER" {
			n, err = unlimited, nil
		}
		if err != nil || n < 0 || n == 0 && name != minVersions {
			return kv.Retention{}, illegal("%s of family %q has an invalid value: %.100q", name, m.GetName(), a.GetSecond())
		}
		said[name] = n
	}
	if said[minVersions] > said[versions] {
		return kv.Retention{}, illegal("MIN_VERSIONS of family %q is more than VERSIONS", m.GetName())
	}
	return kv.Retention{TTLSeconds: orAll(said[timeToLive]), MaxVersions: int(orAll(said[versions])),
		MinVersions: int(min(said[minVersions], unlimited))}, nil
}

func orAll(n int64) int64 {
	if n >= unlimited {
		return 0
	}
	return n
}

// MetaSchema returns the descriptor of hbase:meta.
func MetaSchema() *pb.TableSchema {
	family := func(name string) *pb.ColumnFamilySchema { return &pb.ColumnFamilySchema{Name: []byte(name)} }
	return &pb.TableSchema{TableName: Message(Meta),
		ColumnFamilies: []*pb.ColumnFamilySchema{family(metaInfo), family(metaTable)}}
}
