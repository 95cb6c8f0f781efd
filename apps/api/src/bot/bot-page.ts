/** What the page says about the installation. */
export interface BotFacts {
  /** The crawler's name in robots.txt. */
  name: string;
  /** The public address of the service. */
  publicUrl: string | undefined;
  /** An email address or a URL. */
  contact: string | undefined;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

function link(href: string, text: string): string {
  return `<a href="${escape(href)}">${escape(text)}</a>`;
}

/** The colours of the dashboard (apps/dashboard/src/app/app.css), which has no part in this page. */
const STYLE = `
:root { color-scheme: light dark; --ground: #fff; --raised: #f4f2ee; --line: #e4e2dd; --ink: #1d1b17; --soft: #625d54; --accent: #7d540d; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #171614; --raised: #23221f; --line: #302f2c; --ink: #e9e6df; --soft: #a8a297; --accent: #e0af4b; }
}
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
header { display: flex; align-items: center; gap: .75rem; }
header img { width: 2rem; height: 2rem; }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p, ul { margin: .5rem 0; }
li { margin: .25rem 0; }
a { color: var(--accent); overflow-wrap: anywhere; }
code, pre { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .75rem 1rem; overflow-x: auto; }
figure { margin: .75rem 0; }
figcaption { color: var(--soft); font-size: .875rem; margin-bottom: .25rem; }
`;

/** Lines for a robots.txt, with what they do. */
function example(caption: string, lines: readonly string[]): string {
  return `<figure><figcaption>${escape(caption)}</figcaption><pre tabindex="0">${escape(lines.join('\n'))}</pre></figure>`;
}

function contactOf({ contact, publicUrl }: BotFacts): string {
  if (contact === undefined) {
    return publicUrl === undefined
      ? '<p>The operator of this service has published no address.</p>'
      : `<p>The operator of ${escape(new URL(publicUrl).host)} has published no address here. robots.txt works without.</p>`;
  }
  const href = URL.canParse(contact) ? contact : `mailto:${contact}`;
  return `<p>Write to the operator: ${link(href, contact)}. Please name your site and, if you can, some lines of its log.</p>`;
}

/** `/bot`: for the owners of sites that are crawled. Who crawls, what for, and how to forbid it. */
export function buildBotPage(facts: BotFacts): string {
  const { name, publicUrl } = facts;
  const agent = `User-agent: ${name}`;
  const where = publicUrl === undefined ? 'here' : `at ${link(publicUrl, new URL(publicUrl).host)}`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escape(name)}</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml" />
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <header><img src="/icon.svg" alt="" /><h1>${escape(name)}</h1></header>
      <p>${escape(name)} is the crawler of the service ${where}. The service runs Gleaner, software that reads web pages
      for its users and turns them into data.</p>
      <h2>What it does</h2>
      <ul>
        <li>A user names the address at which a crawl begins and how far it may go. The crawl follows links there, and reads
        robots.txt, sitemaps and feeds.</li>
        <li>It obeys robots.txt, unless the user who starts a crawl says that it may not decide, as for a site of one's own. It
        keeps to <code>Crawl-delay</code>, up to 10 seconds.</li>
        <li>It waits when a site answers that it is busy (status 429 or 503 with <code>Retry-After</code>).</li>
        <li>Its requests have <code>${escape(name)}</code> in their User-Agent. Pages that users ask for one by one are no
        crawl, and do not carry this name.</li>
      </ul>
      <h2>How to forbid it</h2>
      <p>Put lines like these into the robots.txt of your site. They count within an hour.</p>
      ${example('Nothing may be crawled:', [agent, 'Disallow: /'])}
      ${example('All but one folder may be crawled:', [agent, 'Disallow: /private/'])}
      ${example('At most one page in ten seconds:', [agent, 'Crawl-delay: 10'])}
      <h2>Contact</h2>
      ${contactOf(facts)}
    </main>
  </body>
</html>
`;
}
