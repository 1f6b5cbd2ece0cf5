package mysqlerr

// The error numbers for partitioning. Each has a case in sqlfront/testdata/session, as a test requires.
// MySQL's others cannot occur here: they are about what is refused earlier, with 1235 (LIST, HASH and LINEAR
// KEY partitions, foreign keys 1506 and 1740, tablespaces).
const (
	PartitionRequiresValues  Number = 1479
	PartitionWrongValues     Number = 1480
	PartitionMaxvalue        Number = 1481
	PartitionSubpartMix      Number = 1483
	PartitionWrongCount      Number = 1484
	PartitionWrongSubCount   Number = 1485
	FieldNotInPartFunc       Number = 1488
	PartitionsMustBeDefined  Number = 1492
	RangeNotIncreasing       Number = 1493
	TooManyPartitions        Number = 1499
	SubpartitionError        Number = 1500
	BlobFieldInPartFunc      Number = 1502
	UniqueKeyNeedsAllFields  Number = 1503
	NoPartitions             Number = 1504
	PartitionMgmtOnNonPart   Number = 1505
	DropPartitionNonExistent Number = 1507
	DropLastPartition        Number = 1508
	CoalesceOnlyOnHash       Number = 1509
	ReorganizeHash           Number = 1510
	ReorganizeNoParam        Number = 1511
	OnlyOnRangeList          Number = 1512
	AddPartitionSubpart      Number = 1513
	AddPartitionNoNew        Number = 1514
	CoalesceNoPartition      Number = 1515
	ReorganizeNotExist       Number = 1516
	SameNamePartition        Number = 1517
	NotConsecutive           Number = 1519
	ReorganizeOutside        Number = 1520
	NoPartitionForValue      Number = 1526
	PartitionNoTemporary     Number = 1562
	NullInValuesLessThan     Number = 1566
	WrongPartitionName       Number = 1567
	SamePartitionField       Number = 1652
	PartitionColumnList      Number = 1653
	PartitionColumnType      Number = 1654
	FieldTypeNotAllowed      Number = 1659
	ValuesNotInt             Number = 1697
	ExchangeDifferentOption  Number = 1731
	ExchangePartTable        Number = 1732
	ExchangeTempTable        Number = 1733
	UseSubpartition          Number = 1734
	UnknownPartition         Number = 1735
	TablesDifferent          Number = 1736
	RowDoesNotMatch          Number = 1737
	PartitionClauseOnNonPart Number = 1747
	RowNotInPartitions       Number = 1748
	InvalidSplitRegionRanges Number = 8212 // TiDB's
)
