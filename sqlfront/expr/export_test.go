package expr

// ItemByItem is an IN that compares each item of its list.
func ItemByItem(in *In) *In {
	out := *in
	out.items = constantSets{}
	return &out
}

func (c constantSets) known() bool { return c.strings != nil || c.ints != nil || c.rows != nil }

// HasSets reports whether an IN has sets of its constants.
func HasSets(in *In) bool { return in.items.known() }

// SetsOfArguments is the number of sets that have been made from arguments.
func SetsOfArguments(l *Lists) (n int) {
	for _, sets := range l.sets {
		if sets.known() {
			n++
		}
	}
	return n
}
