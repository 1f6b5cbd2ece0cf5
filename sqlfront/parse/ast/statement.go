package ast

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
)

// Parsed is one statement.
type Parsed struct {
	// Text is the statement as the user wrote it.
	Text string
	Stmt Statement
	// Tokens is the number of tokens in the text, including one for its end.
	Tokens int
	// NumParams is the number of placeholders.
	NumParams int
	// Limits are the placeholders of LIMIT.
	Limits []int
	// Readings say how the literals are read, by slot; those after the last are read as they are written.
	Readings []Reading
	// Height is that of the highest expression.
	Height int
	// Common are the common table expressions of WITH, in the order in which they end.
	Common []*CommonTable
	// Windows are the WINDOW clauses of the SELECTs that have one.
	Windows map[*sqlparser.Select]*Windows
	// Warnings name what was read and ignored, such as unknown hints.
	Warnings []string
}

// Statement is one of the statement types of this package.
type Statement interface{ statement() }

// TableName names a table in statements that are types of this package. Database is empty if none is given.
type TableName struct {
	Database, Name string
	Offset         int // of the name's first byte in the text
}

// CommonTable is name [(columns)] AS (SELECT ...) of WITH.
type CommonTable struct {
	Name    string
	Number  int      // in Parsed.Common
	Columns []string // nil if none are named
	Node    sqlparser.SelectStatement
	// Used is true if the statement refers to it, Recursive if its own query does.
	Used, Recursive bool
}

// Hints are the optimizer hints that this driver acts on.
type Hints struct {
	Versions         *clause.VersionsHint
	TimeRange        *clause.TimeRangeHint
	MaxExecutionTime *clause.Operand // milliseconds
}

// LockWait is how a locking read treats locked rows.
type LockWait uint8

// The ways of locking reads.
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
	// Dump is true for SELECT /*!40001 SQL_NO_CACHE */, with which dumps read a table.
	Dump bool
	// Locks says that some part has FOR UPDATE, FOR SHARE or LOCK IN SHARE MODE.
	Locks    bool
	LockWait LockWait
	// Into is where the rows go instead of to the client; nil without INTO.
	Into *Into
}

// Into is INTO of a SELECT: Variables, or else a File.
type Into struct {
	Variables []string // user variables
	File      string
	Dump      bool   // INTO DUMPFILE, which has no Format
	Charset   string // as written, or empty
	Format    clause.TextFormat
}

// LoadData is LOAD DATA.
type LoadData struct {
	File            string
	Local           bool
	Replace, Ignore bool
	Table           *Table
	Charset         string // as written, or empty
	Format          clause.TextFormat
	Skip            uint64 // lines
	// Fields are the columns and variables into which the fields of a line go; nil means all columns.
	Fields []LoadField
	Set    sqlparser.UpdateExprs
}

// LoadField is a column or, if that is empty, a user variable.
type LoadField struct{ Column, Variable string }

// Insert is INSERT or REPLACE; Node.Action tells which.
type Insert struct {
	Node   *sqlparser.Insert
	Ignore bool
	Hints
	// SelectHints are the hints of the SELECT that gives the rows.
	SelectHints Hints
}

// Update is UPDATE of a table, or of some of the tables of a join.
type Update struct {
	Node   *sqlparser.Update
	Ignore bool
	Hints
}

// Delete is DELETE from a table, or from some of the tables of a join: those in Targets, by their names in
// FROM.
type Delete struct {
	Node   *sqlparser.Delete
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

func (*Select) statement()   {}
func (*Insert) statement()   {}
func (*Update) statement()   {}
func (*Delete) statement()   {}
func (*Explain) statement()  {}
func (*LoadData) statement() {}
