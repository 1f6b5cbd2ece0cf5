package parse

import (
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/xwb1989/sqlparser"
)

// Trees parses statements and keeps what sqlparser made of them. It reads a
// text in which numbers stand for the strings, so that statements which differ
// in their strings alone have one tree; to make it is most of the work of
// parsing. Trees are never changed. All methods are safe for concurrent use; a
// nil *Trees keeps nothing.
type Trees struct {
	byText *lru.Cache[string, sqlparser.Statement]
}

// maxTreeText is the longest text whose tree is kept, in bytes.
const maxTreeText = 8 << 10

// NewTrees keeps up to n trees, at least 1.
func NewTrees(n int) *Trees {
	cache, err := lru.New[string, sqlparser.Statement](max(n, 1))
	if err != nil {
		panic(err) // the size is positive
	}
	return &Trees{cache}
}

// Parse is the package's Parse.
func (t *Trees) Parse(sql string) (*Parsed, error) {
	toks := lex(sql)
	parsed, err := t.parseTokens(sql, toks, false)
	if parsed == nil && err == nil {
		parsed, err = t.parseTokens(sql, toks, true)
	}
	return parsed, err
}

// tree is sqlparser's tree of a text.
func (t *Trees) tree(text string) (sqlparser.Statement, error) {
	if t == nil || len(text) > maxTreeText {
		return callSQLParser(text)
	}
	if stmt, ok := t.byText.Get(text); ok {
		return stmt, nil
	}
	stmt, err := callSQLParser(text)
	if err == nil {
		t.byText.Add(text, stmt)
	}
	return stmt, err
}
