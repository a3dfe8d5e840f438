// GDCM's JPEG libraries write their complaints about a file on standard error, where a server has
// its log. They are asked for their handlers by name, and this module comes before them in the
// order in which names are looked up, so it hands out handlers that are silent. What is wrong with
// a file is still known: the decoder gives up, or gives what it has.

#include <dlfcn.h>

namespace {

/// The start of libjpeg's jpeg_error_mgr, which is the same in all versions.
struct JpegErrors {
  void (*give_up)(void*);
  void (*emit)(void*, int);
  void (*print)(void*);
};

using StandardErrors = JpegErrors*(JpegErrors*);

/// The function of that name in the library that this module covers.
template <typename Signature>
Signature* covered(const char* name) {
  return reinterpret_cast<Signature*>(dlsym(RTLD_NEXT, name));
}

JpegErrors* silent(StandardErrors* standard, JpegErrors* errors) {
  if (standard == nullptr) {
    return errors;  // cannot be: GDCM is linked with it
  }
  JpegErrors* const result = standard(errors);
  result->emit = [](void*, int) {};
  result->print = [](void*) {};
  return result;
}

}  // namespace

#define BRAID_SEEN extern "C" __attribute__((visibility("default")))

BRAID_SEEN JpegErrors* gdcmjpeg8_jpeg_std_error(JpegErrors* errors) {
  return silent(covered<StandardErrors>("gdcmjpeg8_jpeg_std_error"), errors);
}

BRAID_SEEN JpegErrors* gdcmjpeg12_jpeg_std_error(JpegErrors* errors) {
  return silent(covered<StandardErrors>("gdcmjpeg12_jpeg_std_error"), errors);
}

BRAID_SEEN JpegErrors* gdcmjpeg16_jpeg_std_error(JpegErrors* errors) {
  return silent(covered<StandardErrors>("gdcmjpeg16_jpeg_std_error"), errors);
}
