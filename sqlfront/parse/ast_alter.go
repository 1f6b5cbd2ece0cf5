package parse

// AlterTable is ALTER TABLE; its actions are in the order of the text.
type AlterTable struct {
	Name    TableName
	Actions []AlterAction
}

// AlterAction is one of the Alter... types below.
type AlterAction interface{ alterAction() }

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
		Offset   int
	}
	// AlterDropColumn is DROP [COLUMN].
	AlterDropColumn struct {
		Name   string
		Offset int
	}
	// AlterModifyColumn is MODIFY [COLUMN].
	AlterModifyColumn struct {
		Column   ColumnDef
		Position Position
		Offset   int
	}
	// AlterChangeColumn is CHANGE [COLUMN] old new definition.
	AlterChangeColumn struct {
		Old      string
		Column   ColumnDef
		Position Position
		Offset   int
	}
	// AlterRenameColumn is RENAME COLUMN a TO b.
	AlterRenameColumn struct {
		Old, New string
		Offset   int
	}
	// AlterColumnDefault is ALTER [COLUMN] c {SET DEFAULT v | DROP DEFAULT}.
	AlterColumnDefault struct {
		Name    string
		Default *DefaultValue // nil for DROP DEFAULT
		Offset  int
	}
	// AlterRename is RENAME [TO | AS].
	AlterRename struct {
		To     TableName
		Offset int
	}
	// AlterOptions sets table options.
	AlterOptions struct {
		Options TableOptions
		Offset  int
	}
	// AlterConvert is CONVERT TO CHARACTER SET c [COLLATE x].
	AlterConvert struct {
		Charset, Collate string
		Offset           int
	}
	// AlterAddPrimaryKey is ADD PRIMARY KEY.
	AlterAddPrimaryKey struct {
		Columns []string
		Offset  int
	}
	// AlterDropPrimaryKey is DROP PRIMARY KEY.
	AlterDropPrimaryKey struct{ Offset int }
	// AlterAddKey is ADD {INDEX | KEY | UNIQUE | CONSTRAINT ...}.
	AlterAddKey struct {
		Key    KeyDef
		Offset int
	}
	// AlterDropKey is DROP {INDEX | KEY | FOREIGN KEY | CHECK | CONSTRAINT}.
	AlterDropKey struct {
		Kind, Name string
		Offset     int
	}
	// AlterKeys is {ENABLE | DISABLE} KEYS.
	AlterKeys struct {
		Enable bool
		Offset int
	}
	// AlterForce is FORCE.
	AlterForce struct{ Offset int }
	// AlterOrderBy is ORDER BY.
	AlterOrderBy struct {
		Columns []string
		Offset  int
	}
	// AlterPartitionBy is PARTITION BY.
	AlterPartitionBy struct {
		By     PartitionBy
		Offset int
	}
	// AlterRemovePartitioning is REMOVE PARTITIONING.
	AlterRemovePartitioning struct{ Offset int }
	// AlterAddPartition is ADD PARTITION {(definitions) | PARTITIONS n}, or ADD
	// SUBPARTITION (definitions), which adds to the template of all partitions.
	AlterAddPartition struct {
		Sub        bool
		Defs       []PartitionDef
		Partitions int
		Offset     int
	}
	// AlterPartitions is DROP, TRUNCATE, ANALYZE, CHECK, OPTIMIZE, REBUILD,
	// REPAIR, DISCARD or IMPORT PARTITION, or SUBPARTITION, of named ones or ALL.
	AlterPartitions struct {
		Verb   string // upper case
		Sub    bool
		Names  []string
		All    bool
		Offset int
	}
	// AlterCoalescePartition is COALESCE PARTITION n.
	AlterCoalescePartition struct{ N, Offset int }
	// AlterReorganizePartition is REORGANIZE PARTITION names INTO (definitions),
	// or the same of SUBPARTITIONs of the template.
	AlterReorganizePartition struct {
		Sub    bool
		Names  []string
		Into   []PartitionDef
		Offset int
	}
	// AlterExchangePartition is EXCHANGE {PARTITION | SUBPARTITION} p WITH TABLE t
	// [{WITH | WITHOUT} VALIDATION], which mean the same.
	AlterExchangePartition struct {
		Partition string
		Table     TableName
		Offset    int
	}
)

func (*AlterAddColumn) alterAction()           {}
func (*AlterDropColumn) alterAction()          {}
func (*AlterModifyColumn) alterAction()        {}
func (*AlterChangeColumn) alterAction()        {}
func (*AlterRenameColumn) alterAction()        {}
func (*AlterColumnDefault) alterAction()       {}
func (*AlterRename) alterAction()              {}
func (*AlterOptions) alterAction()             {}
func (*AlterConvert) alterAction()             {}
func (*AlterAddPrimaryKey) alterAction()       {}
func (*AlterDropPrimaryKey) alterAction()      {}
func (*AlterAddKey) alterAction()              {}
func (*AlterDropKey) alterAction()             {}
func (*AlterKeys) alterAction()                {}
func (*AlterForce) alterAction()               {}
func (*AlterOrderBy) alterAction()             {}
func (*AlterPartitionBy) alterAction()         {}
func (*AlterRemovePartitioning) alterAction()  {}
func (*AlterAddPartition) alterAction()        {}
func (*AlterPartitions) alterAction()          {}
func (*AlterCoalescePartition) alterAction()   {}
func (*AlterReorganizePartition) alterAction() {}
func (*AlterExchangePartition) alterAction()   {}

func (*AlterTable) statement() {}
