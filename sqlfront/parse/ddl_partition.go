package parse

import (
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// partitionBy reads PARTITION BY into *by; it is false if there is none.
func (p *parser) partitionBy(by **ast.PartitionBy) bool {
	if !p.At("PARTITION", "BY") {
		return false
	}
	*by = p.partitioning()
	return true
}

// partitioning reads PARTITION BY ... with its partitions
// (https://dev.mysql.com/doc/refman/5.7/en/create-table.html).
func (p *parser) partitioning() *ast.PartitionBy {
	p.Expect("PARTITION", "BY")
	b := &ast.PartitionBy{PartitionMethod: p.partitionMethod()}
	for {
		switch {
		case p.Accept("PARTITIONS"):
			b.Partitions, b.Counted = p.IntValue("a number of partitions"), true
		case b.Sub == nil && p.At("SUBPARTITION", "BY"):
			b.Sub = p.subPartitioning()
		case b.Splits == nil && p.Accept("SPLITS"):
			p.Parenthesized(func() { b.Splits = append(b.Splits, p.bounds()) })
		case b.Defs == nil && p.AtOp("("):
			b.Defs = p.partitionDefs("PARTITION")
		default:
			return b
		}
	}
}

// subPartitioning reads SUBPARTITION BY ....
func (p *parser) subPartitioning() *ast.SubPartitionBy {
	p.Expect("SUBPARTITION", "BY")
	s := &ast.SubPartitionBy{PartitionMethod: p.partitionMethod()}
	for {
		switch {
		case p.Accept("SUBPARTITIONS"):
			s.Partitions, s.Counted = p.IntValue("a number of subpartitions"), true
		case s.Template == nil && p.Accept("SUBPARTITION"):
			p.Expect("TEMPLATE")
			s.Template = p.partitionDefs("SUBPARTITION")
		default:
			return s
		}
	}
}

// partitionMethod reads [LINEAR] KEY, HASH, RANGE or LIST with its columns or
// its expression.
func (p *parser) partitionMethod() (m ast.PartitionMethod) {
	linear := ""
	if p.Accept("LINEAR") {
		linear = "LINEAR "
		if !p.AtAny("KEY", "HASH") {
			p.Expected("KEY or HASH")
		}
	}
	m.Method = p.ExpectAny("KEY", "HASH", "RANGE", "LIST")
	switch {
	case m.Method == "KEY":
		if p.Accept("ALGORITHM") {
			p.AcceptOp("=")
			m.Algorithm = p.IntValue("1 or 2")
		}
		m.Columns = p.partitionColumns(true)
	case m.Method != "HASH" && p.Accept("COLUMNS"):
		m.Method += " COLUMNS"
		m.Columns = p.partitionColumns(false)
	default:
		m.Expr, m.ExprText = p.exprInParentheses()
	}
	m.Method = linear + m.Method
	return m
}

func (p *parser) partitionColumns(mayBeEmpty bool) []string {
	p.ExpectOp("(")
	if mayBeEmpty && p.AcceptOp(")") {
		return nil
	}
	columns := p.Names("the name of a column")
	p.ExpectOp(")")
	return columns
}

// partitionDefs reads (PARTITION p ..., ...); kind is PARTITION or SUBPARTITION.
func (p *parser) partitionDefs(kind string) []ast.PartitionDef {
	var defs []ast.PartitionDef
	p.Parenthesized(func() { defs = append(defs, p.partitionDef(kind)) })
	return defs
}

func (p *parser) partitionDef(kind string) ast.PartitionDef {
	p.Expect(kind)
	d := ast.PartitionDef{Name: p.NewName("the name of a partition")}
	if p.Accept("VALUES") {
		p.partitionValues(&d)
	}
	for p.partitionOption(&d) {
	}
	if kind == "PARTITION" && p.AtOp("(") {
		d.Subs = p.partitionDefs("SUBPARTITION")
	}
	return d
}

// partitionValues reads LESS THAN (a, ...), LESS THAN MAXVALUE and IN (a, ...).
func (p *parser) partitionValues(d *ast.PartitionDef) {
	if p.Accept("IN") {
		p.Parenthesized(func() { d.In = append(d.In, p.bounds()...) })
		return
	}
	p.Expect("LESS", "THAN")
	if p.At("MAXVALUE") {
		d.LessThan = []ast.PartValue{p.bound()}
		return
	}
	p.Parenthesized(func() { d.LessThan = append(d.LessThan, p.bound()) })
}

// bounds reads a value or a row of values, as in VALUES IN and SPLITS.
func (p *parser) bounds() []ast.PartValue {
	if !p.AtOp("(") {
		return []ast.PartValue{p.bound()}
	}
	return p.boundsInParentheses()
}

func (p *parser) boundsInParentheses() (row []ast.PartValue) {
	p.Parenthesized(func() { row = append(row, p.bound()) })
	return row
}

// bound reads one value of a partition.
func (p *parser) bound() ast.PartValue {
	t := p.Current()
	v := ast.PartValue{Param: -1}
	switch {
	case p.Accept("MAXVALUE"):
		v.MaxValue = true
	case p.Accept("NULL"):
		v.Null = true
	case t.Kind == lex.Param:
		v.Param = p.param()
	case t.Kind.IsLiteral():
		v.Bytes = p.recoded().Bytes
	case t.Kind == lex.Int, t.Kind == lex.Float, p.AtOp("-"), p.AtOp("+"):
		v.Bytes, v.Number = []byte(p.numberText()), true
	case t.Kind == lex.Word || p.AtOp("("):
		p.Unsupported(t.Start, "an expression as the bound of a partition")
	default:
		p.Expected("a literal, ? or MAXVALUE")
	}
	return v
}

// partitionOption reads one option of a partition.
func (p *parser) partitionOption(d *ast.PartitionDef) bool {
	switch {
	case p.Accept("STORAGE", "ENGINE"), p.Accept("ENGINE"):
		d.Engine = p.optionValue("the name of an engine")
	case p.Accept("COMMENT"):
		d.Comment = *p.optionString("a comment in quotes")
	case p.Accept("DATA", "DIRECTORY"), p.Accept("INDEX", "DIRECTORY"):
		p.optionString("a directory in quotes")
	case p.Accept("MAX_ROWS"), p.Accept("MIN_ROWS"), p.Accept("NODEGROUP"):
		p.AcceptOp("=")
		p.UintValue("a number")
	case p.Accept("TABLESPACE"):
		p.optionValue("the name of a tablespace")
	default:
		return false
	}
	return true
}
