package ast

// AlterTable is ALTER TABLE; its actions are in the order of the text.
type AlterTable struct {
	Name    TableName
	Actions []AlterAction
}

// AlterAction is a pointer to one of the Alter... types below.
type AlterAction any

// Position is where ADD, MODIFY and CHANGE put a column.
type Position struct {
	First bool
	After string
}

type (
	// AlterAddColumn is ADD [COLUMN].
	AlterAddColumn struct {
		Column   ColumnDef
		Position Position
	}
	// AlterDropColumn is DROP [COLUMN].
	AlterDropColumn struct{ Name string }
	// AlterModifyColumn is MODIFY [COLUMN].
	AlterModifyColumn struct {
		Column   ColumnDef
		Position Position
	}
	// AlterChangeColumn is CHANGE [COLUMN] old new definition.
	AlterChangeColumn struct {
		Old      string
		Column   ColumnDef
		Position Position
	}
	// AlterRenameColumn is RENAME COLUMN a TO b.
	AlterRenameColumn struct{ Old, New string }
	// AlterColumnDefault is ALTER [COLUMN] c {SET DEFAULT v | DROP DEFAULT}.
	AlterColumnDefault struct {
		Name    string
		Default *DefaultValue // nil for DROP DEFAULT
	}
	// AlterRename is RENAME [TO | AS].
	AlterRename struct{ To TableName }
	// AlterOptions sets table options.
	AlterOptions struct{ Options TableOptions }
	// AlterConvert is CONVERT TO CHARACTER SET c [COLLATE x].
	AlterConvert struct{ Charset, Collate string }
	// AlterAddPrimaryKey is ADD PRIMARY KEY.
	AlterAddPrimaryKey struct{ Columns []string }
	// AlterDropPrimaryKey is DROP PRIMARY KEY.
	AlterDropPrimaryKey struct{}
	// AlterAddKey is ADD {INDEX | KEY | UNIQUE | CONSTRAINT ...}.
	AlterAddKey struct{ Key KeyDef }
	// AlterDropKey is DROP {INDEX | KEY | FOREIGN KEY | CHECK | CONSTRAINT}.
	AlterDropKey struct{ Kind, Name string }
	// AlterRenameIndex is RENAME {INDEX | KEY} a TO b.
	AlterRenameIndex struct{ Old, New string }
	// AlterCheck is ALTER {CHECK | CONSTRAINT} name [NOT] ENFORCED.
	AlterCheck struct {
		Name        string
		NotEnforced bool
	}
	// AlterKeys is {ENABLE | DISABLE} KEYS.
	AlterKeys struct{ Enable bool }
	// AlterForce is FORCE.
	AlterForce struct{}
	// AlterOrderBy is ORDER BY.
	AlterOrderBy struct{ Columns []string }
	// AlterPartitionBy is PARTITION BY.
	AlterPartitionBy struct{ By PartitionBy }
	// AlterRemovePartitioning is REMOVE PARTITIONING.
	AlterRemovePartitioning struct{}
	// AlterAddPartition is ADD PARTITION {(definitions) | PARTITIONS n}, or ADD
	// SUBPARTITION (definitions), which adds to the template of all partitions.
	AlterAddPartition struct {
		Sub        bool
		Defs       []PartitionDef
		Partitions int
	}
	// AlterPartitions is DROP, TRUNCATE, ANALYZE, CHECK, OPTIMIZE, REBUILD,
	// REPAIR, DISCARD or IMPORT PARTITION, or SUBPARTITION, of named ones or ALL.
	AlterPartitions struct {
		Verb  string // upper case
		Sub   bool
		Names []string
		All   bool
	}
	// AlterDropExpired is DROP EXPIRED PARTITIONS.
	AlterDropExpired struct{}
	// AlterCoalescePartition is COALESCE PARTITION n.
	AlterCoalescePartition struct{ N int }
	// AlterReorganizePartition is REORGANIZE PARTITION names INTO (definitions),
	// or the same of SUBPARTITIONs of the template.
	AlterReorganizePartition struct {
		Sub   bool
		Names []string
		Into  []PartitionDef
	}
	// AlterExchangePartition is EXCHANGE {PARTITION | SUBPARTITION} p WITH TABLE t
	// [{WITH | WITHOUT} VALIDATION], which mean the same.
	AlterExchangePartition struct {
		Partition string
		Table     TableName
	}
)

func (*AlterTable) statement() {}
