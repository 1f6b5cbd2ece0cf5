package parse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// TestSecretsInErrors: no error quotes a password, whatever its cause.
func TestSecretsInErrors(t *testing.T) {
	for _, sql := range []string{
		"CREATE USER a IDENTIFIED BY 's3cret",
		"CREATE USER a IDENTIFIED BY 's3cret' x",
		"CREATE USER a IDENTIFIED BY s3cret",
		"CREATE USER a identified with mysql_native_password as s3cret",
		"ALTER USER a IDENTIFIED /* s3cret */ BY",
		"SET PASSWORD FOR a = s3cret",
		"SET PASSWORD = PASSWORD('s3cret'",
		"GRANT SELECT ON *.* TO a IDENTIFIED BY 's3cret' WITH",
		"SELECT PASSWORD('s3cret'))",
		"PREPARE s FROM 'CREATE USER a IDENTIFIED BY ''s3cret''' x",
	} {
		_, err := Parse(sql)
		require.Error(t, err, sql)
		require.NotContains(t, err.Error(), "s3cret")
		require.NotContains(t, lex.Shown(sql), "s3cret")
	}
	_, err := lex.Pieces("SET PASSWORD = 's3cret")
	require.Error(t, err)
	require.NotContains(t, err.Error(), "s3cret")
	require.Equal(t, "SELECT 'dent' FROM p", lex.Shown("SELECT 'dent' FROM p"))
	require.Equal(t, "SET PaSSWORD<secret>", lex.Shown("SET PaSSWORD = 'x'"))
}

// TestGrantLevels checks what follows ON.
func TestGrantLevels(t *testing.T) {
	grant := func(on string) ast.Grant {
		parsed, err := Parse("GRANT SELECT ON " + on + " TO a")
		require.NoError(t, err, on)
		return *parsed.Stmt.(*ast.Grant)
	}
	require.True(t, grant("*.*").Global)
	require.True(t, grant("*").Star)
	require.Equal(t, ast.TableName{Database: "a_b"}, grant("a_b.*").On)
	require.Equal(t, ast.TableName{Database: `a\_b`}, grant("`a\\_b`.*").On)
	on := grant("shop.users$profile").On
	require.Equal(t, "users$profile", on.Name)
	require.Equal(t, "shop", on.Database)
}
