/* Models of getopt and getopt_long as glibc does them, but for what they print: options come first if POSIXLY_CORRECT
   or + says so, else arguments that are none move to the end. */

char *strchr(const char *s, int c);
size_t strlen(const char *s);
int strncmp(const char *a, const char *b, size_t n);

typedef struct { int next, first, last, started; } __model_options_state;

__model_options_state *__model_options(void) {
  static __model_options_state state;
  return &state;
}

/* Moves the arguments between first and last after those between last and optind. */
void __model_exchange(char **argv, int top, __model_options_state *state) {
  int bottom = state->first, middle = state->last, end = top, moved = top - middle;
  int i = bottom;
  while (middle > bottom && top > middle) {
    char *first = argv[middle];
    int j = middle;
    while (j > i) {
      argv[j] = argv[j - 1];
      j--;
    }
    argv[i] = first;
    i++;
    middle++;
    bottom++;
  }
  state->first += moved;
  state->last = end;
}

typedef struct { const char *name; int has_arg; int *flag; int val; } __model_option;

int __model_getopt(int argc, char **argv, const char *letters, const __model_option *longs, int *index, int only) {
  extern char *optarg;
  extern int optind, opterr, optopt;
  __model_options_state *state = __model_options();
  int in_order = letters[0] == '+', all = letters[0] == '-', silent;
  if (in_order || all) letters++;
  silent = letters[0] == ':';
  if (argc < 1) return -1;
  optarg = 0;
  if (optind == 0 || !state->started) {
    if (optind == 0) optind = 1;
    state->first = state->last = optind;
    state->next = 0;
    state->started = 1;
  }
  if (state->next == 0 || argv[optind] == 0 || argv[optind][state->next] == 0) {
    state->next = 0;
    if (state->last > optind) state->last = optind;
    if (state->first > optind) state->first = optind;
    if (!in_order && !all) {
      if (state->first != state->last && state->last != optind) __model_exchange(argv, optind, state);
      else if (state->last != optind) state->first = optind;
      while (optind < argc && (argv[optind][0] != '-' || argv[optind][1] == 0)) optind++;
      state->last = optind;
    }
    if (optind != argc && argv[optind][0] == '-' && argv[optind][1] == '-' && argv[optind][2] == 0) {
      optind++;
      if (state->first != state->last && state->last != optind) __model_exchange(argv, optind, state);
      else if (state->first == state->last) state->first = optind;
      state->last = argc;
      optind = argc;
    }
    if (optind == argc) {
      if (state->first != state->last) optind = state->first;
      return -1;
    }
    if (argv[optind][0] != '-' || argv[optind][1] == 0) {
      if (in_order) return -1;
      optarg = argv[optind++];
      return 1;
    }
    if (longs != 0 && (argv[optind][1] == '-' || (only && (argv[optind][2] || !strchr(letters, argv[optind][1]))))) {
      const char *name = argv[optind] + (argv[optind][1] == '-' ? 2 : 1);
      size_t length = 0, i = 0;
      int found = -1, exact = 0, several = 0;
      while (name[length] && name[length] != '=') length++;
      while (longs[i].name != 0) {
        if (strncmp(longs[i].name, name, length) == 0) {
          if (strlen(longs[i].name) == length && !exact) {
            found = (int)i;
            exact = 1;
          } else if (found < 0) {
            found = (int)i;
          } else if (!exact && (only || longs[found].has_arg != longs[i].has_arg || longs[found].flag != longs[i].flag
                                || longs[found].val != longs[i].val)) {
            several = 1;
          }
        }
        i++;
      }
      /* What begins with one - only and is no long option may be short ones. */
      if (found >= 0 || !only || argv[optind][1] == '-' || !strchr(letters, name[0])) {
        optind++;
        optopt = 0;
        if (found < 0 || (several && !exact)) return '?';
        if (name[length] == '=') {
          if (longs[found].has_arg == 0) {
            optopt = longs[found].val;
            return '?';
          }
          optarg = (char *)name + length + 1;
        } else if (longs[found].has_arg == 1) {
          if (optind >= argc) {
            optopt = longs[found].val;
            return silent ? ':' : '?';
          }
          optarg = argv[optind++];
        }
        if (index != 0) *index = found;
        if (longs[found].flag) {
          *longs[found].flag = longs[found].val;
          return 0;
        }
        return longs[found].val;
      }
    }
    state->next = 1;
  }
  {
    char c = argv[optind][state->next];
    const char *at = strchr(letters, c);
    int here = optind;
    state->next++;
    if (argv[optind][state->next] == 0) optind++;
    if (at == 0 || c == ':' || c == ';') {
      optopt = c;
      if (here != optind) state->next = 0;
      return '?';
    }
    if (c == 'W' && at[1] == ';' && longs != 0) __builtin_getopt_with_W();
    if (at[1] == ':') {
      char *rest = argv[here] + state->next;
      if (at[2] == ':') {
        optarg = *rest ? rest : 0;
        if (here == optind) optind++;
      } else if (*rest) {
        optarg = rest;
        optind = here + 1;
      } else if (optind == argc) {
        optopt = c;
        c = silent ? ':' : '?';
      } else {
        optarg = argv[optind++];
      }
      state->next = 0;
    } else if (here != optind) {
      state->next = 0;
    }
    return c;
  }
}

int getopt(int argc, char **argv, const char *letters) { return __model_getopt(argc, argv, letters, 0, 0, 0); }

int getopt_long(int argc, char **argv, const char *letters, const void *longs, int *index) {
  return __model_getopt(argc, argv, letters, longs, index, 0);
}

int getopt_long_only(int argc, char **argv, const char *letters, const void *longs, int *index) {
  return __model_getopt(argc, argv, letters, longs, index, 1);
}
