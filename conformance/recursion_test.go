package conformance

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// boundsNesting counts how deep the text is nested, and fails where it is too deep.
const boundsNesting = "(*sqlfront/parse.parser).nest"

// boundedOtherwise are functions of the parser that call themselves without
// counting, and why that ends.
var boundedOtherwise = map[string]string{
	"(*sqlfront/parse.lexer).introducedDigits":  "no introducer stands behind X or B",
	"(*sqlfront/parse.parser).partitionDef":     "a subpartition has none",
	"(*sqlfront/parse.parser).bitExpr":          "the precedence rises each time",
	"(*sqlfront/parse.parser).explainStatement": "EXPLAIN explains no EXPLAIN",
}

// TestParserRecursionIsBounded takes the functions that count their nesting out
// of the parser's call graph, and those that are named here: no cycle is left.
func TestParserRecursionIsBounded(t *testing.T) {
	graph := loadCalls(t)
	counting := graph.callers(boundsNesting)
	require.NotEmpty(t, counting)
	for f := range counting {
		delete(graph.edges, f)
	}
	for f, why := range boundedOtherwise {
		require.True(t, slices.ContainsFunc(graph.cycles(), func(c []string) bool { return slices.Contains(c, f) }), "%s: %s", f, why)
		delete(graph.edges, f)
	}
	for _, c := range graph.cycles() {
		require.NotContains(t, strings.Join(c, "\n"), "sqlfront/parse.", "a cycle that no bound is known of")
	}
}

// calls says who may call whom, by names: every function of the packages that
// are looked at, and the interface methods that they call.
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

func loadCalls(t *testing.T) *calls {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: ".."},
		"./sqlfront/parse")
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
		if used, ok := (*operand).(*ssa.Function); ok {
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

func short(name string) string { return strings.ReplaceAll(name, module, "") }

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
