package orm

import (
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-gormigrate/gormigrate/v2"
	"github.com/golang-migrate/migrate/v4"
	migratemysql "github.com/golang-migrate/migrate/v4/database/mysql"
	"github.com/golang-migrate/migrate/v4/source"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/pressly/goose/v3"
	sqlmigrate "github.com/rubenv/sql-migrate"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	bunmigrate "github.com/uptrace/bun/migrate"
	"gorm.io/gorm"
)

// migration is a step that each of the tools runs, and its reversal.
type migration struct{ name, up, down string }

// shopMigrations are those of a growing shop: tables, columns, indexes, data, and a family of cells beside
// them.
var shopMigrations = []migration{
	{"users", "CREATE TABLE users (id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, name varchar(100) NOT NULL, " +
		"email varchar(200), created_at datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), UNIQUE KEY users_email (email)) " +
		"ENGINE=InnoDB DEFAULT CHARSET=utf8mb4", "DROP TABLE users"},
	{"first_users", "INSERT INTO users (name, email) VALUES ('Ann', 'ann@example.com'), ('Bob', NULL)", "DELETE FROM users"},
	{"age", "ALTER TABLE users ADD COLUMN age smallint unsigned NOT NULL DEFAULT 18 AFTER name, ADD COLUMN bio text",
		"ALTER TABLE users DROP COLUMN age, DROP COLUMN bio"},
	{"name_index", "CREATE INDEX users_name ON users (name, age)", "DROP INDEX users_name ON users"},
	{"full_name", "ALTER TABLE users CHANGE COLUMN name full_name varchar(150) NOT NULL",
		"ALTER TABLE users CHANGE COLUMN full_name name varchar(100) NOT NULL"},
	{"biographies", "UPDATE users SET bio = CONCAT(full_name, ' is ', age)", "UPDATE users SET bio = NULL"},
	{"wider_age", "ALTER TABLE users MODIFY age int unsigned NULL, ALTER COLUMN email SET DEFAULT 'none'",
		"ALTER TABLE users MODIFY age smallint unsigned NOT NULL DEFAULT 18, ALTER COLUMN email DROP DEFAULT, MODIFY email varchar(200)"},
	{"orders", "CREATE TABLE orders (user_id bigint unsigned NOT NULL, number int NOT NULL, total decimal(10,2) NOT NULL DEFAULT 0.00, " +
		"state enum('open','paid') NOT NULL DEFAULT 'open', PRIMARY KEY (user_id, number), KEY orders_state (state))", "DROP TABLE orders"},
	{"copied", "INSERT INTO orders (user_id, number, total) SELECT id, 1, age FROM users WHERE email IS NOT NULL", "TRUNCATE TABLE orders"},
	{"purchases", "ALTER TABLE orders RENAME TO purchases", "RENAME TABLE purchases TO orders"},
	{"indexes", "ALTER TABLE purchases RENAME INDEX orders_state TO by_state, ADD UNIQUE INDEX by_number (number, user_id)",
		"ALTER TABLE purchases RENAME INDEX by_state TO orders_state, DROP INDEX by_number"},
	{"spenders", "CREATE VIEW spenders AS SELECT u.full_name, SUM(p.total) AS spent FROM users u JOIN purchases p ON p.user_id = u.id " +
		"GROUP BY u.full_name", "DROP VIEW spenders"},
	{"cells", "CREATE TABLE shop$clicks (K varbinary(64), Q varbinary(64), T bigint, V blob, PRIMARY KEY (K, Q, T))", "DROP TABLE shop$clicks"},
}

// badMigration is refused at its second statement.
var badMigration = migration{"bad", "INSERT INTO users (full_name) VALUES ('Eve'); ALTER TABLE users ADD COLUMN age int", ""}

// migrationFiles are steps as files, one up and one down; format makes their names from the step's number and
// name.
func migrationFiles(format string, steps []migration) fstest.MapFS {
	files := fstest.MapFS{}
	for i, step := range steps {
		name := fmt.Sprintf(format, i+1, step.name)
		files[name+".up.sql"] = &fstest.MapFile{Data: []byte(step.up)}
		files[name+".down.sql"] = &fstest.MapFile{Data: []byte(step.down)}
	}
	return files
}

var counter = regexp.MustCompile(` AUTO_INCREMENT=\d+`)

// shape is what the migrations have made: the tables other than the tools' own, and the rows of users.
func shape(t *testing.T, db *sql.DB) string {
	t.Helper()
	var all []string
	for _, table := range tables(t, db, "users", "orders", "purchases", "spenders", "shop$clicks") {
		var name, text string
		into := []any{&name, &text}
		if table == "spenders" {
			into = append(into, new(string), new(string))
		}
		require.NoError(t, db.QueryRow("SHOW CREATE TABLE `"+table+"`").Scan(into...))
		var rows int
		require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM `"+table+"`").Scan(&rows))
		all = append(all, fmt.Sprintf("%s\n%d rows", counter.ReplaceAllString(text, ""), rows))
	}
	return strings.Join(all, "\n")
}

// upAndDown runs the steps one by one, back, and all at once; the result must not depend on the way.
// to migrates to a version; 0 is before the first.
func upAndDown(t *testing.T, db *sql.DB, to func(version int) error) {
	t.Helper()
	shapes := []string{shape(t, db)}
	for i, step := range shopMigrations {
		require.NoError(t, to(i+1), step.name)
		shapes = append(shapes, shape(t, db))
	}
	last := len(shopMigrations)
	var bio, spent string
	require.NoError(t, db.QueryRow("SELECT bio FROM users WHERE full_name = 'Ann'").Scan(&bio))
	require.NoError(t, db.QueryRow("SELECT CONCAT(full_name, ' ', spent) FROM spenders").Scan(&spent))
	require.Equal(t, []string{"Ann is 18", "Ann 18.00"}, []string{bio, spent})
	for version := last - 1; version >= 0; version-- {
		require.NoError(t, to(version), shopMigrations[version].name)
		require.Equal(t, shapes[version], shape(t, db), "back before %s", shopMigrations[version].name)
	}
	require.NoError(t, to(last))
	require.Equal(t, shapes[last], shape(t, db))
}

// atOnce runs f several times at the same time.
func atOnce(n int, f func() error) error {
	ended := make(chan error)
	for range n {
		go func() { ended <- f() }()
	}
	var all []error
	for range n {
		all = append(all, <-ended)
	}
	return errors.Join(all...)
}

// TestGolangMigrate: golang-migrate records versions in its own table, and excludes others with GET_LOCK.
func TestGolangMigrate(t *testing.T) {
	notOnHBase(t, "typed tables")
	db := open(t, memory+"?multiStatements=true")
	files := migrationFiles("%d_%s", slices.Concat(shopMigrations, []migration{badMigration}))
	opened := func() (*migrate.Migrate, source.Driver) {
		from, err := iofs.New(files, ".")
		require.NoError(t, err)
		books, err := migratemysql.WithInstance(db, &migratemysql.Config{})
		require.NoError(t, err)
		m, err := migrate.NewWithInstance("iofs", from, "mysql", books)
		require.NoError(t, err)
		return m, from
	}
	m, _ := opened()
	upAndDown(t, db, func(version int) error {
		if version == 0 {
			return m.Down()
		}
		return m.Migrate(uint(version))
	})
	last := uint(len(shopMigrations))
	version, dirty, err := m.Version()
	require.NoError(t, err)
	require.Equal(t, []any{last, false}, []any{version, dirty})
	require.ErrorIs(t, m.Migrate(last), migrate.ErrNoChange)

	require.ErrorContains(t, m.Up(), "1060")
	version, dirty, err = m.Version()
	require.NoError(t, err)
	require.Equal(t, []any{last + 1, true}, []any{version, dirty})
	require.ErrorAs(t, m.Down(), &migrate.ErrDirty{})
	require.NoError(t, m.Force(int(last)))
	_, err = db.Exec("DELETE FROM users WHERE full_name = 'Eve'")
	require.NoError(t, err)

	require.NoError(t, m.Down())
	_, _, err = m.Version()
	require.ErrorIs(t, err, migrate.ErrNilVersion)
	require.NoError(t, atOnce(3, func() error {
		m, _ := opened()
		if err := m.Migrate(last); !errors.Is(err, migrate.ErrNoChange) {
			return err
		}
		return nil
	}))
	require.NoError(t, m.Drop())
	require.Empty(t, tables(t, db, "users", "purchases", "shop$clicks", "schema_migrations"))
}

// TestGoose: goose records versions in its own table, and runs each file in a transaction.
func TestGoose(t *testing.T) {
	notOnHBase(t, "typed tables")
	db, ctx := open(t, memory+"?parseTime=true"), t.Context()
	files := fstest.MapFS{}
	add := func(i int, m migration) {
		text := fmt.Sprintf("-- +goose Up\n%s;\n-- +goose Down\n%s;\n", m.up, m.down)
		files[fmt.Sprintf("%05d_%s.sql", i+1, m.name)] = &fstest.MapFile{Data: []byte(text)}
	}
	for i, step := range shopMigrations {
		add(i, step)
	}
	provider, err := goose.NewProvider(goose.DialectMySQL, db, files)
	require.NoError(t, err)
	upAndDown(t, db, func(version int) error {
		current, err := provider.GetDBVersion(ctx)
		if err == nil && int64(version) > current {
			_, err = provider.UpTo(ctx, int64(version))
		} else if err == nil {
			_, err = provider.DownTo(ctx, int64(version))
		}
		return err
	})
	states, err := provider.Status(ctx)
	require.NoError(t, err)
	require.Len(t, states, len(shopMigrations))
	require.Equal(t, goose.StateApplied, states[0].State)

	add(len(shopMigrations), migration{"bad", "INSERT INTO users (full_name) VALUES ('Eve');\nINSERT INTO users (id) VALUES (1)", "SELECT 1"})
	provider, err = goose.NewProvider(goose.DialectMySQL, db, files)
	require.NoError(t, err)
	before := shape(t, db)
	_, err = provider.Up(ctx)
	require.ErrorContains(t, err, "1364")
	require.Equal(t, before, shape(t, db), "the transaction of the file is rolled back")
	version, err := provider.GetDBVersion(ctx)
	require.NoError(t, err)
	require.EqualValues(t, len(shopMigrations), version)
}

// TestSQLMigrate: sql-migrate records versions in its own table, which it creates through gorp.
func TestSQLMigrate(t *testing.T) {
	notOnHBase(t, "typed tables")
	db := open(t, memory+"?parseTime=true")
	from := &sqlmigrate.MemoryMigrationSource{}
	for i, step := range shopMigrations {
		from.Migrations = append(from.Migrations,
			&sqlmigrate.Migration{Id: fmt.Sprintf("%03d_%s", i+1, step.name), Up: []string{step.up}, Down: []string{step.down}})
	}
	upAndDown(t, db, func(version int) error {
		records, err := sqlmigrate.GetMigrationRecords(db, "mysql")
		if err != nil {
			return err
		}
		way, steps := sqlmigrate.Up, version-len(records)
		if steps < 0 {
			way, steps = sqlmigrate.Down, -steps
		}
		n, err := sqlmigrate.ExecMax(db, "mysql", from, way, steps)
		if err == nil && n != steps {
			return fmt.Errorf("%d steps of %d", n, steps)
		}
		return err
	})
	records, err := sqlmigrate.GetMigrationRecords(db, "mysql")
	require.NoError(t, err)
	require.Len(t, records, len(shopMigrations))
	require.WithinDuration(t, time.Now(), records[0].AppliedAt, time.Minute)

	from.Migrations = append(from.Migrations, &sqlmigrate.Migration{Id: "900_bad",
		Up: []string{"INSERT INTO users (full_name) VALUES ('Eve')", "INSERT INTO users (id) VALUES (1)"}})
	before := shape(t, db)
	_, err = sqlmigrate.Exec(db, "mysql", from, sqlmigrate.Up)
	require.ErrorContains(t, err, "1364")
	require.Equal(t, before, shape(t, db), "the transaction of the step is rolled back")
}

// TestGormigrate: gormigrate records versions in its own table.
func TestGormigrate(t *testing.T) {
	notOnHBase(t, "typed tables")
	g, db := gormOpen(t, memory+"?parseTime=true")
	var migrations []*gormigrate.Migration
	for i, step := range shopMigrations {
		migrations = append(migrations, &gormigrate.Migration{ID: fmt.Sprintf("%03d_%s", i+1, step.name),
			Migrate:  func(tx *gorm.DB) error { return tx.Exec(step.up).Error },
			Rollback: func(tx *gorm.DB) error { return tx.Exec(step.down).Error }})
	}
	m := gormigrate.New(g, &gormigrate.Options{TableName: "migrations", IDColumnName: "id", IDColumnSize: 190, UseTransaction: true}, migrations)
	done := 0
	upAndDown(t, db, func(version int) error {
		var err error
		switch {
		case version > done:
			err = m.MigrateTo(migrations[version-1].ID)
		case version == 0:
			err = m.RollbackMigration(migrations[0])
		default:
			err = m.RollbackTo(migrations[version-1].ID)
		}
		done = version
		return err
	})
	require.NoError(t, m.Migrate(), "which is done already")

	type note struct {
		ID   string `gorm:"primaryKey;size:40"`
		Text string
	}
	failed := errors.New("failed")
	m = gormigrate.New(g, gormigrate.DefaultOptions, append(migrations,
		&gormigrate.Migration{ID: "note", Migrate: func(tx *gorm.DB) error { return tx.AutoMigrate(&note{}) },
			Rollback: func(tx *gorm.DB) error { return tx.Migrator().DropTable(&note{}) }},
		&gormigrate.Migration{ID: "bad", Migrate: func(tx *gorm.DB) error { return failed }}))
	require.ErrorIs(t, m.Migrate(), failed)
	require.Equal(t, []string{"notes"}, tables(t, db, "notes"))
	require.NoError(t, m.RollbackLast())
	require.Empty(t, tables(t, db, "notes"))
}

// TestBunMigrator: bun's migrator records versions and its lock in its own tables.
func TestBunMigrator(t *testing.T) {
	notOnHBase(t, "typed tables")
	db, ctx := open(t, memory+"?parseTime=true"), t.Context()
	files := migrationFiles("%014d_%s", shopMigrations)
	b := bun.NewDB(db, mysqldialect.New())
	migrator := func(n int) *bunmigrate.Migrator {
		known := fstest.MapFS{}
		for name, file := range files {
			if name < fmt.Sprintf("%014d", n+1) {
				known[name] = file
			}
		}
		all := bunmigrate.NewMigrations()
		require.NoError(t, all.Discover(known))
		return bunmigrate.NewMigrator(b, all, bunmigrate.WithMarkAppliedOnSuccess(true))
	}
	require.NoError(t, migrator(0).Init(ctx))
	require.NoError(t, migrator(0).Init(ctx), "which is there already")
	done := 0
	upAndDown(t, db, func(version int) error {
		m, err := migrator(max(version, done)), error(nil)
		if version > done {
			_, err = m.Migrate(ctx)
		} else {
			_, err = m.Rollback(ctx)
		}
		done = version
		return err
	})
	m := migrator(len(shopMigrations))
	states, err := m.MigrationsWithStatus(ctx)
	require.NoError(t, err)
	require.Empty(t, states.Unapplied())
	require.NoError(t, m.Lock(ctx))
	require.ErrorContains(t, m.Lock(ctx), "1062", "another one migrates")
	require.NoError(t, m.Unlock(ctx))

	files[fmt.Sprintf("%014d_bad.tx.up.sql", len(shopMigrations)+1)] = &fstest.MapFile{
		Data: []byte("INSERT INTO users (full_name) VALUES ('Eve');\n--bun:split\nINSERT INTO users (id) VALUES (1)")}
	before := shape(t, db)
	_, err = migrator(len(shopMigrations) + 1).Migrate(ctx)
	require.ErrorContains(t, err, "1364")
	require.Equal(t, before, shape(t, db), "the transaction of the file is rolled back")
}
