"""Django: inspectdb of a table and a view, the models that it writes, and the ORM."""

import io
import sys

import django
import MySQLdb  # noqa: F401, the driver
from django.conf import settings
from django.core.management import call_command

from scenario import DATABASE, SIDE, SOCKET, TABLE, VIEW, WIDE, key, rows, same, step

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.mysql", "NAME": DATABASE, "USER": "root", "HOST": SOCKET,
                           "OPTIONS": {"charset": "utf8mb4"}}},
    INSTALLED_APPS=[], USE_TZ=False, DEFAULT_AUTO_FIELD="django.db.models.BigAutoField")
django.setup()

from django.db import DatabaseError, IntegrityError, ProgrammingError, connection, models, transaction  # noqa: E402

with connection.cursor() as cur:
    cur.execute("SELECT 1 + 1, %s", ["né €"])
    same(cur.fetchone(), (2, "né €"))
    step("connect")
    for t in (TABLE, WIDE, SIDE, VIEW):
        cur.execute(t)
step("create")
with connection.cursor() as cur:
    cur.executemany("INSERT INTO `c$p` VALUES (%s, %s, %s, %s)", list(rows()))
step("insert")

written = io.StringIO()
call_command("inspectdb", "c$p", "c_people", include_views=True, stdout=written)
same("class CPeople(models.Model)" in written.getvalue(), True)
same("db_column='K'" in written.getvalue(), True)
same("unique_together = (('k', 'q', 't'),)" in written.getvalue(), True)
namespace = {"__name__": "written"}
source = written.getvalue().replace("    class Meta:\n", "    class Meta:\n        app_label = 'w'\n")
exec(source, namespace)  # what it has written is a module
step("reflect")


class Cell(models.Model):
    K = models.BinaryField(primary_key=True)
    Q = models.BinaryField()
    T = models.BigIntegerField()
    V = models.BinaryField(null=True)

    class Meta:
        managed = False
        app_label = "c"
        db_table = "c$p"


class Person(models.Model):
    id = models.BinaryField(primary_key=True)
    name = models.BinaryField()
    city = models.BinaryField()

    class Meta:
        managed = False
        app_label = "c"
        db_table = "c_people"


cells = Cell.objects
same(bytes(cells.get(K=key(8), Q=b"name").V), b"\xff\x00N8")
same(cells.get(K=key(7), Q=b"name").V, None)
step("point")
same([bytes(c.K) for c in cells.filter(K__gte=b"u010", K__lt=b"u020", Q=b"name")], [key(i) for i in range(10, 20)])
step("prefix")
same([bytes(c.K) for c in cells.filter(K__in=[key(3), key(50)], Q=b"city")], [key(3), key(50)])
step("in")
same([bytes(c.K) for c in cells.filter(Q=b"city").order_by("-K")[:2]], [key(99), key(98)])
step("order")
same([bytes(c.K) for c in cells.filter(Q=b"city").order_by("K")[40:42]], [key(40), key(41)])
step("page")
same([(bytes(r["V"]), r["n"]) for r in cells.filter(Q=b"city").values("V").annotate(n=models.Count("*")).order_by("V")],
     [(b"C0", 34), (b"C1", 33), (b"C2", 33)])
step("aggregate")
same(bytes(Person.objects.get(id=key(8)).city), b"C2")
step("join")
same(cells.filter(K=key(1), Q=b"city").update(V=b"x"), 1)
step("update")
same(cells.filter(K=key(2)).delete()[0], 2)
step("delete")
try:
    with transaction.atomic():
        cells.create(K=b"tx", Q=b"q", T=1, V=b"x")
        with transaction.atomic():
            cells.filter(K=b"tx").update(V=b"y")
            raise KeyError
except KeyError:
    pass
same(cells.filter(K=b"tx").count(), 0)
step("transaction")
for number, kind, statement in ((1062, IntegrityError, "INSERT INTO `c$p` VALUES (X'%s', 'city', 1, '')" % key(3).hex()),
                                (1064, ProgrammingError, "SELEKT"), (1146, ProgrammingError, "SELECT * FROM missing")):
    try:
        with connection.cursor() as cur:
            cur.execute(statement)
        raise AssertionError(statement)
    except kind as e:
        same(e.args[0], number)
    step(str(number))
connection.close()
same(cells.count(), 198)  # it connects again
step("reconnect")
