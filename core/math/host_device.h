// FD_HD marks what runs on the CPU and on the GPU. This is the only file that asks whether nvcc is reading it.
#pragma once

#if defined(__CUDACC__)
#define FD_HD __host__ __device__
#else
#define FD_HD
#endif
