"""SQLAlchemy by the driver that the first argument names."""

import sys
import threading
import time

import sqlalchemy as sa
from sqlalchemy import orm

from scenario import DATABASE, LARGE, SIDE, SOCKET, STREAM, VIEW, key, rows, same, step

engine = sa.create_engine(f"mysql+{sys.argv[1]}://root@localhost/{DATABASE}?unix_socket={SOCKET}&charset=utf8mb4",
                          pool_pre_ping=True)


class Base(orm.DeclarativeBase):
    pass


def cell(name, wide):
    """A mapped class of a table of cells."""
    return type(name, (Base,), {
        "__tablename__": "c$" + name,
        "K": sa.Column(sa.VARBINARY(100), primary_key=True),
        "Q": sa.Column(sa.VARBINARY(100), primary_key=True),
        "T": sa.Column(sa.BigInteger, primary_key=True, autoincrement=False),
        "V": sa.Column(wide),
    })


from sqlalchemy.dialects.mysql import LONGBLOB  # noqa: E402

P, W = cell("p", sa.VARBINARY(1000)), cell("w", LONGBLOB)


def begin():
    with engine.connect() as c:
        same(c.execute(sa.text("SELECT 1 + 1, 'né €'")).one(), (2, "né €"))
    step("connect")
    Base.metadata.create_all(engine)
    Base.metadata.create_all(engine)  # which finds them there
    with engine.begin() as c:
        c.exec_driver_sql(SIDE)
        c.exec_driver_sql(VIEW.replace("%", "%%"))
    step("create")
    with orm.Session(engine) as s:
        s.add_all([P(K=k, Q=q, T=t, V=v) for k, q, t, v in rows()])
        s.commit()
    with engine.begin() as c:
        c.execute(side.insert(), [{"K": key(i), "Q": b"n", "T": i, "V": b"%d" % i} for i in range(10)])
    step("insert")


side = sa.Table("c$n", sa.MetaData(), *(sa.Column(n, t) for n, t in
                (("K", sa.VARBINARY(100)), ("Q", sa.VARBINARY(100)), ("T", sa.BigInteger), ("V", sa.VARBINARY(1000)))))


def reflect():
    look = sa.inspect(engine)
    same(sorted(look.get_table_names()), ["c$n", "c$p", "c$w"])
    same("c_people" in look.get_view_names(), True)
    same(look.get_pk_constraint("c$p")["constrained_columns"], ["K", "Q", "T"])
    same([(c["name"], str(c["type"]), c["nullable"]) for c in look.get_columns("c$p")],
         [("K", "VARBINARY(100)", False), ("Q", "VARBINARY(100)", False), ("T", "BIGINT", False), ("V", "VARBINARY(1000)", True)])
    same([c["name"] for c in look.get_columns("c_people")], ["id", "name", "city"])
    same(look.get_indexes("c$p") + look.get_foreign_keys("c$p") + look.get_unique_constraints("c$p"), [])
    meta = sa.MetaData()
    meta.reflect(engine, views=True)
    same([c.name for c in meta.tables["c_people"].columns], ["id", "name", "city"])
    step("reflect")


def read(s):
    same(s.get(P, (key(8), b"name", 1)).V, b"\xff\x00N8")
    same(s.get(P, (key(7), b"name", 1)).V, None)
    step("point")
    city = sa.select(P.K).where(P.Q == b"city")
    same(s.scalars(sa.select(P.K).where(P.K.like(b"u01%"), P.Q == b"name")).all(), [key(i) for i in range(10, 20)])
    step("prefix")
    same(s.scalars(city.where(P.K.in_([key(3), key(50), b"no"]))).all(), [key(3), key(50)])
    step("in")
    same(s.scalars(city.order_by(P.K.desc()).limit(2)).all(), [key(99), key(98)])
    step("order")
    same(s.scalars(city.order_by(P.K).limit(2).offset(40)).all(), [key(40), key(41)])
    step("page")
    same(s.execute(sa.select(P.V, sa.func.count()).where(P.Q == b"city").group_by(P.V).order_by(P.V)).all(),
         [(b"C0", 34), (b"C1", 33), (b"C2", 33)])
    step("aggregate")
    same(s.scalars(sa.select(sa.func.sum(side.c.V)).join_from(P, side, P.K == side.c.K).where(P.Q == b"city")).one(), 45)
    people = sa.Table("c_people", sa.MetaData(), autoload_with=engine)
    same(s.execute(sa.select(people.c.name, people.c.city).where(people.c.id == key(8))).one(), (b"\xff\x00N8", b"C2"))
    step("join")


def write(s):
    s.get(P, (key(1), b"city", 1)).V = "é€".encode()
    try:
        s.commit()
    except orm.exc.StaleDataError:
        raise AssertionError("an update of one row counted others")
    same(s.scalars(sa.select(P.V).where(P.K == key(1), P.Q == b"city")).all(), ["é€".encode()])
    step("update")
    same(s.execute(sa.delete(P).where(P.K == key(2))).rowcount, 2)
    s.commit()
    step("delete")
    with orm.Session(engine) as other:
        other.add(P(K=b"tx", Q=b"q", T=1, V=b"x"))
        other.flush()
        with other.begin_nested() as inner:
            other.execute(sa.delete(P).where(P.K == b"tx"))
            inner.rollback()
        same(s.get(P, (b"tx", b"q", 1)), None)
        s.commit()
        other.commit()
    same(s.get(P, (b"tx", b"q", 1)).V, b"x")
    s.commit()
    step("transaction")


def fail():
    for number, kind, statement in ((1062, sa.exc.IntegrityError, "INSERT INTO `c$p` VALUES ('tx', 'q', 1, 'z')"),
                                    (1064, sa.exc.ProgrammingError, "SELEKT"), (1146, sa.exc.ProgrammingError, "SELECT * FROM missing")):
        try:
            with engine.connect() as c:
                c.exec_driver_sql(statement)
            raise AssertionError(statement)
        except kind as e:
            same(getattr(e.orig, "errno", e.orig.args[0]), number)
        step(str(number))


def long():
    value = bytes(range(256)) * (LARGE // 256)
    n = round(STREAM ** 0.5)
    with orm.Session(engine) as s:
        s.add(W(K=b"large", Q=b"q", T=1, V=value))
        s.execute(sa.insert(W), [{"K": b"s%06d" % i, "Q": b"s", "T": i, "V": b""} for i in range(n)])
        s.commit()
        same(s.get(W, (b"large", b"q", 1)).V == value, True)
    step("large")
    a, b = orm.aliased(W), orm.aliased(W)
    both = sa.select(a.T * n + b.T).where(a.Q == b"s", b.Q == b"s")
    with engine.connect() as c:
        got = [0, 0]
        for row in c.execution_options(yield_per=1000).execute(both):
            got[0] += 1
            got[1] += row[0]
    same(got, [n * n, n * n * (n * n - 1) // 2])
    step("stream")


def interrupt():
    with engine.connect() as killer:
        with engine.connect() as c:
            number = interrupted(c, killer)
        killer.exec_driver_sql("KILL %d" % number)  # while it is in the pool
    with engine.connect() as c, engine.connect() as d:
        same([each.scalar(sa.text("SELECT COUNT(*) FROM `c$p`")) for each in (c, d)], [199, 199])
    step("reconnect")


def interrupted(c, killer):
    number = c.scalar(sa.text("SELECT CONNECTION_ID()"))

    def later():
        time.sleep(0.3)
        killer.exec_driver_sql("KILL QUERY %d" % number)

    thread = threading.Thread(target=later)
    thread.start()
    begin = time.monotonic()
    try:
        same(c.scalar(sa.text("SELECT SLEEP(20)")), 1)
    except sa.exc.DBAPIError as e:
        same(getattr(e.orig, "errno", e.orig.args[0]), 1317)
    thread.join()
    assert time.monotonic() - begin < 10
    step("cancel")
    return number


begin()
reflect()
with orm.Session(engine) as session:
    read(session)
    session.commit()
    write(session)
fail()
long()
interrupt()
