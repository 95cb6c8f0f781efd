import { Window } from 'happy-dom';

/** A browser-like DOM, with the standard's own methods. */
export function extractWithHappyDom(html: string): unknown {
  const window = new Window({ settings: { disableJavaScriptEvaluation: true } });
  const document = new window.DOMParser().parseFromString(html, 'text/html');
  const text = (selector: string): string | undefined => document.querySelector(selector)?.textContent.trim();
  const attribute = (selector: string, name: string): string | null | undefined =>
    document.querySelector(selector)?.getAttribute(name);
  const texts = (selector: string): string[] =>
    [...document.querySelectorAll(selector)].map((element) => element.textContent.trim());
  return {
    title: text('title'),
    heading: text('h1'),
    lang: attribute('html', 'lang'),
    description: attribute('meta[name="description"]', 'content'),
    image: attribute('meta[property="og:image"]', 'content'),
    canonical: attribute('link[rel="canonical"]', 'href'),
    published: attribute('time', 'datetime'),
    links: [...document.querySelectorAll('a[href]')].map((element) => element.getAttribute('href')),
    images: [...document.querySelectorAll('img[src]')].map((element) => element.getAttribute('src')),
    headings: texts('h2'),
    paragraphs: texts('p'),
    entries: texts('ul > li > a'),
  };
}
