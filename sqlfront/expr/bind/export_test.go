package bind

import (
	"maps"
	"slices"
)

// SpecialForms are the names of the functions with their own way of binding.
func SpecialForms() []string { return slices.Sorted(maps.Keys(specialForms)) }
