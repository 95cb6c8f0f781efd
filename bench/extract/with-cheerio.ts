import { load } from 'cheerio';

/** cheerio.load with its own extract(). */
export function extractWithCheerio(html: string): unknown {
  return load(html, { scriptingEnabled: false }).extract({
    title: 'title',
    heading: 'h1',
    lang: { selector: 'html', value: 'lang' },
    description: { selector: 'meta[name="description"]', value: 'content' },
    image: { selector: 'meta[property="og:image"]', value: 'content' },
    canonical: { selector: 'link[rel="canonical"]', value: 'href' },
    published: { selector: 'time', value: 'datetime' },
    links: [{ selector: 'a[href]', value: 'href' }],
    images: [{ selector: 'img[src]', value: 'src' }],
    headings: ['h2'],
    paragraphs: ['p'],
    entries: ['ul > li > a'],
  });
}
