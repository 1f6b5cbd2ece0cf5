package mysqlerr

// The error numbers for column definitions, by MySQL's names.
const (
	WrongFieldSpec        Number = 1063
	DupKeyName            Number = 1061
	TooManyKeys           Number = 1069
	TooManyKeyParts       Number = 1070
	TooLongKey            Number = 1071
	KeyColumnDoesNotExist Number = 1072
	WrongAutoKey          Number = 1075
	WrongSubKey           Number = 1089
	TooBigSet             Number = 1097
	BlobCantHaveDefault   Number = 1101
	TooBigRowSize         Number = 1118
	BlobKeyWithoutLength  Number = 1170
	KeyDoesNotExist       Number = 1176
	WrongNameForIndex     Number = 1280
	DuplicatedValueInType Number = 1291
	InvalidOnUpdate       Number = 1294
	KeyPartZeroLength     Number = 1391
	TooBigDisplayWidth    Number = 1439
	AutoincReadFailed     Number = 1467
	TooLongIndexComment   Number = 1688
	InvalidYearLength     Number = 1818
	JSONUsedAsKey         Number = 3152
	TooLongMember         Number = 3505
)

func init() {
	for _, n := range []Number{WrongFieldSpec, WrongAutoKey, KeyColumnDoesNotExist, BlobCantHaveDefault, TooBigRowSize, BlobKeyWithoutLength, TooBigDisplayWidth,
		JSONUsedAsKey, DupKeyName, TooManyKeys, TooManyKeyParts, TooLongKey, WrongNameForIndex} {
		sqlStates[n] = "42000"
	}
}
