const MAX_CHARACTERS = 500;

/** What a Postgres said is wrong, short: an account's own server may say megabytes, which would be kept with every task. */
export function serverMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…` : text;
}
