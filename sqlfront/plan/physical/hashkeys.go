package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/join"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// hashKeys are pairs of expressions, one of each side, whose keys are equal in rows that join. Keys that may
// fail or warn, and those of <=>, do not follow a condition that may and is no key: it has to be checked on
// pairs of rows that such keys would rule out.
func (b *builder) hashKeys(j *block.Join, both []expr.Node) (left, right []expr.Node) {
	quiet := true
	for _, n := range both {
		keys := b.keysOf(j, n)
		for _, k := range keys {
			if quiet || !k.Unsure() && !condition.IsNullSafe(n) {
				left, right = append(left, k.X), append(right, k.Y)
			}
		}
		quiet = quiet && (len(keys) > 0 || !mayfail.Condition(n))
	}
	return left, right
}

// setKeys sets a join's keys, which may be expressions over either side, such as b.T = a.T + 1.
func (b *builder) setKeys(n *join.Join, j *block.Join, both []expr.Node) {
	n.LeftKeys, n.RightKeys = b.hashKeys(j, both)
	if n.Unsure = slices.ContainsFunc(slices.Concat(n.LeftKeys, n.RightKeys), condition.IsComputedNumber); !n.Unsure {
		return
	}
	var sure []expr.Node
	for _, cond := range both {
		if keys := b.keysOf(j, cond); len(keys) > 0 && !slices.ContainsFunc(keys, condition.KeyPair.Unsure) {
			sure = append(sure, cond)
		}
	}
	n.Sure = expr.Conjoin(sure)
}

// keysOf are the keys, of the left side and of the right one, that a condition sets equal.
func (b *builder) keysOf(j *block.Join, n expr.Node) []condition.KeyPair {
	if expr.IsVolatile(n) {
		return nil
	}
	for _, side := range condition.ComparedAsEqual(n) {
		if b.within(j.Left, side[0]) && b.within(j.Right, side[1]) {
			keys, _ := condition.EqualKeys(n, side)
			return keys
		}
	}
	return nil
}
