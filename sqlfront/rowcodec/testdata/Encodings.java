import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Order;
import org.apache.hadoop.hbase.util.OrderedBytes;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;

/** Prints what HBase's own classes make of values: an encoding, the value and its bytes, a line each. */
class Encodings {
  static final Random chance = new Random(36);
  static final int DRAWN = 150;

  interface Encoder {
    int encode(PositionedByteRange to);
  }

  static void print(String encoding, String value, byte[] bytes) {
    System.out.println(encoding + "\t" + value + "\t" + Bytes.toHex(bytes));
  }

  static void ordered(String encoding, String value, Encoder encoder) {
    PositionedByteRange to = new SimplePositionedMutableByteRange(4096);
    int length = encoder.encode(to);
    byte[] bytes = new byte[length];
    System.arraycopy(to.getBytes(), 0, bytes, 0, length);
    print(encoding, value, bytes);
  }

  static void whole(long n) {
    if (n == (byte) n) {
      ordered("ordered int8", "" + n, to -> OrderedBytes.encodeInt8(to, (byte) n, Order.ASCENDING));
    }
    if (n == (short) n) {
      print("bytes short", "" + n, Bytes.toBytes((short) n));
      ordered("ordered int16", "" + n, to -> OrderedBytes.encodeInt16(to, (short) n, Order.ASCENDING));
    }
    if (n == (int) n) {
      print("bytes int", "" + n, Bytes.toBytes((int) n));
      ordered("ordered int32", "" + n, to -> OrderedBytes.encodeInt32(to, (int) n, Order.ASCENDING));
    }
    print("bytes long", "" + n, Bytes.toBytes(n));
    ordered("ordered int64", "" + n, to -> OrderedBytes.encodeInt64(to, n, Order.ASCENDING));
    ordered("ordered numeric", "" + n, to -> OrderedBytes.encodeNumeric(to, n, Order.ASCENDING));
  }

  static void exact(BigDecimal d) {
    print("bytes decimal", d.toPlainString(), Bytes.toBytes(d));
    if (d.precision() <= 31) { // OrderedBytes rounds others
      ordered("ordered numeric", d.toPlainString(), to -> OrderedBytes.encodeNumeric(to, d, Order.ASCENDING));
    }
  }

  static void real(double d) {
    float f = (float) d;
    print("bytes double", "" + d, Bytes.toBytes(d));
    print("bytes float", "" + f, Bytes.toBytes(f));
    ordered("ordered float64", "" + d, to -> OrderedBytes.encodeFloat64(to, d, Order.ASCENDING));
    ordered("ordered float32", "" + f, to -> OrderedBytes.encodeFloat32(to, f, Order.ASCENDING));
  }

  static void text(String s) {
    print("bytes string", Bytes.toHex(s.getBytes(StandardCharsets.UTF_8)), Bytes.toBytes(s));
    if (s.indexOf(0) < 0) {
      ordered("ordered string", Bytes.toHex(s.getBytes(StandardCharsets.UTF_8)),
          to -> OrderedBytes.encodeString(to, s, Order.ASCENDING));
    }
  }

  static void blob(byte[] b) {
    ordered("ordered blob", Bytes.toHex(b), to -> OrderedBytes.encodeBlobVar(to, b, Order.ASCENDING));
    ordered("ordered blobcopy", Bytes.toHex(b), to -> OrderedBytes.encodeBlobCopy(to, b, Order.ASCENDING));
  }

  public static void main(String[] arguments) {
    print("bytes boolean", "0", Bytes.toBytes(false));
    print("bytes boolean", "1", Bytes.toBytes(true));
    ordered("ordered null", "NULL", to -> OrderedBytes.encodeNull(to, Order.ASCENDING));
    for (int bits = 0; bits < 64; bits++) {
      for (long near = -1; near <= 1; near++) {
        whole((1L << bits) + near);
        whole(-(1L << bits) + near);
      }
    }
    for (int i = 0; i < DRAWN; i++) {
      whole(chance.nextLong() >> chance.nextInt(64));
      exact(new BigDecimal(new BigInteger(1 + chance.nextInt(100), chance), chance.nextInt(30)));
      exact(new BigDecimal(new BigInteger(1 + chance.nextInt(100), chance), chance.nextInt(30)).negate());
      real(Double.longBitsToDouble(chance.nextLong()));
      real(chance.nextGaussian() * 1000);
      byte[] b = new byte[chance.nextInt(20)];
      chance.nextBytes(b);
      blob(b);
      StringBuilder s = new StringBuilder();
      for (int n = chance.nextInt(12); n > 0; n--) {
        s.appendCodePoint(chance.nextBoolean() ? 'a' + chance.nextInt(26) : 1 + chance.nextInt(0xD000));
      }
      text(s.toString());
    }
    for (String d : new String[] {"0", "0.0", "0.00", "1", "-1", "0.1", "0.01", "0.001", "-0.01", "-0.001", "10", "100", "1.0",
        "9.99", "99", "99.9", "100.01", "-99.99", "0.0000000000000000000001", "-0.0000000000000000000001", "1E+20", "1E+21",
        "1E+22", "1E+23", "-1E+20", "-1E+22", "1E+40", "-1E+40", "12345678901234567890.123456789", "0.5", "-0.5", "123.45",
        "99999999999999999999999999999", "-99999999999999999999999999999", "1E+64", "-1E+64", "1E-30", "-1E-30"}) {
      exact(new BigDecimal(d));
    }
    for (double d : new double[] {0, -0.0, 1, -1, 0.1, -0.1, Double.MIN_VALUE, -Double.MIN_VALUE, Double.MAX_VALUE,
        -Double.MAX_VALUE, Float.MIN_VALUE, Float.MAX_VALUE, -Float.MAX_VALUE, 1e15, 123456.789, Double.NaN,
        Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
      real(d);
    }
    for (String s : new String[] {"", "a", "A", "ab", "a\0b", "\0", "\u00e4", "\u20ac", "\ud83d\ude00", " ", "a ", "\u007f"}) {
      text(s);
    }
    for (int length = 0; length <= 20; length++) {
      for (int fill : new int[] {0, 1, 0x7f, 0x80, 0xff}) {
        byte[] b = new byte[length];
        java.util.Arrays.fill(b, (byte) fill);
        blob(b);
      }
    }
  }
}
