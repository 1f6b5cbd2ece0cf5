package expr

// SubqueryKind is how a subquery is used.
type SubqueryKind uint8

// The uses of a subquery.
const (
	SubqueryScalar  SubqueryKind = iota // (SELECT ..) as a value
	SubqueryExists                      // EXISTS (SELECT ..)
	SubqueryIn                          // Left [NOT] IN (SELECT ..)
	SubqueryAny                         // Left Op ANY (SELECT ..)
	SubqueryAll                         // Left Op ALL (SELECT ..)
	SubqueryRow                         // Left Op (SELECT a, b): Left is a Tuple
	SubqueryOperand                     // (SELECT a, b) on the left: a Tuple if it has several columns
)

// SubqueryUse is the expression that contains a subquery.
type SubqueryUse struct {
	Kind SubqueryKind
	Left Node // for SubqueryIn, SubqueryAny, SubqueryAll and SubqueryRow
	Op   CompareOp
	Not  bool // for SubqueryIn
}
