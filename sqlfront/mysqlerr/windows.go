package mysqlerr

// The error numbers for windows, ROLLUP and recursive common table expressions
// (https://dev.mysql.com/doc/mysql-errors/8.0/en/server-error-reference.html).
const (
	CTERecursiveRequiresUnion           Number = 3573
	CTERecursiveRequiresNonrecursive    Number = 3574
	CTERecursiveForbidsAggregation      Number = 3575
	CTERecursiveForbiddenJoinOrder      Number = 3576
	CTERecursiveRequiresSingleReference Number = 3577
	CTEMaxRecursionDepth                Number = 3636
	WindowNoSuchWindow                  Number = 3579
	WindowCircularity                   Number = 3580
	WindowNoChildPartitioning           Number = 3581
	WindowNoInheritFrame                Number = 3582
	WindowNoRedefineOrderBy             Number = 3583
	WindowFrameStartIllegal             Number = 3584
	WindowFrameEndIllegal               Number = 3585
	WindowFrameIllegal                  Number = 3586
	WindowRangeFrameOrderType           Number = 3587
	WindowRangeFrameTemporalType        Number = 3588
	WindowRangeFrameNumericType         Number = 3589
	WindowRangeBoundNotConstant         Number = 3590
	WindowDuplicateName                 Number = 3591
	WindowIllegalOrderBy                Number = 3592
	WindowInvalidUse                    Number = 3593
	WindowInvalidAliasUse               Number = 3594
	WindowNested                        Number = 3595
	WindowRowsInterval                  Number = 3596
	CTERecursiveNotUnion                Number = 4114
	InvalidNumberOfArgs                 Number = 3601
	GroupingOfNoKey                     Number = 3602
)
