/** A pause's name in a store. Neither a host nor an account's id contains a space. */
export function pauseName({ host, accountId }: { host: string; accountId: string }): string {
  return `${host} ${accountId}`;
}

export function readPauseName(name: string): { host: string; accountId: string } {
  const [host = '', accountId = ''] = name.split(' ');
  return { host, accountId };
}
