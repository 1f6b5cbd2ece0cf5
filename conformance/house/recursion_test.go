package house

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// boundsNesting counts how deeply the text is nested, and fails if it is too deep.
const boundsNesting = "(*sqlfront/parse/lex.Cursor).Nest"

// bound is the reason why nested calls end long before the stack does.
type bound struct {
	why       string
	functions []string
}

var bounds = []bound{
	// The parser limits trees: 200 levels of nesting, a height of 65,536, 100 nested queries.
	{"the height of an expression", []string{
		"sqlfront/expr.ofArguments", "sqlfront/expr.Walk", "sqlfront/expr.Conjuncts", "sqlfront/expr.Rewrite",
		"(sqlfront/expr.Node).Type", "(sqlfront/expr.Node).AppendTo", "sqlfront/expr.wholeDigits",
		"sqlfront/expr/bind.readsArguments", "sqlfront/expr/bind.converted", "sqlfront/expr/bind.newCompare",
		"sqlfront/expr.compareTuples",
		"sqlfront/expr.orderNodes", "(*sqlfront/plan/condition.Comparison).alike",
		"(*sqlfront/plan/condition.Index).print", "(*sqlfront/plan/block.Block).OverKey",
		"(*sqlfront/constrain.deriver).derive", "(*sqlfront/constrain.deriver).compare",
		"(*sqlfront/constrain.deriver).alternatives", "(*sqlfront/constrain.deriver).key",
		"sqlfront/constrain.conjuncts", "sqlfront/constrain.isDisjunction", "sqlfront/expr.anyNullable",
		"sqlfront/expr.truthOf", "sqlfront/expr.Holds", "sqlfront/mayfail.safe", "sqlfront/plan/condition.givesDeclared", "sqlfront/mayfail.Value", "(*sqlfront/plan/physical.partners).lifted$1",
		"(sqlfront/exec/scan.namer).condition", "(sqlfront/exec/scan.namer).value", "sqlfront/expr/bind.coercibility",
	}},
	{"the height of the statement and of the views that it reads", []string{
		"(sqlfront/expr.Node).Eval", "(*sqlfront/expr/bind.Binder).bind",
		"(*sqlfront/plan.queryPlanner).query", "(*sqlfront/plan.queryPlanner).block",
	}},
	{"100 queries in each other", []string{
		"sqlfront/plan/physical.absorb", "(*sqlfront/plan/block.Query).Settled", "(*sqlfront/plan/block.Query).KeyOf", "sqlfront/plan/physical.Complete",
		"(*sqlfront/explain.tableRows).query", "(*sqlfront/plan.blockPlanner).bindValues",
		"(*sqlfront/plan.blockPlanner).bindSubquery", "(*sqlfront/plan.queryPlanner).correlated",
		"(*sqlfront/plan.queryPlanner).onceMore",
		"(*sqlfront/exec/query.Query).Step", "(*sqlfront/exec/setop.unionRows).openAs", "sqlfront/exec/setop.opensQuietly", "(*sqlfront/exec/subquery.Subquery).ofRows", "(*sqlfront/exec/subquery.Subquery).Read",
		"(sqlfront/expr/bind.Scope).Resolve",
		"(*sqlfront/plan.blockPlanner).placeAggregate", "sqlfront/statement.HasLimit", "(*sqlfront/exec/subquery.sizes).query",
	}},
	{"the 1,024 nodes of an expression that kernels are made of", []string{
		"(*sqlfront/kernel.Compiler).node", "(sqlfront/kernel.Kernel).Eval",
		"(*sqlfront/kernel.timeReader).read", "sqlfront/kernel.sameNumber",
	}},
	{"the steps of a plan", []string{
		"(sqlfront/exec/op.Sparing).ReadFor", "(sqlfront/kernel.Reader).ColumnsRead",
		"(*sqlfront/exec/scan.PartRun).Pipeline", "sqlfront/exec/pipeline.overBranch", "sqlfront/exec/scan.AddWork",
		"sqlfront/exec/scan.KeyColumn", "sqlfront/exec/pipeline.chainedJoins", "(*sqlfront/kernel.Batch).Column",
	}},
	{"each common table expression once", []string{"sqlfront/plan.refersTo"}},
	{"a window in a window only by a subquery", []string{"(*sqlfront/plan.blockPlanner).bindWindow"}},
	{"127 windows of a SELECT", []string{"(*sqlfront/plan.blockPlanner).window"}},
	{"the 10,000 SELECTs of a UNION", []string{"sqlfront/plan.unitedParts"}},
	{"61 tables of a FROM clause", []string{
		"(sqlfront/plan/block.From).Span", "sqlfront/plan/block.Holds", "sqlfront/plan/block.ConditionsOf",
		"sqlfront/plan/physical.equalities", "sqlfront/plan/physical.leavesOf", "sqlfront/plan/physical.listOf", "(*sqlfront/plan/physical.builder).build",
		"sqlfront/plan/block.KeyIn", "sqlfront/plan.mayMiss",
		"(*sqlfront/plan/physical.builder).mergePlan$1", "(*sqlfront/plan/physical.builder).lookup$1",
		"(*sqlfront/plan.blockPlanner).tableExpr",
		"(*sqlfront/plan/physical.builder).inOneGrouping", "(*sqlfront/plan/physical.groupJoin).again", "(*sqlfront/plan/physical.builder).keepable",
		"sqlfront/plan/block.ReadsOther", "sqlfront/plan/block.ReadByLaterals", "sqlfront/plan/block.settleByJoins",
	}},
	{"the height of a plan: a few steps for each table of each query in the others", []string{
		"(sqlfront/exec/op.Operator).Next", "(sqlfront/exec/op.Operator).Close", "(sqlfront/exec/op.Operator).Step",
		"(sqlfront/exec/op.Operator).Env", "(sqlfront/exec/op.Node).Open", "(*sqlfront/exec/op.Frame).Warns$2", "sqlfront/plan/physical.sequenceOf", "sqlfront/exec/op.SkipTo",
		"(*sqlfront/explain.Step).Unmeasured", "(*sqlfront/explain.Options).jsonStep",
		"(*sqlfront/explain.Options).printStep", "sqlfront/explain.hasQueries", "(*sqlfront/explain.blockRows).collect", "(*sqlfront/exec/subquery.sizes).node",
	}},
	{"the 100 levels of a JSON document, which its reader and its writer bound", []string{
		"(*sqlfront/function/jsondoc.jsonReader).value", "(*sqlfront/function/jsondoc.normalScan).value", "(*sqlfront/function/jsondoc.jsonWriter).write",
		"(*sqlfront/function/jsondoc.Document).depth",
		"(*sqlfront/function/jsondoc.jsonParts).addBelow", "(*sqlfront/function/jsondoc.jsonSearch).walk", "sqlfront/function/jsondoc.contains",
		"sqlfront/function/jsondoc.mergePatch", "sqlfront/function/jsondoc.mergePreserve",
		"(*sqlfront/value.jsonWalk).appendKey", "(*sqlfront/value.jsonWalk).pass", "(*sqlfront/value.jsonWalk).compare", "sqlfront/function/jsondoc.equalDocuments",
		"(*sqlfront/function/jsondoc.Document).binarySize",
	}},
	{"the 100 legs of a path", []string{"(sqlfront/function/jsondoc.jsonPath).edit"}},
	{"the 16 NESTED PATHs of a JSON_TABLE, in each other", []string{
		"(*sqlfront/exec/computed.jsonScan).clear", "(*sqlfront/exec/computed.jsonScan).nextBelow", "(*sqlfront/plan.jsonPlanner).rows", "sqlfront/plan.columnsOf",
	}},
	{"the rows in a row, by the height of an expression", []string{
		"sqlfront/expr/bind.collatedRows", "sqlfront/expr/bind.newTupleCompare",
	}},
	{"the 1,000 levels of a pattern, which regexp/syntax bounds", []string{"sqlfront/function/regex.programSize"}},
	{"the divisions of a share, each of which leaves out the keys that there is memory for", []string{
		"sqlfront/spill.lookInto",
	}},
	{"the columns of a key", []string{"(*sqlfront/constrain/keyspans.keySpans).from"}},
	{"the logarithm of a list's length", []string{"(*sqlfront/constrain.deriver).intersection"}},
	{"the precedence, which rises", []string{"(*sqlfront/parse.parser).bitExpr"}},
	{"once more, with what does not come here again", []string{
		"(*sqlfront/parse/lex.lexer).introducedDigits", "(*sqlfront/parse.parser).partitionDef",
		"(*sqlfront/parse.parser).explainStatement", "(*sqlfront.Session).executePrepared",
		"(sqlfront/value.Value).ToInt", "(sqlfront/value.Value).AsDecimal", "(sqlfront/value.Value).AsFloat",
		"(sqlfront/value.Value).AsUint", "sqlfront/value.compareSigns",
		"sqlfront/value.ReadTime", "sqlfront/value.ExactInt",
		"sqlfront/function/temporal.monthsBetween", "sqlfront/function/numeric.log10", "(*sqlfront/function/temporal.dateReader).longSpecifier",
		"(*driver/internal/values.Binder).value", "(*sqlfront/write.Load).Cells$1", "sqlfront/fileio.Cells$1$1",
		"(*sqlfront/fileio.Load).prepare$1", "sqlfront/write/change.CountWarnings$1",
		// The EXPLAIN of a statement that a guard has ended reads nothing.
		"(*sqlfront.Session).planText",
	}},
	{"the one store that is made to fail", []string{"(*driver.faultyTxn).*"}},
	{"the one store whose counters a statement uses", []string{"(*sqlfront/transaction.numbers).*"}},
	{"the source of a load, which is not kept twice", []string{
		"(*sqlfront/fileio.replay).Read", "(*sqlfront/fileio.replay).closeSource", "(*sqlfront/fileio.rewound).Read",
	}},
	{"maxPointers", []string{"driver/internal/values.CheckArg"}},
	{"the transactions that wait, each a goroutine, and each looked at once",
		[]string{"(*kv/pebblekv/internal/rowlock.Table).reaches"}},
	{"the changes of a layout that open in turn before the lock timeout",
		[]string{"(*kv/pebblekv/internal/rowlock.Table).acquireBehind", "(*kv/pebblekv/internal/rowlock.Table).acquireBeside"}},
	{"the session behind a part: parts are not divided again", []string{"sqlfront/exec/scan.NewPartRun$1"}},
	{"the next look at what has expired, for which a timer has a goroutine", []string{"(*kv/pebblekv.Store).lookLater"}},
	{"slices of time, which are merged from streams of one each, and what is kept of them", []string{
		"(kv/pebblekv/internal/read.iterator).next", "(kv/pebblekv/internal/read.iterator).prev",
		"(kv/pebblekv/internal/read.iterator).seekGE", "(kv/pebblekv/internal/read.iterator).seekLT",
		"(kv/pebblekv/internal/read.iterator).value", "(kv/pebblekv/internal/read.iterator).counted",
		"(kv/pebblekv/internal/read.iterator).err",
	}},
}

// TestRecursionIsBounded removes from the call graph the functions that count
// their nesting, and those that are named here: no cycle must be left.
func TestRecursionIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the call graph")
	}
	graph := loadCalls(t)
	counting := graph.callers(boundsNesting)
	require.NotEmpty(t, counting)
	for f := range counting {
		delete(graph.edges, f)
	}
	for _, b := range bounds {
		for _, f := range b.functions {
			graph.drop(t, f)
		}
	}
	for _, c := range graph.cycles() {
		assert.Fail(t, "a cycle that no bound is known of", strings.Join(c, "\n"))
	}
}

// drop removes a function, or all methods of a type.
func (c *calls) drop(t *testing.T, f string) {
	of, all := strings.CutSuffix(f, "*")
	cyclic := false
	for g := range c.edges {
		if g == f || all && strings.HasPrefix(g, of) {
			cyclic = cyclic || c.cyclic(g)
			delete(c.edges, g)
		}
	}
	assert.True(t, cyclic, "%s calls itself no longer", f)
}

// calls says which function may call which, by names: every function of the packages that are
// checked, and the interface methods that they call. For files it says which needs which.
type calls struct{ edges map[string]map[string]bool }

func (c *calls) add(from, to string) {
	if c.edges[from] == nil {
		c.edges[from] = map[string]bool{}
	}
	c.edges[from][to] = true
}

func (c *calls) callers(of string) map[string]bool {
	out := map[string]bool{}
	for f, to := range c.edges {
		if to[of] {
			out[f] = true
		}
	}
	return out
}

// cyclic reports whether f may call itself, directly or not.
func (c *calls) cyclic(f string) bool {
	seen := map[string]bool{}
	ways := slices.Collect(maps.Keys(c.edges[f]))
	for len(ways) > 0 {
		next := ways[len(ways)-1]
		ways = ways[:len(ways)-1]
		if next == f {
			return true
		}
		if !seen[next] {
			seen[next] = true
			ways = slices.AppendSeq(ways, maps.Keys(c.edges[next]))
		}
	}
	return false
}

func loadCalls(t *testing.T) *calls {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: "../.."},
		"./sqlfront/...", "./driver", "./driver/internal/...", "./kv/pebblekv",
		"./kv/pebblekv/internal/read", "./kv/pebblekv/internal/rowlock")
	require.NoError(t, err)
	require.Zero(t, packages.PrintErrors(loaded))
	program, _ := ssautil.Packages(loaded, ssa.InstantiateGenerics)
	program.Build()
	all := ssautil.AllFunctions(program)
	graph := vta.CallGraph(all, cha.CallGraph(program))
	c := &calls{map[string]map[string]bool{}}
	passed := passedOn(all)
	for f := range all {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				c.references(f, in)
			}
		}
	}
	_ = callgraph.GraphVisitEdges(graph, func(e *callgraph.Edge) error {
		c.addEdge(e, passed)
		return nil
	})
	return c
}

func (c *calls) addEdge(e *callgraph.Edge, passed map[*ssa.Function]bool) {
	if _, alone := e.Site.(*ssa.Go); alone || e.Site == nil {
		return
	}
	common := e.Site.Common()
	if e.Caller.Func.Origin() == e.Callee.Func {
		return // an instance is the same as the generic function
	}
	from, to := functionName(e.Caller.Func), functionName(e.Callee.Func)
	switch {
	case common.IsInvoke():
		method := short(common.Method.FullName())
		c.add(from, method)
		c.add(method, to)
	case isParameter(common.Value) && passed[e.Callee.Func]:
	default:
		c.add(from, to)
	}
}

func isParameter(v ssa.Value) bool {
	_, ok := v.(*ssa.Parameter)
	return ok
}

// references adds the functions that an instruction uses as values.
func (c *calls) references(f *ssa.Function, in ssa.Instruction) {
	if _, alone := in.(*ssa.Go); alone {
		return
	}
	for _, operand := range in.Operands(nil) {
		if used, ok := (*operand).(*ssa.Function); ok && used != f.Origin() {
			c.add(functionName(f), functionName(used))
		}
	}
}

// passedOn are the functions that are only arguments of calls.
func passedOn(all map[*ssa.Function]bool) map[*ssa.Function]bool {
	out, kept := map[*ssa.Function]bool{}, map[*ssa.Function]bool{}
	note := func(used *ssa.Function, by ssa.Instruction) {
		if call, ok := by.(ssa.CallInstruction); ok && !isGo(call) {
			out[used] = true
		} else {
			kept[used] = true
		}
	}
	for f := range all {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if closure, ok := in.(*ssa.MakeClosure); ok {
					for _, by := range *closure.Referrers() {
						note(closure.Fn.(*ssa.Function), by)
					}
					continue
				}
				for _, operand := range in.Operands(nil) {
					if used, ok := (*operand).(*ssa.Function); ok {
						note(used, in)
					}
				}
			}
		}
	}
	maps.DeleteFunc(out, func(f *ssa.Function, _ bool) bool { return kept[f] })
	return out
}

func isGo(call ssa.CallInstruction) bool { _, ok := call.(*ssa.Go); return ok }

func functionName(f *ssa.Function) string {
	if o := f.Origin(); o != nil {
		f = o
	}
	return short(f.RelString(nil))
}

func short(name string) string { return strings.ReplaceAll(name, harness.Module, "") }

// cycles are the strongly connected components, each sorted.
func (c *calls) cycles() [][]string {
	index, low := map[string]int{}, map[string]int{}
	onStack := map[string]bool{}
	var stack []string
	var out [][]string
	var visit func(string)
	visit = func(f string) {
		index[f] = len(index) + 1
		low[f] = index[f]
		stack = append(stack, f)
		onStack[f] = true
		for to := range c.edges[f] {
			if index[to] == 0 {
				visit(to)
				low[f] = min(low[f], low[to])
			} else if onStack[to] {
				low[f] = min(low[f], index[to])
			}
		}
		if low[f] != index[f] {
			return
		}
		i := slices.Index(stack, f)
		component := slices.Sorted(slices.Values(stack[i:]))
		for _, g := range stack[i:] {
			onStack[g] = false
		}
		stack = stack[:i]
		if len(component) > 1 || c.edges[f][f] {
			out = append(out, component)
		}
	}
	for _, f := range slices.Sorted(maps.Keys(c.edges)) {
		if index[f] == 0 {
			visit(f)
		}
	}
	return out
}
