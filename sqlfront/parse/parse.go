package parse

import "github.com/hbasekv/hbasekv/sqlfront/mysqlerr"

// Parse reads exactly one statement, which may end with a semicolon.
func Parse(sql string) (*Parsed, error) {
	return nil, mysqlerr.Syntax(sql, 0, "")
}

// Split cuts a script into its statements, without their semicolons; pieces of
// nothing but space and comments are left out.
func Split(script string) ([]string, error) {
	return nil, mysqlerr.Syntax(script, 0, "")
}
