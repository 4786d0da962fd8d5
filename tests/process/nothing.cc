// The least command.
int main() { return 0; }
