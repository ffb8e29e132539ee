// A price in cents.
extern float __VERIFIER_nondet_float(void);

int main(void) {
    float price = __VERIFIER_nondet_float();
    if (!(price >= 0.0f && price <= 3000000000.0f)) {
        return 0;
    }
    int cents = price * 100.0f;
    return cents < 0;
}
