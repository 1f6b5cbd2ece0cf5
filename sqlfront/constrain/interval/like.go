package interval

// Tail is what follows the fixed start of a pattern.
type Tail uint8

const (
	Exactly  Tail = iota // nothing
	Anything             // only percent signs
	Further              // more of the pattern
)

// LikeHead is the start of a LIKE pattern without wildcards, with escapes resolved. A head of more than most
// bytes is longer than all keys; rest is then Exactly.
func LikeHead(p []byte, escape, most int) (head []byte, rest Tail) {
	head = make([]byte, 0, min(len(p), most+1))
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '%':
			return head, tailOf(p[i:])
		case int(p[i]) == escape && i+1 < len(p):
			i++
		case p[i] == '_':
			return head, Further
		}
		if head = append(head, p[i]); len(head) > most {
			return head, Exactly
		}
	}
	return head, Exactly
}

func tailOf(p []byte) Tail {
	for _, c := range p {
		if c != '%' {
			return Further
		}
	}
	return Anything
}
