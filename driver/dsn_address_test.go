package driver

import (
	"database/sql"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAddressesAreNoPaths opens what other drivers take for a server: nothing is created on
// disk, and the error shows neither password nor host, but what to write instead.
func TestAddressesAreNoPaths(t *testing.T) {
	t.Chdir(t.TempDir())
	for dsn, want := range map[string]string{
		"root:s3cret@tcp(127.0.0.1:3306)/orders":                     "./data?db=orders",
		"root:s3cret@tcp(127.0.0.1:3306)/orders?parseTime=true":      "./data?db=orders",
		"root:s3cret@unix(/run/mysqld/mysqld.sock)/orders":           "a MySQL server",
		"root:s3cret@cloudsql(project:zone:name)/orders":             "a MySQL server",
		"root:s3c/re?t@tcp(127.0.0.1)/orders":                        "a MySQL server",
		"root:s3c@ret@/orders":                                       "a server",
		"root:s3c/ret@/orders":                                       "a server",
		"root@/orders":                                               "a MySQL server",
		"@tcp(localhost)/":                                           "a MySQL server",
		"tcp(localhost:3306)/orders":                                 "a MySQL server",
		"unix(/s)/orders":                                            "a MySQL server",
		"mysql://root:s3cret@localhost:3306/orders":                  "a MySQL server",
		"mysql://root:s3cret@localhost/orders?db=x":                  "a MySQL server",
		"jdbc:mysql://localhost/orders?user=root&password=s3cret":    "a MySQL server",
		"mysql+pymysql://root:s3cret@localhost/orders":               "a MySQL server",
		"MariaDB://root:s3cret@localhost/orders":                     "a MySQL server",
		"postgres://root:s3cret@localhost/orders":                    "by postgres://",
		"mongodb+srv://root:s3cret@localhost/orders":                 "by mongodb+srv://",
		"redis://:s3cret@localhost:6379/0":                           "by redis://",
		"https://root:s3cret@example.com":                            "by https://",
		"HBase://host:2181/orders":                                   "written hbase://",
		"root:s3cret@localhost:3306/orders":                          "a server",
		"root:s3cret@localhost":                                      "a server",
		"root@localhost:3306/orders":                                 "a server",
		"localhost:6379":                                             "a server",
		"127.0.0.1:3306/orders":                                      "a server",
		"[::1]:3306/orders":                                          "a server",
		"db.example.com:5432/orders":                                 "a server",
		"host=localhost user=root password=s3cret dbname=orders":     "a server",
		"Server=localhost;Database=orders;User Id=r;Password=s3cret": "a server",
	} {
		_, err := ParseDSN(dsn)
		require.ErrorContains(t, err, want, dsn)
		require.ErrorContains(t, err, "./data?db=", dsn)
		for _, secret := range []string{"s3c", "ret", "root", "127.0.0.1", "localhost", "kv/"} {
			require.NotContains(t, err.Error(), secret, dsn)
		}
		db, err := sql.Open(Name, dsn)
		if err == nil {
			err = db.Ping()
			require.NoError(t, db.Close())
		}
		require.Error(t, err, dsn)
	}
	_, err := ParseDSN("other://root:s3cret@localhost/orders")
	require.NoError(t, err) // a store's package may register it
	db, err := sql.Open(Name, "other://root:s3cret@localhost/orders")
	require.NoError(t, err)
	defer db.Close()
	err = db.Ping()
	require.ErrorContains(t, err, "unknown store other://")
	require.NotContains(t, err.Error(), "s3cret")
	made, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Empty(t, made)
}

// TestPathsAreNoAddresses: names of directories that resemble addresses are still paths.
func TestPathsAreNoAddresses(t *testing.T) {
	for _, path := range []string{"data", "./root:x@tcp(127.0.0.1:3306)/shop", "../a@b:1/c", "/var/lib/a@b:3306/c", "data@home", "a@b/c", "copy(1)",
		"copy (1)/x", "backup:2024", "2024-01-01T10:00", "~/a@b:1", "C:/data@home:1/x", ":memory:", "my.data", "a=b", "file:root%3Ax@tcp(h)/shop"} {
		cfg, err := ParseDSN(path)
		require.NoError(t, err, path)
		again, err := ParseDSN(cfg.FormatDSN())
		require.NoError(t, err, path)
		require.Equal(t, cfg.Path, again.Path, path)
	}
	cfg := &Config{Path: "root:x@tcp(127.0.0.1:3306)/shop"} // a program may mean this path
	again, err := ParseDSN(cfg.FormatDSN())
	require.NoError(t, err)
	require.Equal(t, cfg.Path, again.Path)
}
