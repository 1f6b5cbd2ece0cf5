package expr

import (
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// shown is an expression as it was written, with its literals.
func shown(env *Env, n Node) string {
	return Print(Rewrite(n, func(n Node) Node {
		if p, ok := n.(*Param); ok && p.Literal && p.Index < len(env.Params) {
			return &Const{V: env.Params[p.Index], Hex: p.Hex}
		}
		return n
	}))
}

// rangeError names the expression in 1690.
func rangeError(env *Env, err error, n Node) error {
	e, ok := err.(*mysql.MySQLError)
	if !ok || e.Number != uint16(mysqlerr.DataOutOfRange) {
		return err
	}
	kind, _, _ := strings.Cut(e.Message, " value is out of range")
	return mysqlerr.New(mysqlerr.DataOutOfRange, "%s value is out of range in '%s'", kind, shown(env, n))
}
