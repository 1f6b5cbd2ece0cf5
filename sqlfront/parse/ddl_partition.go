package parse

// partitionBy reads PARTITION BY into *by; it is false where there is none.
func (p *parser) partitionBy(by **PartitionBy) bool {
	if !p.at("PARTITION", "BY") {
		return false
	}
	*by = p.partitioning()
	return true
}

// partitioning reads PARTITION BY ... with its partitions
// (https://dev.mysql.com/doc/refman/5.7/en/create-table.html).
func (p *parser) partitioning() *PartitionBy {
	p.expect("PARTITION", "BY")
	b := &PartitionBy{PartitionMethod: p.partitionMethod()}
	for {
		switch {
		case p.accept("PARTITIONS"):
			b.Partitions, b.Counted = p.intValue("a number of partitions"), true
		case b.Sub == nil && p.at("SUBPARTITION", "BY"):
			b.Sub = p.subPartitioning()
		case b.Splits == nil && p.accept("SPLITS"):
			p.parenthesized(func() { b.Splits = append(b.Splits, p.bound()) })
		case b.Defs == nil && p.atOp("("):
			b.Defs = p.partitionDefs("PARTITION")
		default:
			return b
		}
	}
}

// subPartitioning reads SUBPARTITION BY ....
func (p *parser) subPartitioning() *SubPartitionBy {
	p.expect("SUBPARTITION", "BY")
	s := &SubPartitionBy{PartitionMethod: p.partitionMethod()}
	for {
		switch {
		case p.accept("SUBPARTITIONS"):
			s.Partitions, s.Counted = p.intValue("a number of subpartitions"), true
		case s.Template == nil && p.accept("SUBPARTITION"):
			p.expect("TEMPLATE")
			s.Template = p.partitionDefs("SUBPARTITION")
		default:
			return s
		}
	}
}

// partitionMethod reads [LINEAR] KEY, HASH, RANGE or LIST with its columns or
// its expression.
func (p *parser) partitionMethod() (m PartitionMethod) {
	linear := ""
	if p.accept("LINEAR") {
		linear = "LINEAR "
		if !p.atAny("KEY", "HASH") {
			p.expected("KEY or HASH")
		}
	}
	m.Method = p.expectAny("KEY", "HASH", "RANGE", "LIST")
	switch {
	case m.Method == "KEY":
		if p.accept("ALGORITHM") {
			p.acceptOp("=")
			m.Algorithm = p.intValue("1 or 2")
		}
		m.Columns = p.partitionColumns(true)
	case m.Method != "HASH" && p.accept("COLUMNS"):
		m.Method += " COLUMNS"
		m.Columns = p.partitionColumns(false)
	default:
		m.Expr, m.ExprText = p.exprInParentheses()
	}
	m.Method = linear + m.Method
	return m
}

func (p *parser) partitionColumns(mayBeEmpty bool) []string {
	p.expectOp("(")
	if mayBeEmpty && p.acceptOp(")") {
		return nil
	}
	columns := p.names("the name of a column")
	p.expectOp(")")
	return columns
}

// partitionDefs reads (PARTITION p ..., ...); kind is PARTITION or SUBPARTITION.
func (p *parser) partitionDefs(kind string) []PartitionDef {
	var defs []PartitionDef
	p.parenthesized(func() { defs = append(defs, p.partitionDef(kind)) })
	return defs
}

func (p *parser) partitionDef(kind string) PartitionDef {
	p.expect(kind)
	d := PartitionDef{Name: p.newName("the name of a partition")}
	if p.accept("VALUES") {
		p.partitionValues(&d)
	}
	for p.partitionOption(&d) {
	}
	if kind == "PARTITION" && p.atOp("(") {
		d.Subs = p.partitionDefs("SUBPARTITION")
	}
	return d
}

// partitionValues reads LESS THAN (a, ...), LESS THAN MAXVALUE and IN (a, ...).
func (p *parser) partitionValues(d *PartitionDef) {
	if p.accept("IN") {
		p.parenthesized(func() { d.In = append(d.In, p.bounds()...) })
		return
	}
	p.expect("LESS", "THAN")
	if p.at("MAXVALUE") {
		d.LessThan = []PartValue{p.bound()}
		return
	}
	p.parenthesized(func() { d.LessThan = append(d.LessThan, p.bound()) })
}

// bounds reads a value or a row of values, as VALUES IN has them.
func (p *parser) bounds() []PartValue {
	if !p.atOp("(") {
		return []PartValue{p.bound()}
	}
	var row []PartValue
	p.parenthesized(func() { row = append(row, p.bound()) })
	return row
}

// bound reads one value of a partition.
func (p *parser) bound() PartValue {
	t := p.cur()
	v := PartValue{Param: -1}
	switch {
	case p.accept("MAXVALUE"):
		v.MaxValue = true
	case p.accept("NULL"):
		v.Null = true
	case t.kind == tokParam:
		v.Param = p.param()
	case t.kind.isLiteral():
		v.Bytes = p.recoded().Bytes
	case t.kind == tokInt, t.kind == tokFloat, p.atOp("-"), p.atOp("+"):
		v.Bytes, v.Number = []byte(p.numberText()), true
	case t.kind == tokWord || p.atOp("("):
		p.unsupported(t.start, "an expression as the bound of a partition")
	default:
		p.expected("a literal, ? or MAXVALUE")
	}
	return v
}

// partitionOption reads one option of a partition.
func (p *parser) partitionOption(d *PartitionDef) bool {
	switch {
	case p.accept("STORAGE", "ENGINE"), p.accept("ENGINE"):
		d.Engine = p.optionValue("the name of an engine")
	case p.accept("COMMENT"):
		d.Comment = *p.optionString("a comment in quotes")
	case p.accept("DATA", "DIRECTORY"), p.accept("INDEX", "DIRECTORY"):
		p.optionString("a directory in quotes")
	case p.accept("MAX_ROWS"), p.accept("MIN_ROWS"), p.accept("NODEGROUP"):
		p.acceptOp("=")
		p.uintValue("a number")
	case p.accept("TABLESPACE"):
		p.optionValue("the name of a tablespace")
	default:
		return false
	}
	return true
}
