import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryComponentComparator;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.BitComparator;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.ColumnValueFilter;
import org.apache.hadoop.hbase.filter.DependentColumnFilter;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.NullComparator;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RandomRowFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueExcludeFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

/** Draws rows, columns, values, timestamps and filters by chance, from few of each, so that calls meet. */
class Draw {
  /** Timestamps from here on are in the future of any clock, and are compared as they are. */
  static final long FUTURE = 4_000_000_000_000L;

  final Random chance;
  /** FuzzyRowFilter hangs in HBase's reversed scans, and MultiRowRangeFilter loses rows in lists. */
  boolean reversed;
  /** In a scan, HBase's ColumnCountGetFilter ends the families that have cells of the row, deleted ones too. */
  boolean scanning;
  /**
   * Where families are loaded on demand, HBase does not ask SingleColumnValueExcludeFilter about the row once the
   * filter has taken the only cell out, and gives what is in the other families though the value is another.
   */
  boolean onDemand;
  /** In a list of which one must pass, HBase's reversed scans go past the cells that hints of columns lead to. */
  private boolean inOr;

  Draw(long seed) {
    chance = new Random(seed);
  }

  int upTo(int n) {
    return chance.nextInt(n);
  }

  boolean one(int in) {
    return chance.nextInt(in) == 0;
  }

  static byte[] bytes(String s) {
    return s.getBytes(StandardCharsets.ISO_8859_1);
  }

  byte[] of(String... words) {
    return bytes(words[upTo(words.length)]);
  }

  byte[] row() {
    return of("a", "ab", "b", "g", "h", "h\0", "m", "m1", "n", "\u00ff", "\u00ff\u00ff");
  }

  byte[] family() {
    return one(60) ? bytes("none") : of("a", "b", "c");
  }

  byte[] qualifier() {
    return of("", "p", "q", "q\0", "r", "\u00fe");
  }

  /**
   * The column without a name is of family c alone, where no family is deleted: HBase's filters go on behind its newest
   * version, and so past a family's marker, and show what has been deleted. It has one version: to HBase's filters
   * that count columns each version of it is a column where it looks for such markers.
   */
  byte[] qualifier(byte[] family) {
    byte[] q = qualifier();
    return q.length > 0 || family[0] == 'c' ? q : bytes("p");
  }

  /** A column that increments and appends write to. */
  byte[] named() {
    byte[] q = qualifier();
    return q.length > 0 ? q : bytes("p");
  }

  byte[] value() {
    switch (upTo(5)) {
      case 0:
        return Bytes.toBytes((long) upTo(9) - 2);
      case 1:
        return new byte[] {(byte) upTo(256)};
      default:
        return of("", "x", "y", "xyz", "Xy", "1.5", "\0\u00ff");
    }
  }

  /** A timestamp to write or delete at, or Long.MAX_VALUE for none. */
  long timestamp() {
    switch (upTo(6)) {
      case 0:
      case 1:
        return Long.MAX_VALUE;
      case 2:
        return FUTURE + upTo(4);
      default:
        return 1 + upTo(6);
    }
  }

  long[] times() {
    long[] bounds = {0, 1, 2, 3, 5, 7, 2_500_000_000_000L, FUTURE + 1, FUTURE + 3, Long.MAX_VALUE};
    int from = upTo(bounds.length - 1);
    return new long[] {bounds[from], bounds[from + 1 + upTo(bounds.length - from - 1)]};
  }

  CompareOperator operator() {
    CompareOperator[] all = CompareOperator.values();
    return one(2) ? CompareOperator.EQUAL : all[upTo(all.length)];
  }

  /** HBase fails where a condition or the filter of a column's value has NO_OP. */
  CompareOperator comparing() {
    CompareOperator op = operator();
    return op == CompareOperator.NO_OP ? CompareOperator.EQUAL : op;
  }

  ByteArrayComparable comparator(byte[] value) {
    return comparator(value, false);
  }

  private ByteArrayComparable comparator(byte[] value, boolean ofRows) {
    switch (upTo(12)) {
      case 0:
        return new BinaryPrefixComparator(value);
      case 1:
        return new RegexStringComparator(one(2) ? "^[xm]" : "y|a.?$", one(2) ? 0 : java.util.regex.Pattern.CASE_INSENSITIVE);
      case 2:
        return new SubstringComparator(one(2) ? "Y" : "x");
      case 3:
        return new BitComparator(value, BitComparator.BitwiseOp.values()[upTo(3)]);
      case 4:
        return new NullComparator();
      case 5:
        // HBase reads beyond what is compared where that is shorter; of rows alone it is known that they have a byte.
        return value.length == 1 && ofRows ? new BinaryComponentComparator(value, 0) : new BinaryComparator(value);
      default:
        return new BinaryComparator(value);
    }
  }

  ByteArrayComparable ofValue() {
    return comparator(value());
  }

  Filter filter(int depth) {
    switch (upTo(depth > 0 ? 31 : 24)) {
      case 0:
        return new PrefixFilter(of("a", "h", "m", "\u00ff"));
      case 1:
        return new PageFilter(1 + upTo(3));
      case 2:
        return new RowFilter(operator(), comparator(row(), true));
      case 3:
        return new FamilyFilter(operator(), comparator(of("a", "b", "c")));
      case 4:
        return new QualifierFilter(operator(), comparator(qualifier()));
      case 5:
      case 6:
        return new ValueFilter(operator(), ofValue());
      case 7:
      case 8:
        return single(new SingleColumnValueFilter(of("a", "b", "c"), qualifier(), comparing(), ofValue()));
      case 9:
        if (onDemand) {
          return new PageFilter(1 + upTo(3));
        }
        return single(new SingleColumnValueExcludeFilter(of("a", "b", "c"), qualifier(), comparing(), ofValue()));
      case 10:
        return new ColumnValueFilter(of("a", "b", "c"), qualifier(), comparing(), ofValue());
      case 11:
        return hinting(new ColumnPrefixFilter(of("p", "q", "", "r")));
      case 12:
        return hinting(new MultipleColumnPrefixFilter(new byte[][] {of("p", "q"), of("q\0", "r", "z")}));
      case 13:
        return hinting(range());
      case 14:
        return new ColumnPaginationFilter(1 + upTo(3), upTo(3));
      case 15:
        return scanning ? new KeyOnlyFilter(false) : new ColumnCountGetFilter(1 + upTo(4));
      case 16:
        return new FirstKeyOnlyFilter();
      case 17:
        return new KeyOnlyFilter(one(2));
      case 18:
        return new InclusiveStopFilter(row());
      case 19:
        return new TimestampsFilter(stamps()); // HBase's hints go past the markers of columns, too
      case 20:
        return new RandomRowFilter(one(2) ? 2 : -1);
      case 21:
        if (reversed) {
          return new PrefixFilter(row());
        }
        return new FuzzyRowFilter(Arrays.asList(new Pair<>(of("m?", "ab", "h\0"), new byte[] {0, 1}), new Pair<>(bytes("?"), new byte[] {1})));
      case 22:
        if (reversed) {
          return new PrefixFilter(row());
        }
        return new MultiRowRangeFilter(Arrays.asList(new MultiRowRangeFilter.RowRange(bytes("ab"), one(2), bytes("g"), one(2)),
            new MultiRowRangeFilter.RowRange(bytes("m"), one(2), bytes("n"), one(2))));
      case 23:
        return one(2) ? new DependentColumnFilter(of("a", "b", "c"), qualifier(), one(2))
            : new DependentColumnFilter(of("a", "b", "c"), qualifier(), one(2), operator(), ofValue());
      case 24:
        return new SkipFilter(inner());
      case 25:
        return new WhileMatchFilter(unkeyed(inner()));
      default:
        return list(depth - 1);
    }
  }

  private Filter hinting(Filter f) {
    return reversed && inOr ? new QualifierFilter(operator(), comparator(qualifier())) : f;
  }

  /**
   * What SkipFilter and WhileMatchFilter are around. HBase fails with a MultiRowRangeFilter there; where a column may
   * not be missing, it loses rows that have nothing in its family; and it tells no filter there that rows descend.
   */
  private Filter inner() {
    Filter f = filter(0);
    if (f instanceof SingleColumnValueFilter) {
      ((SingleColumnValueFilter) f).setFilterIfMissing(false);
    }
    boolean ascends = f instanceof PrefixFilter || f instanceof InclusiveStopFilter;
    return f instanceof MultiRowRangeFilter || reversed && ascends ? new RowFilter(operator(), comparator(row(), true)) : f;
  }

  /** HBase asks WhileMatchFilter about rows, too, of which nothing is left but the markers of deletes. */
  private Filter unkeyed(Filter f) {
    boolean keyed = f instanceof PrefixFilter || f instanceof RowFilter || f instanceof InclusiveStopFilter
        || f instanceof RandomRowFilter || f instanceof FuzzyRowFilter || f instanceof MultiRowRangeFilter;
    return scanning && keyed ? new ValueFilter(operator(), ofValue()) : f;
  }

  private Filter single(SingleColumnValueFilter f) {
    f.setFilterIfMissing(one(2));
    f.setLatestVersionOnly(!one(4));
    return f;
  }

  private Filter range() {
    byte[] low = one(4) ? null : of("p", "q");
    return new ColumnRangeFilter(low, one(2), one(4) ? null : of("q", "q\0", "r"), one(2));
  }

  private List<Long> stamps() {
    List<Long> out = new ArrayList<>();
    for (int n = 1 + upTo(3); n > 0; n--) {
      out.add(one(4) ? FUTURE + upTo(4) : 1L + upTo(6));
    }
    return out;
  }

  private Filter list(int depth) {
    List<Filter> of = new ArrayList<>();
    boolean or = one(2), before = inOr;
    inOr |= or;
    for (int n = 1 + upTo(3); n > 0; n--) {
      of.add(filter(depth));
    }
    inOr = before;
    return new FilterList(or ? FilterList.Operator.MUST_PASS_ONE : FilterList.Operator.MUST_PASS_ALL, of);
  }
}
