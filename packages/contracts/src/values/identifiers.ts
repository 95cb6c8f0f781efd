/** The form of a name that becomes a table, a column, a schema field or a stage. */
export const IDENTIFIER = /^[a-z_][a-z0-9_]{0,62}$/;

/** The same rule in words, after the name. */
export const IDENTIFIER_RULE =
  'must be lower-case letters, digits and _, at most 63, and not start with a digit';
