#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H
#include <curl/curl.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift cannot call: one typed function a
// kind of argument.
static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value);
}

// The three callbacks that move bytes: a function pointer is no `const void *` to Swift.
typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode ccurl_set_data_function(CURL *handle, CURLoption option, ccurl_data_function function) {
  return curl_easy_setopt(handle, option, function);
}
static inline CURLcode ccurl_set_seek_function(CURL *handle, int (*function)(void *, curl_off_t, int)) {
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, function);
}
static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

// `data` of CURLMsg is an anonymous union: read its one useful member here.
static inline CURL *ccurl_next_finished(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return message->easy_handle;
    }
  }
  return NULL;
}

// Macros made of expressions do not reach Swift.
static inline size_t ccurl_pause_write(void) { return CURL_WRITEFUNC_PAUSE; }
static inline size_t ccurl_abort_read(void) { return CURL_READFUNC_ABORT; }
static inline CURLcode ccurl_continue(CURL *handle) { return curl_easy_pause(handle, CURLPAUSE_CONT); }
static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_ALL); }
#endif
