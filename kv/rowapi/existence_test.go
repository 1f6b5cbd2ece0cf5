package rowapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// TestExistence requires that a Get with ExistenceOnly is true exactly if the same Get has a cell, whichever
// families, times, versions and offsets it reads.
func TestExistence(t *testing.T) {
	times := []*rowapi.TimeRange{nil, {Min: 1, Max: 2}, {Min: 2, Max: 4}, {Min: 9, Max: rowapi.Latest}}
	families := [][]rowapi.FamilyColumns{nil, {{Family: "b"}}}
	for _, q := range []string{"none", "p", "q"} {
		families = append(families, []rowapi.FamilyColumns{{Family: "a", Qualifiers: bytesOf("q")},
			{Family: "b", Qualifiers: bytesOf("p", q)}})
	}
	for _, at := range times[1:] {
		families = append(families, []rowapi.FamilyColumns{{Family: "a", Time: at}},
			[]rowapi.FamilyColumns{{Family: "a", Time: at}, {Family: "b", Time: times[1]}})
	}
	filters := []filter.Filter{nil, filter.QualifierFilter{CompareFilter: compare(filter.Equal,
		filter.BinaryComparator{Value: []byte("q")})}}
	everywhere(t, func(t *testing.T, p *place) {
		p.put("r a:p 1 x\nr a:p 2 x\nr a:p 3 x\nr b:q 1 x\nr b:r 5 x\ns a:p 3 x")
		existing := 0
		for _, f := range families {
			for _, at := range times {
				for n := range 24 {
					c := rowapi.Columns{Families: f, MaxVersions: n % 4, StoreOffset: n / 4 % 3, Filter: filters[n/12]}
					if at != nil {
						c.Time = *at
					}
					whole, err := p.client.Get(p.ctx, p.table, &rowapi.Get{Row: []byte("r"), Columns: c})
					require.NoError(t, err)
					have, err := p.client.Get(p.ctx, p.table, &rowapi.Get{Row: []byte("r"), Columns: c, ExistenceOnly: true})
					require.NoError(t, err)
					require.Equal(t, &rowapi.Result{Exists: len(whole.Cells) > 0}, have, "%+v %v", c, whole)
					if have.Exists {
						existing++
					}
				}
			}
		}
		require.Greater(t, existing, 100)
	})
}
