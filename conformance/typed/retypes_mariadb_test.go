package typed

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// retypes are types of a column before and after, and rows of it, which MariaDB converts in a strict mode as
// MySQL does.
var retypes = [][3]string{
	{"tinyint", "varchar(20)", "(1), (-5), (NULL)"},
	{"int", "bigint", "(1), (-5), (NULL)"},
	{"varchar(20)", "int", "('1'), ('-5'), (NULL)"},
	{"date", "datetime", "('2024-01-02')"},
	{"varchar(20)", "text", "('a'), ('')"},
	{"datetime", "date", "('2024-01-02 03:04:05')"},
	{"datetime", "date", "('2024-01-02')"},
	{"int", "decimal(10,2)", "(1), (5)"},
	{"decimal(10,2)", "int", "(1.5), (2.5)"},
	{"double", "int", "(1.5)"},
	{"int", "double", "(1)"},
	{"varchar(20)", "date", "('2024-01-02')"},
	{"varchar(20)", "datetime", "('2024-01-02'), ('2024')"},
	{"int", "datetime", "(20240102)"},
	{"enum('a','b')", "varchar(5)", "('a'), ('b')"},
	{"varchar(5)", "enum('a','b')", "('a'), ('b')"},
	{"varchar(5)", "enum('a','b')", "('c')"},
	{"enum('a','b')", "int", "('a'), ('b')"},
	{"int", "enum('a','b')", "(1), (2)"},
	{"enum('a','b')", "enum('b','a')", "('a'), ('b')"},
	{"set('a','b')", "int", "('a,b')"},
	{"text", "json", "('{}'), ('[1]')"},
	{"json", "text", "('{}')"},
	{"varchar(10)", "blob", "('a')"},
	{"blob", "text", "('a')"},
	{"blob", "varchar(3)", "('abcd')"},
	{"int", "varchar(2)", "(1), (123)"},
	{"int", "tinyint", "(1), (300)"},
	{"bigint", "int unsigned", "(1)"},
	{"bit(8)", "int", "(5)"},
	{"int", "bit(8)", "(5)"},
	{"bit(8)", "varchar(10)", "(65)"},
	{"time", "datetime", "('10:00:00')"},
	{"datetime", "time", "('2024-01-01 10:00:00')"},
	{"timestamp", "datetime", "('2024-01-01 10:00:00')"},
	{"datetime", "timestamp", "('2024-01-01 10:00:00')"},
	{"year", "int", "(2024)"},
	{"int", "year", "(2024), (24)"},
	{"int", "date", "(20240102)"},
	{"date", "int", "('2024-01-02')"},
	{"float", "varchar(20)", "(1.5)"},
	{"double", "decimal(5,1)", "(1.55)"},
	{"char(5)", "varchar(5)", "('a ')"},
	{"varchar(5)", "char(5)", "('a ')"},
	{"varchar(5)", "binary(5)", "('ab')"},
	{"binary(5)", "varchar(5)", "('ab')"},
	{"varbinary(4)", "int", "('12')"},
	{"int", "varbinary(4)", "(12)"},
	{"int", "int unsigned", "(-1)"},
	{"tinyint(1)", "varchar(5)", "(1), (0)"},
	{"varchar(10)", "decimal(5,2)", "('1.239')"},
	{"varchar(10)", "time", "('10:11:12')"},
	{"int", "time", "(101112)"},
}

// TestLiveRetypes compares the results of MODIFY with MariaDB's.
func TestLiveRetypes(t *testing.T) {
	theirs := liveMariaDB(t)
	ours := one(t)
	for _, c := range retypes {
		var numbers []uint16
		for _, db := range []*sql.DB{ours, theirs} {
			harness.Must(t, db, "DROP TABLE IF EXISTS c", "CREATE TABLE c (id int AUTO_INCREMENT PRIMARY KEY, v "+c[0]+
				")", "INSERT INTO c (v) VALUES "+c[2])
			_, err := db.Exec("ALTER TABLE c MODIFY v " + c[1])
			numbers = append(numbers, harness.ErrorNumber(err))
		}
		if require.Equal(t, numbers[1], numbers[0], "%v", c); numbers[0] == 0 {
			compareRows(t, ours, theirs, "SELECT id, v FROM c ORDER BY id")
		}
	}
}
