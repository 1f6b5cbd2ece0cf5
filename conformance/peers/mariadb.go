package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	_ "github.com/go-sql-driver/mysql"
)

// mariadb is a private server on its own socket, queried with server-side
// prepared statements.
var mariadb = &dialect{
	driver: "mysql",
	dsn:    startMariaDB,
	create: `CREATE TABLE {t} (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V mediumblob NOT NULL,
		PRIMARY KEY (K, Q, T)) ENGINE = InnoDB`,
	settle: []string{"ANALYZE TABLE {t}"},
	reads: reads(map[string][]string{
		"locked": {"SELECT V FROM {t} WHERE K = ? AND Q = ? FOR UPDATE"},
		"latest": newest(""),
		"as of":  newest("T <= ?"),
	}),
	writes: map[string]string{
		"insert":     "INSERT INTO {t} VALUES (?, ?, ?, ?)",
		"insert row": rowValues("INSERT INTO {t} VALUES (?, ?, ?, ?)"),
		"update":     "UPDATE {t} SET V = ? WHERE K = ? AND Q = ?",
		"increment":  "UPDATE {t} SET V = V + 1 WHERE K = ? AND Q = ?",
	},
}

// startMariaDB starts a server with its data in the directory.
func startMariaDB(dir string, durable bool) (dsn string, stop func() error, err error) {
	user := "--user=" + os.Getenv("USER")
	if os.Getuid() == 0 {
		user = "--user=root"
	}
	data, socket := "--datadir="+filepath.Join(dir, "data"), filepath.Join(dir, "s")
	if out, err := exec.Command("mariadb-install-db", "--no-defaults", user, data,
		"--tmpdir="+dir, "--auth-root-authentication-method=normal").CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("mariadb-install-db: %w\n%s", err, out)
	}
	flush := "0"
	if durable {
		flush = "1"
	}
	// A server deletes the temporary tables of others in the same tmpdir when it starts.
	server := exec.Command("mariadbd", "--no-defaults", user, data, "--tmpdir="+dir, "--socket="+socket, "--skip-grant-tables", "--skip-networking",
		fmt.Sprintf("--innodb-buffer-pool-size=%d", cacheSize), "--innodb-log-file-size=512M", "--innodb-flush-log-at-trx-commit="+flush,
		"--character-set-server=utf8mb4")
	if err := server.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error {
		_ = server.Process.Kill() // its data is deleted with the directory
		_ = server.Wait()
		return nil
	}
	dsn = "root@unix(" + socket + ")/"
	if err := firstContact(dsn); err != nil {
		return "", nil, errors.Join(err, stop())
	}
	return dsn + "peers", stop, nil
}

// firstContact waits for the server and creates the database.
func firstContact(dsn string) error {
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	for range 300 {
		if _, err = db.Exec("CREATE DATABASE peers"); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("mariadbd does not answer: %w", err)
}
