package op

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// CloneRow copies one of few rows: the first piece of an Arena is larger.
func CloneRow(row []value.Value) []value.Value {
	out := slices.Clone(row)
	for i, v := range row {
		out[i] = v.Clone()
	}
	return out
}

// VectorKind is the kind of a vector of values that have nothing but their kind in common.
func VectorKind(k value.Kind) value.Kind {
	switch k {
	case value.Int, value.Bytes:
		return k
	}
	return value.Null
}
