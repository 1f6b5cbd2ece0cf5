// Package mysqlerr makes the errors that users see: MySQL's error numbers,
// SQLSTATEs and wording, so that clients and ORMs translate them as they do
// MySQL's own
// (https://dev.mysql.com/doc/mysql-errors/5.7/en/server-error-reference.html).
//
// Every error is a bare *mysql.MySQLError, never wrapped: clients assert its
// type without unwrapping.
package mysqlerr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// Number is a MySQL error number.
type Number uint16

// The numbers that this driver uses, by MySQL's names.
const (
	CantCreateFile           Number = 1004
	DBCreateExists           Number = 1007
	DBDropExists             Number = 1008
	DiskFull                 Number = 1021
	ErrorOnRead              Number = 1024
	ErrorOnWrite             Number = 1026
	OptionPreventsStmt       Number = 1290
	ServerShutdown           Number = 1053
	NoDB                     Number = 1046
	OutOfSortMemory          Number = 1038
	OutOfResources           Number = 1041
	BadNull                  Number = 1048
	BadDB                    Number = 1049
	TableExists              Number = 1050
	BadTable                 Number = 1051
	NonUniq                  Number = 1052
	BadField                 Number = 1054
	WrongFieldWithGroup      Number = 1055
	DupFieldName             Number = 1060
	TooLongIdent             Number = 1059
	DupEntry                 Number = 1062
	Parse                    Number = 1064
	TooManyConnections       Number = 1040
	HandshakeError           Number = 1043
	AccessDenied             Number = 1045
	UnknownCom               Number = 1047
	NetPacketsOutOfOrder     Number = 1156
	StmtHasNoOpenCursor      Number = 1421
	MalformedPacket          Number = 1835
	EmptyQuery               Number = 1065
	NonUniqTable             Number = 1066
	InvalidDefault           Number = 1067
	MultiplePriKey           Number = 1068
	TooBigField              Number = 1074
	WrongValueCountOnRow     Number = 1136
	InvalidGroupFuncUse      Number = 1111
	UnknownTable             Number = 1109
	FieldSpecifiedTwice      Number = 1110
	UnknownCharset           Number = 1115
	NoSuchTable              Number = 1146
	NetPacketTooLarge        Number = 1153
	NetRead                  Number = 1158
	CantDoInTransaction      Number = 1179
	ErrorDuringCommit        Number = 1180
	UnknownSystemVar         Number = 1193
	LockWaitTimeout          Number = 1205
	WrongArguments           Number = 1210
	WrongUsage               Number = 1221
	LockDeadlock             Number = 1213
	TransCacheFull           Number = 1197
	QueryInterrupted         Number = 1317
	LockNoWait               Number = 3572
	WrongValueForVar         Number = 1231
	CantUpdateWithReadLock   Number = 1223
	UnknownStorageEngine     Number = 1286
	LocalVariable            Number = 1228
	WrongTypeForVar          Number = 1232
	NotSupportedYet          Number = 1235
	IncorrectGlobalLocal     Number = 1238
	OperandColumns           Number = 1241
	SubqueryNo1Row           Number = 1242
	DerivedMustHaveAlias     Number = 1248
	WrongGroupField          Number = 1056
	NoTablesUsed             Number = 1096
	MixOfGroupFuncAndFields  Number = 1140
	WrongNumberOfColumns     Number = 1222
	FieldInOrderNotSelect    Number = 3065
	TablenameNotAllowedHere  Number = 1250
	AggregateOrderForUnion   Number = 3028
	TooManyTables            Number = 1116
	TooDeepSelect            Number = 1473
	TooManyFields            Number = 1117
	TooManyRows              Number = 1172
	NoData                   Number = 1329
	WarnDataOutOfRange       Number = 1264
	NonUpdatableTable        Number = 1288
	TruncatedWrongValue      Number = 1292
	SPDoesNotExist           Number = 1305
	SavepointDoesNotExist    Number = 1305
	NoDefaultForField        Number = 1364
	WarnDataTruncated        Number = 1265
	TruncatedWrongForField   Number = 1366
	DataTooLong              Number = 1406
	TableDefChanged          Number = 1412
	ViewSelectClause         Number = 1350
	ViewSelectVariable       Number = 1351
	ViewWrongList            Number = 1353
	ViewSelectTmptable       Number = 1352
	ViewInvalid              Number = 1356
	ViewRecursive            Number = 1462
	ViewNonUpdatableCheck    Number = 1368
	ForbidSchemaChange       Number = 1450
	WrongColumnName          Number = 1166
	WrongParamCountNative    Number = 1582
	WrongParamsNative        Number = 1583
	DataOutOfRange           Number = 1690
	MultiUpdateKeyConflict   Number = 1706
	NoSuchThread             Number = 1094
	TableAccessDenied        Number = 1142
	ColumnAccessDenied       Number = 1143
	IllegalGrantForTable     Number = 1144
	NonExistingGrant         Number = 1141
	NonExistingTableGrant    Number = 1147
	KillDenied               Number = 1095
	PasswordAnonymousUser    Number = 1131
	PasswordNoMatch          Number = 1133
	DupArgument              Number = 1225
	SpecificAccessDenied     Number = 1227
	ViewNoExplain            Number = 1345
	PasswordLength           Number = 1372
	CannotUser               Number = 1396
	CantCreateUserWithGrant  Number = 1410
	NoSuchUser               Number = 1449
	WrongStringLength        Number = 1470
	PluginIsNotLoaded        Number = 1524
	AccountLocked            Number = 3118
	UserDoesNotExist         Number = 3162
	UserAlreadyExists        Number = 3163
	RevokeGrants             Number = 1269
	GlobalVariable           Number = 1229
	UnknownStmtHandler       Number = 1243
	UnsupportedPS            Number = 1295
	MaxPreparedStmtCount     Number = 1461
	UnknownTimeZone          Number = 1298
	InvalidUseOfNull         Number = 1138
	NoBinaryLogging          Number = 1381
	CantExecuteInReadOnly    Number = 1792
	QueryTimeout             Number = 3024
	GeneratedFunction        Number = 3102
	NonDefaultGenerated      Number = 3105
	UnsupportedOnGenerated   Number = 3106
	GeneratedNonPrior        Number = 3107
	DependentByGenerated     Number = 3108
	GeneratedAutoIncrement   Number = 3109
	GeneratedNamedFunction   Number = 3763
	GeneratedVariables       Number = 3765
	DependentByDefault       Number = 3766
	DefaultNonPrior          Number = 3767
	DefaultAutoIncrement     Number = 3768
	DefaultFunction          Number = 3769
	DefaultVariables         Number = 3772
	DefaultIsExpression      Number = 3773
	DupForeignKey            Number = 1826
	CapacityExceeded         Number = 3170
	TablegroupNotExist       Number = 5151 // OceanBase's
	Internal                 Number = 1815
	RegexpError              Number = 1139
	DivisionByZero           Number = 1365
	CollationCharsetMismatch Number = 1253
	VariableIsReadonly       Number = 1621
	TooLongTableComment      Number = 1628
	TooLongFieldComment      Number = 1629
	UnknownCollation         Number = 1273
	IllegalMix               Number = 1267
	IllegalMixOf3            Number = 1270
	IllegalMixOfMany         Number = 1271
	AllowedPacketOverflowed  Number = 1301
	DatetimeFunctionOverflow Number = 1441
	WrongValueForType        Number = 1411
	InvalidCharacterString   Number = 1300
	InvalidJSONText          Number = 3140
	InvalidJSONTextInParam   Number = 3141
	InvalidJSONPath          Number = 3143
	InvalidJSONPathWildcard  Number = 3149
	JSONVacuousPath          Number = 3153
	JSONBadOneOrAll          Number = 3154
	JSONDocumentTooDeep      Number = 3157
	JSONNullKey              Number = 3158
	InvalidJSONPathArrayCell Number = 3165
	AESInvalidIV             Number = 1882
	AESInvalidKDFName        Number = 3235
	AESInvalidKDFIterations  Number = 3236
	AESInvalidKDFOptionSize  Number = 3238
	OptionIgnored            Number = 1618
	UnknownLocale            Number = 1649
	TooBigForUncompress      Number = 1256
	ZlibBuffer               Number = 1258
	ZlibData                 Number = 1259
	MissingJSONValue         Number = 3966
	MultipleJSONValues       Number = 3967
	RegexpBufferOverflow     Number = 3684
	RegexpIndexOutOfBounds   Number = 3686
	RegexpInvalidGroupName   Number = 3887
	CheckNamedFunction       Number = 3814
	CheckOtherColumn         Number = 3813
	CheckFunction            Number = 3815
	CheckVariables           Number = 3816
	CheckViolated            Number = 3819
	CheckUnknownColumn       Number = 3820
	CheckNotFound            Number = 3821
	CheckDuplicateName       Number = 3822
	ConstraintNotFound       Number = 3940
	DependentByCheck         Number = 3959
	CantRemoveAllFields      Number = 1090
	CantDropFieldOrKey       Number = 1091
	CutValueGroupConcat      Number = 1260
	IllegalValueForType      Number = 1367
	TooBigScale              Number = 1425
	TooBigPrecision          Number = 1426
	MBiggerThanD             Number = 1427
	WrongValue               Number = 1525
	DBAccessDenied           Number = 1044
	WrongDBName              Number = 1102
	WrongTableName           Number = 1103
	TooBigSelect             Number = 1104
	WrongObject              Number = 1347
	PrimaryCantHaveNull      Number = 1171
	CantChangeTxIsolation    Number = 1568
	UserLockWrongName        Number = 3057
	UnknownError             Number = 1105
	GetErrno                 Number = 1030
	FileExists               Number = 1086
	TextFileNotReadable      Number = 1085
	WrongFieldTerminators    Number = 1083
	BlobsAndNoTerminated     Number = 1084
	NotAllowedCommand        Number = 1148
	WarnTooFewRecords        Number = 1261
	WarnTooManyRecords       Number = 1262
	WarnNullToNotNull        Number = 1263
	LoadFixedToVariable      Number = 1409
	AmbiguousFieldTerminator Number = 1475
	// These are from MySQL's library for files.
	CannotCreateFile Number = 1
	BadRead          Number = 2
	BadWrite         Number = 3
	CannotStatFile   Number = 13
	FileNotFound     Number = 29
	TableCorrupt     Number = 1877
)

// sqlStates are the states that differ from HY000, MySQL's general one.
var sqlStates = map[Number]string{
	TooManyConnections:   "08004",
	HandshakeError:       "08S01",
	AccessDenied:         "28000",
	UnknownCom:           "08S01",
	NetPacketsOutOfOrder: "08S01",
	DBAccessDenied:       "42000",
	TableAccessDenied:    "42000", ColumnAccessDenied: "42000", IllegalGrantForTable: "42000", NonExistingGrant: "42000",
	NonExistingTableGrant: "42000", PasswordAnonymousUser: "42000", PasswordNoMatch: "42000", SpecificAccessDenied: "42000",
	CantCreateUserWithGrant: "42000",
	OutOfSortMemory:         "HY001",
	NetPacketTooLarge:       "08S01",
	NetRead:                 "08S01",
	TooBigSelect:            "42000",
	WrongDBName:             "42000",
	WrongTableName:          "42000",
	PrimaryCantHaveNull:     "42000",
	CantChangeTxIsolation:   "25001",
	UserLockWrongName:       "42000",
	NoDB:                    "3D000", BadNull: "23000", BadDB: "42000", TableExists: "42S01", BadTable: "42S02",
	NonUniq: "23000", BadField: "42S22", WrongFieldWithGroup: "42000", DupFieldName: "42S21",
	DupEntry: "23000", TooLongIdent: "42000", DerivedMustHaveAlias: "42000", Parse: "42000", EmptyQuery: "42000", NonUniqTable: "42000",
	InvalidDefault: "42000", MultiplePriKey: "42000", TooBigField: "42000", WrongValueCountOnRow: "21S01",
	CantRemoveAllFields: "42000", CantDropFieldOrKey: "42000",
	WrongColumnName: "42000", FieldSpecifiedTwice: "42000", UnknownTable: "42S02", UnknownCharset: "42000", NoSuchTable: "42S02",
	LockDeadlock: "40001", QueryInterrupted: "70100", WrongValueForVar: "42000", WrongTypeForVar: "42000",
	TablenameNotAllowedHere: "42000", TooManyRows: "42000", NoData: "02000",
	MissingJSONTableValue: "22035", WrongJSONTableValue: "2203F", TableFunctionMustHaveAlias: "42000",
	NotSupportedYet: "42000", OperandColumns: "21000",
	InvalidUseOfNull: "22004", SubqueryNo1Row: "21000", WarnDataOutOfRange: "22003",
	TruncatedWrongValue: "22007", SPDoesNotExist: "42000",
	WrongGroupField: "42000", MixOfGroupFuncAndFields: "42000", WrongNumberOfColumns: "21000",
	DataTooLong: "22001", WrongParamCountNative: "42000", WrongParamsNative: "42000",
	DataOutOfRange: "22003", CantDoInTransaction: "25000", CantExecuteInReadOnly: "25006", ServerShutdown: "08S01",
	RegexpError: "42000", InvalidJSONText: "22032", InvalidJSONTextInParam: "22032", InvalidJSONPath: "42000", InvalidJSONPathWildcard: "42000", InvalidJSONPathArrayCell: "42000", MissingJSONValue: "22035", MultipleJSONValues: "22034", JSONVacuousPath: "42000", JSONBadOneOrAll: "42000", JSONDocumentTooDeep: "22032", JSONNullKey: "22032", DatetimeFunctionOverflow: "22008", IllegalValueForType: "22007", TooBigScale: "42000", TooBigPrecision: "42000", MBiggerThanD: "42000", DivisionByZero: "22012", CollationCharsetMismatch: "42000",
	TablegroupNotExist:   "42P01",
	BlobsAndNoTerminated: "42000", WrongFieldTerminators: "42000", NotAllowedCommand: "42000",
	WarnTooFewRecords: "01000", WarnTooManyRecords: "01000", WarnNullToNotNull: "22004",
}

// maxMessage is the maximum length of a message, in bytes: it may quote a user's text.
const maxMessage = 1 << 10

// New makes an error; format and args give its message, which is cut if it is long.
func New(n Number, format string, args ...any) *mysql.MySQLError {
	e := &mysql.MySQLError{Number: uint16(n), Message: fmt.Sprintf(format, args...)}
	if len(e.Message) > maxMessage {
		e.Message = strings.ToValidUTF8(e.Message[:maxMessage], "") + "..."
	}
	state, ok := sqlStates[n]
	if !ok {
		state = "HY000"
	}
	copy(e.SQLState[:], state)
	return e
}

// UnknownDatabase is error 1049.
func UnknownDatabase(name string) *mysql.MySQLError { return New(BadDB, "Unknown database '%s'", name) }

// NoTable is error 1146.
func NoTable(database, name string) *mysql.MySQLError {
	return New(NoSuchTable, "Table '%s.%s' doesn't exist", database, name)
}

// NotTable is error 1347 for a view or a table group instead of a table.
func NotTable(database, name string) *mysql.MySQLError {
	return New(WrongObject, "'%s.%s' is not BASE TABLE", database, name)
}

// NotView is error 1347 for a table instead of a view.
func NotView(database, name string) *mysql.MySQLError {
	return New(WrongObject, "'%s.%s' is not VIEW", database, name)
}

// NoTableGroup is OceanBase's error 4179.
func NoTableGroup(name string) *mysql.MySQLError {
	return New(TablegroupNotExist, "tablegroup '%s' not exist", name)
}

// DatabaseDenied is error 1044 for a database of catalog tables.
func DatabaseDenied(database string) *mysql.MySQLError {
	return New(DBAccessDenied, "Access denied for user 'root'@'localhost' to database '%s'", database)
}

// CatalogDenied is the error for a write to a catalog table: 1044 in information_schema, 1142 in other
// databases.
func CatalogDenied(verb, database, table string) *mysql.MySQLError {
	if strings.EqualFold(database, "information_schema") {
		return DatabaseDenied(database)
	}
	return New(TableAccessDenied, "%s command denied to user 'root'@'localhost' for table '%s'", verb, table)
}

// TableDenied is error 1142; who is 'user'@'host'.
func TableDenied(verb, who, table string) *mysql.MySQLError {
	return New(TableAccessDenied, "%s command denied to user %s for table '%s'", verb, who, table)
}

// Unsupported is error 1235 for MySQL that this driver recognizes but does not support; construct names it,
// such as "window functions".
func Unsupported(construct string) *mysql.MySQLError {
	return New(NotSupportedYet, "This version of hbasekv doesn't yet support '%s'", construct)
}

// UnsupportedAt is Unsupported with the byte offset, from 0, of the construct in the statement.
func UnsupportedAt(construct string, offset int) *mysql.MySQLError {
	return New(NotSupportedYet, "This version of hbasekv doesn't yet support '%s' (at position %d)", construct, offset+1)
}

// Syntax is error 1064 with the text from the byte offset on, cut to 80 bytes as in MySQL, and what was
// expected there, if that is known.
func Syntax(sql string, offset int, expected string) *mysql.MySQLError {
	return SyntaxIn(sql, len(sql), offset, expected)
}

// SyntaxIn is Syntax for a statement of which only the first shown bytes may be quoted.
func SyntaxIn(sql string, shown, offset int, expected string) *mysql.MySQLError {
	offset = min(max(offset, 0), len(sql))
	near := sql[min(offset, shown):min(shown, offset+80)]
	line := 1
	for _, c := range sql[:offset] {
		if c == '\n' {
			line++
		}
	}
	hint := ""
	if expected != "" {
		hint = "; expected " + expected
	}
	return New(Parse, "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server "+
		"version for the right syntax to use near '%s' at line %d (position %d%s)", near, line, offset+1, hint)
}

// IsOne reports whether err is an error for users, not one of a store or a context.
func IsOne(err error) bool {
	_, ok := err.(*mysql.MySQLError)
	return ok
}

// Is reports whether err is a *mysql.MySQLError with one of these numbers.
func Is(err error, numbers ...Number) bool {
	e, ok := err.(*mysql.MySQLError)
	return ok && slices.Contains(numbers, Number(e.Number))
}

// Message is the message of a *mysql.MySQLError, without its number.
func Message(err error) string {
	if e, ok := err.(*mysql.MySQLError); ok {
		return e.Message
	}
	return err.Error()
}
