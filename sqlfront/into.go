package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/fileio"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// selectInto runs SELECT ... INTO. Without a row INTO @a, @b sets nothing and warns; a second row is
// error 1172 (https://dev.mysql.com/doc/refman/5.7/en/select-into.html).
func (s *Session) selectInto(ctx context.Context, st *Statement, into *ast.Into, args []value.Value) (Result, error) {
	if into.Variables == nil {
		return s.selectIntoFile(ctx, st, into, args)
	}
	names := into.Variables
	rows, err := s.query(ctx, st, args)
	if err != nil {
		return Result{}, err
	}
	values, err := answers.OnlyRow(rows, len(names))
	if closing := rows.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return Result{}, err
	}
	if values == nil {
		s.warn(uint16(mysqlerr.NoData), "No data - zero rows fetched, selected, or processed")
		return Result{}, nil
	}
	for i, name := range names {
		if err := s.user.Set(name, values[i]); err != nil {
			return Result{}, err
		}
	}
	return Result{RowsAffected: 1}, nil
}

// selectIntoFile runs SELECT ... INTO OUTFILE and INTO DUMPFILE. A statement that fails leaves no file
// (https://dev.mysql.com/doc/refman/5.7/en/select-into.html).
func (s *Session) selectIntoFile(ctx context.Context, st *Statement, into *ast.Into,
	args []value.Value) (result Result, err error) {
	if _, err := fileio.Charset(into.Charset, true); err != nil {
		return Result{}, err
	}
	rows, err := s.query(ctx, st, args)
	if err != nil {
		return Result{}, err
	}
	defer func() {
		if closing := rows.Close(); err == nil {
			err = closing
		}
	}()
	result.RowsAffected, err = fileio.Export(s.options.Files, rows, into, s.warn)
	return result, err
}
