#define PLAIN
-wrapper ./evil.sh
