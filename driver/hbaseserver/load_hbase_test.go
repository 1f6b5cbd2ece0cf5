package hbaseserver_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// hbaseSteps are the steps of HBase's clients.
func hbaseSteps(c gohbase.Client) []loadStep {
	by := func(step func(*loader, gohbase.Client) error) func(*loader) error {
		return func(w *loader) error { return step(w, c) }
	}
	return []loadStep{
		{"CheckAndPut in the bank", by((*loader).transferByCheck)},
		{"Increments of two rows of the bank", by((*loader).transferTogether)},
		{"Increment", by((*loader).increment)},
		{"Put of a whole row", by((*loader).putWhole)},
		{"RowMutations of a whole row", by((*loader).renewWhole)},
		{"Get of a whole row", by((*loader).getWhole)},
		{"Scan of whole rows", by((*loader).wholeByScan)},
		{"Scan of the bank", by((*loader).sumByScan)},
		{"Batch of Puts", by((*loader).logBatch)},
		{"Put", by((*loader).logPut)},
		{"Put into what is truncated", by((*loader).putOther)},
	}
}

func (w *loader) putOther(c gohbase.Client) error {
	put, err := hrpc.NewPutStr(w.ctx, "other", w.row(), values("f", w.name, "v"))
	if err == nil {
		_, err = c.Put(put)
	}
	return err
}

func long(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// longs returns the numbers in a row by family and qualifier.
func longs(r *hrpc.Result) map[string]int64 {
	out := map[string]int64{}
	for _, c := range r.Cells {
		if len(c.Value) == 8 {
			out[string(c.Family)+":"+string(c.Qualifier)] = int64(binary.BigEndian.Uint64(c.Value))
		}
	}
	return out
}

// transferByCheck moves money within a row, if its version has not changed meanwhile.
func (w *loader) transferByCheck(c gohbase.Client) error {
	row := w.row()
	get, err := hrpc.NewGetStr(w.ctx, "bank", row)
	if err != nil {
		return err
	}
	r, err := c.Get(get)
	if err != nil {
		return err
	}
	have, amount := longs(r), w.rand.Int64N(100)
	if len(have) != 3 {
		return faultf("the account %s has %v", row, have)
	}
	put, err := hrpc.NewPutStr(w.ctx, "bank", row, map[string]map[string][]byte{
		"f": {"v": long(have["f:v"] + 1), "a": long(have["f:a"] - amount)}, "g": {"b": long(have["g:b"] + amount)}})
	if err != nil {
		return err
	}
	_, err = c.CheckAndPut(put, "f", "v", long(have["f:v"]))
	return err
}

// transferTogether moves money between two rows, if they are in one region.
func (w *loader) transferTogether(c gohbase.Client) error {
	from, to, amount := w.row(), w.row(), w.rand.Int64N(100)
	if from == to {
		return nil
	}
	add := func(row, family, qualifier string, amount int64) *pb.Action {
		version := column("f", "v", long(1))
		return &pb.Action{Mutation: &pb.MutationProto{Row: []byte(row), MutateType: pb.MutationProto_INCREMENT.Enum(),
			ColumnValue: []*pb.MutationProto_ColumnValue{version, column(family, qualifier, long(amount))}}}
	}
	err := w.together(c, "bank", from, add(from, "f", "a", -amount), add(to, "g", "b", amount))
	var thrown thrownError
	if errors.As(err, &thrown) && thrown.in("regionserver.WrongRegionException") { // they are not
		return nil
	}
	return err
}

func column(family, qualifier string, value []byte) *pb.MutationProto_ColumnValue {
	return &pb.MutationProto_ColumnValue{Family: []byte(family), QualifierValue: []*pb.MutationProto_ColumnValue_QualifierValue{
		{Qualifier: []byte(qualifier), Value: value}}}
}

// increment counts once, however often gohbase sends it.
func (w *loader) increment(c gohbase.Client) error {
	mutate, err := hrpc.NewIncStrSingle(w.ctx, "counts", w.row(), "f", "n", 1, hrpc.SkipBatch())
	if err != nil {
		return err
	}
	call := &ownCall{Mutate: mutate, name: "Mutate", response: &pb.MutateResponse{}}
	nonce := w.rand.Uint64() | 1
	call.message = func() proto.Message {
		w.tried.Add(1) // a server that was killed has lost its nonces
		m := mutate.ToProto().(*pb.MutateRequest)
		m.NonceGroup, m.Mutation.Nonce = &w.seed, &nonce
		return m
	}
	_, err = c.(gohbase.RPCClient).SendRPC(call)
	if err == nil {
		w.counted.Add(1)
	}
	return err
}

// putWhole writes a row's families together.
func (w *loader) putWhole(c gohbase.Client) error {
	value := []byte(fmt.Sprint(w.name, w.rand.Uint64()))
	put, err := hrpc.NewPutStr(w.ctx, "whole", w.row(), map[string]map[string][]byte{"f": {"q": value}, "g": {"q": value},
		"h": {"q": value}})
	if err == nil {
		_, err = c.Put(put)
	}
	return err
}

// renewWhole deletes a row and writes its families together.
func (w *loader) renewWhole(c gohbase.Client) error {
	row, value := w.row(), []byte(fmt.Sprint(w.name, w.rand.Uint64()))
	remove := &pb.MutationProto{Row: []byte(row), MutateType: pb.MutationProto_DELETE.Enum()}
	put := &pb.MutationProto{Row: []byte(row), MutateType: pb.MutationProto_PUT.Enum(), ColumnValue: []*pb.MutationProto_ColumnValue{
		column("f", "q", value), column("g", "q", value), column("h", "q", value)}}
	return w.together(c, "whole", row, &pb.Action{Mutation: remove}, &pb.Action{Mutation: put})
}

// checkWhole checks a row whose families were written together.
func checkWhole(by string, r *hrpc.Result) error {
	if len(r.Cells) == 0 {
		return nil
	}
	torn := len(r.Cells) != 3
	for _, c := range r.Cells {
		torn = torn || string(c.Value) != string(r.Cells[0].Value)
	}
	if torn {
		return faultf("%s has seen a torn row: %q", by, texts(r))
	}
	return nil
}

func (w *loader) getWhole(c gohbase.Client) error {
	get, err := hrpc.NewGetStr(w.ctx, "whole", w.row())
	if err != nil {
		return err
	}
	r, err := c.Get(get)
	if err != nil {
		return err
	}
	return checkWhole("a Get", r)
}

// scanAll reads a table in small pages.
func (w *loader) scanAll(c gohbase.Client, table string, each func(*hrpc.Result) error) error {
	scan, err := hrpc.NewScanStr(w.ctx, table, hrpc.NumberOfRows(3))
	if err != nil {
		return err
	}
	rows := c.Scan(scan)
	defer rows.Close()
	for {
		r, err := rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := each(r); err != nil {
			return err
		}
	}
}

func (w *loader) wholeByScan(c gohbase.Client) error {
	last := ""
	return w.scanAll(c, "whole", func(r *hrpc.Result) error {
		if err := checkWhole("a Scan", r); err != nil || len(r.Cells) == 0 {
			return err
		}
		if row := string(r.Cells[0].Row); row <= last {
			return faultf("a Scan gives %s behind %s", row, last)
		} else {
			last = row
		}
		return nil
	})
}

func (w *loader) sumByScan(c gohbase.Client) error {
	sum, rows := int64(0), 0
	err := w.scanAll(c, "bank", func(r *hrpc.Result) error {
		have := longs(r)
		sum, rows = sum+have["f:a"]+have["g:b"], rows+1
		return nil
	})
	if err == nil && (rows != loadRows || sum != loadRows*2*loadMoney) {
		return faultf("a Scan of the bank has %d in %d rows", sum, rows)
	}
	return err
}

// logPut writes a new row.
func (w *loader) logPut(c gohbase.Client) error {
	row, value := w.newRow()
	put, err := hrpc.NewPutStr(w.ctx, "log", row, values("f", "q", value))
	if err != nil {
		return err
	}
	if _, err = c.Put(put); err == nil {
		w.acknowledged(row, value)
	}
	return err
}

func (w *loader) newRow() (row, value string) {
	w.next++
	return fmt.Sprintf("%s-%s-%d", w.row(), w.name, w.next), fmt.Sprint(w.rand.Uint64())
}

// logBatch writes some new rows in one batch.
func (w *loader) logBatch(c gohbase.Client) error {
	var calls []hrpc.Call
	written := map[string]string{}
	var order []string
	for range 5 {
		row, value := w.newRow()
		put, err := hrpc.NewPutStr(w.ctx, "log", row, values("f", "q", value))
		if err != nil {
			return err
		}
		calls, order = append(calls, put), append(order, row)
		written[row] = value
	}
	results, _ := c.SendBatch(w.ctx, calls)
	var failed error
	for i, r := range results {
		if r.Error == nil {
			w.acknowledged(order[i], written[order[i]])
		} else {
			failed = r.Error
		}
	}
	return failed
}
