// Command hbasekv runs SQL against an hbasekv store, loads files into it and exports
// it to files, copies it and checks it, shows how even its partitions are, and
// advises on row keys.
//
//	hbasekv sql ./data -e 'SHOW TABLES'
//	hbasekv load ./data orders.csv --key order_id
//	hbasekv load ./data zip$place zipcodes.csv.gz --header --columns HBASE_ROW_KEY,lat,lon,city,state,county
//	hbasekv export ./data zip$place places.parquet
//	hbasekv copy hbase://zk1:2181/shop ./data zip
//	hbasekv advise ./data zip$place --queries queries.sql
//	hbasekv backup ./data ./copy
//	hbasekv check ./data
//	hbasekv partitions ./data zip$place
//	hbasekv demo
//
// The first argument of all but demo is a data source name, as for sql.Open; some commands also accept a
// server's, as in mysql://root@host:3306/default. Results go to standard output, everything else to standard
// error. The exit code is 0 on success and 1 on failure.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // for systems without a time zone database: containers, Windows

	"github.com/spf13/cobra"

	_ "github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/export"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/load"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/shell"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/transfer"
)

func main() {
	err := newRoot().ExecuteContext(until(context.Background(), syscall.SIGTERM))
	if err != nil {
		fmt.Fprintln(os.Stderr, explain(err))
		os.Exit(1)
	}
}

// until is a context that the first of the signals cancels, so that a
// transaction is rolled back; the second one ends the process.
func until(ctx context.Context, signals ...os.Signal) context.Context {
	ctx, stop := signal.NotifyContext(ctx, signals...)
	context.AfterFunc(ctx, stop)
	return ctx
}

func explain(err error) string {
	text := "hbasekv: " + strings.TrimPrefix(err.Error(), "hbasekv: ")
	if errors.Is(err, context.Canceled) {
		text += " (interrupted)"
	}
	return text
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "hbasekv",
		Short:         "HBase-model tables as SQL tables in an embedded store",
		SilenceUsage:  true,
		SilenceErrors: true,
		// An interrupt ends a command, but only the statement of a shell, which
		// therefore needs the root's context.
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			cmd.SetContext(until(cmd.Context(), os.Interrupt))
		},
	}
	root.AddCommand(shell.NewCommand(), newServe(), load.NewCommand(), export.NewCommand(), transfer.NewCommand(), newHealth(), newBackup(), newCheck(), newPartitions(), newAdvise(), newDemo(), newVersion())
	return root
}
