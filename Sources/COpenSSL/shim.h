#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// What OpenSSL offers as macros over SSL_CTX_ctrl(3) and BIO_ctrl(3), which the importer does not see.

static inline int copenssl_set_versions(SSL_CTX *context, int lowest, int highest) {
  return SSL_CTX_set_min_proto_version(context, lowest) && SSL_CTX_set_max_proto_version(context, highest);
}

static inline int copenssl_set_groups(SSL_CTX *context, const char *names) {
  return (int)SSL_CTX_set1_groups_list(context, names);
}

static inline void copenssl_set_mode(SSL_CTX *context, uint32_t mode) { SSL_CTX_set_mode(context, (long)mode); }

static inline void copenssl_read_ahead(SSL_CTX *context) { SSL_CTX_set_read_ahead(context, 1); }

static inline void copenssl_set_finite_field_groups_by_strength(SSL_CTX *context) { SSL_CTX_set_dh_auto(context, 1); }

static inline void copenssl_set_session_cache_size(SSL_CTX *context, long sessions) {
  SSL_CTX_sess_set_cache_size(context, sessions);
}

static inline void copenssl_on_server_name(SSL_CTX *context, int (*choose)(SSL *, int *, void *), void *argument) {
  SSL_CTX_set_tlsext_servername_callback(context, choose);
  SSL_CTX_set_tlsext_servername_arg(context, argument);
}

static inline int copenssl_kernel_encrypts(SSL *session) { return BIO_get_ktls_send(SSL_get_wbio(session)) != 0; }

// Parameters keep the pointers to their names, and the importer's strings live for one call only.
static inline int copenssl_authenticate_with_sha256(EVP_MAC_CTX *mac, const unsigned char *key, size_t count) {
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key, count),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
      OSSL_PARAM_construct_end(),
  };
  return EVP_MAC_CTX_set_params(mac, parameters);
}

// The same holds for the name of the digest here.
static inline int copenssl_begin_hmac_sha1(EVP_MAC_CTX *mac, const unsigned char *key, size_t count) {
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA1", 0),
      OSSL_PARAM_construct_end(),
  };
  return EVP_MAC_init(mac, key, count, parameters);
}

// Options are macros over a shift, which the importer does not see either.
static const uint64_t copenssl_no_renegotiation = SSL_OP_NO_RENEGOTIATION;
static const uint64_t copenssl_no_compression = SSL_OP_NO_COMPRESSION;
static const uint64_t copenssl_ignore_unexpected_end = SSL_OP_IGNORE_UNEXPECTED_EOF;
static const uint64_t copenssl_kernel_tls = SSL_OP_ENABLE_KTLS;

#endif
