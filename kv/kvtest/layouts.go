package kvtest

import (
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// Layout is a way to partition tables.
type Layout struct {
	Name   string
	Scheme *partition.Scheme
}

// Layouts are the partitionings on which everything must give the same
// answers.
func Layouts() []Layout {
	return []Layout{
		{"None", &partition.Scheme{}},
		{"Key1", must(partition.NewKey(1))},
		{"Key7", must(partition.NewKey(7))},
		{"PrefixKey", must(partition.NewPrefixKey(3, 1))},
		{"Range", must(partition.NewRange(
			[]string{"p0", "p1", "p2", "p3", "pmax"},
			[][]byte{[]byte("\x00\x01"), []byte("a"), []byte("a\x00"), []byte("b"), nil}))},
	}
}

func must(s *partition.Scheme, err error) *partition.Scheme {
	if err != nil {
		panic(err)
	}
	return s
}

// Table is the descriptor of a new table of the layout. A name "group$family"
// makes it a family.
func (l Layout) Table(name string) kv.Table {
	t := kv.Table{
		Database: database, Name: name, Partitioning: l.Scheme,
		MaxRow: 1024, MaxQualifier: 256,
		Value: kv.ValueType{Kind: kv.VarBinary, Max: 1 << 20, Nullable: true},
	}
	if group, family, ok := strings.Cut(name, "$"); ok {
		t.Group, t.Family = group, family
	}
	return t
}
