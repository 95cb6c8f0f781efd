/** Prebuilt APIs are read here from saved responses, without a service. */
export const extractApi = async (
  id: string,
  _files: readonly string[],
  _url: string | undefined,
): Promise<unknown> => {
  throw new Error(`the prebuilt API ${id} can’t be read from files yet`);
};
