/// Nothing yet.
