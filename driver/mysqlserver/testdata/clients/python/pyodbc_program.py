# The way of Excel: MariaDB's ODBC driver.
import re

import pyodbc

from scenario import DATABASE, SOCKET, Program, main


class ODBC(Program):
    errors = pyodbc
    mark = "?"
    number_of = staticmethod(lambda e: int(re.search(r"\((\d+)\)", e.args[1]).group(1)))

    def connect(self):
        return pyodbc.connect(f"DRIVER=MariaDB Unicode;SOCKET={SOCKET};UID=root;DATABASE={DATABASE}", autocommit=False)


main(ODBC())
