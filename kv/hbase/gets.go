package hbase

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/caught"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// gets returns how many of the next pieces are read by gets.
func (c *cursor) gets() int {
	n := 0
	for n < len(c.pieces) && n < maxGets && c.pieces[n].one && (c.own == nil || !c.own.is(&c.pieces[n])) {
		n++
	}
	return n
}

// maxGets is the most rows that are requested at once.
const maxGets = 256

// getSource reads pieces of one row each by gets, many at a time.
type getSource struct {
	c       *cursor
	pieces  []piece
	answers [][]byte // parallel to pieces; nil until received
	taken   int
	rpcs    int64
	bytes   int64
	regions map[string]bool
}

func newGets(c *cursor, pieces []piece) source {
	return &getSource{c: c, pieces: pieces, regions: map[string]bool{}}
}

func (g *getSource) stats() kv.ScanStats {
	return kv.ScanStats{Requests: g.rpcs, Bytes: g.bytes, Partitions: len(g.regions)}
}

func (g *getSource) close() {}

func (g *getSource) next(ctx context.Context) ([]byte, error) {
	if g.answers == nil {
		if err := g.fetch(ctx); err != nil {
			return nil, err
		}
	}
	for g.taken < len(g.pieces) {
		block := g.answers[g.taken]
		g.answers[g.taken] = nil
		g.c.piece = &g.pieces[g.taken]
		g.taken++
		if len(block) > 0 {
			return block, nil
		}
	}
	return nil, nil
}

// fetch requests all rows, and again those whose regions have moved.
func (g *getSource) fetch(ctx context.Context) error {
	g.answers = make([][]byte, len(g.pieces))
	gets := make([]*pb.Get, len(g.pieces))
	left := make([]int, 0, len(g.pieces))
	for i := range g.pieces {
		if q, some := queryFor(g.c.s, g.c.families, &g.pieces[i]); some {
			gets[i] = q.get(g.pieces[i].rows.Start)
			left = append(left, i)
		}
	}
	rpcs, err := g.c.cluster.getAll(ctx, g.c.table, gets, left, g.answers, g.regions)
	g.rpcs += int64(rpcs)
	for _, a := range g.answers {
		g.bytes += int64(len(a))
	}
	return err
}

// getAll reads the rows in left, and puts their cells in answers. Rows of one server
// are requested together. It adds the names of the regions that answered to regions.
func (c *cluster) getAll(ctx context.Context, table string, gets []*pb.Get, left []int, answers [][]byte, regions map[string]bool) (rpcs int, err error) {
	err = c.onTable(ctx, table, func(ctx context.Context) error {
		byServer := map[server]*batch{}
		for _, i := range left {
			r, err := c.regionOf(ctx, table, gets[i].Row, false)
			if err != nil {
				return err
			}
			b := byServer[r.server]
			if b == nil {
				b = &batch{}
				byServer[r.server] = b
			}
			b.add(r, i)
		}
		type result struct {
			left []int
			err  error
		}
		results := make(chan result, len(byServer))
		for to, b := range byServer {
			ask := func() {
				var r result
				r.err = caught.Do(func() (err error) {
					r.left, err = b.send(ctx, c.rpc, to, gets, answers)
					return err
				})
				results <- r
			}
			if len(byServer) == 1 {
				ask()
			} else {
				go ask()
			}
		}
		rpcs += len(byServer)
		left = left[:0:0]
		var failed error
		for range byServer {
			r := <-results
			left = append(left, r.left...)
			if r.err != nil && (failed == nil || outcomeOf(r.err) == refused) {
				failed = r.err
			}
		}
		for _, b := range byServer {
			for _, r := range b.regions {
				regions[string(r.name)] = true
			}
		}
		return failed
	})
	return rpcs, err
}

// batch is the rows requested from one server, by region.
type batch struct {
	regions []*regionInfo
	rows    [][]int
}

func (b *batch) add(r *regionInfo, i int) {
	for n, known := range b.regions {
		if known == r {
			b.rows[n] = append(b.rows[n], i)
			return
		}
	}
	b.regions, b.rows = append(b.regions, r), append(b.rows, []int{i})
}

// send sends the request once, and returns the rows that must be requested again.
func (b *batch) send(ctx context.Context, rpc transport, to server, gets []*pb.Get, answers [][]byte) (left []int, err error) {
	if len(b.rows) == 1 && len(b.rows[0]) == 1 {
		return b.sendOne(ctx, rpc, to, gets[b.rows[0][0]], &answers[b.rows[0][0]])
	}
	request := &pb.MultiRequest{}
	for n, r := range b.regions {
		action := &pb.RegionAction{Region: regionSpecifier(r.name)}
		for k, i := range b.rows[n] {
			action.Action = append(action.Action, &pb.Action{Index: proto.Uint32(uint32(k)), Get: gets[i]})
		}
		request.RegionAction = append(request.RegionAction, action)
		left = append(left, b.rows[n]...)
	}
	response := &pb.MultiResponse{}
	cells, err := rpc.call(ctx, to, "Multi", request, response)
	if err != nil {
		return left, readAgain(err)
	}
	left = nil
	for n, result := range response.GetRegionActionResult() {
		if e := result.GetException(); e != nil {
			err, left = named(e), append(left, b.rows[n]...)
			continue
		}
		for _, one := range result.GetResultOrException() {
			i := b.rows[n][one.GetIndex()]
			if e := one.GetException(); e != nil {
				err, left = named(e), append(left, i)
				continue
			}
			if answers[i], cells, err = split(cells, int(one.GetResult().GetAssociatedCellCount()), err); answers[i] == nil {
				answers[i] = []byte{}
			}
		}
	}
	return left, err
}

// sendOne requests one row by a Get, which costs the server less than a Multi. Its
// response contains the cells itself if the client does not tell its version, as this
// one.
func (b *batch) sendOne(ctx context.Context, rpc transport, to server, get *pb.Get, answer *[]byte) (left []int, err error) {
	response := &pb.GetResponse{}
	block, err := rpc.call(ctx, to, "Get", &pb.GetRequest{Region: regionSpecifier(b.regions[0].name), Get: get}, response)
	if err != nil {
		return b.rows[0], readAgain(err)
	}
	for _, c := range response.GetResult().GetCell() {
		block = encode(block, &cell{row: c.Row, family: c.Family, qualifier: c.Qualifier, timestamp: int64(c.GetTimestamp()), value: c.Value})
	}
	*answer = orEmpty(block)
	return nil, nil
}

// readAgain makes a read whose response was lost be repeated, which is harmless.
func readAgain(err error) error {
	if outcomeOf(err) == lost {
		return &rpcError{moved, "", err.Error()}
	}
	return err
}

// split separates the first cells from the rest. It returns an earlier error as it is.
func split(block []byte, cells int, was error) (first, rest []byte, err error) {
	rest = block
	var c cell
	for range cells {
		if rest, err = c.decode(rest); err != nil {
			return nil, nil, err
		}
	}
	return block[: len(block)-len(rest) : len(block)-len(rest)], rest, was
}
