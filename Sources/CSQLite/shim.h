#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

// SQLITE_TRANSIENT is a cast macro, which Swift cannot import: bind a copy through here.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// The shared WAL index of a connection, NULL when it has none mapped. Swift cannot take the volatile pointer that
// xShmMap gives. It stays valid until the connection closes.
static inline const void *csqlite_wal_index(sqlite3 *connection) {
  sqlite3_file *file = NULL;
  volatile void *index = NULL;
  if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return NULL;
  if (file == NULL || file->pMethods == NULL || file->pMethods->iVersion < 2) return NULL;
  if (file->pMethods->xShmMap(file, 0, 32768, 0, &index) != SQLITE_OK) return NULL;
  return (const void *)index;
}

// Whether the two headers at the start of the WAL index (sqlite.org/walformat.html, section 2.2.1: 24 words that every
// commit changes) differ from `last`, which becomes what they are. Swift has no atomic loads from foreign memory.
static inline int csqlite_wal_index_changed(const void *index, uint32_t *last) {
  const uint32_t *words = (const uint32_t *)index;
  int changed = 0;
  for (int i = 0; i < 24; i++) {
    uint32_t word = __atomic_load_n(&words[i], __ATOMIC_ACQUIRE);
    changed |= word != last[i];
    last[i] = word;
  }
  return changed;
}
#endif
