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

// CreateTable is CREATE [TEMPORARY] TABLE with a column list, a SELECT, or both.
type CreateTable struct {
	Name        TableName
	Temporary   bool
	IfNotExists bool
	Columns     []ColumnDef
	// PrimaryKey are the columns of PRIMARY KEY (...); a column that itself is declared PRIMARY KEY has
	// ColumnDef.PrimaryKey.
	PrimaryKey []string
	// Keys are all other keys and constraints.
	Keys      []KeyDef
	Options   TableOptions
	Partition *PartitionBy
	// Fill is the INSERT for a SELECT after the table; its Node names neither the table nor the columns. It
	// is nil without a SELECT.
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
	// Type is the base type in lower case: varbinary, bigint, double precision becomes double, integer
	// becomes int.
	Type string
	// Length and Decimals are those in parentheses, or -1.
	Length, Decimals int
	// Values are the values of enum and set.
	Values           []string
	Unsigned         bool
	Zerofill         bool
	Charset, Collate string
	NotNull, Null    bool // as written; both false if neither was
	Default          *DefaultValue
	OnUpdate         string // source text
	Comment          string
	PrimaryKey       bool
	AutoIncrement    bool
	Unique           bool
	Generated        *Generated
	Checks           []KeyDef
	References       string // REFERENCES and what follows, or empty
	Offset           int    // of the name
}

// DefaultValue is the DEFAULT of a column.
type DefaultValue struct {
	Null bool
	Text string         // the literal's value, or the source text of an expression
	Expr sqlparser.Expr // for DEFAULT (expr) and CURRENT_TIMESTAMP
	// Clock is true for CURRENT_TIMESTAMP and its synonyms outside of parentheses.
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
	// Index is the name of a foreign key's index, or empty.
	Index string
	// Using is BTREE, HASH or RTREE, or empty.
	Using   string
	Comment string
	// Expr is the condition of CHECK, Text its source between the parentheses. For a foreign key, Text is
	// REFERENCES and what follows.
	Expr        sqlparser.Expr
	Text        string
	NotEnforced bool
}

// KeyPart is a column of a key. ASC and DESC are ignored, as in MySQL 5.7.
type KeyPart struct {
	Column string
	// Length is that of a prefix, in parentheses; -1 if there is none.
	Length int
}

// TableOptions are the options after the column list. Those that have no effect here are in Other.
type TableOptions struct {
	Engine, Charset, Collate string
	Comment                  *string
	RowFormat                string
	AutoIncrement            *uint64
	// HBase is TDSQL's trailing keyword.
	HBase bool
	// TableGroup is OceanBase's option; Offset is the position of its value.
	TableGroup *string
	Retention  []RetentionOption
	Mapping    Mapping
	Offset     int // of the first option
	Other      []TableOption
}

// Mapping is the options about the table group onto which a table is mapped; nil if not given.
type Mapping struct {
	// Table is HBASE_TABLE, Columns HBASE_COLUMNS, Separator HBASE_KEY_SEPARATOR.
	Table, Columns, Separator *string
}

// RetentionOption is an option that says which versions are kept. A later one overrides an earlier one.
type RetentionOption struct {
	// Name is KV_ATTRIBUTES, TTL, MAX_VERSIONS, MIN_VERSIONS or
	// DROP_EXPIRED_PARTITIONS.
	Name string
	// Value is the JSON text of KV_ATTRIBUTES; otherwise a number as written, or a word in upper case.
	Value string
}

// TableOption is an option without effect.
type TableOption struct{ Name, Value string } // Name in upper case

// PartitionMethod is how rows are assigned to partitions.
type PartitionMethod struct {
	// Method is KEY, LINEAR KEY, HASH, LINEAR HASH, RANGE, RANGE COLUMNS, LIST
	// or LIST COLUMNS.
	Method    string
	Algorithm int      // for KEY, or 0
	Columns   []string // for KEY, RANGE COLUMNS, LIST COLUMNS; empty for KEY()
	Expr      sqlparser.Expr
	ExprText  string
}

// PartitionBy is PARTITION BY.
type PartitionBy struct {
	PartitionMethod
	// Partitions is the number after PARTITIONS; Counted is true if it is given.
	Partitions int
	Counted    bool
	Defs       []PartitionDef
	// Splits are the points of SPLITS (...), which makes the partitions between them: each has a value, or
	// one for each column.
	Splits [][]PartValue
	Sub    *SubPartitionBy
}

// SubPartitionBy is SUBPARTITION BY.
type SubPartitionBy struct {
	PartitionMethod
	// Partitions is the number after SUBPARTITIONS; Counted is true if it is given.
	Partitions int
	Counted    bool
	// Template is OceanBase's SUBPARTITION TEMPLATE (...).
	Template []PartitionDef
}

// PartitionDef is one PARTITION (or SUBPARTITION) name ....
type PartitionDef struct {
	Name string
	// LessThan are the values of VALUES LESS THAN, or nil.
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
	// Bytes is the value of a string, hex or bit literal, or a number's text.
	Bytes  []byte
	Number bool
	Param  int // from 0 on, or -1 if it is not a placeholder
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

// CreateView is CREATE [OR REPLACE] VIEW, or ALTER VIEW. A view has no placeholders.
type CreateView struct {
	Name      TableName
	OrReplace bool
	Alter     bool
	// Algorithm, Security and Check are MySQL's words, empty if not given.
	Algorithm, Security, Check string
	// Definer is the account of DEFINER, or nil.
	Definer *AccountName
	Columns []string
	Select  sqlparser.SelectStatement
	Hints   Hints
	// SelectText is the SELECT as written; Refs are the names in it whose meaning depends on the session or
	// may change, in the order of the text.
	SelectText string
	Refs       []ViewRef
}

// ViewRef is a table's name in the text of a view, a * in its select lists, or the word TABLE of TABLE t.
type ViewRef struct {
	Start, End int // in SelectText, in bytes
	// Table is the name, zero for a star.
	Table TableName
	// Star is the number of the star, from 0 on, or -1.
	Star int
	// Query is true for TABLE, which stands for SELECT * FROM; Star is the star's number.
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
