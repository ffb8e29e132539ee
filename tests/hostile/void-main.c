void main(void) {}
