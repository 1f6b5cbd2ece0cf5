package mysqlerr

// The error numbers for percentiles, which are MariaDB's
// (https://mariadb.com/kb/en/mariadb-error-code-reference/).
const (
	NotANumberForPercentile Number = 4101
	ShareDiffers            Number = 4102
	ShareOutOfRange         Number = 4103
	ShareOfNoNumber         Number = 4104
)
