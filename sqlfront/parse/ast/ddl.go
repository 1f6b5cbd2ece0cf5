package ast

import "github.com/xwb1989/sqlparser"

// DatabaseOptions are the options of CREATE and ALTER DATABASE.
type DatabaseOptions struct{ Charset, Collate string }

// CreateDatabase is CREATE {DATABASE | SCHEMA}.
type CreateDatabase struct {
	Name        string
	IfNotExists bool
	Options     DatabaseOptions
}

// AlterDatabase is ALTER {DATABASE | SCHEMA}; Name is empty for the current one.
type AlterDatabase struct {
	Name    string
	Options DatabaseOptions
}

// DropDatabase is DROP {DATABASE | SCHEMA}.
type DropDatabase struct {
	Name     string
	IfExists bool
}

// CreateTableGroup is OceanBase's CREATE TABLEGROUP.
type CreateTableGroup struct {
	Name        TableName
	IfNotExists bool
	Sharding    string // upper case: NONE, PARTITION, ADAPTIVE; or empty
	Retention   []RetentionOption
}

// AlterTableGroup is ALTER TABLEGROUP g {ADD [TABLE] t, ... | [SET] options}.
type AlterTableGroup struct {
	Name      TableName
	AddTables []TableName
	Sharding  *string // upper case
	Retention []RetentionOption
}

// DropTableGroup is DROP TABLEGROUP.
type DropTableGroup struct {
	Name     TableName
	IfExists bool
}

// CreateTable is CREATE [TEMPORARY] TABLE with a column list, with a SELECT, or with both.
type CreateTable struct {
	Name        TableName
	Temporary   bool
	IfNotExists bool
	Columns     []ColumnDef
	// PrimaryKey are the columns of PRIMARY KEY (...); a column that is
	// declared PRIMARY KEY itself has ColumnDef.PrimaryKey.
	PrimaryKey []string
	// Keys are all other keys and constraints.
	Keys      []KeyDef
	Options   TableOptions
	Partition *PartitionBy
	// Fill is the INSERT that a SELECT behind the table stands for; its Node names
	// neither the table nor the columns. It is nil where there is no SELECT.
	Fill *Insert
}

// CreateTableLike is CREATE [TEMPORARY] TABLE t LIKE other.
type CreateTableLike struct {
	Name, Like  TableName
	Temporary   bool
	IfNotExists bool
}

// ColumnDef is one column of CREATE TABLE, ADD, MODIFY or CHANGE COLUMN.
type ColumnDef struct {
	Name string
	// Type is the base type in lower case: varbinary, bigint, double
	// precision becomes double, integer becomes int.
	Type string
	// Length and Decimals are those in parentheses, or -1.
	Length, Decimals int
	// Values are those of enum and set.
	Values           []string
	Unsigned         bool
	Zerofill         bool
	Charset, Collate string
	NotNull, Null    bool // as written; neither where nothing was written
	Default          *DefaultValue
	OnUpdate         string // source text
	Comment          string
	PrimaryKey       bool
	AutoIncrement    bool
	Unique           bool
	Generated        *Generated
	Checks           []KeyDef
	References       string // REFERENCES and what follows, empty where it is not there
	Offset           int    // of the name
}

// DefaultValue is the DEFAULT of a column.
type DefaultValue struct {
	Null bool
	Text string         // the literal's value, or the source text of an expression
	Expr sqlparser.Expr // for DEFAULT (expr) and CURRENT_TIMESTAMP
	// Clock is true of CURRENT_TIMESTAMP and its synonyms outside of parentheses.
	Clock bool
}

// Generated is GENERATED ALWAYS AS (expr) [VIRTUAL | STORED].
type Generated struct {
	Expr   sqlparser.Expr
	Text   string // the source text between the parentheses
	Stored bool
}

// KeyDef is a key or constraint other than the primary key.
type KeyDef struct {
	Kind  string // INDEX, UNIQUE, FULLTEXT, SPATIAL, FOREIGN KEY, CHECK
	Name  string
	Parts []KeyPart
	// Index is the name of a foreign key's index; it is empty where nothing was written.
	Index string
	// Using is BTREE, HASH or RTREE; it is empty where nothing was written.
	Using   string
	Comment string
	// Expr is the condition of CHECK, Text its source between the parentheses. Text of a foreign key is
	// REFERENCES and what follows.
	Expr        sqlparser.Expr
	Text        string
	NotEnforced bool
}

// KeyPart is a column of a key. ASC and DESC, which may stand behind it, say nothing, as in MySQL 5.7.
type KeyPart struct {
	Column string
	// Length is that of a prefix, in parentheses; -1 where there is none.
	Length int
}

// TableOptions are the options behind the column list. Those that have no
// effect here are in Other.
type TableOptions struct {
	Engine, Charset, Collate string
	Comment                  *string
	RowFormat                string
	AutoIncrement            *uint64
	// HBase is TDSQL's trailing keyword.
	HBase bool
	// TableGroup is OceanBase's option, with Offset of its value.
	TableGroup *string
	Retention  []RetentionOption
	Mapping    Mapping
	Offset     int // of the first option
	Other      []TableOption
}

// Mapping is what options say of the table group onto which a table is mapped; nil is nothing.
type Mapping struct {
	// Table is HBASE_TABLE, Columns HBASE_COLUMNS, Separator HBASE_KEY_SEPARATOR.
	Table, Columns, Separator *string
}

// RetentionOption is an option that says which versions are kept. A later one
// beats an earlier one.
type RetentionOption struct {
	// Name is KV_ATTRIBUTES, TTL, MAX_VERSIONS, MIN_VERSIONS or
	// DROP_EXPIRED_PARTITIONS.
	Name string
	// Value is the JSON text of KV_ATTRIBUTES, else a number, or a word in upper
	// case, as written.
	Value string
}

// TableOption is an option that is read and has no effect.
type TableOption struct{ Name, Value string } // Name in upper case

// PartitionMethod is how rows are told apart.
type PartitionMethod struct {
	// Method is KEY, LINEAR KEY, HASH, LINEAR HASH, RANGE, RANGE COLUMNS, LIST
	// or LIST COLUMNS.
	Method    string
	Algorithm int      // of KEY, or 0
	Columns   []string // of KEY, RANGE COLUMNS, LIST COLUMNS; empty for KEY()
	Expr      sqlparser.Expr
	ExprText  string
}

// PartitionBy is PARTITION BY.
type PartitionBy struct {
	PartitionMethod
	// Partitions is the number behind PARTITIONS, Counted where it is there.
	Partitions int
	Counted    bool
	Defs       []PartitionDef
	// Splits are the points of SPLITS (...), which makes the partitions
	// between them: each has a value, or one for each column.
	Splits [][]PartValue
	Sub    *SubPartitionBy
}

// SubPartitionBy is SUBPARTITION BY.
type SubPartitionBy struct {
	PartitionMethod
	// Partitions is the number behind SUBPARTITIONS, Counted where it is there.
	Partitions int
	Counted    bool
	// Template is OceanBase's SUBPARTITION TEMPLATE (...).
	Template []PartitionDef
}

// PartitionDef is one PARTITION (or SUBPARTITION) name ....
type PartitionDef struct {
	Name string
	// LessThan are the values of VALUES LESS THAN; nil where there is none.
	LessThan []PartValue
	// In are the values of VALUES IN.
	In      []PartValue
	Engine  string
	Comment string
	Subs    []PartitionDef
}

// PartValue is a bound of a partition.
type PartValue struct {
	MaxValue bool
	Null     bool
	// Bytes is a string, hex or bit literal's value, or a number's text.
	Bytes  []byte
	Number bool
	Param  int // from 0, or -1 where this is no placeholder
}

// DropTable is DROP [TEMPORARY] TABLE.
type DropTable struct {
	Names     []TableName
	IfExists  bool
	Temporary bool
}

// TruncateTable is TRUNCATE [TABLE].
type TruncateTable struct{ Name TableName }

// RenameTable is RENAME TABLE a TO b, ....
type RenameTable struct{ Pairs []RenamePair }

// RenamePair is one renaming.
type RenamePair struct{ From, To TableName }

// CreateView is CREATE [OR REPLACE] VIEW, or ALTER VIEW. A view has no
// placeholders.
type CreateView struct {
	Name      TableName
	OrReplace bool
	Alter     bool
	// Algorithm, Security and Check are MySQL's words, empty where the
	// statement says nothing.
	Algorithm, Security, Check string
	// Definer is that of DEFINER, or nil.
	Definer *AccountName
	Columns []string
	Select  sqlparser.SelectStatement
	Hints   Hints
	// SelectText is the SELECT as written; Refs are the names in it whose
	// meaning depends on the session or may change, in the order of the text.
	SelectText string
	Refs       []ViewRef
}

// ViewRef is a table's name in the text of a view, a * of its select lists, or the word
// TABLE of TABLE t.
type ViewRef struct {
	Start, End int // in SelectText, in bytes
	// Table is the name, zero for a star.
	Table TableName
	// Star is the number of the star, from 0 on, as Star reads it, or -1.
	Star int
	// Query is true of TABLE, which stands for SELECT * FROM; Star is the star's number.
	Query bool
}

// DropView is DROP VIEW.
type DropView struct {
	Names    []TableName
	IfExists bool
}

// SplitTable is TiDB's SPLIT TABLE t {BETWEEN (a, ...) AND (b, ...) REGIONS n | BY (v, ...), ...}.
type SplitTable struct {
	Name       TableName
	Partitions []string
	From, To   []PartValue
	Regions    int
	By         [][]PartValue
}

func (*CreateDatabase) statement()   {}
func (*AlterDatabase) statement()    {}
func (*DropDatabase) statement()     {}
func (*CreateTableGroup) statement() {}
func (*AlterTableGroup) statement()  {}
func (*DropTableGroup) statement()   {}
func (*CreateTable) statement()      {}
func (*CreateTableLike) statement()  {}
func (*DropTable) statement()        {}
func (*TruncateTable) statement()    {}
func (*RenameTable) statement()      {}
func (*CreateView) statement()       {}
func (*DropView) statement()         {}
func (*SplitTable) statement()       {}
