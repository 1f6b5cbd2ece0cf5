"""Adminer, in PHP's own web server: databases, a table's structure and rows, a new
row, statements, an export and what it shows of the server, over HTTP as a browser asks."""

import html
import http.cookiejar
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import pymysql

DATABASE = os.environ["HBASEKV_DATABASE"]
SERVER, USER = "localhost:" + os.environ["HBASEKV_SOCKET"], "adminer"  # who must have a password

with pymysql.connect(unix_socket=os.environ["HBASEKV_SOCKET"], user="root", database=DATABASE, autocommit=True).cursor() as cur:
    cur.execute("CREATE TABLE `c$a` (K varbinary(100) NOT NULL, Q varbinary(100) NOT NULL, T bigint NOT NULL, V varbinary(1000), PRIMARY KEY (K, Q, T))")
    cur.execute("CREATE VIEW c_towns AS SELECT CAST(K AS CHAR(20)) AS id, CAST(MAX(V) AS CHAR(40)) AS city FROM `c$a` GROUP BY K")
    cur.executemany("INSERT INTO `c$a` VALUES (%s, 'city', 1, %s)", [("u%03d" % i, "Town of %d" % i) for i in range(60)])
    cur.execute("CREATE USER adminer IDENTIFIED BY 'a password'")
    cur.execute("GRANT ALL ON *.* TO adminer WITH GRANT OPTION")

home = tempfile.mkdtemp()
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]
web = subprocess.Popen(["php", "-d", "session.save_path=" + home, "-S", "127.0.0.1:%d" % port, "-t", "/usr/share/adminer/adminer"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def ask(post=None, **query):
    query = {"server": SERVER, "username": USER, **query}
    data = None if post is None else urllib.parse.urlencode(post).encode()
    with opener.open("http://127.0.0.1:%d/index.php?%s" % (port, urllib.parse.urlencode(query)), data, timeout=60) as response:
        page = html.unescape(response.read().decode("utf-8", "replace"))
    for bad in ("class='error'", "Fatal error", "Warning: "):
        assert bad not in page, (query, page[page.index(bad):][:1500])
    return page


def token(page):
    """That of the form to log out, which all forms but that of languages share."""
    return re.search(r'name="token" value="([^"]+)"', page).group(1)


def holds(page, *parts):
    for p in parts:
        assert p in page, (p, re.sub(r'(?s)<script.*?</script>', '', page.split('<div id="menu">')[0])[-2500:])


def bytes_of(text):
    """How Adminer shows and takes what a VARBINARY holds."""
    return text.encode().hex().upper()


def step(name):
    print("step", name, flush=True)


try:
    for attempt in range(50):
        try:
            opener.open("http://127.0.0.1:%d/" % port, timeout=60).read()
            break
        except urllib.error.URLError:
            time.sleep(0.1)
    first = ask({"auth[driver]": "server", "auth[server]": SERVER, "auth[username]": USER, "auth[password]": "a password", "auth[db]": ""})
    holds(first, "5.7.25-hbasekv", DATABASE)
    step("connect")
    holds(ask(db=DATABASE), "c$a", "c_towns")
    holds(ask(db=DATABASE, table="c$a"), "varbinary(100)", "bigint", "PRIMARY")
    holds(ask(db=DATABASE, table="c_towns"), "View: c_towns", "city", "char(40)")
    holds(ask(db=DATABASE, view="c_towns"), "GROUP BY K")
    step("structure")
    holds(ask(db=DATABASE, select="c_towns"), "Town of 7", "u007")
    holds(ask(db=DATABASE, select="c$a", **{"where[0][col]": "K", "where[0][op]": "=", "where[0][val]": bytes_of("u031"), "order[0]": "Q"}),
          bytes_of("Town of 31"))
    step("browse")
    form = ask(db=DATABASE, edit="c$a")
    ask({"fields[K]": bytes_of("u100"), "fields[Q]": bytes_of("city"), "fields[T]": "1", "fields[V]": bytes_of("a new town"), "function[K]": "", "function[Q]": "",
         "function[T]": "", "function[V]": "", "token": token(form)}, db=DATABASE, edit="c$a")
    holds(ask(db=DATABASE, select="c_towns", **{"where[0][col]": "id", "where[0][op]": "=", "where[0][val]": "u100"}), "a new town")
    step("insert")
    form = ask(db=DATABASE, sql="")
    page = ask({"query": "SELECT COUNT(*) AS people, MAX(city) AS last FROM c_towns WHERE id < 'u010'; DELETE FROM `c$a` WHERE K = 'u100'",
                "limit": "", "token": token(form)}, db=DATABASE, sql="")
    holds(page, "people", "Town of 9", "1 row affected")
    step("sql")
    form = ask(db=DATABASE, dump="")
    dump = ask({"output": "text", "format": "sql", "db_style": "", "table_style": "DROP+CREATE", "data_style": "INSERT", "tables[]": "c$a",
                "data[]": "c$a", "token": token(form)}, db=DATABASE, dump="")
    holds(dump, "CREATE TABLE `c$a`", "INSERT INTO `c$a`")
    step("export")
    holds(ask(processlist=""), "Query")
    holds(ask(variables=""), "max_allowed_packet")
    holds(ask(status=""), "Uptime")
    holds(ask(privileges=""), "root")
    holds(ask(db=DATABASE, schema=""), "c$a")
    step("server")
finally:
    web.terminate()
    web.wait()
    shutil.rmtree(home)
