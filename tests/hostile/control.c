extern void reach_error(void);
int main(void) {
    reach_error(); // [2J]0;title  ‮ <!-- <script> </script>
    return 0;
}
