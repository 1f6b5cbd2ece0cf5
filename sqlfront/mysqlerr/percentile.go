package mysqlerr

// The numbers of percentiles, which MariaDB has and MySQL has not
// (https://mariadb.com/kb/en/mariadb-error-code-reference/).
const (
	NotANumberForPercentile Number = 4101
	ShareDiffers            Number = 4102
	ShareOutOfRange         Number = 4103
	ShareOfNoNumber         Number = 4104
)
