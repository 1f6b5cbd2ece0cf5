package cities

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"

	"github.com/hbasekv/hbasekv/driver/hbasekvtest"
	"github.com/hbasekv/hbasekv/driver/hbaseserver"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/hbaseservertest"
)

// The tables of the test, in SQL: the family info of HBase's table users.
const schema = "CREATE TABLE users$info (K varbinary(64), Q varbinary(64), T bigint, V varbinary(255), PRIMARY KEY (K, Q, T))"

func TestCities(t *testing.T) {
	faults := hbaseservertest.NewFaults()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	quorum := hbaseservertest.HBase(t, db, hbaseserver.Options{Faults: faults})
	client := gohbase.NewClient(quorum, gohbase.Logger(slog.New(slog.DiscardHandler)))
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cities := Cities{client}

	city, err := cities.City(ctx, "ann")
	require.NoError(t, err)
	require.Empty(t, city)
	require.NoError(t, cities.Claim(ctx, "ann", "Oslo"))
	require.ErrorIs(t, cities.Claim(ctx, "ann", "Rome"), ErrTaken)

	// The program sees no error when a region has moved: the client looks the region up
	// again.
	faults.Fail(hbaseservertest.Read, 1, hbaseservertest.RegionMoved)
	city, err = cities.City(ctx, "ann")
	require.NoError(t, err)
	require.Equal(t, "Oslo", city)
	require.Zero(t, faults.Pending())

	// SQL sees what the program has written.
	var value string
	require.NoError(t, db.QueryRow("SELECT V FROM users$info WHERE K = 'ann' AND Q = 'city'").Scan(&value))
	require.Equal(t, "Oslo", value)
}
