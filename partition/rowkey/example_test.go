package rowkey_test

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/partition/rowkey"
)

// The keys of readings begin with a time, so RANGE partitioning would write all
// of them to the last partition. With a salt they are spread over all buckets,
// and a period of time is read as one range in each bucket.
func ExampleSalt() {
	for _, key := range []string{"20260101T0800", "20260101T0801", "20260101T0802"} {
		salted, _ := rowkey.Salt([]byte(key), 4)
		fmt.Printf("%q\n", salted)
	}
	condition, args, _ := rowkey.SaltCondition("K", partition.RowRange{
		Start: []byte("20260101"), End: []byte("20260102"),
	}, 2)
	fmt.Println(condition)
	fmt.Printf("%q\n", args)
	// Output:
	// "\x0020260101T0800"
	// "\x0320260101T0801"
	// "\x0020260101T0802"
	// (K >= ? AND K < ? OR K >= ? AND K < ?)
	// ["\x0020260101" "\x0020260102" "\x0120260101" "\x0120260102"]
}

// A user's newest operations come first in a scan of the user's prefix.
func ExampleReverseTimestamp() {
	var keys [][]byte
	for _, at := range []int64{1_700_000_000_000, 1_700_000_060_000, 1_700_000_120_000} {
		key, _ := rowkey.Join("#", []byte("user7"), rowkey.ReverseTimestamp(at))
		keys = append(keys, key)
	}
	slices.SortFunc(keys, bytes.Compare)
	for _, key := range keys {
		at, _ := rowkey.FromReverseTimestamp(rowkey.Split("#", key, 2)[1])
		fmt.Println(at)
	}
	// Output:
	// 1700000120000
	// 1700000060000
	// 1700000000000
}

// Phone numbers begin alike and end at random, so their reverse is spread out.
func ExampleReverse() {
	fmt.Printf("%s\n", rowkey.Reverse([]byte("+8613800138000")))
	fmt.Printf("%s\n", rowkey.Reverse([]byte("+8613800138001")))
	// Output:
	// 0008310083168+
	// 1008310083168+
}

// A tall table of who follows whom: one row per pair, so that "does a follow b"
// is a row get and "whom does a follow" is a prefix scan, and no row grows
// without bound. The hash prefix keeps the rows of active followers apart from
// each other.
func ExampleHashPrefix() {
	follows := func(a, b string) []byte {
		key, _ := rowkey.Join("#", []byte(a), []byte(b))
		prefixed, _ := rowkey.HashPrefix([]byte(a), 4)
		return append(prefixed[:4:4], key...)
	}
	fmt.Printf("%s\n", follows("ann", "bob"))
	fmt.Printf("%s\n", follows("ann", "cid"))
	fmt.Printf("%s\n", follows("bob", "ann"))
	// Output:
	// 7e0dann#bob
	// 7e0dann#cid
	// 9f9dbob#ann
}

// Numbers of a sequence are spread by their last digits.
func ExampleModPrefix() {
	for _, id := range []int64{1001, 1002, 1003} {
		key, _ := rowkey.ModPrefix(id, 10)
		fmt.Printf("%s\n", key)
	}
	// Output:
	// 11001
	// 21002
	// 31003
}

// Numbers as text sort as text. If they have the same width, they sort as numbers.
func ExampleFixedWidth() {
	for _, order := range []int64{9, 10, 101} {
		key, _ := rowkey.FixedWidth(order, 6)
		fmt.Printf("%s\n", key)
	}
	// Output:
	// 000009
	// 000010
	// 000101
}

// Accounts by balance: big-endian bytes sort as the numbers do, negative ones
// first, in 8 bytes whatever the size of the number.
func ExampleSortableLong() {
	var keys [][]byte
	for _, balance := range []int64{250, -40, 7} {
		keys = append(keys, rowkey.SortableLong(balance))
	}
	slices.SortFunc(keys, bytes.Compare)
	for _, key := range keys {
		balance, _ := rowkey.FromSortableLong(key)
		fmt.Printf("%x %d\n", key, balance)
	}
	// Output:
	// 7fffffffffffffd8 -40
	// 8000000000000007 7
	// 80000000000000fa 250
}

// Orders of a shop's customers: each leading part is a prefix to scan by. Only
// the last part may contain the separator; otherwise a prefix could match the
// wrong keys.
func ExampleJoin() {
	key, _ := rowkey.Join("|", []byte("shop7"), []byte("ann"), []byte("order|19"))
	fmt.Printf("%s\n%q\n", key, rowkey.Split("|", key, 3))
	_, err := rowkey.Join("|", []byte("shop|7"), []byte("ann"))
	fmt.Println(err)
	// Output:
	// shop7|ann|order|19
	// ["shop7" "ann" "order|19"]
	// a part of the key contains the separator: part 1 is "shop|7"
}
