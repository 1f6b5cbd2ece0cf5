package typed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestForeignKeys: foreign keys are refused, and treated as comments if the DSN says so.
func TestForeignKeys(t *testing.T) {
	made := []string{"SET foreign_key_checks = 0", "CREATE TABLE u (id int PRIMARY KEY, a int, b int REFERENCES u (id), " +
		"CONSTRAINT `f*/` FOREIGN KEY i (a, b) REFERENCES nowhere.t (x, y) ON DELETE SET NULL ON UPDATE NO ACTION)"}
	refusing := open(t, small, made[0])
	for _, statement := range []string{made[1], "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES t (id)",
		"ALTER TABLE t ADD c int REFERENCES t (id)", "CREATE TABLE v (id int PRIMARY KEY REFERENCES t (id))"} {
		_, err := refusing.Exec(statement)
		harness.RequireErrorNumber(t, 1235, err)
		require.ErrorContains(t, err, "foreignKeys=ignore")
	}
	db := harness.OpenEmbedded(t, harness.MemoryDSN()+"&foreignKeys=ignore")
	db.SetMaxOpenConns(1)
	harness.Must(t, db, append(made, small)...)
	harness.Must(t, db, "DROP TABLE u", made[1])
	require.Equal(t, []string{"Note 1235", "Note 1235"}, notes(harness.Lines(t, db, "SHOW WARNINGS")))
	text := func() string { return harness.Lines(t, db, "SHOW CREATE TABLE u")[0] }
	require.Contains(t, text(), "PRIMARY KEY (`id`),\n  KEY `b` (`b`),\n  KEY `f*/` (`a`,`b`)\n  /* CONSTRAINT `u_ibfk_1` FOREIGN KEY (`b`) REFERENCES `u` (`id`) */\n"+
		"  /* CONSTRAINT `f* /` FOREIGN KEY (`a`,`b`) REFERENCES `nowhere`.`t` (`x`,`y`) ON DELETE SET NULL ON UPDATE NO ACTION */\n) ENGINE")
	require.Equal(t, []string{"f*/ FOREIGN KEY NO", "PRIMARY PRIMARY KEY YES", "u_ibfk_1 FOREIGN KEY NO"}, harness.Lines(t, db,
		"SELECT CONSTRAINT_NAME, CONSTRAINT_TYPE, ENFORCED FROM information_schema.TABLE_CONSTRAINTS WHERE TABLE_NAME = 'u' ORDER BY 1"))
	require.Equal(t, []string{"f*/ a nowhere t x", "f*/ b nowhere t y", "u_ibfk_1 b default u id"}, harness.Lines(t, db,
		"SELECT CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME FROM "+
			"information_schema.KEY_COLUMN_USAGE WHERE TABLE_NAME = 'u' AND REFERENCED_TABLE_NAME IS NOT NULL ORDER BY 1, ORDINAL_POSITION"))
	require.Equal(t, []string{"f*/ nowhere NO ACTION SET NULL u t", "u_ibfk_1 default RESTRICT RESTRICT u u"}, harness.Lines(t, db,
		"SELECT CONSTRAINT_NAME, UNIQUE_CONSTRAINT_SCHEMA, UPDATE_RULE, DELETE_RULE, TABLE_NAME, REFERENCED_TABLE_NAME FROM "+
			"information_schema.REFERENTIAL_CONSTRAINTS ORDER BY 1"))
	harness.Must(t, db, "INSERT INTO u VALUES (1, 2, 3)", "ALTER TABLE u RENAME COLUMN b TO z, DROP FOREIGN KEY `f*/`",
		"ALTER TABLE u ADD CONSTRAINT g FOREIGN KEY (a) REFERENCES t (id), ADD c int REFERENCES t (id)")
	require.Contains(t, text(), "/* CONSTRAINT `u_ibfk_1` FOREIGN KEY (`z`) REFERENCES `u` (`id`) */\n"+
		"  /* CONSTRAINT `g` FOREIGN KEY (`a`) REFERENCES `t` (`id`) */\n  /* CONSTRAINT `u_ibfk_2` FOREIGN KEY (`c`)")
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"ALTER TABLE u ADD CONSTRAINT G FOREIGN KEY (a) REFERENCES t (id)": 1826,
		"ALTER TABLE u ADD FOREIGN KEY (nothing) REFERENCES t (id)":        1072,
		"ALTER TABLE u DROP FOREIGN KEY nothing":                           1091,
	})
	shown := text()[len("u "):]
	harness.Must(t, db, "ALTER TABLE u DROP CONSTRAINT g, DROP c, DROP z")
	require.NotContains(t, text(), "/*")
	harness.Must(t, db, "DROP TABLE u", shown)
}

// TestIndexesOfForeignKeys: a foreign key that is treated as a comment has MySQL's index, unless another key
// begins with its columns.
func TestIndexesOfForeignKeys(t *testing.T) {
	db := harness.OpenEmbedded(t, harness.MemoryDSN()+"&foreignKeys=ignore")
	db.SetMaxOpenConns(1)
	indexes := func(table string) []string {
		return harness.Lines(t, db, "SELECT INDEX_NAME, GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX), MAX(NON_UNIQUE) FROM "+
			"information_schema.STATISTICS WHERE TABLE_NAME = '"+table+"' AND INDEX_NAME <> 'PRIMARY' GROUP BY INDEX_NAME ORDER BY INDEX_NAME")
	}
	harness.Must(t, db, "CREATE TABLE p (id int PRIMARY KEY)", "INSERT INTO p VALUES (1)",
		`CREATE TABLE c (a int, b int REFERENCES p (id), c int UNIQUE, d int, e varchar(20), f int, PRIMARY KEY (a, b), KEY (e(3)),
			CONSTRAINT fk_d FOREIGN KEY (d) REFERENCES p (id), CONSTRAINT again FOREIGN KEY (D) REFERENCES p (id),
			FOREIGN KEY by_f (f, d) REFERENCES p (id, x), FOREIGN KEY (e) REFERENCES p (id), FOREIGN KEY (c) REFERENCES p (id),
			FOREIGN KEY (a) REFERENCES p (id), FOREIGN KEY (a, b) REFERENCES p (id, x))`)
	require.Equal(t, []string{"b b 1", "by_f f,d 1", "c c 0", "e e 1", "e_2 e 1", "fk_d d 1"}, indexes("c"))
	harness.Must(t, db, "CREATE TABLE o (id int PRIMARY KEY, p int)", "INSERT INTO o VALUES (1, 1), (2, 1)",
		"ALTER TABLE o ADD CONSTRAINT o_p FOREIGN KEY (p) REFERENCES p (id), ADD q int REFERENCES p (id), ADD r int, ADD FOREIGN KEY (r, id) REFERENCES p (id, x), ADD INDEX (r, id)")
	require.Equal(t, []string{"o_p p 1", "q q 1", "r r,id 1"}, indexes("o"))
	require.Equal(t, []string{"1", "2"}, harness.Lines(t, db, "SELECT id FROM o FORCE INDEX (o_p) WHERE p = 1 ORDER BY id"))
	harness.Must(t, db, "ALTER TABLE o DROP FOREIGN KEY o_p, DROP INDEX o_p", "ALTER TABLE o DROP COLUMN q")
	require.Equal(t, []string{"r r,id 1"}, indexes("o"))
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"CREATE TABLE x (id int PRIMARY KEY, a int, KEY f (id), CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id))": 1061,
		"CREATE TABLE x (id int PRIMARY KEY, a text, FOREIGN KEY (a) REFERENCES p (id))":                         1170,
		"CREATE TABLE x (id int PRIMARY KEY, FOREIGN KEY (nothing) REFERENCES p (id))":                           1072,
	})
	harness.Must(t, db, "CREATE TEMPORARY TABLE y (id int PRIMARY KEY, a int, FOREIGN KEY (a) REFERENCES p (id))")
}

// TestForeignKeysFollow: a foreign key names the table and the columns that it refers to by their present names.
func TestForeignKeysFollow(t *testing.T) {
	db := harness.OpenEmbedded(t, harness.MemoryDSN()+"&foreignKeys=ignore")
	db.SetMaxOpenConns(1)
	harness.Must(t, db, "CREATE DATABASE o", "CREATE TABLE p (id int PRIMARY KEY, up int REFERENCES p (id), n varchar(9) UNIQUE)",
		"CREATE TABLE c (id int PRIMARY KEY, a int, b varchar(9), FOREIGN KEY (a) REFERENCES p (ID) ON DELETE CASCADE, "+
			"CONSTRAINT two FOREIGN KEY (b, a) REFERENCES p (n, id), FOREIGN KEY (a) REFERENCES nowhere (id))",
		"CREATE TABLE o.far (a int, FOREIGN KEY (a) REFERENCES `default`.p (id))", "CREATE TABLE mere (a int REFERENCES c (id))")
	refers := func() []string {
		return harness.Lines(t, db, "SELECT CONCAT_WS('.', TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME), CONCAT_WS('.', REFERENCED_TABLE_SCHEMA, "+
			"REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME) FROM information_schema.KEY_COLUMN_USAGE "+
			"WHERE REFERENCED_TABLE_NAME IS NOT NULL AND REFERENCED_TABLE_NAME <> 'nowhere' ORDER BY 1, 2")
	}
	harness.Must(t, db, "RENAME TABLE p TO tmp, tmp TO parent")
	require.Equal(t, []string{"default.c.a default.parent.ID", "default.c.a default.parent.id", "default.c.b default.parent.n",
		"default.mere.a default.c.id", "default.parent.up default.parent.id", "o.far.a default.parent.id"}, refers())
	harness.Must(t, db, "ALTER TABLE parent CHANGE id no int, RENAME COLUMN n TO name", "ALTER TABLE parent RENAME o.parent, RENAME COLUMN name TO title")
	require.Equal(t, []string{"default.c.a o.parent.no", "default.c.a o.parent.no", "default.c.b o.parent.title",
		"default.mere.a default.c.id", "o.far.a o.parent.no", "o.parent.up o.parent.no"}, refers())
	harness.Must(t, db, "RENAME TABLE c TO o.c", "ALTER TABLE o.parent DROP PRIMARY KEY, ADD PRIMARY KEY (title), RENAME COLUMN no TO id")
	require.Equal(t, []string{"default.mere.a o.c.id", "o.c.a o.parent.id", "o.c.a o.parent.id", "o.c.b o.parent.title",
		"o.far.a o.parent.id", "o.parent.up o.parent.id"}, refers())
	text := harness.Lines(t, db, "SHOW CREATE TABLE o.c")[0]
	require.Contains(t, text, "FOREIGN KEY (`a`) REFERENCES `parent` (`id`) ON DELETE CASCADE */")
	require.Contains(t, text, "REFERENCES `default`.`nowhere` (`id`) */", "the table has moved")
}

// TestForeignKeysReverted: foreign keys follow a table back if ALTER TABLE fails because of duplicates.
func TestForeignKeysReverted(t *testing.T) {
	db := harness.OpenEmbedded(t, harness.MemoryDSN()+"&foreignKeys=ignore")
	harness.Must(t, db, "CREATE TABLE p (id int PRIMARY KEY, up int REFERENCES p (id), n int)", "INSERT INTO p VALUES (1, 1, 7), (2, 1, 7)",
		"CREATE TABLE c (a int, FOREIGN KEY (a) REFERENCES p (id))")
	before := append(harness.Lines(t, db, "SHOW CREATE TABLE p"), harness.Lines(t, db, "SHOW CREATE TABLE c")...)
	for _, change := range []string{"RENAME COLUMN id TO no", "RENAME q", "RENAME q, RENAME COLUMN id TO no"} {
		harness.RequireErrorNumbers(t, db, map[string]uint16{"ALTER TABLE p " + change + ", ADD UNIQUE (n)": 1062})
		require.Equal(t, before, append(harness.Lines(t, db, "SHOW CREATE TABLE p"), harness.Lines(t, db, "SHOW CREATE TABLE c")...), change)
	}
}

func notes(lines []string) (out []string) {
	for _, line := range lines {
		out = append(out, line[:len("Note 1235")])
	}
	return out
}
