package ddl

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// Run runs the statement. done is false if it is not DDL. Errors are MySQL's, those of the store, and
// cancellation.
func (d *DDL) Run(ctx context.Context, st ast.Statement) (done bool, err error) {
	run := d.runner(st)
	if run == nil {
		return false, nil
	}
	return true, run(ctx)
}

// runner is the function that runs the statement.
func (d *DDL) runner(st ast.Statement) func(context.Context) error {
	switch st := st.(type) {
	case *ast.CreateDatabase:
		return func(ctx context.Context) error { return d.createDatabase(ctx, st) }
	case *ast.AlterDatabase:
		return func(ctx context.Context) error { return d.alterDatabase(ctx, st) }
	case *ast.DropDatabase:
		return func(ctx context.Context) error { return d.dropDatabase(ctx, st) }
	case *ast.CreateTableGroup:
		return func(ctx context.Context) error { return d.createGroup(ctx, st) }
	case *ast.AlterTableGroup:
		return func(ctx context.Context) error { return d.alterGroup(ctx, st) }
	case *ast.DropTableGroup:
		return func(ctx context.Context) error { return d.dropGroup(ctx, st) }
	case *ast.CreateTable:
		return func(ctx context.Context) error { return d.createTable(ctx, st) }
	case *ast.CreateTableLike:
		return func(ctx context.Context) error { return d.createTableLike(ctx, st) }
	case *ast.DropTable:
		return func(ctx context.Context) error { return d.dropTables(ctx, st) }
	case *ast.TruncateTable:
		return func(ctx context.Context) error { return d.truncate(ctx, st) }
	case *ast.RenameTable:
		return func(ctx context.Context) error { return d.rename(ctx, st.Pairs) }
	case *ast.AlterTable:
		return func(ctx context.Context) error { return d.alterTable(ctx, st) }
	case *ast.CreateView:
		return func(ctx context.Context) error { return d.createView(ctx, st) }
	case *ast.DropView:
		return func(ctx context.Context) error { return d.dropViews(ctx, st) }
	case *ast.SplitTable:
		return func(ctx context.Context) error { return d.splitTable(ctx, st) }
	}
	return nil
}
