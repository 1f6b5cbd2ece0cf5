package window

import "github.com/hbasekv/hbasekv/sqlfront/value"

// partitionCall is a call whose value depends only on the position of the row, such as ROW_NUMBER and
// RANK.
type partitionCall struct {
	run *Run
	of  func(at int64) (value.Value, error)
}

func (p *partitionCall) result(at int64) (value.Value, error) { return p.of(at) }
func (p *partitionCall) keeps(at int64) int64                 { return at + 1 }
func (p *partitionCall) restart() error                       { return nil }
func (p *partitionCall) close() error                         { return nil }

func (r *Run) rank(at int64) (value.Value, error) {
	first, _, err := r.peers.start(at)
	return value.NewUint(uint64(first) + 1), err
}

func (r *Run) denseRank(at int64) (value.Value, error) {
	_, group, err := r.peers.start(at)
	return value.NewUint(uint64(group)), err
}

func (r *Run) percentRank(at int64) (value.Value, error) {
	first, _, err := r.peers.start(at)
	if err != nil {
		return value.Value{}, err
	}
	count, err := r.rows.all()
	if count <= 1 {
		return value.NewFloat(0), err
	}
	return value.NewFloat(float64(first) / float64(count-1)), err
}

func (r *Run) cumulativeShare(at int64) (value.Value, error) {
	behind, err := r.peers.behind(at)
	if err != nil {
		return value.Value{}, err
	}
	count, err := r.rows.all()
	return value.NewFloat(float64(behind) / float64(count)), err
}

// tileCall computes NTILE: the number of a row's part, of n. The first parts have one more row if they
// cannot be equal.
type tileCall struct {
	partitionCall
	n  int64
	ok bool // n is not NULL
	// tile is the part of the rows from first to before end.
	first, end int64
	tile       value.Value
}

func (t *tileCall) result(at int64) (value.Value, error) {
	if t.ok && (at < t.first || at >= t.end) {
		count, err := t.run.rows.all()
		if err != nil {
			return value.Value{}, err
		}
		t.find(at, count)
	}
	return t.tile, nil
}

// find computes the part of the row at a position among count rows.
func (t *tileCall) find(at, count int64) {
	each, larger := count/t.n, count%t.n
	number := at / (each + 1)
	if number < larger {
		t.first = number * (each + 1)
		t.end = t.first + each + 1
	} else {
		number = (at - larger) / each
		t.first = larger + number*each
		t.end = t.first + each
	}
	t.tile = value.NewUint(uint64(number) + 1)
}

func (t *tileCall) restart() error {
	t.end = 0
	return nil
}
