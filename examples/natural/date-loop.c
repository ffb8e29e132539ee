// Day numbers by counting years and months, and back: a round trip through loops.
//~ verdict: true
#include <assert.h>
#include <stdbool.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static const int days_before[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

static bool is_leap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int before_month(int year, int month) {
    return days_before[month - 1] + (month > 2 && is_leap(year));
}

static int to_days(int year, int month, int day) {
    int days = 0;
    for (int y = 2000; y < year; y++) {
        days += 365 + is_leap(y);
    }
    return days + before_month(year, month) + day - 1;
}

static void from_days(int days, int *year, int *month, int *day) {
    *year = 2000;
    while (days >= 365 + is_leap(*year)) {
        days -= 365 + is_leap(*year);
        ++*year;
    }
    *month = 12;
    while (before_month(*year, *month) > days) {
        --*month;
    }
    *day = days - before_month(*year, *month) + 1;
}

int main(void) {
    int year = __VERIFIER_nondet_int(), month = __VERIFIER_nondet_int(), day = __VERIFIER_nondet_int();
    __VERIFIER_assume(2000 <= year && year < 2008);
    __VERIFIER_assume(1 <= month && month <= 12);
    int length = before_month(year, month + 1) - before_month(year, month);
    __VERIFIER_assume(1 <= day && day <= length);
    int y, m, d;
    from_days(to_days(year, month, day), &y, &m, &d);
    assert(y == year && m == month && d == day);
    return 0;
}
