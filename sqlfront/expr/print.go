package expr

// Printed is anything that can be printed: a Node, or an Aggregate.
type Printed interface{ AppendTo(dst []byte) []byte }

// Print is an expression as MySQL would print it.
func Print(n Printed) string { return string(n.AppendTo(nil)) }

// AppendList appends nodes with the text before, between and after them.
func AppendList(dst []byte, open string, nodes []Node, between, end string) []byte {
	dst = append(dst, open...)
	for i, n := range nodes {
		if i > 0 {
			dst = append(dst, between...)
		}
		dst = n.AppendTo(dst)
	}
	return append(dst, end...)
}

func appendInfix(dst []byte, left Node, operator string, right Node) []byte {
	dst = append(left.AppendTo(append(dst, '(')), ' ')
	dst = append(append(dst, operator...), ' ')
	return append(right.AppendTo(dst), ')')
}

func appendIs(dst []byte, x Node, not bool, what string) []byte {
	dst = append(x.AppendTo(append(dst, '(')), " is "+notWord(not)...)
	return append(append(dst, what...), ')')
}

func notWord(not bool) string {
	if not {
		return "not "
	}
	return ""
}
