package hbase

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/viewtext"
)

// viewsDatabase makes a namespace with a table `t$f` of two rows, and returns a sql.DB in it.
func viewsDatabase(t *testing.T, s *Store) (name string, db *sql.DB) {
	t.Helper()
	name = newName()
	require.NoError(t, s.cluster.createNamespace(t.Context(), name))
	t.Cleanup(func() { clearNamespace(t, s, name) })
	db = openDatabase(t, name)
	for _, statement := range []string{
		"CREATE TABLE t$f (K varbinary(64), Q varbinary(64), T bigint, V varbinary(255), PRIMARY KEY (K, Q, T))",
		"REPLACE INTO t$f VALUES ('ann', 'age', 1, '41'), ('ann', 'name', 1, 'Ann')", "REPLACE INTO t$f VALUES ('bob', 'name', 1, 'Bob')",
	} {
		_, err := db.Exec(statement)
		require.NoError(t, err, statement)
	}
	return name, db
}

// openDatabase opens a namespace with a store of its own, like another program.
func openDatabase(t *testing.T, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open("hbasekv", "hbase://"+quorumOfTests+"/"+name+"?multiRow=apply&user="+newName())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// properties returns the properties of a namespace.
func properties(t *testing.T, s *Store, namespace string) map[string]string {
	t.Helper()
	answer := &pb.GetNamespaceDescriptorResponse{}
	require.NoError(t, s.cluster.onMaster(t.Context(), "GetNamespaceDescriptor",
		&pb.GetNamespaceDescriptorRequest{NamespaceName: &namespace}, answer, true))
	out := map[string]string{}
	for _, p := range answer.GetNamespaceDescriptor().GetConfiguration() {
		out[p.GetName()] = p.GetValue()
	}
	return out
}

// setProperty sets a property of a namespace like HBase's own clients.
func setProperty(t *testing.T, s *Store, namespace, name, value string) {
	t.Helper()
	all := properties(t, s, namespace)
	all[name] = value
	next := &pb.NamespaceDescriptor{Name: []byte(namespace)}
	for n, v := range all {
		next.Configuration = append(next.Configuration, &pb.NameStringPair{Name: &n, Value: &v})
	}
	require.NoError(t, s.cluster.procedure(t.Context(), "ModifyNamespace",
		&pb.ModifyNamespaceRequest{NamespaceDescriptor: next, NonceGroup: nonce(), Nonce: nonce()}))
}

// Views are stored in the cluster: created, replaced, renamed, shown and dropped, and seen by others.
func TestViews(t *testing.T) {
	s := openTest(t)
	name, db := viewsDatabase(t, s)
	setProperty(t, s, name, "of.others", "x")
	other := openDatabase(t, name)
	require.Empty(t, rows(t, other, "SELECT TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME <> 't'"))
	exec := func(statement string) {
		t.Helper()
		_, err := db.Exec(statement)
		require.NoError(t, err, statement)
	}
	exec("CREATE VIEW people AS SELECT K AS id, CAST(MAX(CASE WHEN Q = 'name' THEN V END) AS CHAR(20)) AS name FROM t$f GROUP BY K")
	require.Equal(t, []string{"ann|Ann", "bob|Bob"}, rows(t, db, "SELECT * FROM people"))
	require.Eventually(t, func() bool {
		r, err := other.Query("SELECT * FROM people")
		if err == nil {
			r.Close()
		}
		return err == nil
	}, 30*time.Second, 50*time.Millisecond)
	_, err := other.Exec("CREATE VIEW people AS SELECT 1")
	require.ErrorContains(t, err, "1050")
	exec("CREATE OR REPLACE SQL SECURITY INVOKER VIEW people AS SELECT K AS id, V AS age FROM t$f WHERE Q = 'age'")
	exec("CREATE VIEW old AS SELECT id FROM people WHERE age > 40")
	exec("RENAME TABLE old TO older")
	require.Equal(t, []string{"ann"}, rows(t, db, "SELECT * FROM older"))
	exec("ALTER VIEW older AS SELECT id, age + 1 AS next FROM people")
	require.Equal(t, []string{"ann|42"}, rows(t, db, "SELECT * FROM older"))
	fresh := openDatabase(t, name)
	require.Equal(t, []string{"older|DEFINER|NO", "people|INVOKER|NO"},
		rows(t, fresh, "SELECT TABLE_NAME, SECURITY_TYPE, IS_UPDATABLE FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME <> 't' ORDER BY 1"))
	shown := rows(t, fresh, "SHOW CREATE VIEW people")
	require.Contains(t, shown[0], "SQL SECURITY INVOKER VIEW `people` (`id`,`age`) AS SELECT K AS id, V AS age FROM `"+name+"`.`t$f` WHERE Q = 'age'")
	require.Equal(t, "x", properties(t, s, name)["of.others"])

	_, err = db.Exec("DROP VIEW people, nowhere")
	require.ErrorContains(t, err, "1051")
	require.Empty(t, rows(t, db, "SELECT 1 FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'people'"))
	exec("DROP VIEW older")
	require.Equal(t, map[string]string{"of.others": "x"}, properties(t, s, name))

	// A database is dropped with its views.
	exec("CREATE VIEW constant AS SELECT 1 AS one")
	exec("DROP TABLE t$f")
	exec("DROP DATABASE `" + name + "`")
	require.Nil(t, s.refreshed(t).Database(name))
}

// Programs that create views concurrently lose none.
func TestViewsAtOnce(t *testing.T) {
	s := openTest(t)
	name, _ := viewsDatabase(t, s)
	const programs, each = 4, 5
	failed := make(chan error, programs)
	for p := range programs {
		own := openDatabase(t, name)
		go func() {
			for i := range each {
				if _, err := own.Exec(fmt.Sprintf("CREATE VIEW v%d_%d AS SELECT K FROM t$f", p, i)); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range programs {
		require.NoError(t, <-failed)
	}
	require.Len(t, properties(t, s, name), programs*each)
	require.Len(t, rows(t, openDatabase(t, name), "SELECT 1 FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME <> 't'"), programs*each)

	// A view that another program has changed meanwhile is not overwritten.
	l, err := s.current(t.Context())
	require.NoError(t, err)
	was := l.views[[2]string{name, "v0_0"}]
	for _, change := range []viewtext.Change{{Is: "{}"}, {Was: was + " ", Is: "{}"}, {Was: was + " "}} {
		err := s.cluster.changeViews(t.Context(), name, viewtext.Changes{"v0_0": change})
		require.ErrorIs(t, err, kv.ErrCatalogChanged)
	}
	err = s.cluster.changeViews(t.Context(), name, viewtext.Changes{"gone": {Was: "{}", Is: "{}"}})
	require.ErrorIs(t, err, kv.ErrCatalogChanged)
}

// A damaged property is only an error of its view, and can be repaired with SQL.
func TestDamagedView(t *testing.T) {
	s := openTest(t)
	name, db := viewsDatabase(t, s)
	for _, statement := range []string{"CREATE VIEW a AS SELECT K FROM t$f", "CREATE VIEW b AS SELECT K FROM t$f"} {
		_, err := db.Exec(statement)
		require.NoError(t, err)
	}
	for _, mend := range []string{"CREATE OR REPLACE VIEW a AS SELECT V FROM t$f", "DROP VIEW a"} {
		setProperty(t, s, name, "HBASEKV_VIEW.a", `{"columns": [`)
		fresh := openDatabase(t, name)
		_, err := fresh.Query("SELECT * FROM a")
		require.ErrorContains(t, err, "1356")
		require.ErrorContains(t, err, "the property HBASEKV_VIEW.a of HBase's namespace "+name+" is damaged")
		require.Len(t, rows(t, fresh, "SELECT * FROM b"), 3)
		require.Equal(t, []string{"a", "b"}, rows(t, fresh, "SELECT TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME <> 't' ORDER BY 1"))
		_, err = fresh.Exec(mend)
		require.NoError(t, err, mend)
	}
	require.Len(t, properties(t, s, name), 1)
}

// What the master could not store is refused before it is asked.
func TestTooManyViews(t *testing.T) {
	s := openTest(t)
	name, db := viewsDatabase(t, s)
	wide := "AS SELECT '" + strings.Repeat("x", 200<<10) + "' AS c"
	for i := range 2 {
		_, err := db.Exec(fmt.Sprintf("CREATE VIEW v%d %s", i, wide))
		require.NoError(t, err)
	}
	_, err := db.Exec("CREATE VIEW v2 " + wide)
	require.ErrorContains(t, err, "1235")
	require.ErrorContains(t, err, "512 KiB")
	require.Len(t, properties(t, s, name), 2)
}

// A view in the default namespace, and a change that ends with the caller's context.
func TestViewOfDefault(t *testing.T) {
	openTest(t)
	db, view := openSQL(t, ""), newName()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := db.ExecContext(ctx, "CREATE VIEW `"+view+"` AS SELECT 1 AS one")
	require.ErrorIs(t, err, context.Canceled)
	_, err = db.Exec("CREATE VIEW `" + view + "` AS SELECT 1 AS one")
	require.NoError(t, err)
	require.Equal(t, []string{"1"}, rows(t, db, "SELECT * FROM `"+view+"`"))
	_, err = db.Exec("DROP VIEW `" + view + "`")
	require.NoError(t, err)
}
