#include <cstdio>

int main() {
  std::puts("FlashDecoding Lab");
  return 0;
}
