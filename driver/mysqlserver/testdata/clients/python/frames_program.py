"""pandas, polars and connectorx, which read a query into a frame."""

import sys

import sqlalchemy as sa

from scenario import DATABASE, PORT, SIDE, SOCKET, STREAM, TABLE, VIEW, WIDE, key, rows, same, step

URL = f"mysql://root@127.0.0.1:{PORT}/{DATABASE}"
engine = sa.create_engine(f"mysql+pymysql://root@localhost/{DATABASE}?unix_socket={SOCKET}&charset=utf8mb4")


def by_pandas(query):
    import pandas
    with engine.connect() as c:
        frame = pandas.read_sql(sa.text(query), c)
    return [tuple(r) for r in frame.astype(object).where(frame.notna(), None).itertuples(index=False)]


def by_polars(query):
    import polars
    with engine.connect() as c:
        return polars.read_database(query, c, infer_schema_length=None).rows()


def by_connectorx(query):
    import polars
    return polars.read_database_uri(query, URL, engine="connectorx").rows()


read = {"pandas": by_pandas, "polars": by_polars, "connectorx": by_connectorx}[sys.argv[1]]

same([(int(a), b) for a, b in read("SELECT 1 + 1, 'né €'")], [(2, "né €")])
step("connect")
with engine.begin() as c:
    for t in (TABLE, WIDE, SIDE, VIEW):
        c.exec_driver_sql(t.replace("%", "%%"))
step("create")
if sys.argv[1] == "pandas":
    import pandas
    frame = pandas.DataFrame(rows(), columns=["K", "Q", "T", "V"])
    same(frame.to_sql("c$p", engine, if_exists="append", index=False), 200)
else:
    with engine.begin() as c:
        c.exec_driver_sql("INSERT INTO `c$p` VALUES (%s, %s, %s, %s)", list(rows()))
step("insert")
CITY = "SELECT K FROM `c$p` WHERE Q = 'city' "
same(read("SELECT V FROM `c$p` WHERE K = X'%s' AND Q = 'name'" % key(8).hex()), [(b"\xff\x00N8",)])
same(read("SELECT K, V FROM `c$p` WHERE K = X'%s' AND Q = 'name'" % key(7).hex()), [(key(7), None)])
step("point")
same(read(CITY + "AND LEFT(K, 3) = 'u01'"), [(key(i),) for i in range(10, 20)])
step("prefix")
same(read(CITY + "AND K IN (X'%s', X'%s')" % (key(3).hex(), key(50).hex())), [(key(3),), (key(50),)])
step("in")
same(read(CITY + "ORDER BY K DESC LIMIT 2"), [(key(99),), (key(98),)])
step("order")
same(read(CITY + "ORDER BY K LIMIT 2 OFFSET 40"), [(key(40),), (key(41),)])
step("page")
same([(a, int(b)) for a, b in read("SELECT V, COUNT(*) AS n FROM `c$p` WHERE Q = 'city' GROUP BY V ORDER BY V")],
     [(b"C0", 34), (b"C1", 33), (b"C2", 33)])
step("aggregate")
same(read("SELECT name, city FROM c_people WHERE id = X'%s'" % key(8).hex()), [(b"\xff\x00N8", b"C2")])
step("join")
try:
    read("SELECT * FROM missing")
    raise AssertionError("no error")
except Exception as e:
    same("1146" in str(e) or "doesn't exist" in str(e), True)
step("1146")
n = round(STREAM ** 0.5)
with engine.begin() as c:
    c.exec_driver_sql("INSERT INTO `c$w` VALUES (%s, 's', %s, '')", [(b"s%06d" % i, i) for i in range(n)])
same(len(read("SELECT a.T, b.K FROM `c$w` a JOIN `c$w` b WHERE a.Q = 's' AND b.Q = 's'")), n * n)
step("stream")
