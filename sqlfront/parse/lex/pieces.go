package lex

// Split returns the texts of a script's Pieces. Its errors are those of Pieces.
func Split(script string) ([]string, error) {
	pieces, err := Pieces(script)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(pieces))
	for i, p := range pieces {
		texts[i] = p.Text
	}
	return texts, nil
}

// Piece is a statement of a script.
type Piece struct {
	Text   string
	Offset int // in the script, in bytes
	// Open says that the script ends with this piece, without a semicolon: if the script was cut off, it is
	// only a part of a statement.
	Open bool
}

// Pieces cuts a script into its statements, without their semicolons and without the space and the comments
// around them. A comment that MySQL executes, /*! ... */, is part of a statement. The error is 1064 for a
// text that cannot be read, or MySQL's for more than MaxTokens tokens.
func Pieces(script string) ([]Piece, error) {
	var pieces []Piece
	err := EachPiece(script, nil, func(p Piece) error {
		if pieces = append(pieces, p); len(pieces) > MaxTokens {
			return errTokens()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return pieces, nil
}

// EachPiece calls do with each of the script's Pieces in turn, up to the first error. Each is read in the
// modes at the time when it begins; a nil modes means none.
func EachPiece(script string, modes func() Modes, do func(Piece) error) error {
	l := newLexer(script)
	for more := true; more; {
		if len(l.toks) == 0 && modes != nil {
			l.modes = modes()
		}
		more = l.next()
		last := &l.toks[len(l.toks)-1]
		switch {
		case len(l.toks) > MaxTokens:
			return errTokens()
		case last.Kind == Bad && l.whys[last.N] != "":
			return syntaxError(script, last.Start, l.whys[last.N])
		case last.Kind != EOF && !l.atSeparator(last):
			continue
		case len(l.toks) > 1:
			one := l.piece(&l.toks[0], &l.toks[len(l.toks)-2])
			one.Open = last.Kind == EOF
			if err := do(one); err != nil {
				return err
			}
		}
		l.forget()
	}
	return nil
}

// atSeparator reports whether t is a semicolon that ends a statement: one in an executed comment does not.
func (l *lexer) atSeparator(t *Token) bool {
	return t.Kind == Op && l.sql[t.Start] == ';' && !l.inVersion
}

// forget drops what was read, so that a long script takes no more memory than its longest statement.
func (l *lexer) forget() {
	l.toks, l.whys, l.open, l.versions = l.toks[:0], l.whys[:0], l.open[:0], l.versions[:0]
}

// piece is the statement from one token to another, including all of the executed comments that they are in.
func (l *lexer) piece(first, last *Token) Piece {
	start, end := first.Start, last.End
	for _, v := range l.versions {
		if v.holds(first) {
			start = v.start
		}
		if v.holds(last) {
			end = v.end
		}
	}
	return Piece{Text: l.sql[start:end], Offset: start}
}

// holds reports whether a token is in an executed comment. An empty token is in the last one before it, which
// does not end.
func (s span) holds(t *Token) bool {
	return s.start <= t.Start && (t.Start < s.end || t.Start == t.End)
}
