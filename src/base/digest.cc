#include "base/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/check.h"

namespace braid {

std::string sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  BRAID_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) == 1);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += fmt::format("{:02x}", digest[i]);
  }
  return text;
}

}  // namespace braid
