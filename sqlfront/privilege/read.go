package privilege

import (
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// Read is the accounts that a script of CREATE USER, GRANT and similar statements creates. Its errors do not
// quote passwords.
func Read(script string) (*rights.Accounts, error) {
	pieces, err := lex.Pieces(script)
	if err != nil {
		return nil, err
	}
	c := Changer{Self: rights.Root, Note: func(mysqlerr.Number, string) {}}
	accounts := rights.NewAccounts()
	for _, piece := range pieces {
		parsed, err := parse.Parse(piece.Text)
		if err == nil && !isChange(parsed.Stmt) {
			err = fmt.Errorf("%s is not a statement about accounts", lex.Shown(piece.Text))
		}
		if err == nil {
			accounts, err = c.Change(parsed.Stmt, accounts)
		}
		if err != nil {
			return nil, err
		}
	}
	return accounts, nil
}
