/* What runs when the program ends: exit$handlers(1, ...) runs what exit$handlers(0, ...) registered, last one first. */

int exit$handlers(int runs, int status, void (*plain)(void), void (*full)(int, void *), void *argument) {
    static void (*plains[32])(void);
    static void (*fulls[32])(int, void *);
    static void *arguments[32];
    static int count;
    if (!runs) {
        if (count == 32) __builtin_more_than_32_handlers_of_exit();
        plains[count] = plain;
        fulls[count] = full;
        arguments[count] = argument;
        count++;
        return 0;
    }
    while (count > 0) {
        count--;
        if (plains[count]) plains[count]();
        else fulls[count](status, arguments[count]);
    }
    return 0;
}

int quick_exit$handlers(int runs, int status, void (*plain)(void), void *unused, void *neither) {
    static void (*plains[32])(void);
    static int count;
    if (!runs) {
        if (count == 32) __builtin_more_than_32_handlers_of_quick_exit();
        plains[count] = plain;
        count++;
        return 0;
    }
    while (count > 0) {
        count--;
        plains[count]();
    }
    return 0;
}

int atexit(void (*handler)(void)) { return exit$handlers(0, 0, handler, 0, 0); }

int on_exit(void (*handler)(int, void *), void *argument) { return exit$handlers(0, 0, 0, handler, argument); }

int at_quick_exit(void (*handler)(void)) { return quick_exit$handlers(0, 0, handler, 0, 0); }
