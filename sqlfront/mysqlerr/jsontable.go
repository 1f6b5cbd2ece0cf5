package mysqlerr

// The numbers of lateral derived tables and of JSON_TABLE, by MySQL's names.
const (
	MissingJSONTableValue      Number = 3665
	WrongJSONTableValue        Number = 3666
	TableFunctionMustHaveAlias Number = 3667
	ForbiddenJoinType          Number = 3668
	JSONTableMaxNestedPath     Number = 3670
)
