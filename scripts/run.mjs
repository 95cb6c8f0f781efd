// Placeholder, replaced by the real bootstrap.
