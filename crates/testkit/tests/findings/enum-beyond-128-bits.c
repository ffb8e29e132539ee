enum E { A = ~(unsigned __int128)0, B };
int main(void) { return 0; }
