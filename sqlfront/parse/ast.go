package parse

import "github.com/xwb1989/sqlparser"

// Parsed is one statement.
type Parsed struct {
	// Text is the statement as the user wrote it.
	Text string
	Stmt Statement
	// NumParams is the number of placeholders.
	NumParams int
	// Literals are the string, hex and bit literals that the tree refers to.
	Literals []Literal
	// Periods are the FOR SYSTEM_TIME clauses; TableRef.Period is an index.
	Periods []Period
	// Partitions are the PARTITION (p0, p1) selections behind table names;
	// TableRef.Partitions is an index.
	Partitions [][]string
	// Common are the common table expressions of WITH, in the order in which they
	// end; TableRef.Common is an index.
	Common []CommonTable
	// Warnings name what was read and ignored, such as unknown hints.
	Warnings []string
}

// LiteralKind tells text from binary strings.
type LiteralKind uint8

// The kinds of literal.
const (
	LitString    LiteralKind = iota // 'text', "text", N'text', _utf8mb4'text'
	LitBytes                        // X'00', 0x00, b'01', 0b01, _binary'..'
	LitDate                         // DATE '2020-01-01'; the bytes are the text in quotes
	LitTime                         // TIME '10:00:00'
	LitTimestamp                    // TIMESTAMP '2020-01-01 10:00:00'
)

// Literal is one literal with its escapes resolved, except that \% and \_ keep
// their backslash as in MySQL
// (https://dev.mysql.com/doc/refman/5.7/en/string-literals.html).
type Literal struct {
	Kind  LiteralKind
	Bytes []byte
	// Hex is true for X'..', 0x.., b'..' and 0b.., which MySQL reads as
	// numbers in numeric context.
	Hex bool
}

// Statement is one of the statement types of this package.
type Statement interface{ statement() }

// TableName names a table in statements that are read here. Database is empty
// where the user gave none.
type TableName struct {
	Database, Name string
	Offset         int // of the name's first byte in the text
}

// TableRef is a table name of a sqlparser tree.
type TableRef struct {
	Database, Name string
	Period         int // index in Parsed.Periods, or -1
	Partitions     int // index in Parsed.Partitions, or -1
	// Common is an index in Parsed.Common where the name is that of a common table
	// expression in whose scope it stands, or -1.
	Common int
}

// CommonTable is name [(columns)] AS (SELECT ...) of WITH.
type CommonTable struct {
	Name    string
	Columns []string // nil where none are named
	Node    sqlparser.SelectStatement
	// Used is true where the statement names it.
	Used bool
}

// PeriodKind is the form of a FOR SYSTEM_TIME clause.
type PeriodKind uint8

// The forms of FOR SYSTEM_TIME
// (https://mariadb.com/kb/en/system-versioned-tables/#querying-historical-data).
const (
	PeriodAll     PeriodKind = iota // every version
	PeriodAsOf                      // the newest version with T <= A
	PeriodFromTo                    // A <= T < B
	PeriodBetween                   // A <= T <= B
)

// Period is one FOR SYSTEM_TIME clause.
type Period struct {
	Kind PeriodKind
	A, B Operand
}

// Operand is an int64 constant or a placeholder.
type Operand struct {
	Param int // from 0, or -1 for a constant
	Const int64
}

// noOperand is what is left of a clause that has fewer operands.
var noOperand = Operand{Param: -1}

// Hints are the optimizer hints that this driver acts on.
type Hints struct {
	Versions         *VersionsHint
	TimeRange        *TimeRangeHint
	MaxExecutionTime *Operand // milliseconds
}

// VersionsHint is VERSIONS(ALL) or VERSIONS(n).
type VersionsHint struct {
	All bool
	N   Operand
}

// TimeRangeHint is TIMERANGE(A, B): A <= T < B.
type TimeRangeHint struct{ A, B Operand }

// LockWait is what a locking read does about locked rows.
type LockWait uint8

// The ways of a locking read.
const (
	LockWaits LockWait = iota
	LockNoWait
	LockSkipLocked
)

// Select is SELECT or UNION, at top level.
type Select struct {
	Node sqlparser.SelectStatement
	Hints
	// CalcFoundRows is SQL_CALC_FOUND_ROWS.
	CalcFoundRows bool
	// Locks tells that a part of it has FOR UPDATE, FOR SHARE or LOCK IN SHARE
	// MODE.
	Locks    bool
	LockWait LockWait
	// Into are the user variables of INTO @a, @b; nil where there is none.
	Into []string
}

// Insert is INSERT or REPLACE; Node.Action tells which.
type Insert struct {
	Node   *sqlparser.Insert
	Ignore bool
	Hints
	// SelectHints are those of the SELECT that gives the rows.
	SelectHints Hints
}

// Update is UPDATE of one table, which may be joined with derived tables.
type Update struct {
	Node   *sqlparser.Update
	Ignore bool
	Hints
}

// Delete is DELETE from one table.
type Delete struct {
	Node *sqlparser.Delete
	// Alias is the table's alias, or empty.
	Alias  string
	Ignore bool
	Hints
}

// Explain is EXPLAIN of a statement.
type Explain struct {
	Format  string // TRADITIONAL, TREE or JSON
	Analyze bool
	Target  Statement // *Select, *Insert, *Update or *Delete
	// TargetText is the target as the user wrote it.
	TargetText string
}

func (*Select) statement()  {}
func (*Insert) statement()  {}
func (*Update) statement()  {}
func (*Delete) statement()  {}
func (*Explain) statement() {}
