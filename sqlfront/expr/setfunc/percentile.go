package setfunc

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// MEDIAN, PERCENTILE_CONT and PERCENTILE_DISC are MariaDB's, with its numbers of errors: MySQL has
// none. Their last argument is what the rows of the window are ordered by.

// IsPercentile reports whether the call is one of these.
func (w *WindowCall) IsPercentile() bool {
	return w.Name == "MEDIAN" || w.Name == "PERCENTILE_CONT" || w.Name == "PERCENTILE_DISC"
}

// interpolated is the type of what may be between two values.
func interpolated([]expr.Node) value.Type {
	return value.Type{Kind: value.Float, Decimals: 10, Nullable: true}
}

// checkPercentile refuses a fraction that is no number, and values between which nothing is.
func checkPercentile(name string, args []expr.Node) error {
	switch name {
	case "MEDIAN", "PERCENTILE_CONT":
		if kind := args[len(args)-1].Type().Kind; kind != value.Null && !kind.IsNumber() && !kind.IsTemporal() {
			return mysqlerr.New(mysqlerr.NotANumberForPercentile, "Numeric datatype is required for %s function",
				strings.ToLower(name))
		}
	case "PERCENTILE_DISC":
	default:
		return nil
	}
	if kind := args[0].Type().Kind; len(args) > 1 && !kind.IsNumber() {
		return shareOfNoNumber(name)
	}
	return nil
}

// Share is the fraction that a percentile was given: 4103 for one beyond 0 and 1, 4104 for what is
// no number.
func Share(name string, v value.Value, env *expr.Env) (float64, error) {
	if !v.Kind().IsNumber() {
		return 0, shareOfNoNumber(name)
	}
	share, err := env.Float(v)
	if err == nil && (share < 0 || share > 1) {
		err = mysqlerr.New(mysqlerr.ShareOutOfRange, "Argument to the %s function does not belong to the range [0,1]",
			strings.ToLower(name))
	}
	return share, err
}

func shareOfNoNumber(name string) error {
	return mysqlerr.New(mysqlerr.ShareOfNoNumber,
		"%s function only accepts arguments that can be converted to numerical types", strings.ToLower(name))
}

// ShareDiffers is 4102 for a fraction that is not the same in all rows of a partition.
func ShareDiffers(name string) error {
	return mysqlerr.New(mysqlerr.ShareDiffers, "Argument to the %s function is not a constant for a partition",
		strings.ToLower(name))
}
