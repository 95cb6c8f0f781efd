/** The initial values of a form, from its address. */
export interface TargetSearch {
  parser?: string;
  api?: string;
  url?: string;
}

export function readTargetSearch({ parser, api, url }: Record<string, unknown>): TargetSearch {
  return {
    ...(typeof parser === 'string' ? { parser } : {}),
    ...(typeof api === 'string' ? { api } : {}),
    ...(typeof url === 'string' ? { url } : {}),
  };
}
