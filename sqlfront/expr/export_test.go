package expr

import "slices"

// ItemByItem is an IN that looks at each item of its list.
func ItemByItem(in *In) *In {
	out := *in
	out.items = constantSets{}
	return &out
}

func (c constantSets) known() bool { return c.strings != nil || c.ints != nil || c.rows != nil }

// HasSets reports whether an IN has sets of its constants.
func HasSets(in *In) bool { return in.items.known() }

// SetsOfArguments is how many sets have been made of arguments.
func SetsOfArguments(l *Lists) (n int) {
	for _, sets := range l.sets {
		if sets.known() {
			n++
		}
	}
	return n
}

// FunctionsOfExpr are the names of the functions that package function has not.
func FunctionsOfExpr() []string {
	var out []string
	for name := range lazyFunctions {
		out = append(out, name)
	}
	for name := range specialForms {
		out = append(out, name)
	}
	for name := range aggregates {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
