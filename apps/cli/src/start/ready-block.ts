import type { Credentials } from './data-files.ts';

const EXAMPLE = {
  schema: { fields: { title: 'h1', price: { css: '.price', type: 'number' } } },
  html: '<h1>Blue mug</h1><p class=price>12.50 EUR</p>',
};

export interface ReadyInput {
  credentials: Credentials;
  /** Whether this start created the key, which is then shown once. */
  isNew: boolean;
  /** Opens the dashboard signed in, once. */
  signInUrl: string | undefined;
  dataDir: string;
  isTerminal: boolean;
}

/**
 * The text to show when the service is ready: its addresses, the key, and a command to try. Key and sign-in link are shown
 * on a terminal only: elsewhere they would stay in a log.
 */
export function readyBlock({ credentials, isNew, signInUrl, dataDir, isTerminal }: ReadyInput): string {
  const { base_url: baseUrl, api_key: key } = credentials;
  const showsKey = isNew && isTerminal;
  const link = isTerminal ? signInUrl : undefined;
  const bold = (text: string): string => (isTerminal ? `\u001B[1m${text}\u001B[0m` : text);
  const file = `${dataDir}/credentials.json`;
  const header = showsKey
    ? `-H 'X-API-Key: ${key}'`
    : `-H "X-API-Key: $(sed -n 's/.*"api_key": "\\(.*\\)".*/\\1/p' ${quoted(file)})"`;
  return [
    '',
    bold('Gleaner is ready'),
    '',
    `  Dashboard  ${bold(link ?? baseUrl)}`,
    link === undefined
      ? '             sign in with an API key'
      : '             this link signs in once, within a day',
    `  API        ${baseUrl}`,
    `  Docs       ${baseUrl}/docs`,
    `  Operator   ${baseUrl}/operator  (password in ${file})`,
    showsKey
      ? `  API key    ${bold(key)}\n             shown this once; also in ${file}`
      : `  API key    in ${file}`,
    '',
    'Try it:',
    '',
    `curl -s ${baseUrl}/v1/parsers/preview ${header} -H 'Content-Type: application/json' -d '${JSON.stringify(EXAMPLE)}'`,
    '',
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
