package bind

import (
	"maps"
	"slices"
)

// SpecialForms are the names of the functions that are bound each in a way of its own.
func SpecialForms() []string { return slices.Sorted(maps.Keys(specialForms)) }
