// Dates of the Gregorian calendar to day numbers and back.
//~ verdict: true
#include <assert.h>
#include <stdbool.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static bool is_leap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in(int year, int month) {
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

// Days since 1970-01-01, by years that begin in March.
static int to_days(int year, int month, int day) {
    year -= month <= 2;
    int era = year / 400;
    int year_of_era = year - era * 400;
    int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static void from_days(int days, int *year, int *month, int *day) {
    days += 719468;
    int era = days / 146097;
    int day_of_era = days - era * 146097;
    int year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int shifted = (5 * day_of_year + 2) / 153;
    *day = day_of_year - (153 * shifted + 2) / 5 + 1;
    *month = shifted + (shifted < 10 ? 3 : -9);
    *year = year_of_era + era * 400 + (*month <= 2);
}

int main(void) {
    int year = __VERIFIER_nondet_int(), month = __VERIFIER_nondet_int(), day = __VERIFIER_nondet_int();
    __VERIFIER_assume(1970 <= year && year <= 2100);
    __VERIFIER_assume(1 <= month && month <= 12);
    __VERIFIER_assume(1 <= day && day <= days_in(year, month));
    int y, m, d;
    from_days(to_days(year, month, day), &y, &m, &d);
    assert(y == year && m == month && d == day);
    return 0;
}
