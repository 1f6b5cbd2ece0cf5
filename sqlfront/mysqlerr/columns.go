package mysqlerr

// The numbers of definitions of columns, by MySQL's names.
const (
	WrongFieldSpec        Number = 1063
	KeyColumnDoesNotExist Number = 1072
	WrongAutoKey          Number = 1075
	TooBigSet             Number = 1097
	BlobCantHaveDefault   Number = 1101
	TooBigRowSize         Number = 1118
	BlobKeyWithoutLength  Number = 1170
	DuplicatedValueInType Number = 1291
	InvalidOnUpdate       Number = 1294
	TooBigDisplayWidth    Number = 1439
	AutoincReadFailed     Number = 1467
	InvalidYearLength     Number = 1818
	JSONUsedAsKey         Number = 3152
	TooLongMember         Number = 3505
)

func init() {
	for _, n := range []Number{WrongFieldSpec, WrongAutoKey, KeyColumnDoesNotExist, BlobCantHaveDefault, TooBigRowSize, BlobKeyWithoutLength, TooBigDisplayWidth,
		JSONUsedAsKey} {
		sqlStates[n] = "42000"
	}
}
