/* A table in memory, filled and asked. */
#include <stdio.h>
#include "sqlite3.h"

static int show(void *unused, int count, char **values, char **names) {
  for (int i = 0; i < count; i++) printf("%s%s=%s", i ? ", " : "", names[i], values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

int main(void) {
  sqlite3 *db;
  char *message = 0;
  if (sqlite3_open(":memory:", &db)) return 1;
  const char *statements =
      "create table t(a integer, b text, c real);"
      "insert into t values (1, 'one', 1.5), (2, 'two', 2.25), (3, 'three', null), (4, 'four', -8);"
      "select count(*) as n, sum(a) as s, avg(c) as m from t;"
      "select b, a * 10 as x from t where a > 1 order by b desc;"
      "select upper(b) || '!' as y, length(b) as l from t where c is not null group by a having a < 4;";
  if (sqlite3_exec(db, statements, show, 0, &message)) {
    printf("error: %s\n", message);
    return 1;
  }
  sqlite3_close(db);
  return 0;
}
