package mysqlerr

// The error numbers for lateral derived tables and JSON_TABLE, by MySQL's names.
const (
	MissingJSONTableValue      Number = 3665
	WrongJSONTableValue        Number = 3666
	TableFunctionMustHaveAlias Number = 3667
	ForbiddenJoinType          Number = 3668
	JSONTableMaxNestedPath     Number = 3670
)
