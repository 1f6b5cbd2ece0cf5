package bind

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// maxJSONText is the maximum number of characters of JSON_VALUE without RETURNING.
const maxJSONText = 512

func (b *Binder) bindJSONValue(e *ast.JSONValue) (expr.Node, error) {
	n, err := b.bindAll(e.ValTuple...)
	if err != nil {
		return nil, err
	}
	out := &expr.JSONValue{Doc: n[0], Path: n[1], To: &expr.Cast{X: &expr.Const{}, To: expr.ToChar, Length: maxJSONText}}
	if e.Returning != nil {
		if out.To, err = castTo(&expr.Const{}, e.Returning); err != nil {
			return nil, err
		}
		if set := e.Returning.Charset; set != "" && !strings.EqualFold(set, "utf8mb4") {
			return nil, mysqlerr.Unsupported("RETURNING CHAR CHARACTER SET " + set)
		}
	}
	n = n[2:]
	for _, r := range []struct {
		out *expr.JSONResponse
		of  ast.JSONResponse
	}{{&out.OnEmpty, e.OnEmpty}, {&out.OnError, e.OnError}} {
		if r.out.Fails = r.of == ast.JSONError; r.of == ast.JSONDefault {
			r.out.Default, n = n[0], n[1:]
		}
	}
	return out, nil
}
