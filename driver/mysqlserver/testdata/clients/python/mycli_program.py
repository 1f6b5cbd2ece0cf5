"""mycli, the shell with completion: what it runs, and that it knows the names."""

import subprocess
import sys

from scenario import DATABASE, PORT, SIDE, VIEW, TABLE, same, step

args = [sys.executable, "-m", "mycli.main", "-h", "127.0.0.1", "-P", str(PORT), "-u", "root", "-p", "", "-D", DATABASE, "--no-warn"]


def run(text, *more):
    done = subprocess.run(args + ["-e", text, *more], input="\n", capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


for t in (TABLE, SIDE, VIEW):
    run(t)
run("INSERT INTO `c$p` VALUES ('a', 'name', 1, 'Ann'), ('a', 'city', 1, 'Paris')")
same(run("SELECT CAST(name AS CHAR) AS name, 'né €' AS t FROM c_people", "--csv").split(), ['"name","t"', '"Ann","né', '€"'])
step("connect")
