package bind

import (
	"context"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// fold replaces an expression that reads only arguments by a further argument, if it has a value while the
// plan is made; an expression that fails, warns, reads the session or is long stays.
func (a *Arguments) fold(ctx context.Context, n expr.Node) (expr.Node, error) {
	v, has := foldedValue(ctx, n, a.values)
	if !has && ctx != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	a.assumed.folds = append(a.assumed.folds, assumedFold{n, v.Kind(), has})
	if !has {
		return n, nil
	}
	a.values = append(slices.Clip(a.values), v)
	return &expr.Param{Index: len(a.values) - 1, T: n.Type(), Of: a, Literal: onlyLiterals(n)}, nil
}

// onlyLiterals reports whether all arguments that an expression reads are literals.
func onlyLiterals(n expr.Node) bool {
	only := true
	expr.Walk(n, func(n expr.Node) bool {
		if p, ok := n.(*expr.Param); ok {
			only = only && p.Literal
		}
		return only
	})
	return only
}

// fold appends the values of the folded expressions; ok is false if the kind of one has changed, or whether
// it has a value.
func (a *Assumptions) fold(ctx context.Context, values []value.Value) (all []value.Value, ok bool) {
	for _, f := range a.folds {
		v, has := foldedValue(ctx, f.of, values)
		if has != f.has || v.Kind() != f.kind {
			return nil, false
		}
		if has {
			values = append(slices.Clip(values), v)
		}
	}
	return values, true
}

// foldedValue is the value of an expression of arguments and constants, if it is the same in every session;
// has is false if it fails, warns, reads the session or is long.
func foldedValue(ctx context.Context, n expr.Node, values []value.Value) (v value.Value, has bool) {
	env := &expr.Env{Params: values, Env: function.Env{Ctx: ctx, Strict: true, Folding: true}}
	v, err := n.Eval(env)
	if err != nil || env.NeedsSession {
		return value.Value{}, false
	}
	return v, true
}

// readsArguments are the Arguments to which some literals, or rows of them, belong; ok is false if a node is
// something else.
func readsArguments(nodes []expr.Node) (of *Arguments, ok bool) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *expr.Const:
		case *expr.Param:
			if of, ok = n.Of.(*Arguments); !ok || of.values == nil {
				return nil, false
			}
		case *expr.Tuple:
			items, ok := readsArguments(n.Items)
			if !ok {
				return nil, false
			}
			if items != nil {
				of = items
			}
		default:
			return nil, false
		}
	}
	return of, true
}
