package rowlock

import (
	"hash/maphash"

	"github.com/hbasekv/hbasekv/kv"
)

// ID identifies a row of a group or table by 128 bits of keyed hash: two rows
// never share one in practice.
type ID [2]uint64

// Hasher makes the IDs of rows.
type Hasher struct{ seeds [2]maphash.Seed }

// NewHasher makes a hasher with random seeds.
func NewHasher() Hasher { return Hasher{[2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}} }

// Namespace returns what the locks of a table's rows are within: its group, or
// the table if it is in none.
func (h *Hasher) Namespace(t *kv.Table) ID {
	return ID{h.namespaceHalf(t, 0), h.namespaceHalf(t, 1)}
}

func (h *Hasher) namespaceHalf(t *kv.Table, half int) uint64 {
	var m maphash.Hash
	m.SetSeed(h.seeds[half])
	if t.Group == "" {
		maphash.WriteComparable(&m, t.ID)
	} else {
		maphash.WriteComparable(&m, [2]string{t.Database, t.Group})
	}
	return m.Sum64()
}

// Row returns the ID of a row of the namespace.
func (h *Hasher) Row(namespace ID, row []byte) ID {
	return ID{h.rowHalf(namespace[0], row, 0), h.rowHalf(namespace[1], row, 1)}
}

func (h *Hasher) rowHalf(namespace uint64, row []byte, half int) uint64 {
	return maphash.Bytes(h.seeds[half], row)*3 + namespace
}

// FirstHalf returns the first half of a row's ID.
func (h *Hasher) FirstHalf(t *kv.Table, row []byte) uint64 {
	return h.rowHalf(h.namespaceHalf(t, 0), row, 0)
}

// Beginning returns a hash of the beginning of keys.
func (h *Hasher) Beginning(key []byte) uint64 { return maphash.Bytes(h.seeds[0], key) }

// Key returns a hash of a key, the same for all who count or look up keys.
func (h *Hasher) Key(key []byte) uint32 { return uint32(maphash.Bytes(h.seeds[0], key)) }
