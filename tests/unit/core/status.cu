// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a host call says about itself, and how it meets code that expects CUDA's error codes.
#include <memtile/core/status.hpp>
#include <support/catch.hpp>

#include <string>
#include <type_traits>

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>
#else
enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorIllegalAddress = 700
};
using cudaError_t = cudaError;
#endif

namespace {

using memtile::status;
enum of_another_kind { nothing, something };
enum class scoped { cudaErrorOther };

cudaError_t returned_as_an_error(const status& s) { return s; }

}  // namespace

TEST_CASE("a status is success unless it says why not", "[core]") {
  const status success;
  CHECK(success.ok());
  CHECK(bool(success));
  CHECK(success.message().empty());
  CHECK(success.code() == 0);

  const status refused = status::refused("sizes differ");
  CHECK_FALSE(refused.ok());
  CHECK_FALSE(bool(refused));
  CHECK(refused.message() == "sizes differ");
}

TEST_CASE("a message holds the values in their order", "[core]") {
  const std::string name = "a";
  CHECK(status::refused("gemm: {} is {}x{} but {} is {}x{}: inner sizes differ", name, 128, 64, "b", 32LL, 256u)
            .message() == "gemm: a is 128x64 but b is 32x256: inner sizes differ");
  CHECK(status::refused("{}{}", -1, 9223372036854775807LL).message() == "-19223372036854775807");
  CHECK(status::refused("no place", 7).message() == "no place");
  CHECK(status::refused("{} and {}", 7).message() == "7 and {}");
  CHECK(status::refused("{", "x").message() == "{");
  CHECK(status::refused("{}", "{}").message() == "{}");
}

TEST_CASE("a status becomes the CUDA error that fits best", "[core]") {
  CHECK(returned_as_an_error(status()) == cudaSuccess);
  CHECK(returned_as_an_error(status::refused("no")) == cudaErrorInvalidValue);
  CHECK(returned_as_an_error(status::unlaunchable("no")) == cudaErrorInvalidConfiguration);
  CHECK(returned_as_an_error(status::failed(status::illegal_address, "no")) == cudaErrorIllegalAddress);
  const cudaError_t error = status::failed(719, "{} went wrong", "it");
  CHECK(int(error) == 719);
}

TEST_CASE("code 0 is success, whatever was being done", "[core]") {
  const status fine = status::failed(0, "launch: {}", 1);
  CHECK(fine.ok());
  CHECK(fine.message().empty());
}

TEST_CASE("a status compares with CUDA errors by code and not by truth", "[core]") {
  const status success, refused = status::refused("no"), unlaunchable = status::unlaunchable("no");
  CHECK(bool(success == cudaSuccess));
  CHECK_FALSE(bool(success != cudaSuccess));
  CHECK(bool(success != cudaErrorInvalidValue));
  CHECK_FALSE(bool(refused == cudaSuccess));
  CHECK(bool(refused != cudaSuccess));
  CHECK(bool(refused == cudaErrorInvalidValue));
  CHECK_FALSE(bool(unlaunchable == cudaErrorInvalidValue));
  CHECK(bool(unlaunchable == cudaErrorInvalidConfiguration));
}

TEST_CASE("a status converts to nothing else by itself", "[core]") {
  static_assert(std::is_convertible<status, cudaError_t>::value);
  static_assert(!std::is_convertible<status, bool>::value && std::is_constructible<bool, status>::value);
  static_assert(!std::is_convertible<status, int>::value);
  static_assert(!std::is_convertible<status, of_another_kind>::value && !std::is_convertible<status, scoped>::value);
  const status bad = status::refused("no");
  const status copy = bad;
  CHECK((copy.message() == "no" && copy.code() == status::invalid_value));
  bool negated = false;
  if (!bad) negated = true;
  CHECK(negated);
}
