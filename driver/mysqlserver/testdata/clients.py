# What a PyMySQL program does, against the socket that it is given.
import sys

import pymysql

TABLE = "CREATE TABLE `x$p` (K varbinary(100) NOT NULL, Q varbinary(100) NOT NULL, T bigint NOT NULL, V longblob, PRIMARY KEY (K, Q, T))"


def connect(**more):
    return pymysql.connect(unix_socket=sys.argv[1], user="root", database="default", **more)


db = connect(autocommit=True)
cur = db.cursor()
cur.execute(TABLE)
rows = [(bytes([i, 0, 255, 39, 92]), b"q", i, None if i % 7 == 0 else bytes(range(256))) for i in range(100)]
assert cur.executemany("INSERT INTO `x$p` (K, Q, T, V) VALUES (%s, %s, %s, %s)", rows) == 100
cur.execute("SELECT K, Q, T, V FROM `x$p` ORDER BY K")
assert cur.fetchall() == tuple(rows)
cur.execute("SELECT COUNT(*), SUM(T), AVG(T), MAX(K) FROM `x$p` WHERE K < %s", (b"\x10",))
count, total, average, last = cur.fetchone()
assert (count, int(total), float(average), last) == (16, 120, 7.5, rows[15][0]), (count, total, average, last)

for statement, number in (("SELEKT", 1064), ("SELECT * FROM missing", 1146), ("INSERT INTO `x$p` VALUES (0x0000ff275c, 'q', 0, '')", 1062)):
    try:
        cur.execute(statement)
        raise AssertionError(statement)
    except pymysql.err.MySQLError as e:
        assert e.args[0] == number, e

other = connect()
other.begin()
with other.cursor() as c:
    assert c.execute("UPDATE `x$p` SET V = %s WHERE T = 1", ("né",)) == 1
cur.execute("SELECT V FROM `x$p` WHERE T = 1")
assert cur.fetchone()[0] == bytes(range(256))
other.commit()
cur.execute("SELECT V FROM `x$p` WHERE K = %s", (rows[1][0],))
assert cur.fetchone()[0] == "né".encode()
assert cur.execute("DELETE FROM `x$p` WHERE T > 50") > 0

large = bytes(range(256)) * (17 << 12)
cur.execute("INSERT INTO `x$p` VALUES ('large', 'q', 1, %s)", (large,))
cur.execute("SELECT V FROM `x$p` WHERE K = 'large'")
assert cur.fetchone()[0] == large

with connect(cursorclass=pymysql.cursors.SSCursor).cursor() as c:
    c.execute("SELECT a.T FROM `x$p` a JOIN `x$p` b")
    n = sum(1 for _ in c)
cur.execute("SELECT COUNT(*) FROM `x$p` a JOIN `x$p` b")
assert n == cur.fetchone()[0]
db.ping()
db.close()
