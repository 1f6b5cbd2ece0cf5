CREATE TABLE articles (name varchar(50) PRIMARY KEY, stock int NOT NULL);
CREATE TABLE orders (
  id bigint AUTO_INCREMENT PRIMARY KEY, article varchar(50) NOT NULL, pieces int NOT NULL, ordered datetime NOT NULL,
  INDEX (article));
INSERT INTO articles VALUES ('tea', 10), ('salt', 1);
