import { AppError, usesBrowser, type ScrapeConfig } from '@gleaner/contracts';

/**
 * Checks that a page can be fetched with a merged configuration.
 * @param prefix of the field that an error names: `scrape_config.` or nothing
 * @throws AppError invalid_request: actions without a browser, a POST in a browser
 */
export function requireBrowserFits(
  config: ScrapeConfig,
  { method = 'GET', prefix = 'scrape_config.' }: { method?: 'GET' | 'POST'; prefix?: string } = {},
): void {
  const isBrowser = usesBrowser(config);
  if (config.actions !== undefined && !isBrowser) {
    throw new AppError('invalid_request', {
      field: `${prefix}actions`,
      detail: 'need useBrowser: true',
    });
  }
  if (method === 'POST' && isBrowser) {
    throw new AppError('invalid_request', {
      field: 'method',
      detail: 'must be GET: the parser’s scrape_config or the proxy tier uses a browser',
    });
  }
}
