package orm

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-gormigrate/gormigrate/v2"
	"github.com/golang-migrate/migrate/v4"
	migratemysql "github.com/golang-migrate/migrate/v4/database/mysql"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/pressly/goose/v3"
	sqlmigrate "github.com/rubenv/sql-migrate"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
)

// TestGolangMigrate: golang-migrate keeps its books in a table of its own.
func TestGolangMigrate(t *testing.T) {
	notOnHBase(t, "typed tables")
	db := open(t, memory)
	files := fstest.MapFS{
		"1_users.up.sql":   {Data: []byte("CREATE TABLE users (id bigint PRIMARY KEY, name varchar(100))")},
		"1_users.down.sql": {Data: []byte("DROP TABLE users")},
		"2_cells.up.sql":   {Data: []byte("CREATE TABLE `m$x` (K varbinary(10), Q varbinary(10), T bigint, V blob, PRIMARY KEY (K, Q, T))")},
		"2_cells.down.sql": {Data: []byte("DROP TABLE `m$x`")},
		"3_bad.up.sql":     {Data: []byte("CREATE TABLE users (id bigint PRIMARY KEY)")},
	}
	source, err := iofs.New(files, ".")
	require.NoError(t, err)
	books, err := migratemysql.WithInstance(db, &migratemysql.Config{})
	require.NoError(t, err)
	m, err := migrate.NewWithInstance("iofs", source, "mysql", books)
	require.NoError(t, err)

	require.NoError(t, m.Migrate(2))
	version, dirty, err := m.Version()
	require.NoError(t, err)
	require.Equal(t, []any{uint(2), false}, []any{version, dirty})
	require.ErrorIs(t, m.Migrate(2), migrate.ErrNoChange)
	require.ErrorContains(t, m.Up(), "1050")
	_, dirty, err = m.Version()
	require.NoError(t, err)
	require.True(t, dirty, "the third has failed")
	require.NoError(t, m.Force(2))
	require.NoError(t, m.Down())
	_, _, err = m.Version()
	require.ErrorIs(t, err, migrate.ErrNilVersion)
	require.Empty(t, tables(t, db, "users", "m$x"))
}

// TestGoose: goose keeps its books in a table of its own.
func TestGoose(t *testing.T) {
	notOnHBase(t, "typed tables")
	db, ctx := open(t, memory), t.Context()
	files := fstest.MapFS{
		"00001_users.sql": {Data: []byte("-- +goose Up\nCREATE TABLE users (id bigint PRIMARY KEY, name varchar(100));\n" +
			"INSERT INTO users VALUES (1, 'Ann');\n-- +goose Down\nDROP TABLE users;\n")},
		"00002_age.sql": {Data: []byte("-- +goose Up\nUPDATE users SET name = 'Anna';\n-- +goose Down\nUPDATE users SET name = 'Ann';\n")},
	}
	provider, err := goose.NewProvider(goose.DialectMySQL, db, files)
	require.NoError(t, err)
	done, err := provider.Up(ctx)
	require.NoError(t, err)
	require.Len(t, done, 2)
	version, err := provider.GetDBVersion(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 2, version)
	var name string
	require.NoError(t, db.QueryRow("SELECT name FROM users").Scan(&name))
	require.Equal(t, "Anna", name)
	_, err = provider.DownTo(ctx, 0)
	require.NoError(t, err)
	states, err := provider.Status(ctx)
	require.NoError(t, err)
	require.Len(t, states, 2)
	require.Equal(t, goose.StatePending, states[0].State)
	require.Empty(t, tables(t, db, "users"))
}

// TestSQLMigrate: sql-migrate keeps its books in a table of its own.
func TestSQLMigrate(t *testing.T) {
	notOnHBase(t, "typed tables")
	db := open(t, memory+"?parseTime=true")
	source := &sqlmigrate.MemoryMigrationSource{Migrations: []*sqlmigrate.Migration{
		{Id: "1", Up: []string{"CREATE TABLE users (id bigint PRIMARY KEY, name varchar(100))"}, Down: []string{"DROP TABLE users"}},
		{Id: "2", Up: []string{"INSERT INTO users VALUES (1, 'Ann')"}, Down: []string{"DELETE FROM users"}},
	}}
	n, err := sqlmigrate.Exec(db, "mysql", source, sqlmigrate.Up)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	n, err = sqlmigrate.Exec(db, "mysql", source, sqlmigrate.Up)
	require.NoError(t, err)
	require.Zero(t, n)
	records, err := sqlmigrate.GetMigrationRecords(db, "mysql")
	require.NoError(t, err)
	require.Len(t, records, 2)
	require.WithinDuration(t, time.Now(), records[0].AppliedAt, time.Minute)
	n, err = sqlmigrate.Exec(db, "mysql", source, sqlmigrate.Down)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Empty(t, tables(t, db, "users"))
}

// TestGormigrate: gormigrate keeps its books in a table of its own.
func TestGormigrate(t *testing.T) {
	notOnHBase(t, "typed tables")
	g, db := gormOpen(t, memory)
	type note struct {
		ID   string `gorm:"primaryKey;size:40"`
		Text string
	}
	migrations := []*gormigrate.Migration{
		{ID: "1", Migrate: func(tx *gorm.DB) error { return tx.AutoMigrate(&note{}) },
			Rollback: func(tx *gorm.DB) error { return tx.Migrator().DropTable(&note{}) }},
		{ID: "2", Migrate: func(tx *gorm.DB) error { return tx.Create(&note{ID: "a", Text: "b"}).Error },
			Rollback: func(tx *gorm.DB) error { return tx.Delete(&note{}, "id = ?", "a").Error }},
	}
	m := gormigrate.New(g, gormigrate.DefaultOptions, migrations)
	require.NoError(t, m.Migrate())
	require.NoError(t, m.Migrate(), "which is done already")
	var n int64
	require.NoError(t, g.Model(&note{}).Count(&n).Error)
	require.EqualValues(t, 1, n)
	require.NoError(t, m.RollbackLast())
	require.NoError(t, m.RollbackLast())
	require.Empty(t, tables(t, db, "notes"))
}
