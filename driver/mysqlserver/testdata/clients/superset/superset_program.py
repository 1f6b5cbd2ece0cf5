"""Apache Superset: its MySQL engine connects, browses the schema, runs a statement of SQL
Lab and answers a chart, over Superset's own HTTP interface within this process."""

import os
import tempfile

home = tempfile.mkdtemp()
config = os.path.join(home, "superset_config.py")
with open(config, "w") as f:
    f.write('SECRET_KEY = "no secret, but long enough for a test of a moment"\n'
            f'SQLALCHEMY_DATABASE_URI = "sqlite:///{home}/superset.db"\n'
            "WTF_CSRF_ENABLED = False\nTALISMAN_ENABLED = False\nRATELIMIT_ENABLED = False\n")
os.environ.update(SUPERSET_CONFIG_PATH=config, SUPERSET_HOME=home)

import logging  # noqa: E402

from superset.app import create_app  # noqa: E402

logging.disable(logging.CRITICAL)
app = create_app()

COLUMNS = "K varbinary(100) NOT NULL, Q varbinary(100) NOT NULL, T bigint NOT NULL, V varbinary(1000), PRIMARY KEY (K, Q, T)"
URI = f"mysql+pymysql://root@127.0.0.1:{os.environ['HBASEKV_PORT']}/{os.environ['HBASEKV_DATABASE']}?charset=utf8mb4"
SCHEMA = os.environ["HBASEKV_DATABASE"]


def step(name):
    print("step", name, flush=True)


def fill():
    import pymysql
    db = pymysql.connect(unix_socket=os.environ["HBASEKV_SOCKET"], user="root", database=SCHEMA, autocommit=True)
    with db.cursor() as cur:
        cur.execute(f"CREATE TABLE `c$p` ({COLUMNS})")
        cur.execute("CREATE VIEW c_people AS SELECT CAST(K AS CHAR(20)) AS id, CAST(MAX(CASE WHEN Q = 'city' THEN V END) AS CHAR(20)) AS city, "
                    "CAST(MAX(CASE WHEN Q = 'age' THEN V END) AS SIGNED) AS age, FROM_UNIXTIME(MAX(T) DIV 1000) AS at FROM `c$p` GROUP BY K")
        cur.executemany("INSERT INTO `c$p` VALUES (%s, %s, %s, %s)", [
            (b"u%03d" % i, q, 1700000000000 + i * 86400000, v) for i in range(60)
            for q, v in ((b"city", b"City %d" % (i % 3)), (b"age", b"%d" % (20 + i)))])
    db.close()


def answer(response, *statuses):
    assert response.status_code in (statuses or (200, 201)), (response.status_code, response.get_data(as_text=True)[:2000])
    return response.get_json()


def browse(client, database):
    schemas = answer(client.get(f"/api/v1/database/{database}/schemas/"))["result"]
    assert SCHEMA in schemas, schemas
    listed = answer(client.get(f"/api/v1/database/{database}/tables/?q=(schema_name:{SCHEMA})"))["result"]
    kinds = {t["value"]: t["type"] for t in listed}
    assert kinds["c$p"] == "table" and kinds["c_people"] == "view", kinds
    info = answer(client.get(f"/api/v1/database/{database}/table_metadata/?name=c%24p&schema={SCHEMA}"))
    assert [c["name"] for c in info["columns"]] == ["K", "Q", "T", "V"], info
    step("browse")


def lab(client, database):
    got = answer(client.post("/api/v1/sqllab/execute/", json={
        "database_id": database, "schema": SCHEMA, "sql": "SELECT city, COUNT(*) AS n, AVG(age) AS mean FROM c_people GROUP BY city ORDER BY city",
        "runAsync": False, "client_id": "abcdefghi"}))
    assert [(r["city"], r["n"], float(r["mean"])) for r in got["data"]] == [
        ("City 0", 20, 48.5), ("City 1", 20, 49.5), ("City 2", 20, 50.5)], got["data"]
    failed = client.post("/api/v1/sqllab/execute/", json={
        "database_id": database, "schema": SCHEMA, "sql": "SELECT nothing FROM c_people", "runAsync": False, "client_id": "abcdefghj"})
    assert "nothing" in failed.get_data(as_text=True), failed.get_data(as_text=True)
    step("SQL-Lab")


def chart(client, database):
    dataset = answer(client.post("/api/v1/dataset/", json={"database": database, "schema": SCHEMA, "table_name": "c_people"}))["id"]
    columns = answer(client.get(f"/api/v1/dataset/{dataset}"))["result"]["columns"]
    assert {c["column_name"]: bool(c["is_dttm"]) for c in columns} == {"id": False, "city": False, "age": False, "at": True}, columns
    mean = {"expressionType": "SIMPLE", "column": {"column_name": "age"}, "aggregate": "AVG", "label": "mean"}
    query = {"columns": ["city"], "metrics": [mean, "count"], "orderby": [[mean, False]], "row_limit": 10,
             "filters": [{"col": "age", "op": ">=", "val": 30}]}
    asked = {"datasource": {"id": dataset, "type": "table"}, "queries": [query], "result_format": "json", "result_type": "full"}
    rows = answer(client.post("/api/v1/chart/data", json=asked))["result"][0]["data"]
    assert [(r["city"], r["count"]) for r in rows] == [("City 2", 17), ("City 0", 16), ("City 1", 17)], rows
    days = {"columns": [{"timeGrain": "P1M", "columnType": "BASE_AXIS", "sqlExpression": "at", "label": "at", "expressionType": "SQL"}],
            "metrics": ["count"], "time_range": "2023-11-01 : 2024-02-01", "granularity": "at", "row_limit": 100}
    asked["queries"] = [days]
    rows = answer(client.post("/api/v1/chart/data", json=asked))["result"][0]["data"]
    assert [r["count"] for r in rows] == [17, 31, 12], rows
    saved = answer(client.post("/api/v1/chart/", json={
        "slice_name": "People by city", "viz_type": "table", "datasource_id": dataset, "datasource_type": "table", "params": "{}"}))
    assert saved["id"], saved
    step("chart")


def run():
    fill()
    from flask_migrate import upgrade
    with app.app_context():
        upgrade(os.path.join(app.root_path, "migrations"))
        app.appbuilder.add_permissions(update_perms=True)
        from superset.extensions import security_manager
        security_manager.sync_role_definitions()
        security_manager.add_user("admin", "a", "b", "a@b.c", security_manager.find_role("Admin"), password="admin")
    client = app.test_client()
    token = answer(client.post("/api/v1/security/login", json={"username": "admin", "password": "admin", "provider": "db"}))
    client.environ_base["HTTP_AUTHORIZATION"] = "Bearer " + token["access_token"]
    made = answer(client.post("/api/v1/database/", json={
        "database_name": "hbasekv", "sqlalchemy_uri": URI, "expose_in_sqllab": True, "allow_run_async": False}))
    step("connect")
    browse(client, made["id"])
    lab(client, made["id"])
    chart(client, made["id"])


run()
