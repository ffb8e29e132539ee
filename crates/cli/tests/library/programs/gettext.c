//~ verdict: UNKNOWN
#include <libintl.h>
extern void reach_error(void);
int main(void){ if (!gettext("text")) reach_error(); return 0; }
