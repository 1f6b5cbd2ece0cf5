import asyncio
import time

import aiomysql
import pymysql

from scenario import DATABASE, LARGE, SIDE, SOCKET, STREAM, TABLE, VIEW, WIDE, key, rows, same, step


def connect():
    return aiomysql.connect(unix_socket=SOCKET, user="root", db=DATABASE, charset="utf8mb4")


async def ask(db, sql, *args):
    async with db.cursor() as cur:
        await cur.execute(sql, args)
        return list(await cur.fetchall()) if cur.description else cur.rowcount


async def column(db, sql, *args):
    return [r[0] for r in await ask(db, sql, *args)]


async def read(db):
    same(await column(db, "SELECT V FROM `c$p` WHERE K = %s AND Q = 'name'", key(8)), [b"\xff\x00N8"])
    same(await column(db, "SELECT V FROM `c$p` WHERE K = %s AND Q = 'name'", key(7)), [None])
    step("point")
    same(await column(db, "SELECT K FROM `c$p` WHERE K LIKE %s AND Q = 'name'", "u01%"), [key(i) for i in range(10, 20)])
    step("prefix")
    same(await column(db, "SELECT K FROM `c$p` WHERE K IN %s AND Q = 'city'", (key(3), key(50), b"no")), [key(3), key(50)])
    step("in")
    same(await column(db, "SELECT K FROM `c$p` WHERE Q = 'city' ORDER BY K DESC LIMIT 2"), [key(99), key(98)])
    step("order")
    same(await column(db, "SELECT K FROM `c$p` WHERE Q = 'city' ORDER BY K LIMIT %s, %s", 40, 2), [key(40), key(41)])
    step("page")
    same(await ask(db, "SELECT V, COUNT(*) FROM `c$p` WHERE Q = 'city' GROUP BY V ORDER BY V"), [(b"C0", 34), (b"C1", 33), (b"C2", 33)])
    step("aggregate")
    same(await column(db, "SELECT SUM(n.V) FROM `c$p` p JOIN `c$n` n ON p.K = n.K WHERE p.Q = 'city'"), [45])
    step("join")


async def write(db):
    same(await ask(db, "UPDATE `c$p` SET V = %s WHERE K = %s AND Q = 'city'", "é€", key(1)), 1)
    step("update")
    same(await ask(db, "DELETE FROM `c$p` WHERE K = %s", key(2)), 2)
    step("delete")
    other = await connect()
    await ask(other, "INSERT INTO `c$n` VALUES ('tx', 'q', 1, 'x')")
    same(await column(db, "SELECT V FROM `c$n` WHERE K = 'tx'"), [])
    await other.rollback()
    await ask(other, "INSERT INTO `c$n` VALUES ('tx', 'q', 2, 'y')")
    await other.commit()
    same(await column(db, "SELECT V FROM `c$n` WHERE K = 'tx'"), [b"y"])
    other.close()
    step("transaction")
    for number, kind, statement in ((1062, pymysql.err.IntegrityError, "INSERT INTO `c$n` VALUES ('tx', 'q', 2, 'z')"),
                                    (1064, pymysql.err.ProgrammingError, "SELEKT"),
                                    (1146, pymysql.err.ProgrammingError, "SELECT * FROM missing")):
        try:
            await ask(db, statement)
            raise AssertionError(statement)
        except kind as e:
            same(e.args[0], number)
        step(str(number))


async def long(db):
    value = bytes(range(256)) * (LARGE // 256)
    await ask(db, "INSERT INTO `c$w` VALUES ('large', 'q', 1, %s)", value)
    same(await column(db, "SELECT V FROM `c$w` WHERE K = 'large'") == [value], True)
    step("large")
    n = round(STREAM ** 0.5)
    async with db.cursor() as cur:
        await cur.executemany("INSERT INTO `c$w` VALUES (%s, 's', %s, '')", [(b"s%06d" % i, i) for i in range(n)])
    count = 0
    async with db.cursor(aiomysql.SSCursor) as cur:
        await cur.execute("SELECT a.T FROM `c$w` a JOIN `c$w` b WHERE a.Q = 's' AND b.Q = 's'")
        while some := await cur.fetchmany(1000):
            count += len(some)
    same(count, n * n)
    step("stream")


async def interrupt(db):
    number = (await column(db, "SELECT CONNECTION_ID()"))[0]
    other = await connect()
    begin = time.monotonic()
    sleeping = asyncio.ensure_future(ask(db, "SELECT SLEEP(20)"))
    await asyncio.sleep(0.3)
    await ask(other, "KILL QUERY %s" % number)
    try:
        same(await sleeping, [(1,)])
    except pymysql.err.OperationalError as e:
        same(e.args[0], 1317)
    assert time.monotonic() - begin < 10
    step("cancel")
    await ask(other, "KILL %s" % number)
    await asyncio.sleep(0.3)
    await db.ping(reconnect=True)
    same(await column(db, "SELECT COUNT(*) FROM `c$p`"), [198])
    step("reconnect")
    db.close()
    other.close()


async def run():
    db = await connect()
    await db.autocommit(True)
    same(await ask(db, "SELECT 1 + 1, 'né €'"), [(2, "né €")])
    step("connect")
    for t in (TABLE, WIDE, SIDE, VIEW):
        await ask(db, t)
    step("create")
    async with db.cursor() as cur:
        await cur.executemany("INSERT INTO `c$p` (K, Q, T, V) VALUES (%s, %s, %s, %s)", list(rows()))
        await cur.executemany("INSERT INTO `c$n` (K, Q, T, V) VALUES (%s, %s, %s, %s)", [(key(i), b"n", i, b"%d" % i) for i in range(10)])
    same(await column(db, "SELECT COUNT(*) FROM `c$p`"), [200])
    step("insert")
    same([r[0] for r in await ask(db, "SHOW FULL TABLES") if r[1] == "BASE TABLE"], ["c$n", "c$p", "c$w"])
    step("reflect")
    await read(db)
    await write(db)
    await long(db)
    await interrupt(db)


asyncio.run(run())
