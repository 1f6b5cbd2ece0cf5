package hbaseservertest_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	"github.com/hbasekv/hbasekv/driver/hbasekvtest"
	"github.com/hbasekv/hbasekv/driver/hbaseserver"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/hbaseservertest"
)

var quiet = gohbase.Logger(slog.New(slog.DiscardHandler))

const users = "CREATE TABLE users$info (K varbinary(64), Q varbinary(64), T bigint, V varbinary(255), PRIMARY KEY (K, Q, T))"

// cityOf is the program under test.
func cityOf(ctx context.Context, c gohbase.Client, user string) (string, error) {
	get, err := hrpc.NewGetStr(ctx, "users", user, hrpc.Families(map[string][]string{"info": {"city"}}))
	if err != nil {
		return "", err
	}
	r, err := c.Get(get)
	if err != nil || len(r.Cells) == 0 {
		return "", err
	}
	return string(r.Cells[0].Value), nil
}

// TestCityOf is a test of a program that uses gohbase, while a region moves and an answer is lost.
func TestCityOf(t *testing.T) {
	faults := hbaseservertest.NewFaults()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(users))
	hbasekvtest.Load(t, db, "users", "ann info:city @1 Oslo\n")
	quorum := hbaseservertest.HBase(t, db, hbaseserver.Options{Faults: faults})
	client := gohbase.NewClient(quorum, quiet)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	faults.Fail(hbaseservertest.Read, 1, hbaseservertest.RegionMoved)
	faults.Fail(hbaseservertest.Read, 2, hbaseservertest.LostReply)
	city, err := cityOf(ctx, client, "ann")
	require.NoError(t, err)
	require.Equal(t, "Oslo", city)
	require.Zero(t, faults.Pending())
}
