// JasperReports: compiles a report, fills it over JDBC and prints it as a PDF into the
// file that the second argument names. The first is the driver's scheme.
import java.sql.*;
import java.util.*;
import net.sf.jasperreports.engine.*;

public class Jasper {
    public static void main(String[] args) throws Exception {
        String url = "jdbc:" + args[0] + "://127.0.0.1:" + System.getenv("HBASEKV_PORT") + "/" + System.getenv("HBASEKV_DATABASE")
            + "?user=root&sslMode=DISABLED";
        try (Connection c = DriverManager.getConnection(url); Statement s = c.createStatement()) {
            System.out.println("step connect");
            s.executeUpdate("CREATE TABLE `c$p` (K varbinary(100) NOT NULL, Q varbinary(100) NOT NULL, T bigint NOT NULL, "
                + "V varbinary(1000), PRIMARY KEY (K, Q, T))");
            s.executeUpdate("CREATE VIEW c_people AS SELECT K AS id, MAX(CASE WHEN Q = 'name' THEN V END) AS name, "
                + "MAX(CASE WHEN Q = 'city' THEN V END) AS city, MAX(CASE WHEN Q = 'age' THEN V END) + 0 AS age FROM `c$p` GROUP BY K");
            System.out.println("step create");
            try (PreparedStatement p = c.prepareStatement("INSERT INTO `c$p` VALUES (?, ?, 1, ?)")) {
                for (int i = 0; i < 60; i++) {
                    for (String[] cell : new String[][] {{"name", "Person " + i}, {"city", "City " + i % 3}, {"age", "" + (20 + i)}}) {
                        p.setString(1, String.format("u%03d", i));
                        p.setString(2, cell[0]);
                        p.setString(3, cell[1]);
                        p.addBatch();
                    }
                }
                p.executeBatch();
            }
            System.out.println("step insert");
            JasperReport report = JasperCompileManager.compileReport("java/people.jrxml");
            Map<String, Object> parameters = new HashMap<>();
            parameters.put("oldest", 70L);
            JasperPrint print = JasperFillManager.fillReport(report, parameters, c);
            JasperExportManager.exportReportToPdfFile(print, args[1]);
            System.out.println("step print");
        }
    }
}
