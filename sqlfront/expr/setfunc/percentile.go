package setfunc

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// MEDIAN, PERCENTILE_CONT and PERCENTILE_DISC are MariaDB's, with its error numbers: MySQL does not have
// them. Their last argument is the order of the window's rows.

// IsPercentile reports whether the call is one of these.
func (w *WindowCall) IsPercentile() bool {
	return w.Name == "MEDIAN" || w.Name == "PERCENTILE_CONT" || w.Name == "PERCENTILE_DISC"
}

// interpolated is the type of values between two values.
func interpolated([]expr.Node) value.Type {
	return value.Type{Kind: value.Float, Decimals: 10, Nullable: true}
}

// checkPercentile refuses a fraction that is not a number, and values that cannot be interpolated.
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

// Share is the fraction of a percentile; the error is 4103 if it is not between 0 and 1, 4104 if it is not a
// number.
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

// ShareDiffers is error 4102, for a fraction that is not the same in all rows of a partition.
func ShareDiffers(name string) error {
	return mysqlerr.New(mysqlerr.ShareDiffers, "Argument to the %s function is not a constant for a partition",
		strings.ToLower(name))
}
