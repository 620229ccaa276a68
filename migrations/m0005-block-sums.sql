-- Checksums of the blocks of the package's large payloads, as many as the index tells; null until they are made.
ALTER TABLE release_indexes ADD COLUMN block_sums BLOB;
