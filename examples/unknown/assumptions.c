// A proof that relies on a function without a body and on valid pointers.
//~ verdict: true
#include <stddef.h>
struct message { size_t length; char text[16]; };
extern struct message *receive(void);
extern void log_length(const size_t *length);
extern void reach_error(void);

int main(void) {
    struct message *message = receive();
    size_t length = message->length % 16;
    log_length(&length);
    if (length > 15) {
        reach_error();
    }
    message->text[length] = 0;
    return 0;
}
