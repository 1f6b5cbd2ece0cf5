package hbase

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
)

// BenchmarkHBase measures what a program waits for: cells of a full scan, gets,
// INSERTs, REPLACEs and the first row, with 100,000 rows of 100 bytes in four
// regions.
func BenchmarkHBase(b *testing.B) {
	s := openTest(b)
	name := newName()
	makeTable(b, s, name, [][]byte{[]byte("k0250000"), []byte("k0500000"), []byte("k0750000")}, familySchema("a", behaviours["Ours"]...))
	ctx := context.Background()
	const n = 100_000
	value := make([]byte, 100)
	fillRaw(b, s, name, n, value)
	db := openSQL(b, "")
	a := "`" + name + "$a`"
	b.Run("ScanCells", func(b *testing.B) {
		for b.Loop() {
			txn := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
			c, err := txn.Scan(ctx, []*kv.Table{txn.Catalog().Table("default", name+"$a")}, &kv.Scan{Ordered: true, NeedValue: true, MaxVersions: 1})
			require.NoError(b, err)
			cells := 0
			for c.Next() {
				cells++
			}
			require.NoError(b, c.Err())
			require.Equal(b, n, cells)
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "cells/s")
	})
	one := func(query string, args func(i int) []any) func(*testing.B) {
		return func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				r, err := db.Query(query, args(i)...)
				require.NoError(b, err)
				require.True(b, r.Next())
				require.NoError(b, r.Close())
			}
		}
	}
	key := func(i int) string { return fmt.Sprintf("k%07d", i*7919%n*10) }
	b.Run("GetRequest", func(b *testing.B) { // the part of Get that is HBase's and the network's
		for i := 0; b.Loop(); i++ {
			get := &pb.Get{Row: []byte(key(i)), Column: []*pb.Column{{Family: []byte("a"), Qualifier: [][]byte{[]byte("q")}}}}
			require.NoError(b, s.cluster.onRegion(ctx, name, get.Row, func(ctx context.Context, r *regionInfo) error {
				_, err := s.cluster.rpc.call(ctx, r.server, "Get", &pb.GetRequest{Region: regionSpecifier(r.name), Get: get}, &pb.GetResponse{})
				return err
			}))
		}
	})
	b.Run("Get", one("SELECT V FROM "+a+" WHERE K = ? AND Q = 'q'", func(i int) []any { return []any{key(i)} }))
	b.Run("Limit1", one("SELECT * FROM "+a+" ORDER BY K LIMIT 1", func(int) []any { return nil }))
	b.Run("Count", one("SELECT COUNT(*) FROM "+a, func(int) []any { return nil }))
	written := 0
	for _, verb := range []string{"REPLACE", "INSERT"} {
		b.Run(verb, func(b *testing.B) {
			for b.Loop() {
				written++
				_, err := db.Exec(verb+" INTO "+a+" VALUES (?, 'q', 5, ?)", fmt.Sprintf("n%07d", written), value)
				require.NoError(b, err)
			}
		})
	}
	b.Run("Update", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			_, err := db.Exec("UPDATE "+a+" SET V = ? WHERE K = 'k0000010' AND Q = 'q'", fmt.Sprint(i))
			require.NoError(b, err)
		}
	})
}
