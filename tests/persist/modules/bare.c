/* A shared library without an entry point. */
int bare_number(void);

int bare_number(void) {
    return 1;
}
