package parse_test

import (
	"fmt"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

func ExampleParse() {
	p, err := parse.Parse("SELECT K, COUNT(*) FROM htable1$family1 FOR SYSTEM_TIME AS OF ? WHERE Q = 'it''s' GROUP BY K")
	if err != nil {
		panic(err)
	}
	sel := p.Stmt.(*ast.Select).Node.(*sqlparser.Select)
	table := sel.From[0].(*sqlparser.AliasedTableExpr).Expr.(*ast.Table)
	fmt.Println(table.Name, table.Period.A.Param, p.NumParams)
	literal := sel.Where.Expr.(*sqlparser.ComparisonExpr).Right.(*ast.Literal)
	fmt.Println(string(literal.Bytes))
	fmt.Println(sel.SelectExprs[1].(*ast.Item).Label)
	// Output:
	// htable1$family1 0 1
	// it's
	// COUNT(*)
}

func ExampleParse_error() {
	_, err := parse.Parse("SELECT K FROM t WHERE")
	fmt.Println(err)
	// Output:
	// Error 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '' at line 1 (position 22; expected an expression)
}

func ExampleSplit() {
	pieces, err := lex.Split("INSERT INTO t VALUES (';'); -- done;\nSELECT 1;")
	if err != nil {
		panic(err)
	}
	for _, piece := range pieces {
		fmt.Println(piece)
	}
	// Output:
	// INSERT INTO t VALUES (';')
	// SELECT 1
}
