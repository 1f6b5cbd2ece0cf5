package maintain

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/schema"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Keeper runs the statements for one session. All fields must be set.
type Keeper struct {
	Store kv.Store
	// Catalog is Store's with the session's temporary tables, which need no maintenance: they are in memory.
	Catalog  func(context.Context) (*kv.Catalog, error)
	Database string // the current database, or empty
	ReadOnly bool   // the session writes nothing, not even what the store holds in memory
	// Begin begins a read-only transaction.
	Begin func(context.Context) (kv.Txn, error)
	// Writable is an error if the session may not write.
	Writable func() error
	// Collecting is called with the progress of removing what retention hides.
	Collecting func(kv.Collected)
	// Keep keeps an error for SHOW WARNINGS.
	Keep func(error)
}

// Run runs OPTIMIZE, ANALYZE, REPAIR or CHECK TABLE, an ALTER TABLE for [Partitions], CHECK STORE, BACKUP TO,
// or the part of FLUSH that writes to files. args are the values of the statement's placeholders. The result
// is nil if the statement has no result set. The error is 1235 if the store does not support it, 1210 for
// BACKUP TO without a directory, for partitions 1146, 1505 and 1507, that of Writable, or the store's.
func (k *Keeper) Run(ctx context.Context, st ast.Statement, args []value.Value) (*relation.Result, error) {
	switch st := st.(type) {
	case *ast.OptimizeTable:
		return k.eachTable(ctx, "optimize", st.Names, k.optimize)
	case *ast.AnalyzeTable:
		return k.eachTable(ctx, "analyze", st.Names, k.analyze)
	case *ast.RepairTable:
		return k.eachTable(ctx, "repair", st.Names, k.repair)
	case *ast.CheckTable:
		return k.checkTables(ctx, k.named(st.Names), st.Options)
	case *ast.CheckStore:
		return k.checkStore(ctx, st.Options)
	case *ast.AlterTable:
		return k.maintainPartitions(ctx, st.Name, Partitions(st))
	case *ast.Flush:
		return nil, k.flush(ctx, st)
	case *ast.Backup:
		return nil, k.backup(ctx, st, args)
	}
	return nil, mysqlerr.Unsupported("this statement")
}

// flush writes what the store holds in memory to its files, if FLUSH asks for that. MySQL's other caches do
// not exist here.
func (k *Keeper) flush(ctx context.Context, st *ast.Flush) error {
	switch st.What {
	case "TABLES", "LOGS", "ENGINE LOGS":
		f, ok := k.Store.(kv.Flusher)
		if !ok {
			return nil
		}
		catalog, err := k.Store.Catalog(ctx)
		if err != nil {
			return err
		}
		var tables []*kv.Table
		for _, name := range k.named(st.Tables) {
			if t := schema.Stored(catalog, name.Database, name.Name); t != nil {
				tables = append(tables, t)
			}
		}
		if len(tables) > 0 || len(st.Tables) == 0 {
			return f.Flush(ctx, tables...)
		}
	}
	return nil
}

// backup runs BACKUP TO.
func (k *Keeper) backup(ctx context.Context, st *ast.Backup, args []value.Value) error {
	b, ok := k.Store.(kv.Backuper)
	if !ok {
		return mysqlerr.Unsupported("BACKUP TO")
	}
	dir := st.Dir
	if st.DirParam >= 0 {
		dir = string(args[st.DirParam].AsBytes())
	}
	if dir == "" {
		return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to BACKUP TO: it needs a directory")
	}
	return b.Backup(ctx, dir)
}
