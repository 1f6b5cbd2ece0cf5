package op

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// CloneRow copies a row. For many rows use an Arena, whose first slab is larger.
func CloneRow(row []value.Value) []value.Value {
	out := slices.Clone(row)
	for i, v := range row {
		out[i] = v.Clone()
	}
	return out
}

// VectorKind returns the kind of a vector for values of a kind.
func VectorKind(k value.Kind) value.Kind {
	switch k {
	case value.Int, value.Bytes:
		return k
	}
	return value.Null
}
