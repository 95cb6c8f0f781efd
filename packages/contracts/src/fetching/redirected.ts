/** Where a page goes on whose redirect had to wait for its host. */
export interface Redirected {
  url: string;
  /** How many redirects led there. */
  redirects: number;
  /** Whether they left the origin of the page's own address, whose credentials then stay behind. */
  isForeign: boolean;
  /** The `Cookie` header of what the redirects set. */
  cookies?: string | undefined;
}
