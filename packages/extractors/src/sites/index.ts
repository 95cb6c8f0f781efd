/** Placeholder of the prebuilt sites. */
export const extractSite = (siteId: string, _input: unknown, _responses: unknown): never => {
  throw new Error(`no site ${siteId}`);
};
