package parse

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// printed shows a Parsed for the datadriven tests: zero fields and offsets are left out, and operators have
// brackets, so that precedence is visible.
func printed(p *ast.Parsed) string {
	var b strings.Builder
	fmt.Fprintln(&b, show(reflect.ValueOf(p.Stmt)))
	if p.NumParams > 0 {
		fmt.Fprintln(&b, "  params:", p.NumParams)
	}
	for i, c := range p.Common {
		fmt.Fprintf(&b, "  common %d: %s\n", i, show(reflect.ValueOf(c)))
	}
	for _, w := range p.Warnings {
		fmt.Fprintln(&b, "  warning:", w)
	}
	return b.String()
}

func show(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case sqlparser.SQLNode:
		return tree(x)
	case clause.Operand:
		if x.Param >= 0 {
			return fmt.Sprintf("?%d", x.Param)
		}
		if x.Expr != nil {
			return tree(x.Expr)
		}
		return fmt.Sprint(x.Const)
	case clause.PeriodKind:
		return [...]string{"ALL", "AS OF", "FROM TO", "BETWEEN"}[x]
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return show(v.Elem())
	case reflect.Struct:
		return v.Type().Name() + "{" + strings.Join(fields(v), " ") + "}"
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return fmt.Sprintf("%q", v.Bytes())
		}
		var items []string
		for i := range v.Len() {
			items = append(items, show(v.Index(i)))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	}
	return fmt.Sprint(v.Interface())
}

func fields(v reflect.Value) (out []string) {
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		if (f.IsZero() && f.Type() != reflect.TypeFor[clause.Operand]() || f.Interface() == noOperand) && name != "Kind" &&
			!strings.HasSuffix(name, "Param") || strings.HasSuffix(name, "Offset") {
			continue
		}
		if name == "PartitionMethod" {
			out = append(out, fields(f)...)
			continue
		}
		out = append(out, name+":"+show(f))
		if strings.HasSuffix(name, "Param") && f.Int() < 0 {
			out = out[:len(out)-1]
		}
	}
	return out
}

// tree prints a syntax tree with brackets around each operator.
func tree(node sqlparser.SQLNode) string {
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, node sqlparser.SQLNode) {
		switch n := node.(type) {
		case *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.NotExpr, *sqlparser.ComparisonExpr, *sqlparser.RangeCond,
			*sqlparser.IsExpr, *sqlparser.BinaryExpr, *sqlparser.UnaryExpr, *sqlparser.CollateExpr, *ast.Xor:
			buf.WriteString("[")
			node.Format(buf)
			buf.WriteString("]")
		case *sqlparser.Union:
			open, end := "[", "]"
			if strings.HasPrefix(n.Type, sqlparser.UnionStr) {
				open, end = "", ""
			}
			buf.WriteString(open)
			node.Format(buf)
			buf.WriteString(end)
		case *ast.Literal:
			fmt.Fprintf(buf, "%s%q", literalKind(n), n.Bytes)
		case *ast.Item:
			node.Format(buf)
			if c, ok := n.Expr.(*sqlparser.ColName); n.As.IsEmpty() && n.Label != "" && !(ok && n.Label == c.Name.String()) {
				buf.Myprintf(" as %v", sqlparser.NewColIdent(n.Label))
			}
		case *ast.ViewStar:
			node.Format(buf)
			fmt.Fprintf(buf, " <%d>", n.Number)
		default:
			node.Format(buf)
		}
	})
	buf.Myprintf("%v", node)
	return buf.String()
}

func literalKind(l *ast.Literal) string {
	if l.Hex {
		return "x"
	}
	return [...]string{"", "b", "date", "time", "timestamp"}[l.Kind]
}
