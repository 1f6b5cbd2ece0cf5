"""What each program here does with the server that it is told of, by whatever driver.

A program prints a line for each step that it has seen to work. The test that runs it
asks for all of them."""

import os
import sys
import threading
import time

SOCKET = os.environ["HBASEKV_SOCKET"]
PORT = int(os.environ["HBASEKV_PORT"])
DATABASE = os.environ["HBASEKV_DATABASE"]
LARGE = int(os.environ["HBASEKV_LARGE"])  # bytes of the large value
STREAM = int(os.environ["HBASEKV_STREAM"])  # rows of the long result, a square

COLUMNS = ("K varbinary(100) NOT NULL, Q varbinary(100) NOT NULL, T bigint NOT NULL, V %s, PRIMARY KEY (K, Q, T)")
TABLE = "CREATE TABLE `c$p` (" + COLUMNS % "varbinary(1000)" + ")"
WIDE = "CREATE TABLE `c$w` (" + COLUMNS % "longblob" + ")"
SIDE = "CREATE TABLE `c$n` (" + COLUMNS % "varbinary(1000)" + ")"
VIEW = ("CREATE VIEW c_people AS SELECT K AS id, MAX(CASE WHEN Q = 'name' THEN V END) AS name, "
        "MAX(CASE WHEN Q = 'city' THEN V END) AS city FROM `c$p` GROUP BY K")


def key(i):
    return b"u%03d\x00\xff'\\" % i


def rows():
    """The cells of 100 rows; every seventh name is NULL."""
    for i in range(100):
        yield (key(i), b"city", 1, b"C%d" % (i % 3))
        yield (key(i), b"name", 1, None if i % 7 == 0 else b"\xff\x00N%d" % i)


def step(name):
    print("step", name, flush=True)


def same(got, want):
    assert got == want, f"{got!r} is not {want!r}"


def raises(kind, number, statement, run, number_of=lambda e: e.args[0]):
    try:
        run(statement)
    except kind as e:
        same(number_of(e), number)
    else:
        raise AssertionError(f"no error: {statement}")


class Program:
    """A program over the interface that PEP 249 describes."""

    mark = "%s"
    number_of = staticmethod(lambda e: e.args[0])

    def connect(self):
        raise NotImplementedError

    errors = None  # the driver's module, or what holds its exceptions
    syntax_error = "ProgrammingError"

    def stream(self, db):
        """A cursor that reads rows as they come."""
        return db.cursor()

    def bytes_of(self, v):
        return None if v is None else bytes(v)

    def ask(self, sql, *args):
        cur = self.db.cursor()
        try:
            cur.execute(sql.replace("?", self.mark), args)
            return [tuple(r) for r in cur.fetchall()] if cur.description else cur.rowcount
        finally:
            cur.close()

    def column(self, sql, *args):
        return [self.bytes_of(r[0]) for r in self.ask(sql, *args)]

    def run(self):
        for part in (self.begin, self.read, self.write, self.fail, self.large, self.stream_all, self.interrupt):
            part()

    def begin(self):
        self.db = self.connect()
        self.db.autocommit(True) if callable(getattr(self.db, "autocommit", None)) else setattr(self.db, "autocommit", True)
        same([tuple(r) for r in self.ask("SELECT 1 + 1, 'né €'")], [(2, "né €")])
        step("connect")
        for t in (TABLE, WIDE, SIDE, VIEW):
            self.ask(t)
        step("create")
        cur = self.db.cursor()
        insert = "INSERT INTO `c$p` (K, Q, T, V) VALUES (?, ?, ?, ?)".replace("?", self.mark)
        cur.executemany(insert, list(rows()))
        cur.executemany(insert.replace("c$p", "c$n"), [(key(i), b"n", i, b"%d" % i) for i in range(10)])
        cur.close()
        same(self.ask("SELECT COUNT(*), SUM(V IS NULL) FROM `c$p`")[0][0], 200)
        step("insert")
        self.reflect()
        step("reflect")

    def reflect(self):
        names = sorted(r[0] for r in self.ask("SHOW FULL TABLES") if r[1] == "BASE TABLE")
        same(names, ["c$n", "c$p", "c$w"])
        same([(r[0], r[1], r[2], r[3]) for r in self.ask("SHOW COLUMNS FROM `c$p`")],
             [("K", "varbinary(100)", "NO", "PRI"), ("Q", "varbinary(100)", "NO", "PRI"), ("T", "bigint(20)", "NO", "PRI"),
              ("V", "varbinary(1000)", "YES", "")])

    def read(self):
        same(self.column("SELECT V FROM `c$p` WHERE K = ? AND Q = ?", key(8), b"name"), [b"\xff\x00N8"])
        same(self.column("SELECT V FROM `c$p` WHERE K = ? AND Q = ?", key(7), b"name"), [None])
        step("point")
        same(self.column("SELECT K FROM `c$p` WHERE K LIKE 'u01%' AND Q = 'name'".replace("%", "%%" if self.mark == "%s" else "%")),
             [key(i) for i in range(10, 20)])
        step("prefix")
        same(self.column("SELECT K FROM `c$p` WHERE K IN (?, ?, ?) AND Q = 'city'", key(3), key(50), key(999)), [key(3), key(50)])
        step("in")
        same(self.column("SELECT K FROM `c$p` WHERE Q = 'city' ORDER BY K DESC LIMIT 2"), [key(99), key(98)])
        step("order")
        same(self.column("SELECT K FROM `c$p` WHERE Q = 'city' ORDER BY K LIMIT ? OFFSET ?", 3, 40), [key(40), key(41), key(42)])
        step("page")
        same([(self.bytes_of(c), int(n)) for c, n in self.ask("SELECT V, COUNT(*) FROM `c$p` WHERE Q = 'city' GROUP BY V ORDER BY V")],
             [(b"C0", 34), (b"C1", 33), (b"C2", 33)])
        step("aggregate")
        same([int(r[0]) for r in self.ask("SELECT SUM(n.V) FROM `c$p` p JOIN `c$n` n ON p.K = n.K WHERE p.Q = 'city'")], [45])
        same([(self.bytes_of(a), self.bytes_of(b)) for a, b in self.ask("SELECT name, city FROM c_people WHERE id = ?", key(8))],
             [(b"\xff\x00N8", b"C2")])
        step("join")

    def write(self):
        same(self.ask("UPDATE `c$p` SET V = ? WHERE K = ? AND Q = 'city'", "é€".encode(), key(1)), 1)
        same(self.column("SELECT V FROM `c$p` WHERE K = ? AND Q = 'city'", key(1)), ["é€".encode()])
        step("update")
        same(self.ask("DELETE FROM `c$p` WHERE K = ?", key(2)), 2)
        same(self.column("SELECT V FROM `c$p` WHERE K = ?", key(2)), [])
        step("delete")
        other = self.connect()
        cur = other.cursor()
        cur.execute("INSERT INTO `c$n` VALUES ('tx', 'q', 1, 'x')")
        same(self.column("SELECT V FROM `c$n` WHERE K = 'tx'"), [])
        other.rollback()
        cur.execute("INSERT INTO `c$n` VALUES ('tx', 'q', 2, 'y')")
        other.commit()
        same(self.column("SELECT V FROM `c$n` WHERE K = 'tx'"), [b"y"])
        other.close()
        step("transaction")

    def fail(self):
        raises(self.errors.IntegrityError, 1062, "INSERT INTO `c$n` VALUES ('tx', 'q', 2, 'z')", self.ask, self.number_of)
        step("1062")
        raises(getattr(self.errors, self.syntax_error), 1064, "SELEKT", self.ask, self.number_of)
        step("1064")
        raises(self.errors.ProgrammingError, 1146, "SELECT * FROM missing", self.ask, self.number_of)
        step("1146")

    def large(self):
        value = bytes(range(256)) * (LARGE // 256)
        self.ask("INSERT INTO `c$w` VALUES ('large', 'q', 1, ?)", value)
        same(self.column("SELECT V FROM `c$w` WHERE K = 'large'") == [value], True)
        step("large")

    def stream_all(self):
        n = round(STREAM ** 0.5)
        cur = self.db.cursor()
        cur.executemany("INSERT INTO `c$w` VALUES (?, 's', ?, '')".replace("?", self.mark), [(b"s%06d" % i, i) for i in range(n)])
        cur.close()
        db = self.connect()
        cur = self.stream(db)
        cur.execute("SELECT a.T * %d + b.T FROM `c$w` a JOIN `c$w` b WHERE a.Q = 's' AND b.Q = 's'" % n)
        count = total = 0
        while True:
            some = cur.fetchmany(1000)
            if not some:
                break
            count += len(some)
            total += sum(r[0] for r in some)
        same((count, total), (n * n, n * n * (n * n - 1) // 2))
        cur.close()
        db.close()
        step("stream")

    def interrupt(self):
        number = self.ask("SELECT CONNECTION_ID()")[0][0]
        killer = self.connect()

        def later(statement):
            time.sleep(0.3)
            cur = killer.cursor()
            cur.execute(statement)
            cur.close()

        thread = threading.Thread(target=later, args=("KILL QUERY %d" % number,))
        thread.start()
        begin = time.monotonic()
        try:  # as in MySQL, SLEEP tells by 1 that it was interrupted, or fails by 1317
            same(self.ask("SELECT SLEEP(20)"), [(1,)])
        except self.errors.Error as e:
            same(self.number_of(e), 1317)
        thread.join()
        assert time.monotonic() - begin < 10
        step("cancel")
        later("KILL %d" % number)
        killer.close()
        try:
            self.ask("SELECT 1")
            raise AssertionError("the connection was killed")
        except self.errors.Error:
            pass
        self.reconnect()
        same(self.ask("SELECT COUNT(*) FROM `c$p`"), [(198,)])
        step("reconnect")
        self.db.close()

    def reconnect(self):
        self.db = self.connect()


def main(program):
    program.run()
    sys.stdout.flush()
